"""``python -m benchmarks.fuzz.one TARGET [libFuzzer options] [corpus]``: fuzz one target until it fails."""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["honeyguide"]):
    from benchmarks.fuzz.targets import TARGETS


def main() -> None:
    """Hand the target to libFuzzer, which ends the process."""
    target = TARGETS[sys.argv[1]]
    atheris.Setup([sys.argv[0], *sys.argv[2:]], target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
