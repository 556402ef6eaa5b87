"""OTIE against OPIC, link-context prediction and breadth-first (001): figures 2 and 3, and the time of table 2.

python -m benchmarks.papers.cash_crawl --web W.warc.gz --labels L.tsv [--web demo:2000 ...] [--out results]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.papers import crawls as shared
from benchmarks.papers import report
from benchmarks.papers.cash_weights import section
from benchmarks.papers.crawls import HARVEST, RECALL, Claim, Crawls, Draw, Options, Web, bars, curves
from honeyguide.lab.statistics import Cell, Values, summary
from honeyguide.lab.visits import RequestTiming
from honeyguide.page.url import host_of

NAME = "papers-cash-crawl"
MINUTES = "virtual_minutes"
LISTS, WORKERS = 50, 30
"""The paper's fetch lists, and its threads."""

# Lists of one URL: 50 of 20,000 pages are as large a part of the paper's crawl as one of some hundred is here.
BREADTH, CONTEXT, OPIC, OTIE = "breadth-first", "link-context-prediction", "opic(n=1)", "otie(n=1)"
FOUR = {BREADTH: "breadth-first", CONTEXT: "link-context-prediction", OPIC: "OPIC", OTIE: "OTIE"}
AS_LONG = {f"opic(n={LISTS})": f"OPIC, lists of {LISTS}", f"otie(n={LISTS})": f"OTIE, lists of {LISTS}"}
REVISIONS = {
    "otie(n=1,a=0.5)": "a = 0.50, d = 3",
    OTIE: "a = 0.85, d = 3",
    "otie(n=1,a=1)": "a = 1.00, d = 3",
    "otie(n=1,a=1.5)": "a = 1.50, d = 3",
    "otie(n=1,d=1)": "a = 0.85, d = 1",
    "otie(n=1,d=5)": "a = 0.85, d = 5",
}
DANGLING = {
    "opic(n=1,dangling=leak)": "OPIC, lost",
    "opic(n=1,dangling=spread)": "OPIC, spread over the frontier",
    "opic(n=1,dangling=virtual)": "OPIC, paid to the seeds",
    "otie(n=1,dangling=leak)": "OTIE, lost",
    "otie(n=1,dangling=spread)": "OTIE, spread over the frontier",
    "otie(n=1,dangling=virtual)": "OTIE, paid to the seeds",
}
"""What becomes of the cash of pages without links. OPIC and OTIE elsewhere are with the default of each."""
EVERY = FOUR | AS_LONG | DANGLING | {name: f"OTIE, {text}" for name, text in REVISIONS.items() if name != OTIE}
TIMED = {CONTEXT: "link-context-prediction", **AS_LONG}
FIGURES = {HARVEST: "harvest", RECALL: "target recall", "auc_recall": "area under target recall"}


# ---- claims ----


def claims(pages: str) -> list[Claim]:
    """What the paper says about figure 3; about the beginning of the crawls when budgets are the same for all."""
    found = [Claim(f"OTIE has more target recall than {FOUR[one]}", OTIE, one, RECALL) for one in FOUR if one != OTIE]
    found += [
        Claim(f"{FOUR[first]} has more harvest than {FOUR[second]}", first, second, HARVEST)
        for first in (OTIE, CONTEXT)
        for second in (BREADTH, OPIC)
    ]
    found += [
        Claim("breadth-first and OPIC have the same harvest", BREADTH, OPIC, HARVEST, level=True),
        Claim("OTIE and link-context-prediction have the same harvest in the end", OTIE, CONTEXT, HARVEST, level=True),
        Claim("link-context-prediction and OPIC have the same target recall", CONTEXT, OPIC, RECALL, level=True),
    ]
    if pages.isdecimal():
        early = max(int(pages) // 10, 1)
        begins = f"After {early} pages link-context-prediction has more target recall than"
        found += [Claim(f"{begins} {FOUR[one]}", CONTEXT, one, RECALL, early) for one in (OTIE, OPIC, BREADTH)]
    return found


def revision_claims() -> list[Claim]:
    """What it says about figure 2."""
    half, one, more, straight, flat = (name for name in REVISIONS if name != OTIE)
    found = []
    for larger, smaller in ((one, OTIE), (more, one)):
        texts = REVISIONS[larger], REVISIONS[smaller]
        found += [
            Claim(f"{texts[0]} has more harvest than {texts[1]}", larger, smaller, HARVEST),
            Claim(f"{texts[0]} has less target recall than {texts[1]}", smaller, larger, RECALL),
        ]
    for figure, name in ((HARVEST, "harvest"), (RECALL, "target recall")):
        found.append(Claim(f"{REVISIONS[half]} has less {name} than {REVISIONS[OTIE]}", OTIE, half, figure))
        found += [
            Claim(f"{REVISIONS[other]} has as much {name} as {REVISIONS[OTIE]}", other, OTIE, figure, level=True)
            for other in (straight, flat)
        ]
    return found


def time_claims() -> list[Claim]:
    """What it says about table 2."""
    opic, otie = AS_LONG
    return [
        Claim("OTIE takes less time than link-context-prediction", otie, CONTEXT, MINUTES),
        Claim("OPIC takes less time than link-context-prediction", opic, CONTEXT, MINUTES),
        Claim("OTIE and OPIC take the same time", otie, opic, MINUTES, level=True),
    ]


def dangling_claims() -> list[Claim]:
    """Nothing of these is in the paper: they are about what it leaves open."""
    return [
        Claim(f"{DANGLING[f'{name}(n=1,dangling={way})']} has more target recall than lost", first, second, RECALL)
        for name in ("opic", "otie")
        for way in ("spread", "virtual")
        for first, second in [(f"{name}(n=1,dangling={way})", f"{name}(n=1,dangling=leak)")]
    ]


# ---- time ----


def minutes_in_lists(hosts: Sequence[str], timing: RequestTiming, length: int = LISTS, workers: int = WORKERS) -> float:
    """How long pages of these hosts take, in this order, by the paper's fetcher.

    A list is fetched before the next is begun. The pages of one host come one after the other, with the pause that
    politeness asks for, and are one worker's; a worker that has done with a host takes the one with most pages left.
    """
    seconds = 0.0
    for start in range(0, len(hosts), length):
        loads = [0] * workers
        for _, count in Counter(hosts[start : start + length]).most_common():
            least = loads.index(min(loads))
            loads[least] += count
        seconds += max(loads) * (timing.latency + timing.delay)
    return seconds / 60


def listed(crawls: Crawls, strategy: str) -> Values:
    """Minutes of each trial of a strategy by the paper's fetcher, in the order in which it fetched with one worker."""
    found: dict[Cell, float | None] = {}
    for cell, order in zip(crawls.cells, crawls.orders, strict=True):
        if cell["strategy"] == strategy:
            found[cell["topic"], cell["repeat"]] = minutes_in_lists([host_of(url) for url in order], RequestTiming())
    return found


def in_lists(crawls: Crawls, claim: Claim) -> tuple[Values, Values]:
    """Of the two strategies of a claim."""
    return listed(crawls, claim.first), listed(crawls, claim.second)


def hosts_of(crawls: Crawls) -> int:
    """The hosts that any trial has come to."""
    return len({host_of(url) for order in crawls.orders for url in order})


def times(found: Mapping[str, Crawls], together: Mapping[str, Crawls]) -> str:
    """Table 2 and its claims, for the webs of several hosts."""
    rows = []
    for strategy, name in TIMED.items():
        row = [name]
        for web, crawls in together.items():
            row += [
                shared.shown(summary(listed(found[web], strategy))),
                shared.shown(crawls.mean(strategy, MINUTES)),
                shared.shown(crawls.mean(strategy, RECALL)),
            ]
        rows.append(row)
    kinds = ("minutes, lists", "minutes, best of the free hosts", "its target recall")
    head = ["", *(f"{web}: {kind}" for web in together for kind in kinds)]
    several = {web: found[web] for web in together}
    return (
        f"{report.table(head, rows)}\nBy the paper's fetcher, in lists:\n\n"
        f"{shared.matrix(several, time_claims(), in_lists)}\nBy the best of the hosts whose turn it is:\n\n"
        f"{shared.matrix(together, time_claims())}\n"
    )


# ---- the page ----


NOTES = f"""\
# Crawls with cash: OTIE and OPIC

Figures 2 and 3 and table 2 of "On-line topical importance estimation" (001).

What is as in the paper: the four crawlers, a = 0.85 and d = 3 unless said otherwise, windows of 20 words with the
anchor, β = 0.25, 10 seeds of the topic, targets that are no seeds, an SVM with twice as many negative examples as
positive ones, a revisit every 10 lists, means over topics with their standard errors, one-tailed paired t-tests at the
end of the crawl, and for table 2 lists of {LISTS} and {WORKERS} workers.

What is not: the webs are small and frozen, and a crawl has a few hundred pages instead of 20,000 (100,000 in table 2).
So lists are of one URL, which is about the same share of the crawl as the paper's 50; what lists of 50 come to is in
the table as well. Link-context-prediction knows no lists here. Topics are labels of these webs, there are fewer of
them, and the SVM learns from at most half of the pages of a topic (up to the paper's 75). The labels judge, not a vote
of three classifiers, so that harvest and target recall look at the same pages (harvest counts seeds and examples too).
On wikispeedia each page names its subjects below its title, so that a page is easily known when it has come.

Values are means over topics ± one standard error, repeats averaged first. "Holds" is: better on average, p < .05 in a
one-tailed paired t-test over topics; "the same" holds when no difference is significant, which few topics make easy.

"""

DANGLING_NOTES = """\
## Pages without links

The paper's Algorithm 1 sets the cash of a page to 0 when it has passed it on; of a page without links it says nothing,
and read literally its cash is lost. OPIC's virtual page, which the paper mentions, points to all pages and is pointed
to by all. Here the cash is lost (`dangling=leak`), spread evenly over all URLs that wait (`spread`), or paid to the
seeds (`virtual`); the figures are in the tables above.

"""

TIME_NOTES = f"""\
## Table 2: time

The paper: OTIE 1,438 minutes, OPIC 1,477, link-context-prediction 4,116, for 100,000 pages. Here: virtual minutes, an
answer in 0.2 s, a second between two requests to one host. "Lists" is the paper's fetcher: the pages in the order of a
crawl with one worker, cut into lists of {LISTS}, each fetched by {WORKERS} workers before the next begins. "Best of the
free hosts" is this crawler with {WORKERS} connections, which never waits for a host while another is free: it takes
less time, and fetches what the free hosts have meanwhile, so that its target recall is another (beside it). A web of
one host has nothing to tell here and is left out.

"""


def page(found: Mapping[str, Crawls], together: Mapping[str, Crawls], pages: str, weights: str) -> str:
    """Tables and claims."""
    short = shared.ranked(found, FOUR, {RECALL: "target recall", HARVEST: "harvest"})
    text = (
        f"{NOTES}## In short\n\nThe paper's order by target recall: OTIE, link-context-prediction, OPIC, breadth-first"
        f"; by harvest: link-context-prediction and OTIE, then OPIC and breadth-first.\n\n{short}\n"
    )
    for crawls in found.values():
        text += f"## {crawls.described()}; hosts fetched from: {hosts_of(crawls)}\n\n"
        text += f"{shared.table(crawls, EVERY, FIGURES)}\n"
    return (
        f"{text}## Figure 3: the four crawlers\n\n{shared.matrix(found, claims(pages))}\n"
        f"## Figure 2: the revision of cash\n\n{shared.matrix(found, revision_claims())}\n"
        f"{DANGLING_NOTES}{shared.matrix(found, dangling_claims())}\n{weights}"
        f"{TIME_NOTES}{times(found, together) if together else 'No web of several hosts was given.'}\n"
    )


def panels(found: Mapping[str, Crawls], together: Mapping[str, Crawls]) -> list[list[Draw]]:
    """A row a web: figure 3, then figure 2; at the end table 2."""
    rows = [
        [
            *(curves(crawls, figure, FOUR, f"{web}: figure 3", list(EVERY)) for figure in (RECALL, HARVEST)),
            *(curves(crawls, figure, REVISIONS, f"{web}: figure 2", list(EVERY)) for figure in (RECALL, HARVEST)),
        ]
        for web, crawls in found.items()
    ]
    times = [
        bars(
            f"{web}: table 2",
            "virtual minutes",
            list(TIMED.values()),
            {
                "in lists": [summary(listed(found[web], strategy)) for strategy in TIMED],
                "best of the free hosts": [crawls.mean(strategy, MINUTES) for strategy in TIMED],
            },
        )
        for web, crawls in together.items()
    ]
    return [*rows, times] if times else rows


def crawled(asked: Options, web: Web, strategies: Sequence[str], connections: int = 1) -> Crawls:
    """With what the paper says of seeds and examples."""
    return shared.crawl(asked, web, strategies, model="svm", seeds=10, examples=75, connections=connections)


def main() -> int:
    """Crawl, print and write down."""
    asked = shared.options("cash_crawl", "OTIE against OPIC and others (001).", pages="300", repeats=2, topics="12")
    found: dict[str, Crawls] = {}
    together: dict[str, Crawls] = {}
    for web in asked.webs:
        found[web.name] = crawled(asked, web, list(EVERY))
        if hosts_of(found[web.name]) > 1:
            together[web.name] = crawled(asked, web, list(TIMED), connections=WORKERS)
    figure = shared.picture(panels(found, together), "OTIE (001), ±1 standard error over topics")
    shared.write(asked, NAME, page(found, together, asked.pages, section(asked)), figure)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
