"""`tocsin warm`: make what every first run has to wait for, so that nobody waits for it later."""

from __future__ import annotations

from time import perf_counter

from tocsin.cli.terminal import complain
from tocsin.errors import SparkError


def command() -> None:
    """Compile the engine's kernels, and let Spark's JVM keep its classes, for later processes.

    Else each kernel is compiled when a pattern first needs it, which takes some seconds once, and
    Spark takes some seconds longer to start each time.
    """
    from tocsin.engine.kernels.compiling import cache_folder
    from tocsin.engine.warming import warm

    began = perf_counter()
    patterns = warm()
    folder = cache_folder("streams")
    kept = "" if folder else "; no folder for machine code can be written, so it is not kept"
    complain(f"compiled for {patterns} patterns, {perf_counter() - began:.1f} s{kept}", 0)
    complain(_spark(), 0)


def _spark() -> str:
    """What became of Spark's classes; that there is no Spark is no mistake."""
    from tocsin.spark import archive, session

    began = perf_counter()
    try:
        session.require()
        kept = archive.make()
    except SparkError as error:
        return f"kept no classes of Spark: {error.what}"
    if kept is None:
        return "kept no classes of Spark: this Java does not, or no folder can be written"
    size = kept.stat().st_size / 2**20
    return f"kept the classes of Spark, {size:,.0f} MB, {perf_counter() - began:.1f} s"
