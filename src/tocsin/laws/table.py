"""The laws of papers 003 (theorems 4.6 to 4.9) and 000 (theorem 4.3), as one table of data.

Both sides are pattern text in which A, B and C stand for any patterns and {t}, {u} for any
durations; {min} is the shorter of the two. The laws of 003 say ≡, equal sets of occurrences;
those of 000 say ≅, equal sets of intervals under `restricted-2004`, where `(A ; B) within {t}` is
that paper's temporally restricted sequence. SPEC §4 says where a law may be used to rewrite.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Law:
    """One law, with all there is to print about it.

    >>> law = LAWS["003", 27]
    >>> print(law)
    (A within t) within u ≡ A within min(t, u)
    >>> law.theorem, law.derived, law.condition, LAWS["003", 26].condition
    ('4.8', False, None, 'A is an instantaneous primitive')
    """

    paper: str
    number: int
    theorem: str
    left: str
    right: str
    derived: bool = False
    """The paper proves it from other laws (its asterisk)."""
    primitive: str | None = None
    """The metavariable that must stand for a primitive whose events have no duration."""

    @property
    def equivalence(self) -> str:
        """What the law says of its sides: `≡` or `≅`."""
        return "≡" if self.paper == "003" else "≅"

    @property
    def condition(self) -> str | None:
        """When the law holds, in words; None: always."""
        return f"{self.primitive} is an instantaneous primitive" if self.primitive else None

    def __str__(self) -> str:
        shown = {"t": "t", "u": "u", "min": "min(t, u)"}
        return f"{self.left} {self.equivalence} {self.right}".format(**shown)


def _law(number: int, theorem: str, left: str, right: str, *marks: str) -> Law:
    primitive = "A" if "A is primitive" in marks else None
    paper = "000" if theorem == "4.3" else "003"
    return Law(paper, number, theorem, left, right, "derived" in marks, primitive)


_ROWS = (
    # 003: disjunction, conjunction and sequence
    _law(1, "4.6", "A | A", "A"),
    _law(2, "4.6", "A | B", "B | A"),
    _law(3, "4.6", "A & B", "B & A"),
    _law(4, "4.6", "A | (B | C)", "(A | B) | C"),
    _law(5, "4.6", "A & (B & C)", "(A & B) & C"),
    _law(6, "4.6", "A ; (B ; C)", "(A ; B) ; C"),
    _law(7, "4.6", "(A | B) & C", "A & C | B & C"),
    _law(8, "4.6", "A & (B | C)", "A & B | A & C", "derived"),
    _law(9, "4.6", "(A | B) ; C", "A ; C | B ; C"),
    _law(10, "4.6", "A ; (B | C)", "A ; B | A ; C"),
    # 003: negation
    _law(11, "4.7", "(A | B) - C", "A - C | B - C"),
    _law(12, "4.7", "(A & B) - C", "(A - C & B) - C"),
    _law(13, "4.7", "(A & B) - C", "(A & B - C) - C", "derived"),
    _law(14, "4.7", "A - B - C", "A - (B | C)"),
    _law(15, "4.7", "A - B - B", "A - B", "derived"),
    _law(16, "4.7", "A - B - C", "A - C - B", "derived"),
    _law(17, "4.7", "(A ; B) - C", "(A - C ; B) - C"),
    _law(18, "4.7", "(A ; B) - C", "(A ; B - C) - C"),
    # 003: temporal restriction
    _law(19, "4.8", "(A | B) within {t}", "A within {t} | B within {t}"),
    _law(20, "4.8", "(A & B) within {t}", "(A within {t} & B) within {t}"),
    _law(21, "4.8", "(A & B) within {t}", "(A & B within {t}) within {t}", "derived"),
    _law(22, "4.8", "(A - B) within {t}", "A within {t} - B"),
    _law(23, "4.8", "(A - B) within {t}", "(A - B within {t}) within {t}"),
    _law(24, "4.8", "(A ; B) within {t}", "(A within {t} ; B) within {t}"),
    _law(25, "4.8", "(A ; B) within {t}", "(A ; B within {t}) within {t}"),
    _law(26, "4.8", "A", "A within {t}", "A is primitive"),
    _law(27, "4.8", "(A within {t}) within {u}", "A within {min}"),
    _law(28, "4.8", "(A within {t}) within {u}", "(A within {u}) within {t}", "derived"),
    # 003: the event that never occurs
    _law(29, "4.9", "nothing | A", "A"),
    _law(30, "4.9", "A | nothing", "A", "derived"),
    _law(31, "4.9", "nothing & A", "nothing"),
    _law(32, "4.9", "A & nothing", "nothing", "derived"),
    _law(33, "4.9", "A - A", "nothing"),
    _law(34, "4.9", "nothing - A", "nothing"),
    _law(35, "4.9", "A - nothing", "A"),
    _law(36, "4.9", "nothing ; A", "nothing"),
    _law(37, "4.9", "A ; nothing", "nothing"),
    _law(38, "4.9", "nothing within {t}", "nothing"),
    # 000, numbered here in the order of its two columns
    _law(1, "4.3", "A | B", "B | A"),
    _law(2, "4.3", "A | A", "A"),
    _law(3, "4.3", "A | (B | C)", "(A | B) | C"),
    _law(4, "4.3", "A & B", "B & A"),
    _law(5, "4.3", "A & A", "A"),
    _law(6, "4.3", "A & (B & C)", "(A & B) & C"),
    _law(
        7,
        "4.3",
        "(A ; (B ; C) within {t}) within {t}",
        "((A ; B) within {t} ; C) within {t}",
    ),
    _law(8, "4.3", "A & (B | C)", "A & B | A & C"),
    _law(9, "4.3", "(A | B) & C", "A & C | B & C"),
    _law(10, "4.3", "(A | B) - C", "A - C | B - C"),
    _law(11, "4.3", "A - B - B", "A - B"),
    _law(12, "4.3", "A - (B | C)", "A - B - C"),
)

LAWS: dict[tuple[str, int], Law] = {(law.paper, law.number): law for law in _ROWS}
"""Every law by paper and number, in the papers' order."""
