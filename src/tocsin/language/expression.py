"""What all patterns have in common: structure, equality, and Python's operators (SPEC §2).

Nothing here recurses, so a pattern may be as deep as memory allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform

from tocsin.errors import DefinitionError
from tocsin.language.durations import Duration

if TYPE_CHECKING:
    from tocsin.language import nodes

T = TypeVar("T")


class Expression:
    """A pattern of events. Build one with `event`, the operators `| & >> -` and the builders.

    >>> from tocsin import event
    >>> a, b = event("A"), event("B")
    >>> print((a >> b).within("2s") - event("C"))
    (A ; B) within 2s - C
    """

    _children: tuple[Expression, ...]
    _parameters: tuple[Any, ...]
    _hash: int

    def __post_init__(self) -> None:
        children: list[Expression] = []
        for field in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, field.name)
            if field.type == "Expression":
                children.append(_expression(value, f"the {field.name} of {type(self).__name__}"))
            elif field.type == "tuple[Expression, ...]":
                value = tuple(_expression(v, f"an operand of {type(self).__name__}") for v in value)
                object.__setattr__(self, field.name, value)
                children.extend(value)
            elif field.type == "Duration":
                object.__setattr__(self, field.name, Duration.of(value))
        self._check()
        parameters = (
            getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]
            if field.type not in ("Expression", "tuple[Expression, ...]")
        )
        object.__setattr__(self, "_children", tuple(children))
        object.__setattr__(self, "_parameters", tuple(parameters))
        own = (type(self).__name__, self._parameters, tuple(c._hash for c in children))
        object.__setattr__(self, "_hash", hash(own))

    def _check(self) -> None:
        """Refuse parameters that have no meaning; subclasses say which."""

    @property
    def children(self) -> tuple[Expression, ...]:
        """The operands, from left to right."""
        return self._children

    @property
    def parameters(self) -> tuple[Any, ...]:
        """What the node holds besides its operands: names, durations, numbers."""
        return self._parameters

    def postorder(self) -> Iterator[Expression]:
        """Every node of the tree, operands before the operators that use them."""
        stack: list[tuple[Expression, bool]] = [(self, False)]
        while stack:
            node, open_ = stack.pop()
            if open_ or not node.children:
                yield node
            else:
                stack.append((node, True))
                stack.extend((child, False) for child in reversed(node.children))

    def primitives(self) -> tuple[nodes.Primitive, ...]:
        """The primitives of the pattern, each once, in the order of their first use."""
        from tocsin.language import nodes

        found: dict[str, nodes.Primitive] = {}
        for node in self.postorder():
            if isinstance(node, nodes.Primitive):
                known = found.setdefault(node.name, node)
                if known.predicate != node.predicate:
                    raise DefinitionError(
                        f"the event {node.name!r} is defined twice, as {known.predicate!r} "
                        f"and as {node.predicate!r}",
                        hint="give one of the two another name",
                    )
        return tuple(found.values())

    def definitions(self) -> dict[str, str]:
        """The predicates that came with the pattern's primitives: what its text does not say."""
        return {p.name: p.predicate for p in self.primitives() if p.predicate is not None}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Expression):
            return NotImplemented
        pairs: list[tuple[Expression, Expression]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while pairs:
            left, right = pairs.pop()
            if left is right or (id(left), id(right)) in seen:
                continue
            if (
                left._hash != right._hash
                or type(left) is not type(right)
                or left.parameters != right.parameters
                or len(left.children) != len(right.children)
            ):
                return False
            seen.add((id(left), id(right)))
            pairs.extend(zip(left.children, right.children, strict=True))
        return True

    def __hash__(self) -> int:
        return self._hash

    def __or__(self, other: Expression) -> Expression:
        from tocsin.language import nodes

        return nodes.Disjunction(self, _expression(other, "the right side of |"))

    def __and__(self, other: Expression) -> Expression:
        from tocsin.language import nodes

        return nodes.Conjunction(self, _expression(other, "the right side of &"))

    def __rshift__(self, other: Expression) -> Expression:
        from tocsin.language import nodes

        return nodes.Sequence(self, _expression(other, "the right side of >>"))

    def __sub__(self, other: Expression) -> Expression:
        from tocsin.language import nodes

        return nodes.Negation(self, _expression(other, "the right side of -"))

    def within(self, window: Duration | timedelta | int | str) -> Expression:
        """Only occurrences that last at most `window`, as `(a >> b).within("2s")`."""
        from tocsin.language import nodes

        return nodes.Within(self, window)  # type: ignore[arg-type]

    def using(self, semantics: str) -> Expression:
        """The same pattern under another semantics, down to the next `using` (SPEC §5)."""
        from tocsin.language import nodes

        return nodes.Using(self, semantics)

    def __bool__(self) -> bool:
        raise TypeError(
            "a pattern is neither true nor false; write | & - for 'or', 'and', 'not', "
            "and 'is not None' to ask whether there is one"
        )

    def __str__(self) -> str:
        from tocsin.language.printer import to_text

        return to_text(self)

    def __repr__(self) -> str:
        from tocsin.language.printer import to_python

        return to_python(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Through text: pickle itself would recurse as deep as the pattern.
        from tocsin.language.parser import parse

        return parse, (str(self), self.definitions())


def _expression(value: object, place: str) -> Expression:
    if isinstance(value, Expression):
        return value
    hint = f"write event({value!r})" if isinstance(value, str) else "build it with tocsin.event"
    raise DefinitionError(
        f"{place} is {value!r}, a {type(value).__name__}, not a pattern", hint=hint
    )


@dataclass_transform(frozen_default=True, eq_default=False)
def node(cls: type[T]) -> type[T]:
    """A node is a frozen dataclass that keeps the equality and the printing above."""
    return dataclass(frozen=True, eq=False, repr=False)(cls)
