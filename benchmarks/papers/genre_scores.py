"""How well term lists tell the pages of a topic (002, sections 4.2, 5.1 and 6): F1 against the similarity threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.papers.genre_terms import BARE, LANGUAGE, Dealt, Lists, chosen, generated, selected
from benchmarks.papers.replays import Stage
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.genre import Genre
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import model_named
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import Text, Tokenizer
from honeyguide.relevance.training import train
from honeyguide.topic.material import material_of

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

THRESHOLDS: Floats = np.arange(1, 100) / 100

OURS, WITH_IDF, WITH_URL = "genre and content", "with idf", "with URL terms"
MERGED, MERGED_IDF = "one set", "one set, with idf"
SVM, SVM_BEST, SVM_UNTUNED = "SVM-RBF", "SVM-RBF, best threshold", "SVM-RBF, not tuned"
SHARES = {"100": 1.0, "75": 0.75, "50": 0.5, "25": 0.25}
BOTH = [f"{share}g{share}c" for share in SHARES]
FEWER_CONTENT = [f"100g{share}c" for share in ("75", "50", "25")]
FEWER_GENRE = [f"{share}g100c" for share in ("75", "50", "25")]
GENERATED = [f"generated, {share} %" for share in SHARES]
SELECTED = "generated, selected"

_SAMPLE = 1_000  # pages that idf is counted on; the paper has 500,000 of another collection
_STEM = Tokenizer(LANGUAGE)


class Shelf:
    """The pages of a web as tokens, which is all that models look at."""

    def __init__(self, stage: Stage) -> None:
        self.urls = stage.fixture.graph.urls
        self._bare: list[Text] = []
        self._stems: list[Text] = []
        for url in self.urls:
            text = stage.fixture.text(url)
            for shelf, tokenizer in ((self._bare, BARE), (self._stems, _STEM)):
                kept = Text.tokenized(text.tokens(tokenizer), tokenizer)
                kept.url = url
                shelf.append(kept)
        sample = np.random.default_rng(2).permutation(len(self.urls))[:_SAMPLE]
        self.frequencies = Frequencies.none().seeing(self._bare[page].tokens(BARE) for page in sample)

    def scored(self, model: Relevance) -> Floats:
        """The score of every page."""
        texts = self._bare if isinstance(model, Genre) else self._stems
        return np.array([float(model.score(text, whole(text))[0]) for text in texts])


def genre_model(lists: Lists, frequencies: Frequencies | None = None) -> Genre:
    """The genre-aware model of some lists; all idf are 1 without `frequencies`."""
    terms = TermSettings(genre=lists.genre, content=lists.content, url=lists.url)
    return Genre.of(terms, LANGUAGE, model_named("genre").threshold, frequencies)


def models(hand: Dealt, stage: Stage, shelf: Shelf) -> Iterator[tuple[str, Lists, Relevance]]:
    """All that are compared, each with its lists."""
    best = chosen(hand)
    lists = best._replace(url=())
    merged = Lists((), lists.genre + lists.content)
    yield OURS, lists, genre_model(lists)
    yield WITH_IDF, lists, genre_model(lists, shelf.frequencies)
    yield WITH_URL, best, genre_model(best)
    yield MERGED, merged, genre_model(merged)
    yield MERGED_IDF, merged, genre_model(merged, shelf.frequencies)
    for name in [*BOTH[1:], *FEWER_CONTENT, *FEWER_GENRE]:
        genre, _, content = name.removesuffix("c").partition("g")
        fewer = lists.first(SHARES[genre], SHARES[content])
        yield name, fewer, genre_model(fewer)
    proposed = generated(hand)
    for name, share in zip(GENERATED, SHARES.values(), strict=True):
        fewer = proposed.first(share, share)
        yield name, fewer, genre_model(fewer)
    picked = selected(hand, proposed)
    yield SELECTED, picked, genre_model(picked)
    yield SVM, Lists((), ()), svm_model(hand, stage)
    yield SVM_UNTUNED, Lists((), ()), svm_model(hand, stage, "rbf(cost=1, gamma=1)", tuned=False)


def svm_model(hand: Dealt, stage: Stage, model: str = "rbf", *, tuned: bool = True) -> Relevance:
    """The baseline: an SVM with an RBF kernel, from the same example pages that terms come from.

    Cost, gamma and, if `tuned`, the threshold are those that are best in cross-validation on these pages.
    """
    positive, negative = ([one.text for one in pages] for pages in (hand.relevant, (*hand.genre, *hand.others)))
    material = material_of(stage.fixture.topic(hand.case, model=model), positive, negative)
    return train(material).model if tuned else make_model(material)


class Quality(NamedTuple):
    """At each of the thresholds."""

    precision: Floats
    recall: Floats
    f1: Floats

    @property
    def best(self) -> int:
        """The place of the lowest threshold with the highest F1."""
        return int(np.argmax(self.f1))


def quality(truth: Bools, scores: Floats) -> Quality:
    """Of taking the pages from each threshold on; 0 where nothing right is taken."""
    taken = scores >= THRESHOLDS[:, None]
    right = (taken & truth).sum(axis=1)
    precision = right / np.maximum(taken.sum(axis=1), 1)
    recall = right / max(int(truth.sum()), 1)
    f1 = 2 * right / np.maximum(taken.sum(axis=1) + truth.sum(), 1)
    return Quality(precision, recall, f1)


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one topic in one repeat."""

    hand: Dealt
    lists: Lists
    scores: Mapping[str, Floats]
    """Of every page, by the genre-aware model and by the SVM."""
    thresholds: Mapping[str, float]
    """From which on a page is taken to be relevant by these."""
    curves: Mapping[str, Floats]
    """F1 at each threshold."""
    cells: tuple[dict[str, Any], ...]


def told(stage: Stage, hand: Dealt, shelf: Shelf) -> Told:
    """Score all pages by all models, and see how well they tell what is relevant."""
    truth = np.array([url in hand.case.targets for url in hand.pool])
    places = [stage.fixture.graph.number[url] for url in hand.pool]
    scores: dict[str, Floats] = {}
    curves: dict[str, Floats] = {}
    cells = []
    for name, lists, model in models(hand, stage, shelf):
        of_all = shelf.scored(model)
        found = quality(truth, of_all[places])
        curves[name] = found.f1
        if name in {OURS, SVM}:
            scores[name] = of_all
        at = {name: found.best}
        if name in {SVM, SVM_UNTUNED}:  # these have a threshold of their own
            at = {name: int(np.argmin(abs(THRESHOLDS - model.threshold)))}
            at |= {SVM_BEST: found.best} if name == SVM else {}
        cells += [_cell(hand, shown, found, place, lists) for shown, place in at.items()]
    best = {cell["strategy"]: cell["threshold"] for cell in cells}
    return Told(hand, chosen(hand), scores, best, curves, tuple(cells))


def _cell(hand: Dealt, name: str, found: Quality, place: int, lists: Lists) -> dict[str, Any]:
    return {
        "topic": hand.case.topic,
        "repeat": hand.case.repeat,
        "strategy": name,
        "f1": float(found.f1[place]),
        "precision": float(found.precision[place]),
        "recall": float(found.recall[place]),
        "threshold": float(THRESHOLDS[place]),
        "lists": lists.name,
    }
