"""``python -m benchmarks.fuzz.mutations TARGET RUNS LONGEST SECONDS MEGABYTES FOLDER...``: mutations at full speed.

The inputs in the folders, changed at random: bytes replaced, removed, repeated, pieces of others put in. Without the
code that records what is reached, a reader takes a fraction of the time. Prints a line of JSON: how many inputs were
tried, the memory at the end, and the input that failed, if one did.
"""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
import traceback
from pathlib import Path

from benchmarks.fuzz.targets import TARGETS

_PIECES = (b"<", b">", b"</", b"<!--", b"&#", b"%", b"\0", b"\xff", b"<a href=", b"<p>", b"<table>", b"<b>", b"<svg>")
_REPEATED = 40


class TooSlowError(Exception):
    """An input took longer than it may."""


def mutated(chance: random.Random, inputs: list[bytes], longest: int) -> bytes:
    """One of the inputs, changed in one to five places."""
    data = bytearray(chance.choice(inputs))
    for _ in range(chance.randrange(1, 6)):
        place = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            data[place : place + 1] = chance.randbytes(1)
        elif kind == 1:
            del data[place : place + chance.randrange(1, 20)]
        elif kind == 2:
            data[place:place] = chance.choice(_PIECES)
        elif kind == 3:
            data[place:place] = data[place : place + chance.randrange(1, 20)] * chance.randrange(1, _REPEATED)
        else:
            other = chance.choice(inputs)
            start = chance.randrange(len(other) + 1)
            data[place:place] = other[start : start + chance.randrange(1, 100)]
    return bytes(data[:longest])


def main() -> None:
    """Try inputs until one fails or there were enough."""
    target, runs, longest, seconds, megabytes = sys.argv[1], *map(int, sys.argv[2:6])
    inputs = [path.read_bytes() for folder in sys.argv[6:] for path in sorted(Path(folder).glob("*"))] or [b""]
    read, chance = TARGETS[target], random.Random(runs)

    def too_slow(*_: object) -> None:
        raise TooSlowError

    signal.signal(signal.SIGALRM, too_slow)
    failed, tried = "", 0
    for tried in range(1, runs + 1):
        data = mutated(chance, inputs, longest)
        signal.alarm(seconds)
        try:
            read(data)
        except Exception:  # noqa: BLE001 (whatever it is, it is what is looked for)
            failed = f"{data!r}: {traceback.format_exc(limit=-3)}"
            break
        finally:
            signal.alarm(0)
        if tried % 1000 == 0 and _memory() > megabytes:
            failed = f"{_memory()} MB after {data!r}"
            break
    print(json.dumps({"tried": tried, "megabytes": _memory(), "failed": failed}))


def _memory() -> int:
    """The most that this process had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


if __name__ == "__main__":
    main()
