"""What runs in a partition, without Spark: one answer, however little memory there is."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from spark.answers import Answer, Question
from spark.tasks import packed, run, task_of
from spark.test_equality import RANDOM, golden, golden_question, histories, random_question, written

from tocsin.spark import answers, feeding, spilling
from tocsin.spark.partition import MEMORY
from tocsin.spark.pieces import stretches

MEMORIES = (MEMORY, 6000, 1)
"""For all rows, for some, for hardly one."""


@pytest.fixture(params=MEMORIES, ids=["fits", "little", "least"])
def memory(request: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much memory there is; where it is little, the engine gets few rows at once."""
    if request.param < MEMORY:
        size = 5 if request.param > 1 else 1
        monkeypatch.setattr(feeding, "stretches", lambda piece: stretches(piece, size))
        monkeypatch.setattr(answers, "BATCH", 2000)
    return int(request.param)


def ask(question: Question, memory: int) -> Answer:
    """The answer of a partition whose rows come in no order, in small batches."""
    task, rows = task_of(question)
    mixed = Random(0).sample(range(rows.num_rows), rows.num_rows)
    return run(replace(task, memory=memory), rows.take(pa.array(mixed, pa.int64())), batch=9)


@pytest.mark.parametrize("number", range(len(RANDOM)), ids=["-".join(s) for s in RANDOM])
def test_random_cases(number: int, memory: int) -> None:
    question = random_question(RANDOM[number])
    assert ask(question, memory) == question.ask("oracle")


def test_golden_cases(memory: int) -> None:
    for cases in golden():
        answer = ask(golden_question(cases), memory)
        for number, case in enumerate(cases):
            found = written(answer, f"{number}", histories(cases).index(case.events))
            assert tuple(found) in case.answers, f"{case.name}, {case.source}: {case.pattern}"


def test_little_memory_means_that_rows_go_to_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    # Rows of all keys in several runs, keys that are cut, and rows kept across the cuts.
    seen = []
    merged = spilling.Runs.merged
    monkeypatch.setattr(
        spilling.Runs, "merged", lambda runs: (seen.append(p) or p for p in merged(runs))
    )
    several = RANDOM[:8]
    for settings in several:
        ask(random_question(settings), 6000)
    assert len(seen) > len(several)
    assert any(piece.open for piece in seen)
    assert any(not piece.open for piece in seen)


def synthetic(rows: int, keys: int, text: int = 0) -> Question:
    """Many rows in no order, some of which are found, each with some text."""
    random = np.random.default_rng(5)
    table = {
        "user": random.integers(0, keys, rows),
        "time": random.permutation(rows),
        "type": pa.array(["A", "B", "C"]).take(pa.array(random.integers(0, 3, rows))),
        "id": pa.array([f"{n:0{text}}" for n in range(rows)]) if text else np.arange(rows),
    }
    options = {"key": "user", "time": "time", "semantics": "restricted", "basis": "interval"}
    pattern = {"p": "(A ; B) within 20 - C"}
    return Question(pattern, pa.table(table), options | {"report": "overlapping", "until": None})


@pytest.mark.parametrize("keys", [1, 50])
def test_large_rows_make_small_batches(keys: int) -> None:
    task, rows = task_of(synthetic(400, keys, text=1 << 20))
    packets = packed(task, rows.to_batches(max_chunksize=7))
    batches = list(replace(task, memory=1 << 27).run(packets))
    assert max(batch.nbytes for batch in batches) < 2 * answers.BATCH
    assert sum(batch.num_rows for batch in batches) > 0
    wide = rows.set_column(2, "id", rows.column("id").cast(pa.large_string()))
    assert [b.to_pylist() for b in task.run(packed(task, wide.to_batches()))] == [
        b.to_pylist() for b in task.run(packed(task, rows.to_batches()))
    ]


CHILD = """
from dataclasses import replace
from pathlib import Path
import numpy as np, pyarrow as pa
from spark.tasks import packed, task_of
from spark.test_partition import synthetic

task, rows = task_of(synthetic(1000, {keys}))

def batches(count):
    for number in range(count):
        random = np.random.default_rng(number)
        columns = [random.integers(0, most, 10_000) for most in ({keys}, 2**30, 2**60)]
        yield pa.RecordBatch.from_arrays([*columns, 1 << random.integers(0, 3, 10_000)],
                                         schema=rows.schema)

def memory():  # the most that this process has had, in MB
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

list(task.run(packed(task, batches(20))))  # what the engine takes anyway
before = memory()
packets = packed(task, batches({count}))
found = sum(b.num_rows for b in replace(task, memory={memory} << 20).run(packets))
print(found, memory() - before)
"""


def child(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run some code in a process of its own, which can use what the tests can."""
    path = [str(Path(__file__).parents[1]), *sys.path]
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("keys", [1, 1000])
def test_memory_stays_bounded(keys: int, tmp_path: Path) -> None:
    taken = {}
    for memory in (32, 1000):
        code = CHILD.format(count=150, keys=keys, memory=memory)
        done = child(code, SPARK_LOCAL_DIRS=str(tmp_path))
        assert not done.returncode, done.stderr
        taken[memory] = done.stdout.split()
    (few, small), (many, large) = taken.values()
    assert few == many
    assert float(small) < 80
    assert float(large) > 96
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_said_in_a_sentence(tmp_path: Path) -> None:
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10**5, 10**5))"
    code = f"{full}\n{CHILD.format(count=30, keys=10, memory=1)}"
    done = child(code, SPARK_LOCAL_DIRS=str(tmp_path))
    assert done.stderr.splitlines()[-1] == (
        f"tocsin.errors.StorageError: {tmp_path}: a partition is larger than the memory for it, "
        "and its rows cannot be kept on disk (File too large); make room there, name another "
        "folder by spark.local.dir, raise spark.tocsin.memory, or use more partitions"
    )
    assert not list(tmp_path.iterdir())
