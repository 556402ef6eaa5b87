"""Honeyguide under measurement: ``python -m benchmarks.crawl_honeyguide WEB FOLDER PAGES WARM_UP CONNECTIONS``."""

from __future__ import annotations

import argparse
from pathlib import Path

import psutil
import uvloop

from benchmarks.meter import Meter
from benchmarks.web import RenderedWeb
from honeyguide.crawl.session import Session


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("web", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pages", type=int)
    parser.add_argument("warm_up", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("--strategy", default="best-first")
    parser.add_argument("--worker-core", type=int, help="read in a worker, on this core")
    options = parser.parse_args()
    topic = RenderedWeb.load(options.web).topic(options.pages, options.connections, options.strategy)
    meter = Meter(options.pages, options.warm_up)
    with_worker = options.worker_core is not None

    def count(_: object) -> None:
        if with_worker and not meter.count:
            for child in psutil.Process().children():
                child.cpu_affinity([options.worker_core])
        meter.page()

    session = Session(topic, options.folder, workers=int(with_worker), on_page=count)
    outcome = uvloop.run(session.run())
    assert not outcome.tally.errors, outcome.tally.errors
    meter.report(options.folder)


if __name__ == "__main__":
    main()
