"""Whether rounds of feedback make term lists better (002, section 5.2).

    python -m benchmarks.papers.genre_feedback --web FILE.warc.gz --labels FILE.tsv [--web demo:4000]
        [--topics GENRE+CONTENT,...] [--repeats 1] [--out results]

The pages of a topic's web are divided into two halves by chance: one stands for what a crawl has stored, F1 is measured
on the other (at the best threshold, as in the paper). Lists begin as `honeyguide terms` generates them. In each round
the 20 pages of the first half that score best, and that nobody has looked at, are shown. A user marks those that have
the topic's labels as right and the others as wrong; unattended, all are taken as right. Changes are proposed as by
``honeyguide terms --from``; they are applied if they cross-validate better or, for comparison, always.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # one core, also for matrix products: read when numpy is imported

import numpy as np

from benchmarks.papers import crawls
from benchmarks.papers.crawls import Options, Web
from benchmarks.papers.genre_crawl import TOPICS
from benchmarks.papers.genre_terms import LANGUAGE, Dealt, Lists, dealt, generated, labels_of, with_titles
from benchmarks.papers.replays import Stage, staged
from benchmarks.papers.tables import markdown_table
from honeyguide.relevance.base import whole
from honeyguide.relevance.genre import Genre
from honeyguide.relevance.registry import model_named
from honeyguide.relevance.settings import TermSettings
from honeyguide.topic.examples import Example
from honeyguide.topic.feedback import best_f1, cross_validate, propose_changes
from honeyguide.topic.generate import generate_terms

NAME = "genre-feedback"
SHOWN, ROUNDS, OTHERS = 20, 3, 1000
"""Pages that are shown in a round, rounds, and pages of the crawl that the shown ones are contrasted with."""

MODES = {
    "marked": (True, True),
    "marked, always applied": (True, False),
    "unattended": (False, True),
    "unattended, always applied": (False, False),
}
"""By name: whether pages are marked, and whether changes must cross-validate better."""


@dataclass(frozen=True, slots=True)
class Halves:
    """The pages of a topic's web, and which are targets."""

    stored: tuple[Example, ...]
    is_target: np.ndarray[tuple[int], np.dtype[np.bool_]]
    left_out: tuple[Example, ...]
    truth: np.ndarray[tuple[int], np.dtype[np.bool_]]


def halves(stage: Stage, hand: Dealt) -> Halves:
    """Divide the pages that nobody has learnt from."""
    order = np.random.default_rng(hand.case.repeat).permutation(len(hand.pool))
    stored, left_out = (
        tuple(page for place in sorted(part.tolist()) if len((page := stage.example(hand.pool[place])).text))
        for part in (order[::2], order[1::2])
    )
    truth = (np.array([page.text.url in hand.case.targets for page in pages]) for pages in (stored, left_out))
    return Halves(stored, next(truth), left_out, next(truth))


def scored(terms: TermSettings, pages: Sequence[Example]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The score of each page."""
    model = Genre.of(terms, LANGUAGE, 0.0)
    return np.array([float(model.score(page.text, whole(page.text))[0]) for page in pages])


def rounds(found: Halves, lists: Lists, *, marked: bool, gated: bool) -> Iterator[tuple[float, int]]:
    """F1 on the left-out half before the first round and after each, and how many changes were applied so far."""
    terms = TermSettings(genre=lists.genre, content=lists.content)
    threshold = model_named("genre").threshold
    seen: dict[int, bool] = {}
    applied = 0
    yield best_f1(scored(terms, found.left_out), found.truth)[0], applied
    for _ in range(ROUNDS):
        scores = scored(terms, found.stored)
        order = np.argsort(-scores, kind="stable").tolist()
        fresh = order if not marked else [place for place in order if place not in seen]
        shown = {place: bool(found.is_target[place]) if marked else True for place in fresh[:SHOWN]}
        seen = seen | shown if marked else shown
        below = [place for place in order if place not in seen and scores[place] < threshold]
        step = max(len(below) / OTHERS, 1.0)
        rest = [below[int(number * step)] for number in range(min(OTHERS, len(below)))]
        right = [found.stored[place] for place, is_right in seen.items() if is_right]
        others = [found.stored[place] for place, is_right in seen.items() if not is_right]
        others += [found.stored[place] for place in rest]
        if len(right) > 1 and others:
            genre, content = propose_changes(terms, right, others, LANGUAGE)
            validated = cross_validate(terms, right, others, LANGUAGE) if gated else None
            if (genre.terms or content.terms) and (not gated or (validated is not None and validated.helps)):
                terms = replace(terms, genre=genre.terms, content=content.terms)
                applied += 1
        yield best_f1(scored(terms, found.left_out), found.truth)[0], applied


def starts(hand: Dealt) -> Mapping[str, Lists]:
    """The lists to begin with: as generated, a quarter of them, and contrasted with other pages."""
    whole_lists = generated(hand)
    made = generate_terms(hand.genre, hand.relevant, LANGUAGE, against=hand.others)
    against = Lists(*(tuple(term.text for term in terms) for terms in (made.genre, made.content)))
    return {"generated": whole_lists, "a quarter": whole_lists.first(0.25, 0.25), "against": against}


def run(web: Web, asked: Options) -> Iterator[dict[str, Any]]:
    """One cell for each topic, repeat, start and mode."""
    stage = with_titles(staged(web, labels_of(web)))
    for topic in web.topics:
        for repeat in range(asked.repeats):
            hand = dealt(stage, topic, repeat, asked.pages)
            if hand is None:
                continue
            found = halves(stage, hand)
            for start, lists in starts(hand).items():
                for mode, (marked, gated) in MODES.items():
                    path = list(rounds(found, lists, marked=marked, gated=gated))
                    cell = {"web": web.name, "topic": topic, "repeat": repeat, "start": start, "mode": mode}
                    yield cell | {"f1": [f1 for f1, _ in path], "applied": path[-1][1]}
                    print(cell, [round(f1, 3) for f1, _ in path], path[-1][1], file=sys.stderr)


def page(cells: Sequence[dict[str, Any]]) -> str:
    """All of it as Markdown."""
    head = ["start", "mode", "before", *(f"after {number + 1}" for number in range(ROUNDS))]
    head += ["better", "worse", "applied"]
    rows = []
    for start, mode in dict.fromkeys((cell["start"], cell["mode"]) for cell in cells):
        chosen = [cell for cell in cells if (cell["start"], cell["mode"]) == (start, mode)]
        paths = np.array([cell["f1"] for cell in chosen])
        gains = paths[:, -1] - paths[:, 0]
        counts = [str(int((gains > 1e-9).sum())), str(int((gains < -1e-9).sum()))]
        applied = f"{np.mean([cell['applied'] for cell in chosen]):.1f}"
        rows.append([start, mode, *(f"{value:.3f}" for value in paths.mean(axis=0)), *counts, applied])
    single = [
        [cell["web"], cell["topic"], cell["start"], cell["mode"], *(f"{f1:.3f}" for f1 in cell["f1"])]
        for cell in cells
        if cell["mode"] in {"marked", "unattended, always applied"}
    ]
    return (
        f"# Feedback: rounds of marking pages\n\n{(__doc__ or '').partition('[--out results]')[2].strip()}\n\n"
        f"## Means over topics: F1 on left-out pages\n\n{markdown_table(head, rows)}\n"
        f"## Topics\n\n{markdown_table(['web', 'topic', *head[:-3]], single)}\n"
    )


def main() -> int:
    """Measure, print and write down."""
    about = "Feedback on term lists (002): rounds of marking, F1 on left-out pages."
    asked = crawls.options("genre_feedback", about, pages="100000", repeats=1, topics=",".join(TOPICS))
    cells = [cell for web in asked.webs for cell in run(web, asked)]
    if not cells:
        sys.exit(f"none of the webs has pages of {', '.join(asked.webs[0].topics)}; name topics with --topics")
    crawls.write(asked, NAME, page(cells), None)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
