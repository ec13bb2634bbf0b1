"""What is reported of a whole pattern: everything, again and again, or once (SPEC §5)."""

from __future__ import annotations

from tocsin.language import settings
from tocsin.language.nodes import Expression
from tocsin.semantics.evaluate import meaning
from tocsin.semantics.history import History
from tocsin.semantics.occurrence import Occurrence


def report(
    expression: Expression,
    history: History,
    *,
    semantics: str = "restricted",
    basis: str = "interval",
    report: str = "overlapping",
) -> list[Occurrence]:
    """What to report: `overlapping` all, `single` the first, `repeated` afresh after each.

    >>> from tocsin.language.builders import event
    >>> pattern = event("A") >> event("A") >> event("B")
    >>> history = History.of(("AB"[i % 2], i) for i in range(8))
    >>> [(o.start, o.end) for o in report(pattern, history, report="repeated")]
    [(0, 3), (4, 7)]
    """
    settings.check(
        expression, semantics=semantics, basis=basis, report=report, policy=history.policy
    )
    found = meaning(expression, history, semantics=semantics, basis=basis)
    if report == "overlapping":
        return found
    reported: list[Occurrence] = []
    while found:
        moment = found[0].detected
        reported += [o for o in found if o.detected == moment]
        if report == "single":
            break
        history = history.after(moment)
        found = meaning(expression, history, semantics=semantics, basis=basis)
    return reported
