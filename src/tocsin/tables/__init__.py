"""Rows in, occurrences out, away from Spark: sources, times, predicates, keys, results, files."""
