"""Block text windows against text windows, blocks and best-first (003): figures 7 to 10 and table 4.

python -m benchmarks.papers.windows_crawl --web W.warc.gz --labels L.tsv [--web ... --labels ...] [--out results]
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from benchmarks.papers import crawls as shared
from benchmarks.papers.claims import Claim, Finding, check, matrix
from benchmarks.papers.crawls import HARVEST, RECALL, Crawls
from benchmarks.papers.model_judge import PAGES, JudgedCrawls, judged_by
from benchmarks.papers.pictures import Draw, curves, picture
from benchmarks.papers.tables import markdown_table
from honeyguide.lab.cases import Split
from honeyguide.lab.statistics import Summary, Values, summary

NAME = "windows-crawl"
SEEDS, EXAMPLES = 3, 100
MARGIN = 0.05
"""Two target recalls are about the same if they differ by less."""

# The paper's best-first and text windows mix page and context too (its equation 3), unlike the recipes of that name.
BEST_FIRST = "mix(context=anchor,beta=0.25)"
WINDOWS = {width: f"mix(context=window,window={width},beta=0.25)" for width in (10, 20, 40)}
BTW = {width: f"page+btw(window={width})" for width in (10, 20, 40)}
BLOCK, PAGE_BLOCK, BTW_ALONE = "block", "page+block", "btw(window=40)"

PAPER = {
    BEST_FIRST: (0.57, 0.05),
    WINDOWS[10]: (0.59, 0.07),
    WINDOWS[20]: (0.64, 0.07),
    WINDOWS[40]: (0.56, 0.09),
    PAGE_BLOCK: (0.60, 0.10),
    BLOCK: (0.67, 0.08),
    BTW[10]: (0.61, 0.11),
    BTW[20]: (0.69, 0.11),
    BTW[40]: (0.72, 0.09),
    BTW_ALONE: (0.55, 0.07),
}
"""Table 4: harvest and target recall at 30,000 pages, means of five topics."""

STRATEGIES = {
    BEST_FIRST: "page & link text (best-first)",
    **{name: f"page & window {width}" for width, name in WINDOWS.items()},
    PAGE_BLOCK: "page & block",
    BLOCK: "block",
    **{name: f"page & BTW {width}" for width, name in BTW.items()},
    BTW_ALONE: "BTW 40",
}
BETAS = {f"page+btw(window=40,beta={beta})": f"page & BTW 40, β = {beta}" for beta in (0.5, 0.75)}
FIGURE_7 = {name: STRATEGIES[name] for name in (*WINDOWS.values(), *BTW.values())}
FIGURE_9 = {name: STRATEGIES[name] for name in (BEST_FIRST, PAGE_BLOCK, BLOCK, BTW[40], BTW_ALONE)}


def claims(pages: int) -> list[Claim]:
    """What the paper says about figures 7 to 10 and table 4."""

    def above(place: str, first: str, second: str, figure: str, name: str) -> Claim:
        text = f"{STRATEGIES[first]} has more {name} than {STRATEGIES[second]}"
        return Claim(place, text, first, second, figure, pages)

    def level(place: str, first: str, second: str) -> Claim:
        text = f"{STRATEGIES[first]} and {STRATEGIES[second]} have the same target recall, up to {MARGIN}"
        return Claim(place, text, first, second, RECALL, pages, margin=MARGIN)

    others = [name for name in STRATEGIES if name not in {BTW[20], BTW[40]}]
    return [
        *(above("Fig. 7", BTW[width], WINDOWS[width], HARVEST, "harvest") for width in BTW),
        *(above("Fig. 8", BTW[width], WINDOWS[width], RECALL, "target recall") for width in (10, 20)),
        level("Fig. 8", BTW[40], WINDOWS[40]),
        *(above("Table 4", BTW[40], other, HARVEST, "harvest") for other in others if other != WINDOWS[40]),
        *(above("Table 4", BTW[20], other, HARVEST, "harvest") for other in others if other != WINDOWS[20]),
        above("Fig. 9", BLOCK, PAGE_BLOCK, HARVEST, "harvest"),
        *(level("Fig. 10", one, other) for one in (BTW[40], BTW_ALONE) for other in (BLOCK, PAGE_BLOCK)),
    ]


def lead_findings(found: Mapping[str, Crawls], pages: int) -> list[Finding]:
    """That the lead of BTW over plain windows in harvest grows with the window."""
    results = []
    for data, crawls in found.items():
        leads = {width: _lead(crawls, width, pages) for width in BTW}
        for narrow, wide in ((10, 20), (20, 40)):
            text = f"the lead of BTW over windows in harvest is larger with {wide} words than with {narrow}"
            claim = Claim("Fig. 7", text, "", "", HARVEST, pages)
            results.append(check(claim, data, leads[wide], leads[narrow], generated=crawls.is_generated))
    return results


def _lead(crawls: Crawls, width: int, pages: int) -> Values:
    ours, theirs = (crawls.values(one[width], HARVEST, pages) for one in (BTW, WINDOWS))
    return {cell: _minus(value, theirs.get(cell)) for cell, value in ours.items()}


def _minus(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second


def spread_lines(found: Mapping[str, Crawls]) -> str:
    """Whether the best two vary least over topics; no test is made of that."""
    text = ""
    for data, crawls in found.items():
        spread = {name: deviation(crawls.mean(name, HARVEST)) for name in STRATEGIES}
        own = max(spread[BTW[width]] for width in (20, 40))
        least = min(value for name, value in spread.items() if name not in {BTW[20], BTW[40]})
        text += (
            f"- {data}: standard deviation of harvest over topics: at most {own:.3f} of page & BTW 20 and 40, at least "
            f"{least:.3f} of the others (in the paper, these two vary least)\n"
        )
    return text


def deviation(value: Summary) -> float:
    """The standard deviation over topics, which is what table 4 has beside its means; 0 of one topic."""
    return (value.standard_error or 0.0) * math.sqrt(value.count)


def table(crawls: Crawls) -> str:
    """Table 4 of one web, the paper's numbers beside it, and the bytes that a relevant page costs."""
    rows = []
    for strategy, name in (STRATEGIES | BETAS).items():
        harvest, recall, kilobytes = (
            crawls.mean(strategy, figure) for figure in (HARVEST, RECALL, "bytes_per_relevant")
        )
        theirs = "{:.2f}, {:.2f}".format(*PAPER[strategy]) if strategy in PAPER else ""
        row = [name, shared.shown(harvest), f"{deviation(harvest):.3f}", shared.shown(recall)]
        rows.append([*row, f"{deviation(recall):.3f}", f"{(kilobytes.mean or 0.0) / 1000:,.0f}", theirs])
    head = ["", "harvest", "deviation", "target recall", "deviation", "kB per relevant page", "the paper's two means"]
    early = "".join(
        f"{name} after so many pages:\n\n{shared.early_table(crawls, STRATEGIES, figure)}\n"
        for figure, name in ((HARVEST, "Harvest"), (RECALL, "Target recall"))
    )
    return f"{early}At the end:\n\n{markdown_table(head, rows)}"


NOTES = f"""\
# Crawls with block text windows

Figures 7 to 10 and table 4 of "Cost-sensitive topical data acquisition from the web" (003).

What is as in the paper: ten ways to score a link, β = 0.25 where the page counts too, windows of 10, 20 and 40 words
without the anchor, VIPS with PDoC 0.6 (6 of 10), a perceptron that steers (500 terms by information gain, a hidden
layer of a fifth of that, twice as many negative examples as positive ones), few seeds (3), targets that the perceptron
has not seen, means and standard deviations over topics.

What is not: the webs are small and frozen, and a crawl has a few hundred pages instead of 30,000. Topics are labels of
these webs, more than the paper's five; seeds are pages of the topic, not directories and search results. The
perceptron learns from half of a topic's pages (the paper's: 80 to 410 pages). VIPS works from an estimate of how a page
would look, not from a browser. Harvest is judged twice: by the labels, and as in the paper by an evaluator, a
perceptron that was trained on other pages than the one that steers. On wikispeedia each page names its subjects below
its title, so that a page is easily known when it has come. The last rows, with other β, are not the paper's.

Values are means over topics ± one standard error, repeats averaged first; seeds and examples are not counted. Verdicts:
a one-tailed paired t-test over topics in both directions, p < .05 (the paper tests nothing); "the same" is an
equivalence test: both recalls differ by less than {MARGIN} at p < .05.

"""


ORDER = (
    "The paper's order by harvest: "
    + ", ".join(f"{STRATEGIES[name]} {PAPER[name][0]:.2f}" for name in sorted(PAPER, key=lambda name: -PAPER[name][0]))
    + ".\n"
)


def evaluator_findings(found: Mapping[str, JudgedCrawls]) -> list[Finding]:
    """The claims about harvest, with the paper's judge."""
    return [
        check(claim, f"{data}, judged by an evaluator", one.harvest(claim.first), one.harvest(claim.second))
        for claim in claims(PAGES)
        if claim.figure == HARVEST
        for data, one in found.items()
    ]


def page(found: Mapping[str, Crawls], evaluated: Mapping[str, JudgedCrawls]) -> tuple[str, list[Finding]]:
    """Tables and claims."""
    tables = "".join(f"## {data}: {crawls.described()}\n\n{table(crawls)}\n" for data, crawls in found.items())
    short = shared.ranked(found, STRATEGIES, {HARVEST: "harvest", RECALL: "target recall"})
    by_pages = {pages: [*shared.findings(found, claims(pages)), *lead_findings(found, pages)] for pages in shared.EARLY}
    tested = "".join(f"### After {name} pages\n\n{matrix(by_pages[pages])}\n" for pages, name in shared.EARLY.items())
    by_evaluator = evaluator_findings(evaluated)
    rows = [
        [name, *(shared.shown(summary(one.harvest(strategy))) for one in evaluated.values())]
        for strategy, name in STRATEGIES.items()
    ]
    tested += (
        f"### Harvest by the paper's judge, after {PAGES} pages\n\n{markdown_table(['', *evaluated], rows)}\n"
        f"{matrix(by_evaluator)}\n"
    )
    text = (
        f"{NOTES}## In short\n\n{ORDER}\n{short}\n{shared.models_section(found)}{tables}"
        f"## What the paper says of them\n\n{tested}{spread_lines(found)}\n"
    )
    return text, [*by_pages[shared.SIZE], *by_evaluator]


def panels(found: Mapping[str, Crawls]) -> list[list[Draw]]:
    """A row a web: figures 7 and 8, then 9 and 10."""
    return [
        [
            curves(crawls, figure, strategies, f"{web}: figure {number}", list(STRATEGIES))
            for strategies, numbers in ((FIGURE_7, (7, 8)), (FIGURE_9, (9, 10)))
            for figure, number in zip((HARVEST, RECALL), numbers, strict=True)
        ]
        for web, crawls in found.items()
    ]


def main() -> int:
    """Crawl, print and write down."""
    asked = shared.options("windows_crawl", "Ways to score a link (003).", pages="150", repeats=1, topics="12")
    found, evaluated = {}, {}
    split = Split(seeds=SEEDS, examples=EXAMPLES, pages=asked.pages)
    for web in asked.webs:
        strategies = list(STRATEGIES | BETAS)
        crawls = shared.crawl(asked, web, strategies, model="mlp", seeds=SEEDS, examples=EXAMPLES)
        found[web.name] = crawls
        evaluated[web.name] = judged_by("mlp", crawls, web, split, strategies)
    figure = picture(panels(found), "Block text windows (003), ±1 standard error over topics")
    text, findings = page(found, evaluated)
    shared.write(asked, NAME, text, figure, findings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
