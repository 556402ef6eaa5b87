"""What genre-aware crawling (002) rests on, and what its users see: tables 6, 9 and 10, figure 11, and the premise.

    python -m benchmarks.papers.genre_study --web FILE.warc.gz --labels FILE.tsv [--web demo:4000]
        [--topics GENRE+CONTENT,...] [--repeats 3] [--kept FOLDER] [--out FOLDER]

No crawls are run: a crawl of these webs fetches all that can be reached, and what is asked here is which of these pages
score best, which terms users choose, and whether pages beside a relevant one, or below it, are relevant.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # one core, also for matrix products: read when numpy is imported

import numpy as np
from matplotlib.figure import Figure

from benchmarks.papers import crawls, report
from benchmarks.papers.claims import Claim, Finding, check, matrix
from benchmarks.papers.crawls import Options, Web
from benchmarks.papers.genre_crawl import TOPICS
from benchmarks.papers.genre_report import short
from benchmarks.papers.genre_scores import Shelf, genre_model
from benchmarks.papers.genre_terms import Dealt, chosen, dealt, labels_of, related, with_titles
from benchmarks.papers.genre_users import SEEN, USERS, agreement, best_pages
from benchmarks.papers.replays import Stage, mean, once, staged
from benchmarks.papers.tables import markdown_table
from honeyguide.lab.web_graph import WebGraph

NAME = "genre-study"
MOST = 65
"""The best pages that the paper's expert looked at."""
STEPS = tuple(range(5, MOST + 1, 5))
KINDS = ("relevant", "only the genre", "only the content", "neither")
RECORDED, GENERATED = "recorded webs", "demo web"

Cells = list[dict[str, Any]]


# ---- the premise ----


def rates(graph: WebGraph, relevant: Collection[int]) -> dict[str, float | None]:
    """How often a child of a relevant page is relevant, how often a sibling, and how often any page.

    A sibling is another link of a page that links to it; each pair of pages counts once. None where there are none.
    """
    is_relevant = np.zeros(len(graph.urls), np.bool_)
    is_relevant[list(relevant)] = True
    parents: dict[int, list[int]] = {page: [] for page in relevant}
    for parent in range(len(graph.urls)):
        for child in _links(graph, parent):
            if child in parents:
                parents[child].append(parent)
    children, siblings = [], []
    for page in relevant:
        children += [is_relevant[child] for child in _links(graph, page)]
        beside = {link for parent in parents[page] for link in _links(graph, parent)} - {page}
        siblings += [is_relevant[link] for link in beside]
    return {
        "children": float(np.mean(children)) if children else None,
        "siblings": float(np.mean(siblings)) if siblings else None,
        "all": float(is_relevant.mean()),
    }


def _links(graph: WebGraph, page: int) -> set[int]:
    """The other pages that a page links to."""
    return set(graph.indices[graph.indptr[page] : graph.indptr[page + 1]].tolist()) - {page}


# ---- the best pages ----


def kinds_of(best: Sequence[str], hand: Dealt, genre: Collection[str], content: Collection[str]) -> dict[str, float]:
    """Shares of the four kinds of result (table 6)."""
    counts = dict.fromkeys(KINDS, 0)
    for url in best:
        place = 0 if url in hand.case.targets else 1 if url in genre else 2 if url in content else 3
        counts[KINDS[place]] += 1
    return {kind: count / max(len(best), 1) for kind, count in counts.items()}


def measured(stage: Stage, hand: Dealt, shelf: Shelf) -> Cells:
    """All of a topic in one repeat, in one cell."""
    graph = stage.fixture.graph
    genre, content = related(stage, hand.case.topic)
    scores = shelf.scored(genre_model(chosen(hand)._replace(url=())))
    best = best_pages(hand, scores, graph.number, min(MOST, len(hand.case.targets)))
    found: dict[str, Any] = {"topic": hand.case.topic, "repeat": hand.case.repeat, "best": len(best)}
    found |= kinds_of(best, hand, genre, content)
    right = np.cumsum([url in hand.case.targets for url in best])
    found["precision"] = [float(right[step - 1] / step) for step in STEPS if step <= len(best)]
    users = agreement(stage, hand, shelf, genre)
    found |= {name: mean(user[name] for user in users) for name in users[0]}
    found |= rates(graph, {graph.number[url] for url in hand.case.relevant})
    return [found]


# ---- the report ----


def values(found: Cells, figure: str) -> dict[tuple[str, int], float | None]:
    """One figure, by topic and repeat."""
    return {(cell["topic"], cell["repeat"]): cell[figure] for cell in found}


def findings(data: str, found: Cells, *, generated: bool) -> list[Finding]:
    """What the paper says of tables 6, 9 and 10 and figure 11, and its premise."""
    related_share = {
        (cell["topic"], cell["repeat"]): (cell[KINDS[1]] + cell[KINDS[2]]) / (1 - cell[KINDS[0]])
        for cell in found
        if cell[KINDS[0]] < 1
    }
    bounds = [
        (Claim("Table 6", "most of the best pages are relevant", KINDS[0], bound=0.5), values(found, KINDS[0])),
        (Claim("Table 6", "of the others, most are of the genre or of the content", "", bound=0.5), related_share),
        (
            Claim("Table 6", "at most 6 % of the best pages are of neither", "", figure="error", bound=4 / 65),
            values(found, KINDS[3]),
        ),
        (
            Claim("Fig. 11", "precision of the best pages is .71 or more", KINDS[0], bound=46 / 65),
            values(found, KINDS[0]),
        ),
        *(
            (Claim("Table 9", f"users (simulated): over 30 % of their {name} terms are the expert's", name, bound=0.3),
             values(found, name))
            for name in ("genre", "content")
        ),
        (
            Claim("Tables 11-13", "users (simulated): P@20 with their terms is .85 or more", "P@20", bound=0.85),
            values(found, "P@20"),
        ),
    ]  # fmt: skip
    pairs = [
        Claim("§3", "siblings of relevant pages are relevant more often than children", "siblings", "children"),
        Claim("§3", "siblings of relevant pages are relevant more often than other pages", "siblings", "all"),
        *(
            Claim(
                "Table 10",
                f"users (simulated): after a crawl more of their {name} terms are the expert's",
                f"{name} later",
                name,
            )
            for name in ("genre", "content")
        ),
    ]
    return [
        *(check(claim, data, known, generated=generated) for claim, known in bounds),
        *(
            check(claim, data, values(found, claim.first), values(found, claim.second), generated=generated)
            for claim in pairs
        ),
    ]


def _mean(cells: Cells, figure: str, digits: int = 0) -> str:
    known = [cell[figure] for cell in cells if cell[figure] is not None]
    return f"{100 * np.mean(known):.{digits}f} %" if known else ""


def page(found: Mapping[str, Cells], checked: Sequence[Finding]) -> str:
    """All of it as Markdown."""
    premise, best, terms = [], [], []
    for web, of_web in found.items():
        for topic in dict.fromkeys(cell["topic"] for cell in of_web):
            of_topic = [cell for cell in of_web if cell["topic"] == topic]
            name = [web, short(topic)]
            premise.append([*name, *(_mean(of_topic, figure, 1) for figure in ("children", "siblings", "all"))])
            best.append([*name, of_topic[0]["best"], *(_mean(of_topic, kind) for kind in KINDS)])
            figures = ("genre", "genre later", "content", "content later", "paper's")
            terms.append(
                [*name, *(_mean(of_topic, one) for one in figures), f"{np.mean([c['P@20'] for c in of_topic]):.2f}"]
            )
    return (
        f"{NOTES}## The premise: which pages are relevant\n\n"
        + markdown_table(["web", "topic", "children of relevant pages", "siblings", "all pages"], premise)
        + "\n## The best pages (table 6; figure 11 below)\n\n"
        + markdown_table(["web", "topic", "pages looked at", *KINDS], best)
        + "\n## Users' terms that are the expert's (tables 9 and 10; P@20: tables 11 to 13)\n\n"
        + markdown_table(
            [
                "web",
                "topic",
                "genre",
                "after a crawl",
                "content",
                "after a crawl",
                "genre terms on the paper's list",
                "P@20",
            ],
            terms,
        )
        + f"\n## The paper's claims\n\n{matrix(checked)}"
    )


def plot(found: Mapping[str, Cells]) -> Figure:
    """Precision by the number of best pages (figure 11); and the rates of children and siblings."""
    figure = report.picture(2, 4.5)
    left, right = figure.subplots(1, 2)
    for of_web in found.values():
        for topic in dict.fromkeys(cell["topic"] for cell in of_web):
            of_topic = [cell for cell in of_web if cell["topic"] == topic]
            shortest = min(len(cell["precision"]) for cell in of_topic)
            means = np.mean([cell["precision"][:shortest] for cell in of_topic], axis=0)
            (line,) = left.plot(STEPS[:shortest], means, marker=".", label=short(topic))
            known = [
                (cell["children"], cell["siblings"])
                for cell in of_topic
                if None not in (cell["children"], cell["siblings"])
            ]
            if known:
                right.scatter(*np.mean(known, axis=0), color=line.get_color())
    left.set(xlabel="best pages", ylabel="precision", ylim=(0, 1.02), title="Figure 11")
    right.plot([0, 0.4], [0, 0.4], color="grey", linewidth=0.8)
    right.set(
        xlabel="children of relevant pages that are relevant",
        ylabel="siblings that are",
        title="Premise: above the line",
    )
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.legend(*left.get_legend_handles_labels(), loc="outside right upper")
    return figure


NOTES = f"""\
# Genre-aware crawling: the premise, the best pages, users' terms

Tables 6 and 9 to 13 and figure 11 of "A genre-aware approach to focused crawling", and what its queue rests on:
"domains where the parent page has a list of items related to the topic of interest". Topics, example pages and term
lists are those of [the other report](genre-crawl.md).

- **Premise.** Of all pages that relevant pages link to, how many are relevant (PS bets on these); of all pages that
  stand beside a relevant one on some page, how many are (FS bets on these).
- **Best pages.** The paper's expert judged the {MOST} best pages of crawls for product reviews. Here: of all pages that
  a crawl can reach and nobody has learnt from, the {MOST} with the highest scores, or as many as there are targets. Of
  the content are pages with its label, or with the wider one where only pages of the genre have it (art for artists);
  for courses, pages whose title says so. In webkb only the first page of a course is labelled as one: its other pages
  count as neither.
- **Users.** The paper's three users, and the expert before them, wrote terms down without looking at pages. Here each
  of {USERS} stands for what a few pages show: the example pages are dealt out, half to the expert, a sixth to each,
  and the same rule chooses terms from what each has seen. Then a user looks at the {SEEN} best pages by these terms,
  knows which are relevant, and the rule chooses anew. The percentage is that of a user's terms that are the expert's,
  which fits the paper's numbers. This says little about people: that the lists of a user and of the expert come closer
  when the rule has seen more pages is to be expected of any rule. One column has the share of the users' genre terms
  that the paper's own expert had.

"""


def run(web: Web, asked: Options) -> Cells:
    """All topics that a web has, in all repeats."""
    stage = with_titles(staged(web, labels_of(web)))
    shelf = Shelf(stage)
    found: Cells = []
    for topic in web.topics:
        for repeat in range(asked.repeats):
            hand = dealt(stage, topic, repeat, asked.pages)
            if hand is None:
                continue
            key = (NAME, stage.fixture.web.digest, topic, repeat, asked.pages)
            (cell,) = once(asked.kept, key, partial(measured, stage, hand, shelf))
            print(f"{web.name}: {topic} {repeat + 1}: {cell[KINDS[0]]:.3f} of the best are relevant", file=sys.stderr)
            found.append(cell)
    return found


def main() -> int:
    """Measure, print and write down."""
    about = "Genre-aware crawling (002): premise, best pages, users' terms."
    asked = crawls.options("genre_study", about, pages="100000", repeats=3, topics=",".join(TOPICS))
    found = {web.name: run(web, asked) for web in asked.webs}
    checked: list[Finding] = []
    for data, generated in ((RECORDED, False), (GENERATED, True)):
        cells = [cell for web in asked.webs for cell in found[web.name] if (not web.labels) == generated]
        checked += findings(data, cells, generated=generated) if cells else []
    crawls.write(asked, NAME, page(found, checked), plot(found), checked)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
