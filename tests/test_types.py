"""What type checkers know of the calls; `make lint` has mypy read this file, too."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, assert_type, get_type_hints

import tocsin as tc

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tocsin.tables.results import Occurrences


def of_a_table(rows: list[tuple[str, int]], path: str) -> None:
    assert_type(tc.detect("A ; B", rows, key="user", carry=["ip"]), Occurrences)
    assert_type(tc.detect_all({"ab": "A ; B"}, path, until=7), Occurrences)


def of_a_dataframe(frame: DataFrame) -> None:
    assert_type(tc.detect("A ; B", frame, key=["user", "shop"], time="ts"), DataFrame)
    assert_type(tc.detect_all({"ab": tc.event("A")}, frame), DataFrame)


def of_who_knows_what(events: Any) -> None:
    assert_type(tc.detect("A ; B", events), Any)
    tc.detect("A ; B", events, keys="user")  # type: ignore[call-overload]  # as it is unknown
    tc.detect("A ; B", events, carry=7)  # type: ignore[call-overload]


def test_overloads_take_what_the_functions_take() -> None:
    from tocsin.tables.call import Arguments, DetectArguments, asked

    for function in (tc.detect, tc.detect_all):
        _, _, *own = inspect.signature(function).parameters
        assert own == list(get_type_hints(DetectArguments))
    _, *own = inspect.signature(asked).parameters
    assert own == list(get_type_hints(Arguments))
