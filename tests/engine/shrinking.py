"""Making a failing case small: drop what can go, as long as it keeps failing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from engine.cases import Call, Case, Event

from tocsin.errors import DefinitionError
from tocsin.language import nodes
from tocsin.language.nodes import Expression, Primitive


def shrunk(case: Case, fails: Callable[[Case], bool], most: int = 3000) -> Case:
    """A smaller case that still fails; tries at most so many candidates."""
    tries = 0
    progress = True
    while progress:
        progress = False
        for candidate in smaller(case):
            tries += 1
            if tries > most:
                return case
            if candidate.is_meaningful() and fails(candidate):
                case, progress = candidate, True
                break
    return case


def smaller(case: Case) -> Iterator[Case]:
    """Cases with something less, large steps first."""
    for i in range(len(case.patterns)):
        if len(case.patterns) > 1:
            yield replace(case, patterns=(*case.patterns[:i], *case.patterns[i + 1 :]))
    for size in (8, 4, 2, 1):
        for i in range(0, len(case.events), size):
            yield replace(case, events=(*case.events[:i], *case.events[i + size :]))
    for i, pattern in enumerate(case.patterns):
        for simpler in simpler_patterns(pattern):
            yield replace(case, patterns=(*case.patterns[:i], simpler, *case.patterns[i + 1 :]))
    for i in range(len(case.calls) - 1):
        yield replace(case, calls=(*case.calls[:i], *case.calls[i + 1 :]))
    for i, call in enumerate(case.calls):
        if call.then != "nothing":
            calls = (*case.calls[:i], Call(call.upto), *case.calls[i + 1 :])
            yield replace(case, calls=calls)
    for i, event in enumerate(case.events):
        for simpler_event in simpler_events(event):
            yield replace(case, events=(*case.events[:i], simpler_event, *case.events[i + 1 :]))
    if case.until is not None:
        yield replace(case, until=None)
    if case.report != "overlapping":
        yield replace(case, report="overlapping")


def simpler_events(event: Event) -> Iterator[Event]:
    """The event as an instant, of one primitive, of the key 0."""
    if event.start < event.end:
        yield replace(event, start=event.end)
    for name in event.names if len(event.names) > 1 else ():
        yield replace(event, names=(name,))
    if event.key:
        yield replace(event, key=0)


def simpler_patterns(pattern: Expression) -> Iterator[Expression]:
    """The pattern with one of its subexpressions replaced by an operand of it, or by A."""
    yield from pattern.children
    if not isinstance(pattern, Primitive):
        yield Primitive("A")
    for i, child in enumerate(pattern.children):
        for simpler in simpler_patterns(child):
            children = list(pattern.children)
            children[i] = simpler
            try:
                yield with_children(pattern, children)
            except DefinitionError:
                continue


def with_children(pattern: Expression, children: list[Expression]) -> Expression:
    """The same operator on other operands."""
    if isinstance(pattern, nodes.AnyOf):
        return nodes.AnyOf(pattern.count, tuple(children))
    left = iter(children)
    values = [getattr(pattern, field.name) for field in fields(pattern)]  # type: ignore[arg-type]
    return type(pattern)(*(next(left) if isinstance(v, Expression) else v for v in values))
