"""The named strategies, one file per family."""
