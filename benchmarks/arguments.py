"""What the benchmarks on pages are told, and what they do with their result."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def arguments(name: str, pages: int, rounds: int) -> argparse.Namespace:
    """The command line: WARC files to take pages from, how many pages, how many rounds, where to write."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}")
    parser.add_argument("--web", type=Path, action="append", default=[], help="also use the pages of this WARC file")
    parser.add_argument("--pages", type=int, default=pages, help="number of pages of each (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=rounds, help="number of rounds (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    for path in asked.web:
        if not path.is_file():
            sys.exit(f"{path}: no such file; name a WARC file")
    return asked


def written(text: str, out: Path | None) -> int:
    """Print a result, and write it down where that was asked for. 1 when a figure is not reached."""
    print(text)
    if out:
        out.write_text(text, encoding="utf-8")
    return int("**no**" in text)
