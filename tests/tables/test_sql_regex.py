"""Java's regular expressions as RE2's; what they match is in `spark/values.jsonl`."""

from __future__ import annotations

import pytest

from tocsin.tables.sql.regex import re2

LINE = r"[^\n\r\x{85}\x{2028}\x{2029}]"
END = r"(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z"


@pytest.mark.parametrize(
    ("java", "expected"),
    [
        ("abc", "abc"),
        ("^a+$", f"^a+{END}"),
        (r"a\.b\$", r"a\.b\$"),
        ("a.b", f"a{LINE}b"),
        ("[.$]x", "[.$]x"),
        ("[]a]b.", f"[]a]b{LINE}"),
        ("[^]a].", f"[^]a]{LINE}"),
        (r"[\]a].", rf"[\]a]{LINE}"),
        (r"\d+\s\S[\s,]", r"\d+[\s\x0b][^\s\x0b][\s\x0b,]"),
        ("(?i)abc", "(?i)abc"),
        ("(?:a|b){2,3}?", "(?:a|b){2,3}?"),
        (r"\x41\p{Lu}\t", r"\x41\p{Lu}\t"),
    ],
)
def test_translation(java: str, expected: str) -> None:
    assert re2(java, matching=True) == expected


def test_where_places_matter_the_end_stays_the_end() -> None:
    assert re2("a$", matching=False) == "a$"


@pytest.mark.parametrize(
    "java",
    [
        "(?=a)",
        "(?<!a)b",
        "(?<name>a)",
        "(?s)a.b",
        "(?m)^a",
        "(?i:a)",
        "(?i)é",
        "[a&&b]",
        "[a[b]]",
        r"[\S]",
        r"\Qa.b\E",
        r"\Z",
        r"\v",
        r"\h",
        r"(a)\1",
        "a\\",
    ],
)
def test_what_has_no_words_is_refused(java: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        re2(java, matching=True)
