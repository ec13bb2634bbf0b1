"""Many random cases: the engine against the oracle, until one differs or all are done.

    python -m engine.soak --cases 20000 --seed 7

Prints the seconds and the seed; the first difference is made small and ends the run.
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random

from engine.cases import Case, draw_case
from engine.conformance import ON_ARRIVAL, TABLE, Difference, check
from engine.shrinking import shrunk


def draw(seed: int, number: int) -> Case:
    """The case of a number: every second one with the next operator of a table on top, every third
    one on arrival."""
    random = Random(f"{seed}-{number}")
    if number % 3 == 0:
        kind, semantics, policy = ON_ARRIVAL[number // 3 % len(ON_ARRIVAL)]
        return draw_case(random, root=kind if number % 2 else None, policy=policy)
    if number % 2:
        return draw_case(random)
    kind, semantics = TABLE[number // 2 % len(TABLE)]
    return draw_case(random, root=kind, semantics=semantics)


def fails(case: Case) -> bool:
    """Whether the engine differs from the oracle, or breaks."""
    try:
        check(case)
    except Exception:
        return True
    return False


def smallest(case: Case) -> str:
    """What is wrong with a failing case, once it is as small as can be."""
    try:
        check(shrunk(case, fails))
    except Difference as difference:
        return str(difference)
    except Exception as error:
        return f"{type(error).__name__}: {error}\n{shrunk(case, fails)}"
    return "it does not fail again"


def main() -> int:
    parser = argparse.ArgumentParser(description="the engine against the oracle, at random")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    asked = parser.parse_args()
    print(f"{asked.cases:,} random cases, seed {asked.seed}", flush=True)
    began = time.monotonic()
    for number in range(asked.cases):
        case = draw(asked.seed, number)
        try:
            check(case)
        except Exception:
            print(f"case {number} of seed {asked.seed} differs:\n{smallest(case)}")
            return 1
        if (number + 1) % 1000 == 0:
            print(f"{number + 1:>9,} cases, {time.monotonic() - began:6.1f} s", flush=True)
    print(f"no difference in {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
