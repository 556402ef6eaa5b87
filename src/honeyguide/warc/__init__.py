"""WARC files (ISO 28500): the one reader and the one writer of their records."""
