"""Start-up cost of ``honeyguide crawl``: CPU time until its first request arrives.

    python -m benchmarks.start [--rounds 8]

The topic has keywords, and defaults for everything else. The time includes the worker that the process starts.
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
    """CPU seconds, with the goal."""
    return once_a_round("start to first request, CPU seconds", [_cpu_until_request() for _ in range(rounds)], at_most=1)


def _cpu_until_request() -> float:
    """Start a crawl, and kill it when its first request arrives."""
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
    """Measure and print. Returns 1 if the goal is not met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start")
    parser.add_argument("--rounds", type=int, default=8, help="(default: %(default)s)")
    figure = measure_start(parser.parse_args().rounds)
    print("\n".join(figure_table([figure])))
    return int(not figure.reached)


if __name__ == "__main__":
    sys.exit(main())
