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
"""The score of a page that is halfway between those about the topic and others: the usual threshold of `Vsm`."""

_ADDED: Final = 40  # words that are added at most
_OWN: Final = 0.7  # weight of the topic's own words; the rest is for those that are added
_ENOUGH: Final = 0.1  # of the pages, which the topic's own words suffice to find relevant ones among
_FEWEST: Final = 2  # pages that a word occurs in before it is added
_FIRST: Final = 5  # pages that a crawl begins with: its seeds and what is next to them, chosen by a person
_BEST: Final = 0.1  # of the pages, the best ones, which the first ones are trusted as much as
_EDGE: Final = 1e-6


@dataclass(eq=False)
class Expanded:
    """The cosine with a topic's words and others that belong to it.

    It is scaled so that the score `BOUNDARY` is halfway between the pages about the topic and others.
    """

    words: Vsm
    """The topic in words alone, for texts in other languages."""
    more: Vsm
    """The topic with the words that were added."""
    boundary: float
    """The cosine that is scaled to `BOUNDARY`."""
    threshold: float
    likeness: ClassVar[bool] = True

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span; 0 for a span without any of the words."""
        return np.interp(self.more.score(text, spans), [0.0, self.boundary, 1.0], [0.0, BOUNDARY, 1.0])

    def in_language(self, language: str) -> Relevance:
        """The topic's words for another language; the words that were added are of this one."""
        own = self.words.in_language(language)
        return self if own is self.words else replace(own, threshold=self.threshold)


def expand(topic: Vsm, documents: Sequence[Tokens], threshold: float) -> Vsm | Expanded:
    """A topic with up to forty more words: those that tell the most relevant of some pages from all of them.

    Each page is trusted as far as its cosine with the topic's words goes, and the first ones as much as the best: they
    are what a person chose to begin with. The words are those that contribute most to the Kullback-Leibler divergence
    of the trusted pages from all pages, weighted by what they contribute. One round: to repeat it with the new cosines
    drifts away from the topic.

    Args:
        topic: The topic in words.
        documents: The tokens (stems) of the pages so far, in the order of the crawl.
        threshold: Of the model. What is learnt does not depend on it.

    Returns:
        The model; the topic itself if its words suffice, because a tenth of the pages is relevant by them, or if the
        pages have nothing to add.
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
    if np.mean(_cosines(counts, own) >= BOUNDARY) >= _ENOUGH:
        return alone
    trust = _cosines(damped, own)
    best = np.sort(trust)[-max(_FIRST, round(_BEST * len(trust))) :]
    trust[:_FIRST] = np.maximum(trust[:_FIRST], best.mean())
    gains = _gains(damped, trust) if trust.any() else own
    added = np.sort(np.argsort(-gains, kind="stable")[:_ADDED])
    added = added[gains[added] > 0]
    if not len(added):
        return alone
    every = np.union1d(terms[added], topic.terms)
    weights = np.zeros(len(every))
    weights[every.searchsorted(terms[added])] = (1 - _OWN) * gains[added] / np.linalg.norm(gains[added])
    weights[every.searchsorted(topic.terms)] += _OWN * topic.weights
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
    """What each term adds to the divergence of the rows, as far as they are trusted, from all rows."""
    sizes = np.maximum(rows.sum(axis=1), _EDGE)  # rows have all the same weight, whatever their size
    ours, usual = rows.T @ (trust / trust.sum() / sizes), rows.T @ (1 / len(sizes) / sizes)
    is_more = (ours > usual) & (np.bincount(rows.indices, minlength=rows.shape[1]) >= _FEWEST)
    gains = np.zeros(len(ours))
    gains[is_more] = ours[is_more] * np.log(ours[is_more] / usual[is_more])
    return gains


def halfway(scores: Floats) -> float:
    """The boundary that divides scores into low and high ones, as far apart as possible (Otsu's method).

    That is where the variance between the two parts is largest.

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
