"""What the start of ``honeyguide crawl`` costs: CPU time until its first request arrives.

    python -m benchmarks.start [--rounds 8]

The topic has keywords, and all else as it comes. The time is that of the process and of the worker that it starts, as
far as that is by then.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from benchmarks.processes import cpu_seconds
from benchmarks.throughput_page import Figure, figure_table, once_a_round

_TIMEOUT = 60.0
_TOPIC = """\
name = "start"
seeds = ["http://127.0.0.1:{port}/"]
keywords = ["honey", "bee", "beekeeping", "hive", "pollen", "nectar"]

[fetch]
contact = "mailto:benchmark@example.org"
allow_networks = ["127.0.0.0/8"]
"""


def measure_start(rounds: int) -> Figure:
    """Seconds of CPU, with their goal."""
    return once_a_round("start to the first request, s of CPU", [_until_asked() for _ in range(rounds)], at_most=1)


def _until_asked() -> float:
    """Start a crawl, and end it when its first request arrives."""
    with TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(_TIMEOUT)
        topic = Path(folder) / "start.toml"
        topic.write_text(_TOPIC.format(port=server.getsockname()[1]), encoding="utf-8")
        command = [sys.executable, "-m", "honeyguide", "crawl", str(topic), "--out", folder, "--quiet"]
        crawl = subprocess.Popen(command)
        try:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(_TIMEOUT)
                connection.recv(1)
                process = psutil.Process(crawl.pid)
                return sum(cpu_seconds(one) for one in (process, *process.children()))
        finally:
            crawl.kill()  # its worker ends with it
            crawl.wait()


def main() -> int:
    """Measure and print. 1 when the goal is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start")
    parser.add_argument("--rounds", type=int, default=8, help="(default: %(default)s)")
    figure = measure_start(parser.parse_args().rounds)
    print("\n".join(figure_table([figure])))
    return int(not figure.reached)


if __name__ == "__main__":
    sys.exit(main())
