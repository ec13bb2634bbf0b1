"""What a plan asks of the times it is to see, found out before there is one."""

from __future__ import annotations

from datetime import tzinfo

from tocsin.engine import calendar
from tocsin.engine.plan import Plan
from tocsin.language.durations import Duration
from tocsin.language.nodes import At, Every


def check_times(plan: Plan, zone: tzinfo) -> None:
    """Refuse durations and times of day that the times do not have."""
    for node in plan.nodes:
        if isinstance(node.expression, At | Every):
            calendar.instants(node.expression, 0, 0, plan.tick, zone)
        for value in vars(node.expression).values():
            if isinstance(value, Duration):
                value.in_ticks(plan.tick)
