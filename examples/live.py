"""The demo, live: the same day, played into a folder at 1,000 times its speed, and followed.

    .venv/bin/python examples/live.py [--rows 1000000] [--seed 2026] [--speed 1000] [--out out/live]

One thread plays the day (`day.py`), a file each second. A stream for each pattern of the demo
follows the folder, and what it finds is printed as it is found. Ends by itself when the day is over
(exit code 1 if anything is missing or too much). The folder then holds the files of events, what
was found, and a summary.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from queue import Empty, Queue
from statistics import median
from threading import Thread
from time import monotonic, sleep
from typing import Any

import day
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from demo import DATE, FILES, WATCHES, Watch, clock, leave, list_files, moment, when, who
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

import tocsin as tc
from tocsin.show.screen import screen
from tocsin.spark.session import local_session

WATERMARK = timedelta(minutes=1)  # of the day: files come in order
NEWS = 10  # seconds between two lines that say how far it has come


@dataclass
class Player:
    """Plays a day, second by second, into a folder."""

    events: pa.Table
    folder: Path
    speed: int
    began: float = 0
    files: int = 0
    rows: int = 0

    @property
    def now(self) -> datetime:
        """What the day's clock shows; it goes on after the day."""
        return moment(int((monotonic() - self.began) * self.speed * day.SECOND))

    def play(self) -> None:
        """One file each second, with all that has happened since the last."""
        times = self.events["time"].cast(pa.int64()).to_numpy() - DATE.astype(np.int64)
        self.began, first, second = monotonic(), 0, 0
        while first < times.size:
            second += 1
            last = int(np.searchsorted(times, second * self.speed * day.SECOND))
            sleep(max(0, self.began + second - monotonic()))
            self.drop(self.events.slice(first, last - first))
            first = last

    def drop(self, rows: pa.Table) -> None:
        """Put a file into the folder, whole: what begins with a dot is not followed."""
        part = self.folder / f".{self.files:04}"
        pq.write_table(rows, part)
        os.replace(part, self.folder / f"{self.files:04}.parquet")
        self.files, self.rows = self.files + 1, self.rows + len(rows)

    def mark(self, time: datetime) -> None:
        """A row that is no event, for every pattern: it only says how late it is."""
        names = {"user": day.user_name(0), "card": day.card_name(0), "sensor": day.sensor_name(0)}
        names |= {"building": day.building_name(0), "room": day.room_name(0)}
        row = {"time": time, "type": "mark", **names}
        self.drop(pa.Table.from_pylist([row], self.events.schema))

    def far(self, decided: datetime) -> str:
        """How far it has come, and how fast."""
        rate = self.rows / (monotonic() - self.began)
        upto = clock(max(decided, moment(0)))
        return f"{self.rows:,} events, {rate:,.0f} a second, decided up to {upto}"

    def lag(self, time: datetime) -> float:
        """How many seconds ago it was so late."""
        return (self.now - time) / timedelta(seconds=self.speed)


@dataclass
class Streams:
    """A stream for each pattern, and what they have found."""

    found: Queue[tuple[Watch, pa.Table] | BaseException | None] = field(default_factory=Queue)
    queries: list[Any] = field(default_factory=list)

    def start(self, session: SparkSession, player: Player, checkpoints: Path) -> None:
        """Follow the folder that a day is played into, in which something is already."""
        schema = from_arrow_schema(player.events.schema)
        events = session.readStream.schema(schema).parquet(str(player.folder))
        until = player.events["time"][-1].as_py()
        for watch in WATCHES:
            query = (
                look(watch, events, until)
                .writeStream.foreachBatch(self._taker(watch))
                .option("checkpointLocation", str(checkpoints / watch.name))
                .trigger(processingTime="500 milliseconds")
                .start()
            )
            query.processAllAvailable()  # starts workers, one at a time: Spark is not patient
            self.queries.append(query)

    def follow(self, player: Player) -> None:
        """Play the day to its end, and wait until all is told; runs beside the printing."""
        try:
            player.play()
            player.mark(player.events["time"][-1].as_py() + WATERMARK + timedelta(seconds=1))
            for query in self.queries:
                query.processAllAvailable()
            self.found.put(None)
        except Exception as error:
            self.found.put(error)

    @property
    def decided(self) -> datetime:
        """Up to when all of them have decided everything."""
        said = [query.lastProgress["eventTime"]["watermark"] for query in self.queries]
        return min(map(datetime.fromisoformat, said))

    def _taker(self, watch: Watch) -> Any:
        def take(frame: DataFrame, number: int) -> None:
            self.found.put((watch, frame.toArrow()))

        return take


def main() -> int:
    """Play, follow, tell, check; returns the exit code."""
    options, page = arguments(), screen()
    for name in ("events", "checkpoints"):
        shutil.rmtree(options.out / name, ignore_errors=True)
    (options.out / "events").mkdir(parents=True)
    page.print(f"Making a day of {options.rows:,} events …")
    made = day.make_day(options.rows, options.seed)
    player, streams = Player(made.events, options.out / "events", options.speed), Streams()
    page.print(f"Starting Spark, and a stream for each of {len(WATCHES)} patterns …\n")
    with local_session("tocsin demo", partitions=2) as session:
        player.mark(moment(-day.SECOND))
        streams.start(session, player, options.out / "checkpoints")
        thread = Thread(target=streams.follow, args=(player,), daemon=True)
        thread.start()
        found = told(streams, player, page)
        for query in streams.queries:
            query.stop()
    shutil.rmtree(options.out / "checkpoints")
    right = leave(found, made, options.out, page)
    page.print(f"\nIn {options.out}:")
    list_files({"events/": "the day, as it was played"} | FILES, page)
    return 0 if right else 1


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description="Five patterns in a day of events, live.")
    parser.add_argument("--rows", type=int, default=1_000_000, help="how many events (1000000)")
    parser.add_argument("--seed", type=int, default=2026, help="another seed is another day")
    parser.add_argument("--speed", type=int, default=1000, help="times that of the day (1000)")
    parser.add_argument("--out", type=Path, default=Path("out/live"), help="where to (out/live)")
    return parser.parse_args()


def look(watch: Watch, events: DataFrame, until: datetime) -> DataFrame:
    """What is to be told of, as a stream."""
    own = events.where(f"{watch.key[-1]} is not null")
    found = tc.detect(
        watch.pattern, own, key=watch.key, watermark=WATERMARK, until=until, **watch.options
    )
    return found.where(watch.only)


def told(streams: Streams, player: Player, page: Console) -> dict[str, pa.Table]:
    """Print what is found, and now and then how far it has come; all of it, in order of time."""
    found: dict[str, list[pa.Table]] = {watch.name: [] for watch in WATCHES}
    lags = []
    for watch, table in items(streams, player, page):
        found[watch.name].append(table)
        for row in table.sort_by("detected").to_pylist():
            lags.append(player.lag(row["detected"]))
            line = Text(f"{watch.name:<18}", "bold").append(f"{who(watch, row)}, {when(row)}: ", "")
            line.append(watch.tell(row)).append(f"  {lags[-1]:.1f} s later", "dim")
            page.print(line, soft_wrap=True)
    page.print(Rule(Text("the day is over", "bold"), align="left"))
    page.print(f"\n{player.far(streams.decided)}")
    page.print(f"{len(lags)} findings, {median(lags):.1f} s after they happened (median)\n")
    order = {watch.name: [(c, "ascending") for c in ("detected", *watch.key)] for watch in WATCHES}
    return {name: pa.concat_tables(own).sort_by(order[name]) for name, own in found.items()}


def items(streams: Streams, player: Player, page: Console) -> Iterator[tuple[Watch, pa.Table]]:
    """What is found, as it is found."""
    news = monotonic() + NEWS
    while True:
        if player.began and monotonic() >= news:
            time = clock(min(player.now, moment(day.DAY - day.SECOND)))
            page.print(Text(f"{time}  {player.far(streams.decided)}", "dim"))
            news = monotonic() + NEWS
        try:
            item = streams.found.get(timeout=1)
        except Empty:
            continue
        if isinstance(item, BaseException):
            raise item
        if item is None:
            return
        yield item


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
