"""How fast detection in Spark is against MATCH_RECOGNIZE in Flink SQL: two cores, best of three.

    .venv/bin/python benchmarks/flink.py                  # tables, twenty minutes
    .venv/bin/python benchmarks/flink.py --quick          # a tenth of the events
    .venv/bin/python benchmarks/flink.py --only gappy --json

Both read the same CSV files, and must find the same. Flink gets an environment of its own in
out/benchmarks/flink-env, 900 MB, made on first use; `--flink-python` says which Python makes it.
Start-up is that of someone who has run `tocsin warm`, which has to be run before; it is the best
of three processes on both sides, for the first has to get all files from the disk.
What the figures mean is in docs/performance.md.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
from measuring import Figure, as_json, command_line, show
from tocsin_side import PATTERNS

from tocsin.errors import SparkError
from tocsin.spark.session import require

FLINK = "apache-flink==2.3.0"
DAY = 86_400_000
BEGIN = 1_760_000_000_000
FILES = 10
EACH = 100
"""How many events a user has in a day."""


class Missing(Exception):
    """What cannot be had, in a sentence."""


def environment(folder: Path, python: str) -> str:
    """The Python that has Flink, made once."""
    place = folder / "flink-env"
    if not place.exists():
        unfinished = folder / "flink-env.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        # Renamed once it is whole: its Python, other than its scripts, can be moved.
        pip = [str(unfinished / "bin/python"), "-m", "pip", "install", "--quiet", FLINK]
        for command in ([python, "-m", "venv", str(unfinished)], pip):
            try:
                done = subprocess.run(command, capture_output=True, text=True)
            except OSError as error:
                raise Missing(f"{python} does not run: {error.strerror}") from None
            if done.returncode:
                said = (done.stderr.strip() or "nothing was said").splitlines()[-1]
                raise Missing(
                    f"{FLINK} could not be installed with {python} ({said}); say with"
                    " --flink-python which Python to take, 3.9 to 3.12"
                )
        unfinished.rename(place)
    return str(place / "bin/python")


def events(folder: Path, count: int) -> str:
    """A day of events in CSV files, by many users, no two at the same time; made once."""
    place = folder / f"csv-{count}"
    if not place.exists():
        unfinished = folder / f"csv-{count}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        users = pa.array([f"user{number:06}" for number in range(count // EACH)])
        types = pa.array(["A", "B", "C", "D"])
        plain = pyarrow.csv.WriteOptions(include_header=False, quoting_style="none")
        for number in range(FILES):
            random = np.random.default_rng([number, count])
            rows, apart = count // FILES, DAY // count
            time = BEGIN + (number * rows + np.arange(rows)) * apart
            table = {
                "user": users.take(pa.array(random.integers(0, len(users), rows))),
                "time": time + random.integers(0, apart, rows),
                "type": types.take(pa.array(random.integers(0, len(types), rows))),
            }
            pyarrow.csv.write_csv(pa.table(table), unfinished / f"{number:02}.csv", plain)
        unfinished.rename(place)
    return str(place)


def measure(pattern: str, place: str, folder: Path, flink: str, repeats: int) -> list[Figure]:
    """One pattern on both sides, one after the other: each starts as often as it is repeated."""
    times = {}
    for side, python in (("tocsin", sys.executable), ("flink", flink)):
        command = [python, str(Path(__file__).with_name(f"{side}_side.py"))]
        asked = {"pattern": pattern, "place": place, "found": str(folder / f"found-{side}")}
        shutil.rmtree(asked["found"], ignore_errors=True)
        started = [alone(command, {**asked, "repeats": 0}) for _ in range(repeats - 1)]
        whole = alone(command, {**asked, "repeats": repeats})
        times[side] = {**whole, "cold": min(run["cold"] for run in (*started, whole))}
    own, other = times["tocsin"], times["flink"]
    return [
        Figure(f"Tocsin, {same(folder):,} found", own["warm"], "s"),
        Figure("Flink, the same found", other["warm"], "s"),
        Figure("times as fast", other["warm"] / own["warm"], "x", 5),
        Figure("Tocsin with start-up", own["cold"], "s"),
        Figure("Flink with start-up", other["cold"], "s"),
        Figure("times as fast", other["cold"] / own["cold"], "x", 5),
    ]


def alone(command: list[str], asked: dict[str, Any]) -> dict[str, float]:
    """What a side answers, in a process of its own."""
    said = json.dumps({**asked, "began": time.time()})
    done = subprocess.run([*command, said], capture_output=True, text=True)
    if done.returncode:
        raise Missing(f"{Path(command[1]).name} failed:\n{done.stderr.strip()}")
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def same(folder: Path) -> int:
    """How many matches both have found, which must be the same ones."""
    tocsin, flink = (
        f"(from read_csv('{folder}/found-{side}/part-*', header = false, columns = {{"
        "'user': 'varchar', 'a': 'bigint', 'b': 'bigint', 'c': 'bigint'}))"
        for side in ("tocsin", "flink")
    )
    for one, other, whose in ((tocsin, flink, "Tocsin"), (flink, tocsin, "Flink")):
        alone = duckdb.sql(f"{one} except all {other}").fetchall()
        if alone:
            raise Missing(f"answers differ: only {whose} finds {len(alone):,}, as {alone[0]}")
    return duckdb.sql(tocsin).count("*").fetchall()[0][0]


def main() -> None:
    options = command_line(__doc__, PATTERNS, "a tenth of the events")
    options.add_argument("--events", type=int, default=10_000_000, help="10,000,000 if not said")
    options.add_argument("--repeats", type=int, default=3, help="3 if not said")
    options.add_argument("--folder", type=Path, default=Path("out/benchmarks"), help="for files")
    options.add_argument("--flink-python", default=sys.executable, help="3.9 to 3.12; this one")
    said = options.parse_args()
    folder, count = said.folder.resolve(), said.events // 10 if said.quick else said.events
    if not 1000 <= count <= DAY:
        options.error("--events is a number from 1,000 to 86,400,000")
    if said.repeats < 1:
        options.error("--repeats is a number from 1")
    count -= count % 1000
    measured = {}
    try:
        require()
        flink, place = environment(folder, said.flink_python), events(folder, count)
        for name in said.only:
            measured[name] = measure(name, place, folder, flink, said.repeats)
            if not said.json:
                show(f"{name}: {PATTERNS[name][0]}", measured[name])
    except (Missing, SparkError) as missing:
        raise SystemExit(f"flink.py: {missing}") from None
    if said.json:
        print(as_json(count, measured))


if __name__ == "__main__":
    main()
