"""Starts crawlers quickly: what ``honeyguide`` needs is imported once, and each crawler is a fork of this process.

A line on standard input is the folder that a crawler works in, a signal to ignore, or 0, and its arguments, as JSON;
its process number and, when it has ended, its exit code are printed. It commits every 50 ms and begins a new archive
file after 150 kB, so that a kill can hit every phase of both. Ends when standard input does.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module
from pathlib import Path

from honeyguide.cli.main import load_command, main
from honeyguide.crawl import crawler
from honeyguide.store.archive import Archive


def crawl(folder: str, ignored: int, *arguments: str) -> None:
    """Be a crawler; what it says goes to a file."""
    os.chdir(folder)
    if ignored:
        signal.signal(ignored, signal.SIG_IGN)
    with Path("said").open("wb") as said:
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    crawler.COMMIT_EVERY = 0.05
    assert Archive.__init__.__kwdefaults__ is not None
    Archive.__init__.__kwdefaults__["rotate_at"] = 150_000
    sys.argv = ["honeyguide", *arguments]
    main()


if __name__ == "__main__":
    load_command("crawl")
    import_module("honeyguide.fetch.http")  # which a crawl imports when it begins to fetch
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            crawl(*json.loads(line))
            sys.exit()
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
