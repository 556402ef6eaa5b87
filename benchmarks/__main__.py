"""All benchmarks: ``python -m benchmarks [--quick] [--out results]``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path


def commands(out: Path, *, quick: bool) -> dict[str, list[str]]:
    """What each benchmark is told."""
    if quick:
        return {
            "pages": ["--pages", "50", "--rounds", "2"],
            "classifiers": ["--pages", "240", "--rounds", "1"],
            "genre": ["--pages", "50", "--rounds", "1"],
            "frontier": ["--urls", "50000", "--rounds", "1", "--out", str(out / "frontier.md")],
            "steering": ["--quick", "--rounds", "1", "--out", str(out / "steering.md")],
            "batches": ["--rounds", "1"],
            "growth": ["--quick", "--out", str(out / "growth.md")],
            "throughput": ["--quick", "--out", str(out / "throughput.md")],
        }
    return {
        "pages": ["--out", str(out / "pages.md")],
        "classifiers": ["--out", str(out / "classifiers.md")],
        "semantic": ["--out", str(out / "semantic.md")],
        "webs": ["--out", str(out / "webs.md")],
        "genre": ["--out", str(out / "genre.md")],
        "frontier": ["--out", str(out / "frontier.md")],
        "steering": ["--out", str(out / "steering.md")],
        "batches": ["--out", str(out / "batches.md")],
        "growth": ["--out", str(out / "growth.md")],
        "spam": ["--out", str(out / "spam.md")],
        "throughput": ["--out", str(out / "throughput.md")],
    }


def main() -> int:
    """Run each in its own process. Returns 1 if one failed or did not meet a goal."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="small rounds, as a smoke test")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the reports (default: results)")
    options = parser.parse_args()
    failed = False
    for name, arguments in commands(options.out, quick=options.quick).items():
        print(f"\n== {name}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *arguments], check=False)
        failed |= bool(done.returncode)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
