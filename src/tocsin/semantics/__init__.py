"""What a pattern means: the oracle, plain sets straight from SPEC; one file per operator."""
