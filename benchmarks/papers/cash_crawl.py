"""OTIE against OPIC, link-context prediction and breadth-first (001): figures 2 and 3, and the time of table 2.

python -m benchmarks.papers.cash_crawl --web W.warc.gz --labels L.tsv [--web demo:2000 ...] [--out results]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmarks.papers import crawls as shared
from benchmarks.papers.cash_weights import section
from benchmarks.papers.claims import Claim, Finding, check, matrix
from benchmarks.papers.crawls import HARVEST, RECALL, SIZE, Crawls, Options, Web
from benchmarks.papers.model_judge import JudgedCrawls, accuracies, judged_by
from benchmarks.papers.pictures import Draw, bars, curves, picture
from benchmarks.papers.tables import markdown_table
from honeyguide.lab.cases import Split
from honeyguide.lab.statistics import Cell, Values, summary
from honeyguide.lab.visits import RequestTiming
from honeyguide.page.url import host_of

NAME = "cash-crawl"
MINUTES = "virtual_minutes"
LISTS, WORKERS = 50, 30
"""The paper's fetch lists, and its threads."""

# Lists of one URL: 50 of 20,000 pages are as large a part of the paper's crawl as one of some hundred is here.
BREADTH, CONTEXT = "breadth-first", "link-context-prediction"
OPIC, OTIE = "opic(n=1,dangling=spread)", "otie(n=1,dangling=leak)"  # the defaults, as in the list of variants
FOUR = {BREADTH: "breadth-first", CONTEXT: "link-context-prediction", OPIC: "OPIC", OTIE: "OTIE"}
AS_LONG = {
    f"link-context-prediction(n={LISTS})": f"link-context-prediction, lists of {LISTS}",
    f"opic(n={LISTS})": f"OPIC, lists of {LISTS}",
    f"otie(n={LISTS})": f"OTIE, lists of {LISTS}",
}
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
"""What becomes of the cash of pages without links. Elsewhere it is the default of each."""
EVERY = (
    FOUR
    | AS_LONG
    | {name: text for name, text in DANGLING.items() if name not in FOUR}
    | {name: f"OTIE, {text}" for name, text in REVISIONS.items() if name != OTIE}
)
FIGURES = {
    HARVEST: "harvest",
    RECALL: "target recall",
    "auc_recall": "area under target recall",
    "recall_most_linked": "recall, third with most in-links",
    "recall_medium_linked": "recall, middle third",
    "recall_least_linked": "recall, third with fewest in-links",
}
MARGIN = 0.05
"""Two harvests or recalls are the same if they differ by less."""
MARGIN_OF_TIME = 5.0
"""Two times are the same if they differ by less, in minutes."""


# ---- claims ----


def recall_claims(pages: int) -> list[Claim]:
    """What the paper says about target recall in figure 3."""
    return [
        *(
            Claim("Fig. 3a", f"OTIE has more target recall than {FOUR[one]}", OTIE, one, RECALL, pages)
            for one in FOUR
            if one != OTIE
        ),
        Claim("Fig. 3a", f"link-context-prediction and OPIC have the same target recall, up to {MARGIN}",
              CONTEXT, OPIC, RECALL, pages, margin=MARGIN),
    ]  # fmt: skip


def early_claims() -> list[Claim]:
    """What it says about the beginning of the crawls."""
    begins = "after 25 pages link-context-prediction has more target recall than"
    return [Claim("Fig. 3a", f"{begins} {FOUR[one]}", CONTEXT, one, RECALL, 25) for one in (OTIE, OPIC, BREADTH)]


def harvest_claims(pages: int) -> list[Claim]:
    """What it says about harvest in figure 3."""
    return [
        *(
            Claim("Fig. 3b", f"{FOUR[first]} has more harvest than {FOUR[second]}", first, second, HARVEST, pages)
            for first in (OTIE, CONTEXT)
            for second in (BREADTH, OPIC)
        ),
        *(
            Claim("Fig. 3b", f"{FOUR[first]} and {FOUR[second]} have the same harvest, up to {MARGIN}",
                  first, second, HARVEST, pages, margin=MARGIN)
            for first, second in ((BREADTH, OPIC), (OTIE, CONTEXT))
        ),
    ]  # fmt: skip


def revision_claims() -> list[Claim]:
    """What it says about figure 2."""
    half, one, more, straight, flat = (name for name in REVISIONS if name != OTIE)
    found = []
    for larger, smaller in ((one, OTIE), (more, one)):
        texts = REVISIONS[larger], REVISIONS[smaller]
        found += [
            Claim("Fig. 2", f"{texts[0]} has more harvest than {texts[1]}", larger, smaller, HARVEST, SIZE),
            Claim("Fig. 2", f"{texts[0]} has less target recall than {texts[1]}", smaller, larger, RECALL, SIZE),
        ]
    for figure, name in ((HARVEST, "harvest"), (RECALL, "target recall")):
        text = f"{REVISIONS[half]} has less {name} than {REVISIONS[OTIE]}"
        found.append(Claim("Fig. 2", text, OTIE, half, figure, SIZE))
        for other in (straight, flat):
            text = f"{REVISIONS[other]} has as much {name} as {REVISIONS[OTIE]}, up to {MARGIN}"
            found.append(Claim("Fig. 2", text, other, OTIE, figure, SIZE, margin=MARGIN))
    return found


def time_claims() -> list[Claim]:
    """What it says about table 2."""
    context, opic, otie = AS_LONG
    return [
        Claim("Table 2", "OTIE takes less time than link-context-prediction", otie, context, MINUTES),
        Claim("Table 2", "OPIC takes less time than link-context-prediction", opic, context, MINUTES),
        Claim("Table 2", f"OTIE and OPIC take the same time, up to {MARGIN_OF_TIME:g} minutes", otie, opic, MINUTES,
              margin=MARGIN_OF_TIME),
    ]  # fmt: skip


def dangling_claims() -> list[Claim]:
    """Nothing of these is in the paper: they are about what it leaves open."""
    return [
        Claim("", f"{DANGLING[first]} has more target recall than lost", first, second, RECALL, SIZE)
        for name in ("opic", "otie")
        for way in ("spread", "virtual")
        for first, second in [(f"{name}(n=1,dangling={way})", f"{name}(n=1,dangling=leak)")]
    ]


def linked_claims() -> list[Claim]:
    """Nor these: by links, OTIE should find pages that many link to."""
    return [
        Claim("", f"OTIE has more recall than {FOUR[CONTEXT]} of the third with {text}", OTIE, CONTEXT, figure)
        for figure, text in (("recall_most_linked", "most in-links"), ("recall_least_linked", "fewest in-links"))
    ]


def voted_findings(found: Mapping[str, JudgedCrawls]) -> list[Finding]:
    """The claims about harvest, with the paper's judge."""
    return [
        check(
            claim,
            f"{web}, judged by vote",
            one.harvest(claim.first, 100),
            one.harvest(claim.second, 100),
            generated=one.crawls.is_generated,
        )
        for claim in harvest_claims(100)
        for web, one in found.items()
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


def times(found: Mapping[str, Crawls], together: Mapping[str, Crawls]) -> tuple[str, list[Finding]]:
    """Table 2 and its claims, for the webs of several hosts."""
    rows = []
    for strategy, name in AS_LONG.items():
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
    by_lists = shared.findings({f"{web}, in lists": found[web] for web in together}, time_claims(), in_lists)
    by_hosts = shared.findings({f"{web}, best of the free hosts": one for web, one in together.items()}, time_claims())
    text = (
        f"{markdown_table(head, rows)}\nBy the paper's fetcher, in lists:\n\n{matrix(by_lists)}\n"
        f"By the best of the hosts whose turn it is:\n\n{matrix(by_hosts)}\n"
    )
    return text, [*by_lists, *by_hosts]


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
the tables as well. Topics are labels of these webs, and the SVM learns from at most half of the pages of a topic (up to
the paper's 75). Harvest is judged twice: by the labels, and as in the paper by two of three classifiers (SVM, naive
Bayes, neural net), which here are trained on other pages than the SVM that steers. Seeds and examples are not counted.
On wikispeedia each page names its subjects below its title, so that a page is easily known when it has come.

Topics are small, so crawls are compared after 25, 50 and 100 pages and after as many as there are targets. Values are
means over topics ± one standard error. Verdicts: a one-tailed paired t-test over topics in both directions, p < .05;
"the same" is an equivalence test with the margin that is stated.

"""

VOTE_NOTES = """\
Trained on the pages from which the SVM that steers learns, and tested on at most 100 relevant and 400 other pages of
the same web. Accuracy is for twice as many negative pages as positive ones, as in the training set.

"""

DANGLING_NOTES = """\
## Pages without links, and targets by in-links

The paper's Algorithm 1 sets the cash of a page to 0 when it has passed it on; of a page without links it says nothing,
and read literally its cash is lost. OPIC's virtual page, which the paper mentions, points to all pages and is pointed
to by all. Here the cash is lost (`dangling=leak`), spread evenly over all URLs that wait (`spread`), or paid to the
seeds (`virtual`); the figures are in the tables above. None of what follows is a claim of the paper.

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


def page(
    found: Mapping[str, Crawls],
    together: Mapping[str, Crawls],
    votes: Mapping[str, JudgedCrawls],
    tables: Mapping[str, str],
    weights: str,
) -> tuple[str, list[Finding]]:
    """Tables and claims."""
    text = f"{NOTES}{shared.models_section(found)}"
    for crawls in found.values():
        text += f"## {crawls.described()}; hosts fetched from: {hosts_of(crawls)}\n\n"
        for figure, name in ((RECALL, "Target recall"), (HARVEST, "Harvest")):
            text += f"{name} after so many pages:\n\n{shared.early_table(crawls, FOUR | AS_LONG, figure)}\n"
        text += f"At the end:\n\n{shared.table(crawls, EVERY, FIGURES)}\n"
    figure_3 = ""
    for pages, name in shared.EARLY.items():
        tested = shared.findings(found, [*recall_claims(pages), *harvest_claims(pages)])
        figure_3 += f"### After {name} pages\n\n{matrix(tested)}\n"
    early, by_vote = shared.findings(found, early_claims()), voted_findings(votes)
    revisions = shared.findings(found, revision_claims())
    ours = shared.findings(found, [*dangling_claims(), *linked_claims()])
    timed, minutes = times(found, together) if together else ("No web of several hosts was given.\n", [])
    accuracy = "".join(f"{web}:\n\n{table}\n" for web, table in tables.items())
    text += (
        f"## Figure 3: the four crawlers\n\n{figure_3}### At the beginning\n\n{matrix(early)}\n"
        f"### Harvest by the paper's judge, after 100 pages\n\n{matrix(by_vote)}\n"
        f"## The three classifiers\n\n{VOTE_NOTES}{accuracy}"
        f"## Figure 2: the revision of cash\n\n{matrix(revisions)}\n"
        f"{DANGLING_NOTES}{matrix(ours)}\n{weights}{TIME_NOTES}{timed}\n"
    )
    last = shared.findings(found, [*recall_claims(SIZE), *harvest_claims(SIZE)])
    return text, [*last, *early, *by_vote, *revisions, *minutes]


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
            list(AS_LONG.values()),
            {
                "in lists": [summary(listed(found[web], strategy)) for strategy in AS_LONG],
                "best of the free hosts": [crawls.mean(strategy, MINUTES) for strategy in AS_LONG],
            },
        )
        for web, crawls in together.items()
    ]
    return [*rows, times] if times else rows


SEEDS, EXAMPLES = 10, 75


def crawled(asked: Options, web: Web, strategies: Sequence[str], connections: int = 1) -> Crawls:
    """With what the paper says of seeds and examples."""
    return shared.crawl(asked, web, strategies, model="svm", seeds=SEEDS, examples=EXAMPLES, connections=connections)


def main() -> int:
    """Crawl, print and write down."""
    asked = shared.options("cash_crawl", "OTIE against OPIC and others (001).", pages="150", repeats=1, topics="30")
    found: dict[str, Crawls] = {}
    together: dict[str, Crawls] = {}
    votes: dict[str, JudgedCrawls] = {}
    tables: dict[str, str] = {}
    split = Split(seeds=SEEDS, examples=EXAMPLES, pages=asked.pages)
    for web in asked.webs:
        found[web.name] = crawled(asked, web, list(EVERY))
        votes[web.name] = judged_by("vote", found[web.name], web, split, list(FOUR))
        tables[web.name] = accuracies(found[web.name], web, split)
        if hosts_of(found[web.name]) > 1:
            together[web.name] = crawled(asked, web, list(AS_LONG), connections=WORKERS)
    figure = picture(panels(found, together), "OTIE (001), ±1 standard error over topics")
    text, findings = page(found, together, votes, tables, section(asked))
    shared.write(asked, NAME, text, figure, findings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
