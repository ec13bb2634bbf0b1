"""What people look at: patterns in words, tables of occurrences, timelines."""
