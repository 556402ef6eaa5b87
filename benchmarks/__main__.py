"""All benchmarks: ``python -m benchmarks [--quick] [--out results]``."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

NAMES = ("parse", "frontier", "throughput")


def main() -> int:
    """Run each in a process of its own. 1 when a figure of any is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="small rounds: to see that they work")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the pages (default: results)")
    options = parser.parse_args()
    failed = False
    for name in NAMES:
        print(f"\n== {name}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{name}", "--out", str(options.out / f"{name}.md")]
        failed |= bool(subprocess.run(command + ["--quick"] * options.quick, check=False).returncode)
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
