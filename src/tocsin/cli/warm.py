"""`tocsin warm`: compile the engine now, so that nobody waits for it later."""

from __future__ import annotations

from time import perf_counter

from tocsin.cli.terminal import complain


def command() -> None:
    """Compile the engine's kernels and keep the machine code for later processes.

    Else each kernel is compiled when a pattern first needs it, which takes some seconds once.
    """
    from tocsin.engine.kernels.compiling import cache_folder
    from tocsin.engine.warming import warm

    began = perf_counter()
    patterns = warm()
    folder = cache_folder("streams")
    kept = "" if folder else "; no folder for machine code can be written, so it is not kept"
    complain(f"compiled for {patterns} patterns, {perf_counter() - began:.1f} s{kept}", 0)
