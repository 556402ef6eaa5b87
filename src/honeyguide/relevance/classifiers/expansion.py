"""Pseudo-relevance feedback: the words that a crawl's own pages add to those of its topic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from scipy.sparse import csr_array

from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores
from honeyguide.relevance.classifiers.features import count_matrix
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.text import Text, Tokens
from honeyguide.relevance.vsm import Vsm
from honeyguide.relevance.weighting import Floats

BOUNDARY: Final = 0.15
"""The score of a page halfway between those about the topic and others: the default threshold of `Vsm`."""

_MAX_ADDED: Final = 40  # maximum number of added words
_OWN_WEIGHT: Final = 0.7  # weight of the topic's own words; the rest is for added words
_ENOUGH_RELEVANT: Final = 0.1  # share of relevant pages from which the topic's own words suffice
_MIN_PAGES: Final = 2  # minimum number of pages that contain an added word
_FIRST_PAGES: Final = 5  # first pages of a crawl, the seeds and their neighbours, which were chosen by a person
_BEST_SHARE: Final = 0.1  # share of best pages; the first pages are trusted as much as these
_EDGE: Final = 1e-6


@dataclass(eq=False)
class Expanded:
    """The cosine with a topic's words and further words of the subject.

    It is scaled so that the score `BOUNDARY` is halfway between pages about the topic and others.
    """

    words: Vsm
    """The topic in words alone, for texts in other languages."""
    more: Vsm
    """The topic with the added words."""
    boundary: float
    """The cosine that is scaled to `BOUNDARY`."""
    threshold: float
    likeness: ClassVar[bool] = True

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span; 0 for a span without any of the words."""
        return np.interp(self.more.score(text, spans), [0.0, self.boundary, 1.0], [0.0, BOUNDARY, 1.0])

    def in_language(self, language: str) -> Relevance:
        """The topic's own words for another language, since the added words are in this one."""
        own = self.words.in_language(language)
        return self if own is self.words else replace(own, threshold=self.threshold)


def expand(topic: Vsm, documents: Sequence[Tokens], threshold: float) -> Vsm | Expanded:
    """Expand a topic by up to forty words: those that best distinguish the most relevant pages from all pages.

    Pages are weighted by their cosine with the topic's words, and the first pages as much as the best, since they were
    chosen by a person. The words are those that contribute most to the Kullback-Leibler divergence of the weighted
    pages from all pages, and are weighted by their contributions. There is only one round, since repeating it with the
    new cosines drifts away from the topic.

    Args:
        topic: The topic in words.
        documents: The tokens (stems) of the pages so far, in the order of the crawl.
        threshold: The threshold of the model, which does not affect the words.

    Returns:
        The model; the topic itself if its words suffice, because a tenth of the pages are relevant by them, or if there
        is nothing to add.
    """
    alone = topic if topic.threshold == threshold else replace(topic, threshold=threshold)
    counts, terms = count_matrix(documents)
    if not counts.nnz or len(documents) < 2:
        return alone
    damped = csr_array((np.log1p(counts.data), counts.indices, counts.indptr), shape=counts.shape)
    own = np.zeros(len(terms))
    place = np.minimum(terms.searchsorted(topic.terms), len(terms) - 1)
    occurs = terms[place] == topic.terms
    own[place[occurs]] = topic.weights[occurs]
    if np.mean(_cosines(counts, own) >= BOUNDARY) >= _ENOUGH_RELEVANT:
        return alone
    trust = _cosines(damped, own)
    best = np.sort(trust)[-max(_FIRST_PAGES, round(_BEST_SHARE * len(trust))) :]
    trust[:_FIRST_PAGES] = np.maximum(trust[:_FIRST_PAGES], best.mean())
    gains = _gains(damped, trust) if trust.any() else own
    added = np.sort(np.argsort(-gains, kind="stable")[:_MAX_ADDED])
    added = added[gains[added] > 0]
    if not len(added):
        return alone
    every = np.union1d(terms[added], topic.terms)
    weights = np.zeros(len(every))
    weights[every.searchsorted(terms[added])] = (1 - _OWN_WEIGHT) * gains[added] / np.linalg.norm(gains[added])
    weights[every.searchsorted(topic.terms)] += _OWN_WEIGHT * topic.weights
    weights /= np.linalg.norm(weights)
    found = np.zeros(len(terms))
    place = np.minimum(every.searchsorted(terms), len(every) - 1)
    occurs = every[place] == terms
    found[occurs] = weights[place[occurs]]
    boundary = min(max(halfway(_cosines(counts, found)), _EDGE), 1 - _EDGE)
    more = Vsm(topic.language, every, weights, Frequencies.none(), threshold)
    return Expanded(topic, more, boundary, threshold)


def _cosines(rows: csr_array, weights: Floats) -> Floats:
    """The cosine of each row with a vector that has at most length 1."""
    lengths = np.sqrt(rows.multiply(rows).sum(axis=1))
    cosines: Floats = np.divide(rows @ weights, lengths, out=np.zeros(rows.shape[0]), where=lengths > 0)
    return cosines


def _gains(rows: csr_array, trust: Floats) -> Floats:
    """The contribution of each term to the divergence of the weighted rows from all rows."""
    sizes = np.maximum(rows.sum(axis=1), _EDGE)  # rows count equally, whatever their size
    ours, usual = rows.T @ (trust / trust.sum() / sizes), rows.T @ (1 / len(sizes) / sizes)
    is_more = (ours > usual) & (np.bincount(rows.indices, minlength=rows.shape[1]) >= _MIN_PAGES)
    gains = np.zeros(len(ours))
    gains[is_more] = ours[is_more] * np.log(ours[is_more] / usual[is_more])
    return gains


def halfway(scores: Floats) -> float:
    """The boundary between low and high scores that maximises the variance between the two parts (Otsu's method).

    Args:
        scores: At least two.
    """
    ordered = np.sort(scores)
    below = np.arange(1, len(ordered))
    above = len(ordered) - below
    sums = ordered.cumsum()
    apart = (sums[-1] - sums[:-1]) / above - sums[:-1] / below
    last = int(np.argmax(below * above * apart**2))
    return float(ordered[last] + ordered[last + 1]) / 2
