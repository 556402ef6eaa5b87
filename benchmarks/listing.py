"""Cost of reading a listing of 10,000 links with guide, compared with an ordinary page: time per word, and memory.

    taskset -c 1 python -m benchmarks.listing [--rounds 8]

Each measurement is made in a new process that has read ordinary pages first, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import sys
from time import process_time
from typing import NamedTuple

from benchmarks.meter import forget_peak, peak
from benchmarks.processes import run
from benchmarks.reading import SHAPES
from benchmarks.throughput_page import Figure, figure_table, once_a_round
from benchmarks.web import RenderedWeb, render
from honeyguide.crawl.readers import reader_config
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader
from honeyguide.topic.material import material_of

_LINKS = 10_000
_ORDINARY = 40
_WARM_UP = 20
_TYPE = "text/html; charset=utf-8"


class Cost(NamedTuple):
    """The cost of reading."""

    ordinary: float
    """Seconds per word of ordinary pages."""
    listing: float
    """Seconds per word of the listing."""
    memory: float
    """Additional megabytes used for the listing."""


def measure_listing(rounds: int) -> list[Figure]:
    """Time and memory, each with its goal."""
    costs = [Cost(*run("listing", "--once")) for _ in range(rounds)]
    ordinary, listing = min(cost.ordinary for cost in costs), min(cost.listing for cost in costs)
    each = [cost.listing / cost.ordinary for cost in costs]
    name = f"guide: a listing of {_LINKS:,} links: time per word / ordinary page"
    return [
        Figure(name, lambda of: listing / ordinary if of is min else of(each), rounds, at_most=2),
        once_a_round("same: additional memory, MB", [cost.memory for cost in costs], at_most=300),
    ]


def _cost(web: RenderedWeb) -> Cost:
    topic = web.topic(1, 1, "guide")
    reader = Reader(reader_config(topic, make_model(material_of(topic))))
    pages = [Document(url, body, _TYPE) for url, body in web.pages.items()]
    listing = Document("http://a.example/d/", SHAPES["listing"](_LINKS).encode(), _TYPE)
    for page in pages[:_WARM_UP]:
        reader.read(page)
    ordinary = _seconds_per_word(reader, pages[_WARM_UP : _WARM_UP + _ORDINARY])
    forget_peak()
    before = peak()
    found = _seconds_per_word(reader, [listing])
    return Cost(ordinary, found, (peak() - before) / 1e6)


def _seconds_per_word(reader: Reader, documents: list[Document]) -> float:
    began = process_time()
    words = sum(reader.read(document).words for document in documents)
    return (process_time() - began) / words


def main() -> int:
    """Measure and print. Returns 1 if a goal is not met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.listing")
    parser.add_argument("--rounds", type=int, default=8, help="(default: %(default)s)")
    parser.add_argument("--once", action="store_true", help="one round in this process, as JSON")
    options = parser.parse_args()
    if options.once:
        print(json.dumps(_cost(render(200, plain=False))))
        return 0
    found = measure_listing(options.rounds)
    print("\n".join(figure_table(found)))
    return int(not all(figure.reached for figure in found))


if __name__ == "__main__":
    sys.exit(main())
