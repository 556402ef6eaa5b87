"""The named strategies, a file a family."""
