"""Freshness of relevant pages on a demo web that changes, by the order in which pages are visited again.

    python -m benchmarks.revisits --seeds 1,2,3,4,5 --pages 600 --days 20 --share 0.05 --out results/revisits.md

Each web is crawled on its first day. Then, once a day, a run with ``--again`` may send as many requests as are a
`share` of the stored pages, for old and new pages together. All orders begin with the same crawl and
have the same number of requests; which pages change when is known, so
it is known at any time whose stored copy is up to date.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import shutil
import sqlite3
import sys
import tempfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean, stdev
from time import monotonic

import scipy.stats

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.revisits_bound import RULES, freshness
from honeyguide.crawl.again.change_rate import ChangeRate
from honeyguide.crawl.again.revisits import RevisitOptions, Value, by_gain
from honeyguide.crawl.clock import Clock
from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.changing import DAY, ChangingWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.topic import Topic

BEGIN = 1_700_000_000.0
SHARES = (0.4, 0.15, 0.05)  # of the pages that are visited a day, for the bound
STEP = 0.05  # days between two looks at the copies
SUBJECT = "beekeeping"
QUICK = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0, "connections": 1}


def uniform(_rate: ChangeRate, weight: float, days: float) -> float:
    """Relevant pages in turn, whatever they are."""
    return days if weight >= 1.0 else 0.0


def proportional(rate: ChangeRate, weight: float, days: float) -> float:
    """Relevant pages as often as they change, by what is known of that."""
    return rate.mean * days if weight >= 1.0 else 0.0


def by_chance(rate: ChangeRate, weight: float, days: float) -> float:
    """By how much it counts, times the chance that it has changed."""
    return weight * rate.chance(days)


ORDERS: Mapping[str, Value] = {
    "uniform": uniform,
    "proportional": proportional,
    "relevance × chance of change": by_chance,
    "gain (the default)": by_gain,
}


class DayClock(Clock):
    """Jumps to the next day, and goes on from there."""

    def __init__(self) -> None:
        self.set_day(0.0)

    def set_day(self, day: float) -> None:
        """Go on from a day."""
        self._ahead = BEGIN + day * DAY - monotonic()

    def now(self) -> float:
        """The time on that day."""
        return self._ahead + monotonic()


@dataclass(frozen=True, slots=True)
class Case:
    """A web, and how it is crawled."""

    seed: int
    pages: int
    days: int
    share: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one order on one web, averaged over time."""

    fresh: float
    """The share of the stored relevant pages whose copy is up to date."""
    covered: float
    """The share of all relevant pages that there are of which there is a copy, and that up to date."""
    found: float
    """The share of the relevant pages that appeared in the meantime of which there is a copy at the end."""
    requests: int


def run_case(case: Case) -> dict[str, Figures]:
    """All orders on one web."""
    logging.disable(logging.CRITICAL)
    web = ChangingWeb(DemoWeb(seed=case.seed, pages=case.pages, page_kb=2.0), BEGIN, case.days)
    with tempfile.TemporaryDirectory() as place:
        first = Path(place, "first")
        clock = DayClock()
        _run(web, first, clock, case.pages, None)
        with closing(sqlite3.connect(first / "crawl.sqlite")) as database:
            ((stored,),) = database.execute("SELECT count(*) FROM pages")
        most, found = max(round(case.share * stored), 1), {}
        for name, value in ORDERS.items():
            folder = Path(place, "again")
            shutil.copytree(first, folder)
            requests = 0
            for day in range(1, case.days):
                clock.set_day(day)
                requests += _run(web, folder, clock, most, RevisitOptions(value=value))
            found[name] = _figures(web, folder, case, requests)
            shutil.rmtree(folder)
    return found


def _run(web: ChangingWeb, folder: Path, clock: DayClock, pages: int, again: RevisitOptions | None) -> int:
    """Crawl, or visit pages again; returns how many requests that were, for pages."""
    topic = Topic.make(
        name=folder.name,
        seeds=web.web.seeds(SUBJECT),
        keywords=web.web.keywords(SUBJECT),
        budget={"pages": pages},
        revisit={"chance": 0.0, "soonest": 0.0},
        fetch=QUICK,
    )
    session = Session(
        topic, folder, fetcher=lambda: DemoFetcher(web, clock=clock.now), workers=0, clock=clock, again=again
    )
    result = asyncio.run(session.run())
    return 0 if result.again is None else result.again.visited + result.again.new


def _figures(web: ChangingWeb, folder: Path, case: Case, requests: int) -> Figures:
    visits: dict[str, list[float]] = defaultdict(list)
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database:
        sql = (
            "SELECT urls.url, time FROM events JOIN urls ON urls.id = events.url WHERE kind = 'page' OR "
            "(kind = 'again' AND json_extract(detail, '$.result') IN ('same', 'touched', 'changed', 'gone')) "
            "ORDER BY events.id"
        )
        for url, time in database.execute(sql):
            visits[url].append(web.day(time))
    relevant = [url for url in web.page_urls() if web.web.relevant(url, SUBJECT)]
    changes = {url: web.changes(url) for url in relevant}
    fresh, covered = [], []
    moments = [1.0 + STEP * step for step in range(round((case.days - 1) / STEP))]
    for day in moments:
        current = stored = there = there_current = 0
        for url in relevant:
            seen = bisect_right(visits.get(url, ()), day)
            is_there = web.exists(url, day)
            there += is_there
            if not seen:
                continue
            last = visits[url][seen - 1]
            is_current = bisect_right(changes[url], day) == bisect_right(changes[url], last)
            stored, current = stored + 1, current + is_current
            there_current += is_there and is_current
        fresh.append(current / stored)
        covered.append(there_current / there)
    new = [url for url in relevant if not web.exists(url, 0.0)]
    return Figures(fmean(fresh), fmean(covered), sum(url in visits for url in new) / max(len(new), 1), requests)


def page(cases: Sequence[Case], found: Sequence[dict[str, Figures]]) -> str:
    """The table, in Markdown."""
    case = cases[0]
    lines = [
        "# Visiting pages again",
        "",
        f"Demo webs of {case.pages:,} pages that change (`demo/changing.py`), {len(cases)} seeds, topic {SUBJECT}.",
        f"On day 0 a web is crawled, followed by one run per day with `--again` until day {case.days - 1}. The number",
        f"of requests, for old and new pages together, is {case.share:.0%} of the stored pages. Home pages, portals",
        "and hubs change every few days, articles every few weeks, but sites and pages differ from that by a factor of",
        "three and more; one page in seven that lists no others appears during that time, one in twenty disappears.",
        "",
        "- **fresh**: the share of the stored relevant pages whose copy is up to date, averaged over time;",
        "- **of all**: the share of all relevant pages existing at a time whose copy is stored and up to date;",
        "- **new found**: the share of the new relevant pages that are stored at the end;",
        "- **difference**: of *fresh* from *uniform*, with its 95 % interval over the webs (paired).",
        "",
        "| order | fresh | of all | new found | difference | requests |",
        "|---|---|---|---|---|---|",
    ]
    base = [one["uniform"].fresh for one in found]
    for name in ORDERS:
        figures = [one[name] for one in found]
        mean = [fmean(getattr(one, part) for one in figures) for part in ("fresh", "covered", "found")]
        apart = _interval([one.fresh - other for one, other in zip(figures, base, strict=True)])
        requests = round(fmean(one.requests for one in figures))
        lines.append(f"| {name} | {mean[0]:.3f} | {mean[1]:.3f} | {mean[2]:.3f} | {apart} | {requests:,} |")
    lines += [
        "",
        "*uniform* visits relevant pages in turn; *proportional* visits them as often as they change, by the same",
        "estimates as the others, which also credit hubs with the new pages they lead to. *gain*: docs/revisits.md.",
        "",
        *bound(cases),
        "",
        machine.described(),
        "",
    ]
    return "\n".join(lines)


def bound(cases: Sequence[Case]) -> list[str]:
    """The upper bound, in Markdown."""
    lines = [
        "## Upper bound for any order",
        "",
        "Simulated on the same webs (`benchmarks/revisits_bound.py`): the relevant pages of the first day, no new",
        "pages, a share of them visited each day, and rules that know the true rates of change.",
        "",
        "| | " + " | ".join(f"{share:.0%} per day | difference" for share in SHARES) + " |",
        "|---" * (1 + 2 * len(SHARES)) + "|",
    ]
    fresh = {
        (rule, share): [freshness(case.seed, case.pages, case.days, share, SUBJECT, rule) for case in cases]
        for rule in RULES
        for share in SHARES
    }
    for rule in RULES:
        cells = []
        for share in SHARES:
            values, base = fresh[rule, share], fresh["uniform", share]
            apart = _interval([one - other for one, other in zip(values, base, strict=True)])
            cells.append(f"{fmean(values):.3f} | {apart}")
        lines.append(f"| {rule} | {' | '.join(cells)} |")
    return lines


def _interval(values: Sequence[float]) -> str:
    if len(values) < 2 or not any(values):
        return ""
    half = scipy.stats.t.ppf(0.975, len(values) - 1) * stdev(values) / len(values) ** 0.5
    return f"{fmean(values):+.3f} ± {half:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1,2,3,4,5")
    parser.add_argument("--pages", type=int, default=600)
    parser.add_argument("--days", type=int, default=20)
    parser.add_argument("--share", type=float, default=0.05)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=None)
    chosen = parser.parse_args()
    cases = [Case(int(seed), chosen.pages, chosen.days, chosen.share) for seed in chosen.seeds.split(",")]
    with ProcessPoolExecutor(chosen.jobs, get_context("spawn")) as pool:
        found = list(pool.map(run_case, cases))
    sys.exit(written(page(cases, found), chosen.out))


if __name__ == "__main__":
    main()
