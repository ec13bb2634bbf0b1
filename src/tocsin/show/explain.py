"""A pattern in words: the tree, what each operator does, the events, what starts and ends it.

Nothing here recurses, and long chains and deep trees are cut short where people read them, so a
pattern of ten thousand operators is explained on one screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tocsin.analysis.ends import ends
from tocsin.language import nodes
from tocsin.language.nodes import Expression
from tocsin.show.screen import speaks_unicode
from tocsin.show.words import CHAINS, enumerate_, meaning, sentence, word

MAX_LINES, MAX_DEPTH = 24, 10
_SHORT_NODES, _SHORT_TEXT = 12, 36  # a longer operand is called by its number
_BARE = (*CHAINS, nodes.Negation, nodes.Within, nodes.Using)  # written without parentheses


@dataclass
class Step:
    """An operator of the pattern, with its place in the tree."""

    number: int
    depth: int
    node: Expression
    children: tuple[Expression, ...]
    parent: int
    operands: list[int | str] = field(default_factory=list)
    """Per operand the number of its step, or the text of an event, a clock or `nothing`."""


def outline(pattern: Expression) -> list[Step]:
    """The operators of a pattern, from the top; `A ; B ; C` is one step with three operands.

    >>> from tocsin import parse
    >>> [(s.number, word(s.node), s.operands) for s in outline(parse("A ; B ; C - (D | E)"))]
    [(1, 'then', ['A', 'B', 2]), (2, 'without', ['C', 3]), (3, 'or', ['D', 'E'])]
    """
    steps: list[Step] = []
    stack: list[tuple[Expression, int, int, int]] = [(pattern, 0, 0, 0)]
    while stack:
        node, depth, parent, place = stack.pop()
        children = _chain(node)
        number = len(steps) + 1
        steps.append(Step(number, depth, node, children, parent))
        steps[-1].operands = ["" if c.children else str(c) for c in children]
        if parent:
            steps[parent - 1].operands[place] = number
        inner = [(c, depth + 1, number, i) for i, c in enumerate(children) if c.children]
        stack.extend(reversed(inner))
    return steps


def says(step: Step, texts: dict[int, str]) -> str:
    """The sentence of a step; operands by their text (`texts`, by identity) or by their number."""
    names = []
    for child, operand in zip(step.children, step.operands, strict=True):
        text = texts.get(id(child))
        if isinstance(operand, str):
            names.append(operand)
        elif text is None:
            names.append(f"[{operand}]")
        else:
            names.append(f"({text})" if isinstance(child, _BARE) else text)
    return sentence(step.node, names)


def short_texts(pattern: Expression) -> dict[int, str]:
    """By identity of the node: its text, if that is short enough to stand in a sentence."""
    sizes: dict[int, int] = {}
    texts: dict[int, str] = {}
    for node in pattern.postorder():
        sizes[id(node)] = size = 1 + sum(sizes[id(child)] for child in node.children)
        if size <= _SHORT_NODES and id(node) not in texts:
            text = str(node)
            if len(text) <= _SHORT_TEXT:
                texts[id(node)] = text
    return texts


def as_json(pattern: Expression) -> dict[str, Any]:
    """The explanation as data. Steps are a flat list: JSON readers recurse, patterns are deep."""
    texts = short_texts(pattern)
    found = ends(pattern)
    return {
        "pattern": str(pattern),
        "steps": [
            {
                "number": step.number,
                "operator": word(step.node),
                "says": says(step, texts),
                "operands": step.operands,
            }
            for step in outline(pattern)
        ],
        "events": {event.name: meaning(event) for event in pattern.primitives()},
        "starts": [_source(node, texts) for node in found.starts],
        "ends": [_source(node, texts) for node in found.ends],
        "detected_with": [_source(node, texts) for node in found.decides],
    }


def show(pattern: Expression, console: Console) -> None:
    """Print the explanation for people."""
    texts = short_texts(pattern)
    console.print(Text("Pattern", "bold"))
    text = str(pattern)
    room = 4 * console.width
    text = text if len(text) <= room else text[: room - 2] + " …"
    console.print(Padding(Text(text), (0, 0, 0, 2)))
    console.print(Text("\nWhat it says", "bold"))
    console.print(_tree(outline(pattern), texts, console))
    events = pattern.primitives()
    if events:
        console.print(Text("\nEvents", "bold"))
        console.print(_events(events))
    console.print(Text("\nStart and end", "bold"))
    for line in start_and_end(pattern, texts):
        console.print(Padding(Text(line), (0, 0, 0, 2)))


def start_and_end(pattern: Expression, texts: dict[int, str] | None = None) -> Iterator[str]:
    """What can start, end and decide an occurrence, in sentences.

    >>> from tocsin import parse
    >>> print(*start_and_end(parse("(A | B) ; C")), sep="\\n")
    An occurrence starts with A or B.
    It ends with C, and is detected then.
    """
    texts = short_texts(pattern) if texts is None else texts
    found = ends(pattern)
    starts, finishes, decides = (
        enumerate_([_kind(node) + _source(node, texts) for node in sources], " or ")
        for sources in (found.starts, found.ends, found.decides)
    )
    if not found.starts:
        yield "It never occurs: it waits for something that never happens."
    else:
        yield f"An occurrence starts with {starts}."
        if decides == finishes:
            yield f"It ends with {finishes}, and is detected then."
        else:
            yield f"It ends with {finishes}."
            yield f"It is detected with {decides}, at its end or later."


def _chain(node: Expression) -> tuple[Expression, ...]:
    """The operands of a node; of `A ; B ; C`, which is `(A ; B) ; C`, all three."""
    if not isinstance(node, CHAINS):
        return node.children
    tail: list[Expression] = []
    inner: Expression = node
    while type(inner) is type(node):
        inner, last = inner.children
        tail.append(last)
    return (inner, *reversed(tail))


def _source(node: Expression, texts: dict[int, str]) -> str:
    return texts.get(id(node)) or f"{word(node)}(…)"


def _kind(node: Expression) -> str:
    if isinstance(node, nodes.Primitive):
        return ""
    return "the clock " if isinstance(node, nodes.At | nodes.Every) else "the timer "


def _tree(steps: list[Step], texts: dict[int, str], console: Console) -> Table:
    shown = [step for step in steps if step.depth < MAX_DEPTH][:MAX_LINES]
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    guides = _guides(shown, speaks_unicode(console))
    for step, guide in zip(shown, guides, strict=True):
        table.add_row(
            Text.assemble(f"  {guide}", (f"{step.number} ", "dim"), (word(step.node), "cyan")),
            Text(says(step, texts)),
        )
    if len(shown) < len(steps):
        table.add_row("  …", Text(f"and {len(steps) - len(shown):,} more operators"))
    return table


def _guides(steps: list[Step], unicode: bool) -> list[str]:
    """The lines that lead to each step from its parent; found from the last step upwards."""
    tee, corner, bar = ("├─ ", "└─ ", "│  ") if unicode else ("|- ", "`- ", "|  ")
    guides: list[str] = []
    open_: set[int] = set()  # depths at which a later sibling follows
    for step in reversed(steps):
        open_ = {depth for depth in open_ if depth <= step.depth}
        lead = "".join(bar if depth in open_ else "   " for depth in range(1, step.depth))
        if step.depth:
            lead += tee if step.depth in open_ else corner
        guides.append(lead)
        open_.add(step.depth)
    return guides[::-1]


def _events(events: tuple[nodes.Primitive, ...]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    for event in events[:MAX_LINES]:
        table.add_row(Text(f"  {event.name}", "cyan"), Text(meaning(event)))
    if len(events) > MAX_LINES:
        table.add_row("  …", Text(f"and {len(events) - MAX_LINES:,} more"))
    return table
