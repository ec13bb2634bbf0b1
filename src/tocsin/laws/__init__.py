"""The algebraic laws: one table of data, and what it takes to use a law on patterns."""
