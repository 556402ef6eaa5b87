"""The crawlers of the CBP-SLC paper (000) side by side: harvest, target recall, target length, counters (figs. 11-14).

python -m benchmarks.papers.blocks_crawl --web W.warc.gz --labels L.tsv [--web ... --labels ...] [--out results]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from benchmarks.papers import crawls as shared
from benchmarks.papers import report
from benchmarks.papers.claims import Claim, Finding, check, matrix
from benchmarks.papers.crawls import HARVEST, RECALL, Crawls
from benchmarks.papers.pictures import Draw, bars, curves, picture, styles_of
from benchmarks.papers.tables import markdown_table
from honeyguide.lab.statistics import Cell, Values, summary
from honeyguide.strategy.rules import BY_ANCHOR, BY_BLOCK, BY_CONTEXT

NAME = "blocks-crawl"
LENGTH = "links_to_relevant"

STRATEGIES = {
    "breadth-first": "Breadth-First",
    "best-first": "Best-First",
    "anchor-only": "anchor only",
    "link-context": "link context",
    "slc": "SLC",
    "cbp": "CBP",
    "cbp-slc": "CBP-SLC",
}
FIRST = {
    f"{name}(merge=first)": f"{STRATEGIES[name]}, first score"
    for name in ("anchor-only", "link-context", "slc", "cbp", "cbp-slc")
}
"""As the paper has it: a link whose URL is in the frontier already is omitted. Above, the best score counts."""
BEST, PLAIN = "cbp-slc", "breadth-first"
UNLABELLED = 1000
MODELS = ("wvc", "svm")
"""That steer: the paper's, and a plain one."""
SHORT = {HARVEST: "harvest", RECALL: "target recall"}
FIGURES = {**SHORT, "pages": "pages fetched", "relevant": "relevant"}
COUNTERS = {BY_BLOCK: "block", BY_ANCHOR: "anchor", BY_CONTEXT: "link context"}

Hops = dict[Cell, list[int]]
"""A topic and repeat: the links from a seed to each relevant page, in the order they were fetched."""


def hops(crawls: Crawls, strategy: str) -> Hops:
    """Of all trials of a strategy."""
    return {
        (cell["topic"], cell["repeat"]): found
        for cell, found in zip(crawls.cells, crawls.hops, strict=True)
        if cell["strategy"] == strategy
    }


def at_equal_numbers(several: Sequence[Hops]) -> list[Values]:
    """Target lengths a relevant page, over the first as many relevant pages as all have found of the same case.

    The paper's target length (equation 10) is their sum; by its number topics of any size count the same. None where
    one of them has found nothing.
    """
    numbers = {cell: min(len(one[cell]) for one in several) for cell in several[0]}
    return [
        {cell: sum(one[cell][:number]) / number if number else None for cell, number in numbers.items()}
        for one in several
    ]


def shares(crawls: Crawls, part: str) -> Values:
    """Of the links that CBP-SLC followed, the share that was followed for one part."""
    found: dict[Cell, float | None] = {}
    for cell in crawls.cells:
        if cell["strategy"] == BEST:
            every = sum(cell[f"accepted_by_{one}"] or 0 for one in COUNTERS)
            found[cell["topic"], cell["repeat"]] = (cell[f"accepted_by_{part}"] or 0) / every if every else None
    return found


# ---- claims ----


def claims(pages: int) -> list[Claim]:
    """What the paper says about figures 11 and 12, each once for harvest and once for target recall."""
    found = []
    for figure, name, place in ((HARVEST, "harvest", "Fig. 11"), (RECALL, "target recall", "Fig. 12")):
        others = [strategy for strategy in STRATEGIES if strategy != BEST]
        pairs = [
            *((BEST, one) for one in others),
            *((one, PLAIN) for one in others if one != PLAIN),
            *((one, "best-first") for one in ("cbp", "slc")),
        ]
        found += [
            Claim(place, f"{STRATEGIES[one]} has more {name} than {STRATEGIES[other]}", one, other, figure, pages)
            for one, other in pairs
        ]
    return found


def length_claims() -> list[Claim]:
    """Figure 13: Breadth-First has the shortest ways, CBP-SLC comes next, Best-First has the longest."""
    ordered = [
        *((PLAIN, other) for other in STRATEGIES if other != PLAIN),
        *((BEST, other) for other in STRATEGIES if other not in {PLAIN, BEST}),
        *((other, "best-first") for other in ("anchor-only", "link-context", "slc", "cbp")),
    ]
    return [
        Claim("Fig. 13", f"{STRATEGIES[first]} has shorter ways than {STRATEGIES[second]}", first, second, LENGTH)
        for first, second in ordered
    ]


def lengths(crawls: Crawls, claim: Claim) -> tuple[Values, Values]:
    """Of the two strategies of a claim."""
    first, second = at_equal_numbers([hops(crawls, claim.first), hops(crawls, claim.second)])
    return first, second


SOME = Claim("Fig. 14", "some links are followed for their anchor alone", BY_ANCHOR, figure="share")
MOST = Claim("Fig. 14", "most links are followed for their block or their context", BY_BLOCK, figure="share", bound=0.5)


def counter_findings(found: Mapping[str, Crawls]) -> list[Finding]:
    """Figure 14: some links by the anchor alone, most by the block or the context."""
    results = []
    for data, crawls in found.items():
        by_anchor = shares(crawls, BY_ANCHOR)
        others = {cell: None if share is None else 1 - share for cell, share in by_anchor.items()}
        for claim, values in ((SOME, by_anchor), (MOST, others)):
            results.append(check(claim, data, values, generated=crawls.is_generated))
    return results


def same_lines(found: Mapping[str, Crawls]) -> str:
    """How often anchors and contexts have changed nothing: why CBP and CBP-SLC are alike where they are."""
    text = ""
    for name, crawls in found.items():
        orders = {strategy: _digests(crawls, strategy) for strategy in ("cbp", BEST)}
        same = sum(orders["cbp"][cell] == orders[BEST][cell] for cell in orders[BEST])
        trials = f"{same} of {len(orders[BEST])} trials"
        text += f"- {name}: CBP-SLC has fetched just what CBP has, in the same order, in {trials}.\n"
    return text


def _digests(crawls: Crawls, strategy: str) -> dict[Cell, str]:
    return {
        (cell["topic"], cell["repeat"]): cell["order_digest"] for cell in crawls.cells if cell["strategy"] == strategy
    }


# ---- the page ----


def section(title: str, crawls: Crawls) -> str:
    """The tables of one web with one classifier."""
    both = {**STRATEGIES, **FIRST}
    every = [hops(crawls, strategy) for strategy in both]
    numbers = [min(len(one[cell]) for one in every) for cell in every[0]]
    rows = [
        [name, *(shared.shown(crawls.mean(strategy, figure)) for figure in FIGURES), shared.shown(summary(values))]
        for (strategy, name), values in zip(both.items(), at_equal_numbers(every), strict=True)
    ]
    early = "".join(
        f"{name.capitalize()} after so many pages:\n\n{shared.early_table(crawls, both, figure)}\n"
        for figure, name in SHORT.items()
    )
    return (
        f"### {title}\n\n{early}At the end:\n\n"
        f"{markdown_table(['', *FIGURES.values(), 'links to a relevant page'], rows)}\n"
        f"Links to a relevant page: over the first {np.mean(numbers):.0f} on average, which all have found.\n\n"
    )


def page(found: Mapping[str, Crawls]) -> tuple[str, list[Finding]]:
    """Tables and claims."""
    webs = dict.fromkeys(f"- {crawls.described()}\n" for crawls in found.values())
    by_pages = {pages: shared.findings(found, claims(pages)) for pages in shared.EARLY}
    ways, counters = shared.findings(found, length_claims(), lengths), counter_findings(found)
    tested = "".join(f"### After {name} pages\n\n{matrix(by_pages[pages])}\n" for pages, name in shared.EARLY.items())
    text = (
        f"{NOTES}## Webs\n\n{''.join(webs)}\n{shared.models_section(found)}## Means\n\n"
        f"{''.join(section(title, crawls) for title, crawls in found.items())}"
        f"## Figures 11 and 12: harvest and target recall\n\n{tested}"
        "## Figure 13: links from a seed to a relevant page\n\nEach pair over as many relevant pages as both have "
        f"found.\n\n{matrix(ways)}\n"
        f"## Figure 14: what CBP-SLC followed links for\n\nA link counts once, when its URL is new.\n\n"
        f"{matrix(counters)}\n"
        "Where relevant blocks have nearly all links, anchors and contexts have little left to decide:\n\n"
        f"{same_lines(found)}\n"
    )
    return text, [*by_pages[shared.SIZE], *ways, *counters]


def lengths_panel(crawls: Crawls, title: str) -> Draw:
    """Figure 13: target length over the number of relevant pages; as far as half of a strategy's trials came."""
    styles = styles_of(list(STRATEGIES))

    def draw(axes: Any) -> None:
        for strategy, name in STRATEGIES.items():
            sums = [list(accumulate(found)) for found in hops(crawls, strategy).values()]
            end = int(np.median([len(one) for one in sums]))
            # A trial that found fewer keeps its last length, as curves of crawls that ended early do.
            lines = [[one[min(place, len(one) - 1)] for place in range(end)] for one in sums if one]
            means = np.mean(lines, axis=0) if end else []
            axes.plot(range(1, end + 1), means, label=name, **styles[strategy])
        axes.set(xlabel="relevant pages", ylabel="target length", title=title)
        axes.grid(alpha=0.3)

    return draw


def counters_panel(found: Mapping[str, Crawls]) -> Draw:
    """Figure 14."""
    groups = {
        f"links by {label}": [summary(shares(crawls, part)) for crawls in found.values()]
        for part, label in COUNTERS.items()
    }
    return bars("What CBP-SLC followed links for", "share of links", list(found), groups)


NOTES = f"""\
# Crawls with blocks and selective link context

Figures 11 to 14 of "{report.PAPER}": seven crawlers from the same seeds, with the same classifier.

What is as in the paper: the seven crawlers, α = 0.5, k = 1, the paper's block tags, links without a relevant part
dropped (all but Breadth-First and Best-First), seeds of the topic, targets = relevant pages within a closure of the
seeds (here 5 links), means over topics.

What is not: the webs are small and frozen, with a crawl of a few hundred pages from 10 seeds instead of one of
thousands from 100; topics are labels of these webs, and the labels judge, where the paper lets the classifier that
steers judge as well. Everything is done twice, with WVC, which is the paper's, and with a plain SVM, since results may
be the classifier's. Both learn from 30 pages of the topic (at most half of it); the SVM also from 60 others, WVC from
{UNLABELLED:,} unlabelled pages, which are taken out of the web: first those that cannot be reached from the seeds,
then at most 5 % of the others. Where a web is too small for that, WVC learns from the crawl's own pages, as in a live
crawl: it begins with a vector space model of its examples, and is trained at page 100.
The crawlers that drop links may run out of them before the budget is spent: their harvest is that of the pages they
have fetched, so read it beside their number. Seeds and examples are not counted. On wikispeedia each page names its
subjects below its title, so that a page is easily known when it has come. Numbers of the paper's figures are not in the
text at hand; its words are.

Topics have 40 to 300 pages, so crawls are compared after 25, 50 and 100 pages and after as many as there are targets
(150 at most): with hundreds of pages most topics are exhausted, and all crawls look the same. Values are means over
topics ± one standard error, repeats averaged first. Verdicts: a one-tailed paired t-test over topics in both
directions, p < .05; the interval is the 95 % one of the difference.

"""


def main() -> int:
    """Crawl, print and write down."""
    asked = shared.options("blocks_crawl", "The crawlers of 000 side by side.", pages="150", repeats=1, topics="10")
    found: dict[str, Crawls] = {}
    every = [*STRATEGIES, *FIRST]
    for web in asked.webs:
        for model in MODELS:
            one = shared.crawl(asked, web, every, model=model, judge="closure:5", seeds=10, unlabelled=UNLABELLED)
            found[f"{one.web}, {model}"] = one
    panels = [
        [*(curves(one, figure, STRATEGIES, title) for figure in (HARVEST, RECALL)), lengths_panel(one, title)]
        for title, one in found.items()
    ]
    figure = picture([*panels, [counters_panel(found)]], "Figures 11 to 14, ±1 standard error over topics")
    text, findings = page(found)
    shared.write(asked, NAME, text, figure, findings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
