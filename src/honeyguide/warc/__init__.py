"""WARC files (ISO 28500): the only reader and the only writer of their records."""
