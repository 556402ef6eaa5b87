"""How the cost of reading a page grows with its size, for every kind of strategy.

    taskset -c 1 python -m benchmarks.reading [--strategy NAME ...] [--sizes 1000 10000 100000] [--out FILE.md]

Each shape is a page of so many links (or words), as servers and people make them: a list of files, one paragraph full
of links, pictures without words, links that are nested in each other's contexts. Every reading runs in a process of its
own, so that its peak of memory is its own.
"""

from __future__ import annotations

import argparse
import math
import os
import pickle
import resource
from collections.abc import Callable
from pathlib import Path
from time import process_time

from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader, ReaderConfig
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

STRATEGIES = ("guide", "best-first", "cbp-slc", "page+btw", "block", "otie", "link-classifier", "genre")
SHAPES: dict[str, Callable[[int], str]] = {
    "listing": lambda n: "<pre>" + "".join(f"<a href=f{i}>f{i} honey</a> bee{i % 90}\n" for i in range(n)),
    "paragraph": lambda n: "<p>" + "".join(f"w{i % 50} <a href=f{i}>bee</a> " for i in range(n)),
    "pictures": lambda n: "<p>" + "".join(f"w{i % 50} <a href=f{i}><img alt='a{i}'></a> " for i in range(n)),
    "repeated": lambda n: "".join(f"<p>w{i % 50} <a href=f{i % (n // 2)}>bee</a> " for i in range(n)),
    "nested": lambda n: "".join(
        "<div>" * 100 + "".join(f"w <a href=f{first + i}>bee</a></div>" for i in range(100))
        for first in range(0, n, 100)
    ),
    "table": lambda n: "<table>" + "".join(f"<tr><td>w{i % 50}<td><a href=f{i}>bee</a>" for i in range(n)),
    "headings": lambda n: "".join(f"<h2>w{i % 50}</h2><a href=f{i}>bee</a>" for i in range(n)),
    "words": lambda n: "<p>" + "honey bees live in hives " * (n // 5),
}
MOST = 2.6
"""Times the cost for twice the size."""


def measure(strategy: str, shape: str, size: int) -> tuple[float, int]:
    """Seconds of computing and megabytes that reading one page takes, beyond those of a process that can read."""
    ends = os.pipe()
    child = os.fork()
    if not child:
        topic = Topic.make(name="bees", seeds=["http://a.example/"], keywords="honey, bee, comb")
        reader = Reader(ReaderConfig(make_model(material_of(topic)), strategy))
        reader.read(Document("http://a.example/", SHAPES[shape](100).encode(), "text/html"))
        document = Document("http://a.example/d/", SHAPES[shape](size).encode(), "text/html")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = process_time()
        reader.read(document)
        taken = process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(ends[1], pickle.dumps((taken, memory >> 10)))
        os._exit(0)
    os.close(ends[1])
    with os.fdopen(ends[0], "rb") as answer:
        found: tuple[float, int] = pickle.load(answer)
    os.waitpid(child, 0)
    return found


def main() -> int:
    """Measure, print and write down. 1 when something grows too fast."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading")
    parser.add_argument("--strategy", action="append", help="(default: one of each kind)")
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000], help="links or words of a page"
    )
    parser.add_argument("--rounds", type=int, default=2, help="of which the best counts (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    options = parser.parse_args()
    sizes: list[int] = options.sizes
    head = " | ".join(f"{size:,}: s | MB" for size in sizes)
    lines = [
        "# Growth of reading",
        "",
        f"Seconds and megabytes per page with that many links or words. Goal: ≤ {MOST} × the time for twice the size.",
        "",
        f"| strategy | page | {head} | for twice the size, × | met |",
        "|---" * (4 + 2 * len(sizes)) + "|",
    ]
    for strategy in options.strategy or STRATEGIES:
        for shape in SHAPES:
            found = [min(measure(strategy, shape, size) for _ in range(options.rounds)) for size in sizes]
            (before, _), (after, _) = found[-2:]
            growth = (after / before) ** (1 / math.log2(sizes[-1] / sizes[-2]))
            cells = " | ".join(f"{seconds:.3f} | {memory}" for seconds, memory in found)
            reached = "yes" if growth <= MOST else "**no**"
            lines.append(f"| {strategy} | {shape} | {cells} | {growth:.2f} | {reached} |")
            print(lines[-1], flush=True)
    return written("\n".join([*lines, "", machine.described("selectolax", "numpy")]), options.out)


if __name__ == "__main__":
    raise SystemExit(main())
