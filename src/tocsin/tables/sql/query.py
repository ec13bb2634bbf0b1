"""Run Spark SQL expressions over Arrow columns, by DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import duckdb
import pyarrow as pa
from sqlglot import exp

from tocsin.errors import DataError, DefinitionError
from tocsin.tables.normal import normal
from tocsin.tables.sql.parse import names, parse, place
from tocsin.tables.sql.translate import Translator

_WIDER = {
    pa.int8(): pa.int32(),
    pa.int16(): pa.int32(),
    pa.uint8(): pa.int32(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
}
"""DuckDB calculates in the narrowest type that fits, Spark's literals are at least integers."""

CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 2,
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
}


class Query:
    """Expressions over the columns of one table.

    >>> columns = {"user": pa.chunked_array([["ann", "bob"]]), "n": pa.chunked_array([[1, 4]])}
    >>> query = Query(list(columns), columns.__getitem__, rows=2)
    >>> [r.to_pylist() for r in query.run([("big", "N > 3 or USER = 'ann'"), ("half", "n / 2")])]
    [[True, True], [0.5, 2.0]]
    """

    def __init__(
        self,
        columns: Sequence[str],
        column: Callable[[str], pa.ChunkedArray],
        *,
        rows: int,
        zone: str = "UTC",
        place: Callable[[int], str] = "row {}".format,
    ) -> None:
        self._columns, self._column, self._rows = columns, column, rows
        self._zone, self._place = zone, place

    def run(
        self, texts: Sequence[tuple[str, str]], *, conditions: bool = False
    ) -> list[pa.ChunkedArray]:
        """The values of expressions; each comes with what it is called in messages."""
        trees = [parse(text, what) for what, text in texts]
        columns, table = self._used(trees)
        with duckdb.connect(config=CONFIG) as connection:
            _set_zone(connection, self._zone)
            connection.register("rows", table)
            results = []
            for tree, (what, text) in zip(trees, texts, strict=True):
                where = place(text, what)
                sql = _translated(tree, columns, connection, where)
                kind = _type(connection, sql)
                if conditions and kind.id not in ("boolean", "null"):
                    raise DefinitionError(
                        f"this is neither true nor false but a {kind}",
                        where=where,
                        hint="write a condition",
                    )
                results.append(self._evaluate(connection, table, sql, where))
        return results

    def _used(self, trees: Sequence[exp.Expression]) -> tuple[dict[str, str], pa.Table]:
        """The columns that the trees may name: what they are called in DuckDB, and their values."""
        mentioned = set().union(*map(names, trees))
        columns = {name: f"c{number}" for number, name in enumerate(self._columns)}
        used = {
            columns[name]: _widened(self._column(name))
            for name in columns
            if name.lower() in mentioned
        }
        # Without any column a table has no rows; this one is there for expressions like `true`.
        used["_row"] = pa.chunked_array([pa.array(range(self._rows), pa.int64())])
        return columns, pa.table(used)

    def _evaluate(
        self, connection: duckdb.DuckDBPyConnection, table: pa.Table, sql: str, where: str
    ) -> pa.ChunkedArray:
        kind = _type(connection, sql)
        if kind.id == "interval":
            sql = f"epoch_us({sql})"
        try:
            values = connection.sql(f"SELECT {sql} AS value FROM rows").to_arrow_table()["value"]
        except duckdb.Error as error:
            row = _first_failure(connection, table, sql)
            raise DataError(
                f"this has no value: {_reason(error)}",
                where=f"{self._place(row)}, {where}",
                hint="guard against it with if(…) or a try_ function",
            ) from None
        if kind.id == "interval":
            return values.cast(pa.duration("us"))
        if pa.types.is_unsigned_integer(values.type):
            return values.cast(pa.int64())
        return normal(values, self._place)


def _translated(
    tree: exp.Expression,
    columns: Mapping[str, str],
    connection: duckdb.DuckDBPyConnection,
    where: str,
) -> str:
    known: dict[tuple[str, ...], Any] = {}

    def type_of(sql: str, parameters: Sequence[tuple[str, str]]) -> Any:
        question = (sql, *(text for parameter in parameters for text in parameter))
        if question not in known:
            known[question] = _type(connection, sql, parameters)
        return known[question]

    try:
        sql = Translator(columns, type_of, where).sql(tree)
        _type(connection, sql)
    except duckdb.Error as error:
        raise DefinitionError(
            f"this has no meaning: {_reason(error)}",
            where=where,
            hint="mend the expression",
        ) from None
    except RecursionError:
        raise DefinitionError("this is too deep", where=where, hint="simplify it") from None
    return sql


def _set_zone(connection: duckdb.DuckDBPyConnection, zone: str) -> None:
    try:
        connection.execute("SET TimeZone = ?", [zone])
    except duckdb.Error:
        raise DefinitionError(
            f"timezone is {zone!r}, which DuckDB does not know", hint="write the zone's usual name"
        ) from None


def _type(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[tuple[str, str]] = ()
) -> Any:
    """The type of a text; of parameters of functions, by columns that are like them."""
    source = "rows"
    for name, like in parameters:
        source = f"(SELECT *, {like} AS {name} FROM {source})"
    return connection.sql(f"SELECT {sql} AS value FROM {source}").types[0]


def _first_failure(connection: duckdb.DuckDBPyConnection, table: pa.Table, sql: str) -> int:
    """The first row at which an expression fails, found by halving."""
    low, high = 0, len(table)  # it is fine on the first `low` rows, not on the first `high`
    while high - low > 1:
        middle = (low + high) // 2
        connection.register("fewer_rows", table.slice(low, middle - low))
        try:
            connection.sql(f"SELECT {sql} AS value FROM fewer_rows").to_arrow_table()
            low = middle
        except duckdb.Error:
            high = middle
    return high - 1


def _widened(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(_WIDER[column.type]) if column.type in _WIDER else column


def _reason(error: Exception) -> str:
    """What DuckDB says, without its kind of error, its place and its advice."""
    line = str(error).splitlines()[0]
    words = line.split(" Error: ", 1)[-1]
    return words[:1].lower() + words[1:].rstrip(".! ")
