"""Logistic regression on a page's text, title and address."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from scipy.special import expit

from honeyguide.lazy import lazy
from honeyguide.page.spans import Spans
from honeyguide.page.url_words import path_words
from honeyguide.relevance.base import Scores
from honeyguide.relevance.classifiers.features import Features
from honeyguide.relevance.classifiers.meaning import MeaningPart
from honeyguide.relevance.span_sums import SpanSums, damped, damped_squared, squared
from honeyguide.relevance.text import Text
from honeyguide.relevance.weighting import Flags, Floats


@dataclass(eq=False)
class FieldPart:
    """The contribution of one field of a page to the margin."""

    features: Features
    coef: Floats

    def margins(self, text: Text, spans: Spans) -> tuple[Floats, Flags]:
        """One number per span, and whether the span has any of the terms."""
        if is_whole(text, spans):
            margin, known = self.margin_of_whole(text)
            return np.array([margin]), np.array([known])
        return self.margins_of(text, self.features.positions(text).within(spans))

    def margin_of_whole(self, text: Text) -> tuple[float, bool]:
        """The margin of the whole text, which is much faster, since all counts are known."""
        in_dot, in_square, is_known = text.derived(self, lambda: self._weigh(text))
        features, counts = self.features, self.features.positions(text).counts
        worth = damped(counts) if features.damped else counts
        dot, square = float(np.add.reduce(in_dot * worth)), float(np.add.reduce(in_square * worth * worth))
        known = bool(np.count_nonzero(is_known)) if features.unknown else square > 0
        return dot / sqrt(square) if features.unit and known else dot, known

    def margins_of(self, text: Text, sums: SpanSums) -> tuple[Floats, Flags]:
        """The margins of spans with given sums, which other parts need, too."""
        in_dot, in_square, is_known = text.derived(self, lambda: self._weigh(text))
        features = self.features
        largest = (features.largest_idf * self._one) ** 2
        squares = sums.sums_of_counts(in_square, largest, damped_squared if features.damped else squared)
        if features.damped:
            dots = sums.sums_of_counts(in_dot, self._largest, damped)
        else:
            dots = sums.sums(in_dot, self._largest)
        known = sums.sums(is_known, 1.0) > 0 if features.unknown else squares > 0
        if features.unit:
            np.divide(dots, np.sqrt(squares), out=dots, where=known)
        return dots, known

    def _weigh(self, text: Text) -> tuple[Floats, Floats, Floats]:
        """The contribution of one occurrence of each term of a text to the product and to the square.

        The last array is 1 for informative terms and 0 for others.
        """
        terms = self.features.positions(text).terms
        known, place = self.features.look_up(terms)
        in_dot, is_known = np.zeros((2, len(terms)))
        in_square = np.full(len(terms), (self.features.unknown * self._one) ** 2)
        in_dot[known] = self._products.take(place)
        in_square[known] = squares = self._squares.take(place)
        is_known[known] = squares > 0
        return in_dot, in_square, is_known

    @property
    def _one(self) -> float:
        """The weight of a single occurrence."""
        return float(np.log1p(1.0)) if self.features.damped else 1.0

    @lazy
    def _products(self) -> Floats:
        """The contribution of a single occurrence of each term to the product of a span's unnormalised vector."""
        return self.coef * self.features.idf * self._one

    @lazy
    def _squares(self) -> Floats:
        """The contribution of a single occurrence of each term to the squared length of a span's vector."""
        squares: Floats = (self.features.idf * self._one) ** 2
        return squares

    @lazy
    def _largest(self) -> float:
        return float(np.abs(self._products).max(initial=0.0))


@dataclass(frozen=True, slots=True)
class Mixture:
    """One of the regressions that a model is the weighted mean of: see `weighing`."""

    name: str
    is_named: bool
    """Whether title and address are among its fields."""
    is_like: bool
    """Whether it includes the similarity of a text to the positive examples."""
    loss: float
    """The mean of -log p over held-out examples and as many blank pages, with p the probability of the true class."""
    weight: float
    """Its weight in the mean; all weights add up to 1."""
    has_keywords: bool = False
    """Whether it includes the similarity of a text to the words that describe the topic."""


@dataclass(eq=False)
class Fields:
    """P(relevant) = 1 / (1 + exp(slope · margin + offset)), margin = Σ coef · x over the fields + intercept.

    A whole page is judged by its text, title and address, and by the keywords; a part of it by its text alone: on a
    page a keyword is one word among many, in an anchor it is half of all words. An anchor or a URL, which names a page,
    can be judged like the page's title or address, and the keywords in it by themselves.
    """

    text: FieldPart
    title: FieldPart
    address: FieldPart
    intercept: float
    slope: float
    offset: float
    threshold: float
    more_text: list[FieldPart] = field(default_factory=list)
    """The text again, with its words weighted in other ways."""
    mixtures: list[Mixture] = field(default_factory=list)
    """The regressions that it is the mean of, for information."""
    described: FieldPart | None = None
    """The topic's own words, its keywords and description, as a vector of length 1; None for a topic without any."""
    trust: float = 0.0
    """Factor of the square root of a page's cosine with these words, which is added to the margin; 0 to ignore them on
    pages."""
    meaning: MeaningPart | None = None
    """The meaning of the text; None if it does not count."""

    def score(self, text: Text, spans: Spans) -> Scores:
        """One probability per span; 0 for a span without any of the terms."""
        if is_whole(text, spans):
            margin, is_known = self.text.margin_of_whole(text)
            margin += sum(part.margin_of_whole(text)[0] for part in self.more_text) + self._of_page(text)
            return self._with_meaning(np.array([margin]), np.array([is_known]), text, spans)
        sums = self.text.features.positions(text).within(spans)  # the same for all parts
        margins, known = self.text.margins_of(text, sums)
        for part in self.more_text:
            margins += part.margins_of(text, sums)[0]
        named = (spans[:, 0] == 0) & (spans[:, 1] == len(text))
        if named.any():
            margins[named] += self._of_page(text)
        return self._with_meaning(margins, known, text, spans)

    def titles(self, text: Text, spans: Spans) -> Scores:
        """Probabilities of pages of which only the titles are known."""
        return self._probability(*self.title.margins(text, spans))

    def addresses(self, text: Text, spans: Spans) -> Scores:
        """Probabilities of pages of which only the words of their addresses are known."""
        return self._probability(*self.address.margins(text, spans))

    def keyword_scores(self, text: Text, spans: Spans) -> Scores:
        """The cosine of each span with the topic's own words, scaled so that 1 is the maximum of any span."""
        if self.described is None:
            return np.zeros(len(spans))
        return np.clip(self.described.margins(text, spans)[0], 0.0, 1.0)

    def _of_page(self, text: Text) -> float:
        """The contribution of title, address and keywords to the margin of a page; 0 for a text without words."""
        if not len(text):
            return 0.0
        margin = self.title.margin_of_whole(title_of(text))[0] + self.address.margin_of_whole(address_of(text))[0]
        if self.described is not None and self.trust:
            margin += self.trust * sqrt(self.described.margin_of_whole(text)[0])
        return margin

    def _with_meaning(self, margins: Floats, known: Flags, text: Text, spans: Spans) -> Scores:
        """Probabilities from the margins and the meaning of some spans."""
        if self.meaning is None:
            return self._probability(margins, known)
        more, has_meaning = self.meaning.margins(text, spans)
        return self._probability(margins + more, known | has_meaning)

    def _probability(self, margins: Floats, known: Flags) -> Scores:
        probability: Scores = expit(-(self.slope * (margins + self.intercept) + self.offset))
        return np.where(known, probability, 0.0)


def is_whole(text: Text, spans: Spans) -> bool:
    """Whether the spans consist of the whole text only."""
    return len(spans) == 1 and int(spans[0, 0]) == 0 and int(spans[0, 1]) == len(text)


def title_of(text: Text) -> Text:
    """The words of a page's title; none if it has no title."""
    return Text.of(text.title)


def address_of(text: Text) -> Text:
    """The words of a page's address without its host, which would have too much weight in examples from a few sites."""
    return Text(path_words(text.url))
