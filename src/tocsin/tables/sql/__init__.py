"""Spark SQL expressions away from Spark: read by sqlglot, said in DuckDB's words, run over Arrow.

The meaning is Spark 4's with its default settings (ANSI). What is not known here is refused, never
passed on in the hope that DuckDB means the same by it; every function that is known is compared
with Spark's own answers, which `tests/tables/spark` holds.
"""
