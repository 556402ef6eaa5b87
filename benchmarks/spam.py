"""Spam against focus: how many of 600 pages a crawl wastes on networks that were made to catch it.

    python -m benchmarks.spam [--quick] [--json FILE] [--before FILE] [--out results/spam.md]

The demo web, six of whose pages (the three seeds among them) link into a network without end: see
`benchmarks.spam_webs`. Wasted are the pages of the network. With one connection a crawl goes strictly by priority; with
more, hosts take turns as in a live crawl. Then 40 lists of links, and how many URLs wait in how much memory.

`--json` writes the figures to a file, and `--before` shows those of such a file beside them: this program and its webs
run with older versions of honeyguide, too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.spam_webs import NETWORKS, SpamWeb, is_spam
from honeyguide.demo import DemoWeb
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.relevance.models import make_model
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

PAGES = 600
MOST = 0.2
"""The share of pages that may be wasted."""
LISTS = "lists"
NOBODY_KNOWS = "spun copies"
"""The network that has nothing in common but that nobody else links to it, like any corner of the web."""
STRATEGIES = ("guide", "best-first")
CONNECTIONS = (1, 8, 32)

Figures = dict[str, list[int]]
"""By network, strategy and connections: pages wasted, and relevant pages found."""


def crawl(
    web: SpamWeb, demo: DemoWeb, subject: str, strategy: str, connections: int, seeds: Sequence[str] = ()
) -> ReplayResult:
    """A crawl of the web for one of the demo's subjects, from its home pages or from other seeds."""
    topic = Topic.make(
        name="spam",
        seeds=seeds or demo.seeds(subject),
        keywords=", ".join(demo.keywords(subject)),
        budget={"pages": len(seeds) or PAGES},
        strategy={"name": strategy},
        relevance={"model": "vsm"},
        fetch={"connections": connections},
    )
    return replay(topic, make_model(material_of(topic)), web)


def figures(subjects: int) -> Iterator[tuple[str, list[int]]]:
    """The figures one by one, each summed over some subjects."""
    demo = DemoWeb(pages=8000)
    for network in NETWORKS:
        if network == LISTS:
            continue
        webs = [(subject, SpamWeb(demo, subject, network)) for subject in demo.subjects[:subjects]]
        for strategy in STRATEGIES:
            for connections in CONNECTIONS:
                wasted = found = 0
                for subject, web in webs:
                    steps = crawl(web, demo, subject, strategy, connections).steps
                    wasted += sum(is_spam(step.url) for step in steps)
                    found += sum(demo.relevant(step.url, subject) for step in steps)
                yield f"{network}, {strategy}, {connections}", [wasted // subjects, found // subjects]


def lists() -> list[int]:
    """How many links of 40 lists are left out, and the megabytes of memory that a crawl of them takes."""
    demo = DemoWeb(pages=200)
    web = SpamWeb(demo, demo.subjects[0], LISTS)
    seeds = [NETWORKS[LISTS].entry.format(number) for number in range(40)]
    tally = crawl(web, demo, demo.subjects[0], "best-first", 1, seeds).tally
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return [tally.refused.get("full", 0), int(status.partition("VmHWM:")[2].split()[0]) // 1000]


def _row(name: str, now: Figures, before: Figures) -> str:
    cells = []
    for strategy in STRATEGIES:
        for connections in CONNECTIONS:
            key = f"{name}, {strategy}, {connections}"
            wasted = f"{now[key][0] / PAGES:.0%}"
            cells.append(f"{before[key][0] / PAGES:.0%} → {wasted}" if key in before else wasted)
    return f"| {name}: {NETWORKS[name].about} | {' | '.join(cells)} |\n"


def page(now: Figures, before: Figures) -> str:
    """The results as Markdown."""
    heads = [f"{name}, {count}" for name in STRATEGIES for count in CONNECTIONS]
    rows = "".join(_row(name, now, before) for name in NETWORKS if name != LISTS)
    judged = {key: value for key, value in now.items() if not key.startswith((NOBODY_KNOWS, LISTS))}
    worst = max(judged, key=lambda key: judged[key][0])
    is_good = judged[worst][0] <= MOST * PAGES
    then = f"; before: {before[LISTS][1]:,} MB" if LISTS in before else ""
    return (
        f"# Spam against focus\n\nPages out of {PAGES} that are wasted on a network"
        f"{' (before → now)' if before else ''}, by strategy and number of connections.\n\n"
        f"| network | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}\n{rows}\n"
        f"- At most {MOST:.0%} may be wasted; most are in: {worst} ({judged[worst][0]} pages):"
        f" {'yes' if is_good else '**no**'}. The network {NOBODY_KNOWS!r} is not judged: nothing on a page"
        " with its own address, domain and text shows that it is not an honest page.\n"
        f"- {NETWORKS[LISTS].about}: {now[LISTS][0]:,} links dropped, {now[LISTS][1]:,} MB at most{then}.\n\n"
    )


def main() -> int:
    """Measure, print and write down. 1 when too much is wasted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spam")
    parser.add_argument("--quick", action="store_true", help="one subject instead of three")
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--before", type=Path, help="figures of another version, from its --json")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    parser.add_argument("--lists", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.lists:
        print(json.dumps(lists()))
        return 0
    now: Figures = {}
    for key, values in figures(1 if options.quick else 3):
        now[key] = values
        print(f"{key}: {values[0]} wasted, {values[1]} relevant", file=sys.stderr, flush=True)
    child = subprocess.run([sys.executable, "-m", "benchmarks.spam", "--lists"], check=True, capture_output=True)
    now[LISTS] = json.loads(child.stdout)
    if options.json:
        options.json.write_text(json.dumps(now, indent=1), encoding="utf-8")
    text = page(now, json.loads(options.before.read_text(encoding="utf-8")) if options.before else {})
    return written(text + machine.described("numpy"), options.out)


if __name__ == "__main__":
    raise SystemExit(main())
