"""What can be written: nodes, builders, the grammar, the printer, durations (SPEC §2)."""
