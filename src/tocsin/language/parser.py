"""From text to an expression (SPEC §2); the grammar is in `grammar.lark`, beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tocsin.errors import DefinitionError, PatternMeaningError
from tocsin.language import nodes
from tocsin.language.hints import complaint
from tocsin.language.mistakes import Mistake, position
from tocsin.language.nodes import Expression
from tocsin.language.substitution import substitute
from tocsin.language.words import unquote

if TYPE_CHECKING:
    from lark import Lark, Token

_NODES: dict[str, type[Expression]] = {
    "primitive": nodes.Primitive,
    "nothing": nodes.Nothing,
    "at": nodes.At,
    "every": nodes.Every,
    "disjunction": nodes.Disjunction,
    "conjunction": nodes.Conjunction,
    "sequence": nodes.Sequence,
    "negation": nodes.Negation,
    "within": nodes.Within,
    "not_between": nodes.NotBetween,
    "any_of": nodes.AnyOf,
    "aperiodic": nodes.Aperiodic,
    "aperiodic_star": nodes.AperiodicStar,
    "periodic": nodes.Periodic,
    "periodic_star": nodes.PeriodicStar,
    "plus": nodes.Plus,
    "delay": nodes.Delay,
    "nth": nodes.Nth,
    "absent": nodes.Absent,
    "both": nodes.Both,
    "either": nodes.Either,
    "using": nodes.Using,
}
"""What the rules of the grammar build."""


def parse(text: str, define: Mapping[str, str] | None = None) -> Expression:
    """The pattern that a text says; `define` gives predicates to the events it names.

    >>> parse("(failed ; failed) within 10s - ok")
    (event('failed') >> event('failed')).within('10s') - event('ok')
    >>> parse("a ; b", define={"a": "amount > 5"})
    event('a', 'amount > 5') >> event('b')
    >>> parse("a -> b")
    Traceback (most recent call last):
    tocsin.errors.PatternSyntaxError: line 1, column 3: found `->`, expected an operator; \
for 'followed by' write `;`, as `A ; B`
      a -> b
        ^
    """
    if not isinstance(text, str):
        raise DefinitionError(
            f"a pattern's text is {text!r}, a {type(text).__name__}",
            hint="write text, as 'A ; B'; what is already a pattern needs no parsing",
        )
    if define is not None and not isinstance(define, Mapping):
        raise DefinitionError(
            f"define is {define!r}, a {type(define).__name__}",
            hint="write names and their predicates, as define={'A': \"type = 'login'\"}",
        )
    expression = _read(text)
    if not define:
        return expression
    # The grammar is shared by all texts, so definitions cannot reach the nodes while it reads.
    named = {primitive.name for primitive in expression.primitives()} & set(define)
    return substitute(expression, {name: nodes.Primitive(name, define[name]) for name in named})


def _read(text: str) -> Expression:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    # Typed loosely, because lark does not type its interactive parser.
    reader: Any = _grammar().parse_interactive(text)
    before: list[Token] = []
    wrong: Token | None = None
    place = len(text.rstrip())
    try:
        for token in reader.iter_parse():
            before.append(token)
        expression: Expression = reader.feed_eof()
        return expression
    except UnexpectedToken as error:
        if error.token.type != "$END":
            wrong = before.pop()
            place = wrong.start_pos or 0
    except UnexpectedCharacters as error:
        place = int(error.pos_in_stream or 0)
    except _Meaningless as error:
        line, column = position(text, error.place)
        raise PatternMeaningError(text, line=line, column=column, cause=error.cause) from None
    raise complaint(Mistake(text, place, wrong, before, frozenset(reader.accepts())))


@lru_cache(maxsize=1)
def _grammar() -> Lark:
    # Imported and built at the first use: it takes longer than all the rest of the package.
    from lark import Lark, Transformer

    class Builder(Transformer[Any, Expression]):
        """Builds each node as soon as its rule is read, so nothing recurses over a tree."""

        def __default__(self, data: str, children: list[Any], meta: Any) -> Expression:
            return _build(_NODES[data], children)

        def operands(self, children: list[Any]) -> tuple[Expression, ...]:
            first, *next_ = children
            return (*first, *next_) if isinstance(first, tuple) else (first,)

    source = files("tocsin.language").joinpath("grammar.lark").read_text("utf-8")
    return Lark(source, parser="lalr", lexer="basic", transformer=Builder())


class _Meaningless(Exception):
    """A node that may not be built, and the token to blame."""

    def __init__(self, place: int, cause: DefinitionError) -> None:
        self.place, self.cause = place, cause


def _build(
    node: type[Expression], parts: list[Expression | tuple[Expression, ...] | Token]
) -> Expression:
    try:
        return node(*(p if isinstance(p, Expression | tuple) else _value(p) for p in parts))
    except DefinitionError as error:
        # Operands are checked already, so it is about the one number, duration, name or time.
        token = next(p for p in parts if not isinstance(p, Expression | tuple))
        raise _Meaningless(token.start_pos or 0, error) from None


def _value(token: Token) -> str | int:
    if token.type == "INT":
        return _integer(token)
    if token.type == "STRING":
        return token[1:-1]
    return unquote(str(token))


def _integer(digits: str) -> int:
    if len(digits) > 100:  # Python itself refuses to read thousands of digits
        raise DefinitionError(
            f"a number of {len(digits)} digits is too large", hint="write a smaller number"
        )
    return int(digits)
