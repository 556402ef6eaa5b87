"""Honeyguide under measurement: ``python -m benchmarks.crawl_honeyguide WEB FOLDER PAGES WARM_UP CONNECTIONS``."""

from __future__ import annotations

import argparse
from pathlib import Path

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
    parser.add_argument("--workers", type=int, default=0)
    options = parser.parse_args()
    topic = RenderedWeb.load(options.web).topic(options.pages, options.connections)
    meter = Meter(options.pages, options.warm_up)
    session = Session(topic, options.folder, workers=options.workers, on_page=lambda _: meter.page())
    outcome = uvloop.run(session.run())
    assert not outcome.tally.errors, outcome.tally.errors
    meter.report(options.folder)


if __name__ == "__main__":
    main()
