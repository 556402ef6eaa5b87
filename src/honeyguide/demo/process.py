"""Serves the demo web from a separate process, so that it does not use the crawler's core."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from honeyguide.errors import HoneyguideError
from honeyguide.proxy import ServedRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import TextIO

    from honeyguide.demo.web import DemoWeb

_PATIENCE = 10.0


class Running(NamedTuple):
    """A server in its process."""

    address: str
    """The proxy address for clients."""
    pid: int


class VisitFile:
    """A log of requests in a file: JSON lines, each flushed before the next answer is given."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def append(self, visit: ServedRequest) -> None:
        """Write one line."""
        self._file.write(json.dumps(visit._asdict()) + "\n")
        self._file.flush()


def read_visits(path: Path) -> list[ServedRequest]:
    """The requests in a log file, in the order in which they ended; an incomplete last line is ignored."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [ServedRequest(**json.loads(line)) for line in lines if line.endswith("\n")]


@contextmanager
def run_in_process(web: DemoWeb, *, port: int = 0, log: Path | None = None) -> Iterator[Running]:
    """Serve a web with these settings from a child process until the block ends.

    The child also ends if this process dies inside the block. With `log`, requests are written to that file.
    """
    command = [sys.executable, "-m", "honeyguide.demo", "--with-parent", "--port", str(port)]
    command += ["--seed", str(web.seed), "--pages", str(web.pages)]
    command += ["--locality", str(web.locality), "--page-kb", str(web.page_kb)]
    command += ["--faults"] if web.faults else []
    command += ["--listings"] if web.listings else []
    command += ["--scripted", str(web.scripted)] if web.scripted else []
    command += ["--log", str(log)] if log else []
    with subprocess.Popen(  # noqa: S603 (our own module, with numbers as arguments)
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout is not None
            address = child.stdout.readline().strip()
            if not address:
                raise HoneyguideError("the demo server did not start")
            yield Running(address, child.pid)
        finally:
            child.terminate()
            try:
                child.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
