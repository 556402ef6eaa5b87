"""The processes of a browser: which they are, how much memory they take, and how they are ended, whatever they do.

By /proc, which Linux has. Elsewhere there are none to be seen, and the browser is ended by Playwright alone.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def find_processes(mark: str) -> list[int]:
    """The processes whose command line has `mark` as an argument, and all that descend from them."""
    if not _PROC.is_dir():
        return []
    wanted, children = mark.encode(), dict[int, list[int]]()
    found: list[int] = []
    for name in os.listdir(_PROC):  # noqa: PTH208 (names only, and often)
        if name.isdecimal():
            number = int(name)
            with suppress(OSError, ValueError, IndexError):
                parent = int((_PROC / name / "stat").read_bytes().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(number)
                if wanted in (_PROC / name / "cmdline").read_bytes().split(b"\0"):
                    found.append(number)
    seen = dict.fromkeys(found)
    for number in found:  # grows during the iteration
        for child in children.get(number, ()):
            if child not in seen:
                seen[child] = None
                found.append(child)
    return found


def memory_of(numbers: list[int]) -> int:
    """The private memory of processes, in bytes."""
    page, total = os.sysconf("SC_PAGE_SIZE"), 0
    for number in numbers:
        with suppress(OSError, ValueError, IndexError):
            resident, shared = (_PROC / str(number) / "statm").read_bytes().split()[1:3]
            total += (int(resident) - int(shared)) * page
    return total


def kill(numbers: list[int]) -> None:
    """Kill processes."""
    for number in numbers:
        with suppress(OSError):
            os.kill(number, signal.SIGKILL)
