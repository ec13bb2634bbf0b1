"""Detection in Spark: what `flink.py` runs beside `flink_side.py`, in a process of its own.

It is asked in JSON, as one argument, and answers in JSON on the last line.
"""

import json
import sys
import time

import tocsin as tc
from tocsin.spark.session import local_session

PATTERNS = {
    "strict": ("(A ; B ; C) within 3599999 - (D | A ; A | B ; B | C ; C)", "restricted"),
    "gappy": ("(A ; B ; C) within 3599999 - D", "continuous"),
}
"""What Flink is asked in `flink_side.py`: its `within` excludes the hour itself, and times are in
milliseconds. Strict: with guards of all four types nothing is between. Gappy: each A takes the
first B after it, and both the first C after that, which is what reluctant quantifiers choose when
matching starts again at the next row."""


def main(pattern: str, place: str, found: str, repeats: int, began: float) -> dict[str, float]:
    """How long it took since `began`; and, if it is to be repeated, then at best without start-up,
    after which what is found is written."""
    text, semantics = PATTERNS[pattern]
    with local_session(cores=2, memory="4g") as spark:

        def run(sink: str, **options: str) -> float:
            begin = time.perf_counter()
            # Line by line, Spark's parser ends each line by an exception; files it reads through.
            reader = spark.read.schema("user string, time bigint, type string")
            frame = reader.csv(place, multiLine=True)
            matches = tc.detect(text, frame, key="user", semantics=semantics)
            columns = matches.selectExpr("user", "start", "events[1].start as middle", "end")
            columns.write.format(sink).options(**options).mode("overwrite").save()
            return time.perf_counter() - begin

        run("noop")
        times = {"cold": time.time() - began}
        if repeats:
            times["warm"] = min(run("noop") for _ in range(repeats))
            run("csv", path=found)
    return times


if __name__ == "__main__":
    print(json.dumps(main(**json.loads(sys.argv[1]))))
