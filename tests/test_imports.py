"""What `import tocsin` may cost, and who may import whom."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ["pyarrow", "duckdb", "sqlglot", "pandas", "numpy", "numba", "lark", "rich", "pyspark"]


def loaded_after(statements: str) -> set[str]:
    code = f"{statements}\nimport sys\nprint(*[n for n in {HEAVY!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_tocsin_loads_nothing_heavy() -> None:
    assert loaded_after("import tocsin; tocsin.event('A') >> tocsin.event('B')") == set()


def test_detection_without_sql_needs_no_sql_engine() -> None:
    loaded = loaded_after("import tocsin; tocsin.detect('A', [('A', 1)])")
    assert not loaded & {"duckdb", "sqlglot"}


def test_detection_without_spark_needs_no_spark() -> None:
    assert "pyspark" not in loaded_after("import tocsin; tocsin.detect('A', [('A', 1)])")


def test_detect_is_the_function_whatever_was_imported_before() -> None:
    code = (
        "import tocsin.detection, tocsin\n"
        "assert callable(tocsin.detect) and callable(tocsin.detect_all)\n"
        "assert tocsin.detect is tocsin.detection.detect\n"
        "from tocsin import *\n"
        "assert detect is tocsin.detect\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name_is_an_attribute_error() -> None:
    import tocsin

    assert not hasattr(tocsin, "detekt")
    assert set(tocsin.__all__) <= {*dir(tocsin), "detect", "detect_all", "explain"}
