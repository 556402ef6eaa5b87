"""What sitemaps and feeds bring per request, on the demo web that has them.

    python -m benchmarks.sitemaps [--pages 3000] [--seeds 21 22 23] [--subjects 2] [--orphans 0 0.2] [--out PAGE]

Each crawl goes strictly by priority, with one connection, and every request takes a second of its clock: so recall is
compared after equal numbers of requests, those for sitemaps and feeds included, and harvest after equal numbers of
pages, as in a crawl whose budget is in pages.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import NamedTuple

import scipy.stats

from benchmarks import machine
from honeyguide.demo import DemoWeb
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.lab.visits import RequestTiming
from honeyguide.lab.webs.demo import DemoPages
from honeyguide.relevance.models import make_model
from honeyguide.settings import ALWAYS, AUTO, NEVER
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

STRATEGIES = ("guide", "best-first")
CHOICES = (NEVER, AUTO, ALWAYS)
BUDGETS = (0.5, 1.0, 2.0, 3.0)  # in requests, or pages: times the number of relevant pages
_A_SECOND = RequestTiming(1.0, 1e18, 0.0)


class Figures(NamedTuple):
    """Of one crawl, for each of the `BUDGETS`, and of what came from sitemaps and feeds."""

    recall: list[float]
    """After so many requests."""
    harvest: list[float]
    """Among so many pages."""
    urls: int
    pages: int
    relevant: int


Found = dict[tuple[str, str], list[Figures]]
"""By strategy and setting."""


def figures(result: ReplayResult, relevant: frozenset[str]) -> Figures:
    """What a crawl has found, by the truth of the web."""
    recall, harvest = [], []
    for budget in BUDGETS:
        most = round(budget * len(relevant))
        recall.append(len({step.url for step in result.steps if step.seconds <= most + 0.5} & relevant) / len(relevant))
        harvest.append(len({step.url for step in result.steps[:most]} & relevant) / most)
    listed = result.tally.listed
    return Figures(recall, harvest, listed["urls"], listed["pages"], listed["relevant"])


def crawls(pages: int, seeds: Iterable[int], subjects: int, orphans: float) -> Found:
    """The crawls by strategy and setting."""
    found: defaultdict[tuple[str, str], list[Figures]] = defaultdict(list)
    for seed in seeds:
        web = DemoWeb(seed=seed, pages=pages, listings=True, orphans=orphans)
        recorded = DemoPages(web)
        for subject in web.subjects[:subjects]:
            relevant = frozenset(web.relevant_urls(subject))
            for strategy in STRATEGIES:
                for choice in CHOICES:
                    topic = Topic.make(
                        name="sitemaps",
                        seeds=list(web.seeds(subject)),
                        keywords=list(web.keywords(subject)),
                        strategy={"name": strategy},
                        scope={"sitemaps": choice},
                        budget={"pages": round(BUDGETS[-1] * len(relevant))},
                        fetch={"connections": 1},
                    )
                    result = replay(topic, make_model(material_of(topic)), recorded, _A_SECOND)
                    found[strategy, choice].append(figures(result, relevant))
                    print(seed, subject, strategy, choice, found[strategy, choice][-1], file=sys.stderr, flush=True)
    return found


def page(by_orphans: Mapping[float, Found], options: argparse.Namespace) -> str:
    """The page of results."""
    count = len(options.seeds) * options.subjects
    about = (
        f"The demo web with sitemaps and feeds, valid and invalid (`demo-listings:{options.pages}`): {count} crawls "
        f"per row ({len(options.seeds)} webs, {options.subjects} subjects each), from three seeds, strictly by "
        "priority. N is the number of relevant pages. Recall is after the given number of requests, including those "
        "for sitemaps and feeds; harvest is the share of relevant pages among that many pages. Below each figure is "
        "its difference from `never`, with the 95 % interval over the crawls (paired)."
    )
    lines = ["# Sitemaps and feeds", "", about, ""]
    for orphans, found in by_orphans.items():
        which = (
            f"{orphans:.0%} of the pages that list no others are listed only in sitemaps and feeds"
            if orphans
            else "All pages can be reached by links"
        )
        lines += [
            f"## {which}",
            "",
            *_table("recall", [(name, [one.recall for one in rows]) for name, rows in found.items()]),
            *_table("harvest", [(name, [one.harvest for one in rows]) for name, rows in found.items()]),
            "| whole crawls (3 N pages) | `scope.sitemaps` | new URLs from listings | fetched | relevant |",
            "|---|---|---|---|---|",
        ]
        for (strategy, choice), rows in found.items():
            means = [f"{fmean(getattr(one, name) for one in rows):.1f}" for name in ("urls", "pages", "relevant")]
            lines.append(f"| {strategy} | {choice} | {' | '.join(means)} |")
        lines.append("")
    return "\n".join([*lines, machine.described("numpy"), ""])


def _table(title: str, rows: Sequence[tuple[tuple[str, str], list[list[float]]]]) -> list[str]:
    heads = " | ".join(f"{budget:g} N" for budget in BUDGETS)
    lines = [f"| {title} | `scope.sitemaps` | {heads} |", f"|---|---|{'---|' * len(BUDGETS)}"]
    base = {strategy: values for (strategy, choice), values in rows if choice == NEVER}
    for (strategy, choice), values in rows:
        cells = []
        for place in range(len(BUDGETS)):
            cell = f"{fmean(one[place] for one in values):.3f}"
            if choice != NEVER:
                apart = [one[place] - other[place] for one, other in zip(values, base[strategy], strict=True)]
                cell += f"<br>{_interval(apart)}"
            cells.append(cell)
        lines.append(f"| {strategy} | {choice} | {' | '.join(cells)} |")
    return [*lines, ""]


def _interval(values: Sequence[float]) -> str:
    if len(values) < 2:
        return f"{fmean(values):+.3f}"
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * stdev(values) / len(values) ** 0.5
    return f"{fmean(values):+.3f} ± {half:.3f}"


def main() -> int:
    """Crawl, and write or print the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sitemaps")
    parser.add_argument("--pages", type=int, default=3000, help="(default: %(default)s)")
    parser.add_argument("--seeds", type=int, nargs="+", default=[21, 22, 23], help="of the webs (default: %(default)s)")
    parser.add_argument(
        "--orphans", type=float, nargs="+", default=[0.0, 0.2], help="shares of pages that no page links to"
    )
    parser.add_argument("--subjects", type=int, default=2, help="of each web (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="where to write the page (default: print it)")
    options = parser.parse_args()
    found = {share: crawls(options.pages, options.seeds, options.subjects, share) for share in options.orphans}
    text = page(found, options)
    if options.out is None:
        print(text)
    else:
        options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
