"""A day of logins, payments and building events, made up, with situations planted in it.

    .venv/bin/python examples/day.py day.parquet      # a million rows

What the background does by itself never adds up to one of the situations, and what was planted is
told, so whoever detects can say exactly what is missing and what is too much. The same number of
rows and the same seed give the same day.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

DATE = np.datetime64("2026-11-02", "us")
SECOND, MINUTE, HOUR = 1_000_000, 60_000_000, 3_600_000_000
DAY = 24 * HOUR

NAMES = ["ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hana", "ivo", "jo", "kim", "mia"]
COUNTRIES = np.array(["DE", "SE", "FR", "PL", "NL"])
FAR = ("203.0.113", "198.51.100")  # where nobody is at home: addresses reserved for examples
TIME = pa.timestamp("us", "UTC")
COLUMNS = pa.schema(
    {
        "time": pa.int64(),  # of the day, in microseconds, while it is being made
        "type": pa.string(),
        "user": pa.string(),
        "success": pa.bool_(),
        "ip": pa.string(),
        "country": pa.string(),
        "device": pa.string(),
        "card": pa.string(),
        "amount": pa.float64(),
        "building": pa.string(),
        "room": pa.string(),
        "sensor": pa.string(),
        "alarm": pa.string(),
        "celsius": pa.float64(),
    }
)
"""A row has those that its type has; the others are null."""


@dataclass(frozen=True, order=True)
class Situation:
    """Something that was planted: what a detector should find, times in microseconds of the day."""

    pattern: str
    who: str
    start: int
    end: int


@dataclass(frozen=True)
class Day:
    """The events in order of time, and what there is to find among them."""

    events: pa.Table
    planted: list[Situation]


@dataclass
class Stage:
    """What is planted, row by row; each situation, and each that only looks like one, has its own
    user, room or sensor, whose background keeps out of its way."""

    rng: np.random.Generator
    users: list[int]
    rooms: list[int]
    rows: list[dict[str, Any]] = field(default_factory=list)
    planted: list[Situation] = field(default_factory=list)
    busy_users: dict[int, int] = field(default_factory=dict)
    busy_rooms: dict[int, int] = field(default_factory=dict)

    def user(self) -> tuple[int, dict[str, str], int]:
        """A user for the next situation, how rows name them, and when it begins."""
        number, begin = self.users.pop(), self.moment()
        self.busy_users[number] = begin
        return number, {"user": user_name(number)}, begin

    def room(self) -> tuple[dict[str, str], int]:
        """A room for the next situation, and when it begins."""
        number, begin = self.rooms.pop(), self.moment()
        self.busy_rooms[number] = begin
        return {"building": building_name(number), "room": room_name(number)}, begin

    def moment(self) -> int:
        """A whole second that leaves room before and after."""
        return int(seconds(self.rng, 3 * HOUR, 21 * HOUR, ()))

    def steps(self, count: int, seconds: tuple[int, int]) -> list[int]:
        """So many times one after the other, in microseconds from the first."""
        return [0, *(np.cumsum(self.rng.integers(*seconds, count - 1)) * SECOND).tolist()]

    def add(self, time: int, type: str, **columns: Any) -> None:
        """One row."""
        self.rows.append({"time": time, "type": type, **columns})

    def found(self, pattern: str, who: str, start: int, end: int) -> None:
        """What a detector is to make of the rows before."""
        self.planted.append(Situation(pattern, who, start, end))


def make_day(rows: int = 1_000_000, seed: int = 2026) -> Day:
    """A day of so many rows, at least 20,000; the more, the more users, rooms and sensors."""
    rng = np.random.default_rng(seed)
    users, rooms, sensors = rows // 50, rows // 2000 + 40, rows // 1000
    stage = Stage(rng, rng.permutation(users).tolist(), rng.permutation(rooms).tolist())
    for plant in (break_ins, takeovers, tested_cards, unanswered_alarms):
        plant(stage)
    parts = [
        pa.Table.from_pylist(stage.rows, COLUMNS),
        logins(rng, users, stage.busy_users),
        accounts(rng, users, stage.busy_users),
        payments(rng, users, stage.busy_users),
        heartbeats(rng, sensors, stage),
        alarms(rng, rooms, stage.busy_rooms),
    ]
    parts.append(temperatures(rng, rooms, rows - sum(map(len, parts))))
    events = pa.concat_tables(parts, promote_options="default").sort_by("time")
    times = events["time"].to_numpy() + DATE.astype(np.int64)
    events = events.set_column(0, "time", pa.array(times).cast(pa.timestamp("us")).cast(TIME))
    return Day(events, sorted(stage.planted))


def break_ins(stage: Stage) -> None:
    """Passwords tried until one fits."""
    for number in range(20):
        user, who, begin = stage.user()
        gaps = (5, 40) if number % 5 else (250, 280)  # some take too long about it
        times = [begin + step for step in stage.steps(int(stage.rng.integers(4, 8)), gaps)]
        far = {"ip": f"{FAR[number % 2]}.{user % 250 + 1}", "country": ("XX", "ZZ")[number % 2]}
        for time in times[:-1]:
            stage.add(time, "login", success=False, **who, **far)
        stage.add(times[-1], "login", success=True, **who, **far)
        if number % 5 == 1:  # they had forgotten it
            stage.add(times[-1] - 3 * SECOND, "password", **who)
        elif number % 5:
            stage.found("break-in", who["user"], times[-4], times[-1])


def takeovers(stage: Stage) -> None:
    """An account that changes hands, and is emptied."""
    for number in range(12):
        user, who, begin = stage.user()
        first, second, paid = stage.steps(3, (60, 600))
        paid += 40 * MINUTE if number % 4 == 0 else 0  # too late to have to do with it
        amount = 4.5 if number % 4 == 1 else 1500.0 + user % 3000  # too little to worry about
        device = ("tablet", "phone", "laptop")[user % 3]
        changes = ["password", "device"] if number % 2 else ["device", "password"]
        for step, type in zip((first, second), changes, strict=True):
            stage.add(begin + step, type, device=device if type == "device" else None, **who)
        stage.add(begin + paid, "payment", card=card_name(user), amount=amount, **who)
        if number % 4 > 1:
            stage.found("takeover", who["user"], begin, begin + paid)


def tested_cards(stage: Stage) -> None:
    """Small payments that try whether a card works, and then a large one."""
    for number in range(15):
        user, who, begin = stage.user()
        count = 2 if number % 5 == 0 else int(stage.rng.integers(3, 8))  # two are not many
        times = [begin + step for step in stage.steps(count, (8, 30))]
        wait = 6 * MINUTE if number % 5 == 1 else 45 * SECOND  # a purchase of its own
        card = {"card": card_name(user), **who}
        for time in times:
            stage.add(time, "payment", amount=stage.rng.integers(10, 200) / 100, **card)
        stage.add(times[-1] + wait, "payment", amount=300.0 + user % 600, **card)
        if number % 5 > 1:
            stage.found("card testing", card["card"], times[0], times[-1] + wait)


def unanswered_alarms(stage: Stage) -> None:
    """Alarms that nobody acknowledges, or too late, and some at the last moment."""
    for number in range(12):
        room, begin = stage.room()
        stage.add(begin, "alarm", alarm=("smoke", "water", "door")[number % 3], **room)
        answer = {0: 299, 1: 420}.get(number % 4)
        if answer:
            stage.add(begin + answer * SECOND, "acknowledged", **room)
        if number % 4:
            who = f"{room['building']} {room['room']}"
            stage.found("unanswered alarm", who, begin, begin + 5 * MINUTE)


def logins(rng: np.random.Generator, users: int, busy: dict[int, int]) -> pa.Table:
    """Everybody at most once in half an hour, with at most two mistakes beforehand."""
    user, begin = chosen(rng, users, slots=48, share=0.21, busy=busy)
    mistakes = rng.choice(3, user.size, p=[0.9, 0.08, 0.02])
    row = np.repeat(np.arange(user.size), mistakes + 1)
    place = np.arange(row.size) - np.repeat(np.cumsum(mistakes + 1) - mistakes - 1, mistakes + 1)
    who = user[row]
    home = np.char.add(np.char.add("10.0.", (np.arange(users) // 250 % 250).astype(str)), ".")
    home = np.char.add(home, (np.arange(users) % 250 + 1).astype(str))
    return pa.table(
        {
            "time": begin[row] + place * (9 + who % 30) * SECOND,
            "type": repeated("login", row.size),
            "user": names(user_name, users).take(pa.array(who)),
            "success": place == mistakes[row],
            "ip": pa.array(home).take(pa.array(who)),
            "country": pa.array(COUNTRIES).take(pa.array(who % COUNTRIES.size)),
        }
    )


def accounts(rng: np.random.Generator, users: int, busy: dict[int, int]) -> pa.Table:
    """A new password, or a new device, but nobody has both on this day."""
    free = np.setdiff1d(np.arange(users), list(busy))
    user = rng.choice(free, users // 10, replace=False)
    device = np.where(np.arange(user.size) % 2, "phone", None)
    return pa.table(
        {
            "time": seconds(rng, 0, DAY, user.size),
            "type": np.where(np.arange(user.size) % 2, "device", "password"),
            "user": names(user_name, users).take(pa.array(user)),
            "device": pa.array(device, pa.string()),
        }
    )


def payments(rng: np.random.Generator, users: int, busy: dict[int, int]) -> pa.Table:
    """Each card at most once in 15 minutes, and then perhaps a second time, soon after."""
    user, begin = chosen(rng, users, slots=96, share=0.13, busy=busy)
    again = rng.random(user.size) < 0.1
    user = np.concatenate([user, user[again]])
    return pa.table(
        {
            "time": np.concatenate([begin, begin[again] + 2 * MINUTE]),
            "type": repeated("payment", user.size),
            "user": names(user_name, users).take(pa.array(user)),
            "card": names(card_name, users).take(pa.array(user)),
            "amount": np.round(rng.lognormal(3, 1.6, user.size), 2) + 0.01,
        }
    )


def heartbeats(rng: np.random.Generator, sensors: int, stage: Stage) -> pa.Table:
    """Every sensor every five minutes; some fall silent, for longer than half an hour or nearly."""
    period = 5 * MINUTE
    times = np.arange(0, DAY, period) + seconds(rng, 0, period - MINUTE, (sensors, 1))
    times += seconds(rng, 0, 20 * SECOND, times.shape)
    sent = np.ones(times.shape, np.bool_)
    for number, sensor in enumerate(rng.choice(sensors, 10, replace=False)):
        last = int(rng.integers(30, 240))
        missing = 4 if number % 3 == 0 else int(rng.integers(8, 300))
        sent[sensor, last + 1 : last + 1 + missing] = False
        if missing > 4:
            silent = int(times[sensor, last]) + 30 * MINUTE
            stage.found("silent sensor", sensor_name(sensor), silent, silent)
    sensor = pa.array(np.nonzero(sent)[0])
    return pa.table(
        {
            "time": times[sent],
            "type": repeated("heartbeat", len(sensor)),
            "building": names(building_name, sensors).take(sensor),
            "sensor": names(sensor_name, sensors).take(sensor),
        }
    )


def alarms(rng: np.random.Generator, rooms: int, busy: dict[int, int]) -> pa.Table:
    """Now and then an alarm, which somebody acknowledges within four minutes."""
    room, begin = chosen(rng, rooms, slots=24, share=0.05, busy=busy)
    answered = begin + seconds(rng, 10 * SECOND, 4 * MINUTE, room.size)
    both = np.concatenate([room, room])
    kinds = pa.array(["smoke", "water", "door"]).take(pa.array(room % 3))
    return pa.table(
        {
            "time": np.concatenate([begin, answered]),
            "type": np.repeat(["alarm", "acknowledged"], room.size),
            "building": names(building_name, rooms).take(pa.array(both)),
            "room": names(room_name, rooms).take(pa.array(both)),
            "alarm": pa.concat_arrays([kinds, pa.nulls(room.size, pa.string())]),
        }
    )


def temperatures(rng: np.random.Generator, rooms: int, count: int) -> pa.Table:
    """What rooms report all day; it makes the day as long as it was asked to be."""
    room = pa.array(rng.integers(0, rooms, count))
    return pa.table(
        {
            "time": seconds(rng, 0, DAY, count),
            "type": repeated("temperature", count),
            "building": names(building_name, rooms).take(room),
            "room": names(room_name, rooms).take(room),
            "celsius": np.round(rng.normal(21, 1.5, count), 1),
        }
    )


def chosen(
    rng: np.random.Generator, subjects: int, *, slots: int, share: float, busy: dict[int, int]
) -> tuple[Any, Any]:
    """Who does something, and when: at most once in a slot, in its first third, more by day.

    Subjects who are busy elsewhere keep out of it for two hours on either side.
    """
    hours = np.arange(slots) * 24 / slots
    curve = 0.2 + 1.6 * np.exp(-(((hours - 14) / 5) ** 2))
    subject, slot = np.nonzero(rng.random((subjects, slots)) < share * curve / curve.mean())
    begin = slot * (DAY // slots) + seconds(rng, 0, DAY // slots // 3, slot.size)
    elsewhere = np.full(subjects, -DAY)
    elsewhere[list(busy)] = list(busy.values())
    free = np.abs(begin - elsewhere[subject]) > 2 * HOUR
    return subject[free], begin[free]


def seconds(rng: np.random.Generator, low: int, high: int, shape: Any) -> Any:
    """Times from low to high, of whole seconds."""
    return rng.integers(low // SECOND, high // SECOND, shape) * SECOND


def user_name(number: int) -> str:
    """`ann0`, `bob1`."""
    return f"{NAMES[number % len(NAMES)]}{number}"


def card_name(number: int) -> str:
    """Every user has one card."""
    return f"card {number:06}"


def building_name(number: int) -> str:
    """Four of them."""
    return ("north", "east", "south", "west")[number % 4]


def room_name(number: int) -> str:
    """Unique in all buildings."""
    return f"room {number // 40 + 1}{number % 40:02}"


def sensor_name(number: int) -> str:
    """Unique in all buildings."""
    return f"sensor {number:04}"


def names(name: Callable[[int], str], count: int) -> pa.Array:
    """The names of all numbers below."""
    return pa.array(map(name, range(count)), pa.string())


def repeated(value: str, count: int) -> pa.Array:
    """The same for every row."""
    return pa.repeat(value, count)


if __name__ == "__main__":
    pq.write_table(make_day().events, sys.argv[1])
