"""Learns from the pages of the crawl which words relevant pages have, and scores links by these words.

A relevance model knows the words of the topic's examples or keywords. The pages of a crawl have many more, among them
those that are typical of this part of the web, on relevant pages and on others. The weight of a word is how much more
of the relevant pages it makes up than of the others, where each page counts as relevant to the extent of its outcome o
(Rocchio's method, with the model's own judgements):

    w = idf · (Σ o v / Σ o - Σ (1 - o) v / Σ (1 - o)),  v = idf · log(1 + count), each page's of length 1
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import UNKNOWN
from honeyguide.kernel import twin
from honeyguide.strategy.guide.evidence import WORDS
from honeyguide.strategy.guide.page_rows import PageRows
from honeyguide.strategy.guide.url_rows import URL, WORD_SCORE_COUNT
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.page_words import ANCHOR_WORDS, LINK_WORDS, NUMBERS, unpack_page_words
from honeyguide.strategy.page_words import Numbers as WordNumbers
from honeyguide.strategy.queues.rows import RowStore

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

SCORES: Final = WORD_SCORE_COUNT

WORD_SCORES: Final = "word scores"
"""The column in place of `WORDS` in the table of a page from another machine: small integers."""

UNIT: Final = 0.3
"""The value of one standard deviation, as for other features, once there are many pages of both kinds."""

MOST_PAGES: Final = 500
"""Learns from this many pages: then the weights are known well enough, and no more memory is needed."""

_FEWEST_PAGES, _FEWEST_OF_KIND = 8, 2  # of all pages, of relevant and of other ones (sums of outcomes)
_DOUBT = 5.0  # pages: with this many of the rarer kind, scores count half
_REFIT_AFTER, _GROWTH = 10, 1.25  # pages, and the factor of their number, until weights are computed again
_SAMPLE = 2000  # latest URLs by which scores are standardised
_LOW, _HIGH = -3.0, 5.0  # bounds, in standard deviations
_LEAST_DEVIATION = 1e-9
_RECENT = 8  # links to a URL: with more of them, the earliest fade out of its mean scores
_SENT = 16.0  # a score is sent to other machines in steps of 1 / 16 of a standard deviation

_MOST_COUNTED = 10_000  # occurrences of a word on a page

_LINK = np.dtype([("words", np.uint32, LINK_WORDS)])  # stored per URL
_PAGES, _FIT = "page words", "word fit"


class LearntWords:
    """The weights of words, and the words of links that were found while they were being learnt.

    The scores of a URL are means over the links to it, standardised, and 0 until there are a few pages of both kinds.
    The latest link counts with the present weights, since its words are stored, and each earlier one with the weights
    at the time when it was followed by another. After `MOST_PAGES` pages the weights no longer change, and no more
    words are stored.
    """

    def __init__(self, pages: PageRows) -> None:
        """`pages` has the outcomes of the pages."""
        self._outcomes = pages.outcomes
        self._pages: dict[int, bytes] = {}  # the words of each page, by its number in `pages`
        self._unsaved: list[int] = []
        self._is_outdated = False
        self._links = RowStore("link words", _LINK)
        self._known = 0  # no URL with a number from this on has words
        self._fitted = 0  # pages that the weights are computed from
        self._weights: Floats | None = None
        self._scale = np.array([[0.0] * SCORES, [1.0] * SCORES])  # mean and deviation, of links that have words
        self._unit = 0.0  # value of one standard deviation

    # ---- pages ----

    def learn(self, page: int, words: bytes) -> None:
        """Add a page, unless it has no words. Weights change every few pages."""
        if not words or not self._is_learning:
            return
        self._pages[page] = words
        self._unsaved.append(page)
        due = max(_FEWEST_PAGES, self._fitted + _REFIT_AFTER, self._fitted * _GROWTH)
        if len(self._pages) >= min(due, MOST_PAGES):
            self._fit()

    def correct(self) -> None:
        """Note that outcomes have been corrected: `refit` computes the weights again."""
        self._is_outdated = True

    def refit(self) -> None:
        """Compute the weights again if outcomes have been corrected since."""
        if self._is_outdated:
            self._fit()

    def _fit(self) -> None:
        """Compute the weights from all pages so far, and their present outcomes, unless there are too few of a kind."""
        self._is_outdated = False
        self._fitted = len(self._pages)
        self._compute_weights()
        if self._weights is not None:
            recent = self._links[np.arange(max(self._known - _SAMPLE, 0), self._known)]["words"]
            raw = _raw_scores(recent[recent.any(axis=1)], self._weights)
            if len(raw):
                self._scale[:] = raw.mean(axis=0), np.maximum(raw.std(axis=0), _LEAST_DEVIATION)

    def _compute_weights(self) -> None:
        pages = list(self._pages.items())[: self._fitted]
        outcomes = self._outcomes([page for page, _ in pages])
        relevant = float(outcomes.sum())
        others = len(pages) - relevant
        self._weights = None
        if min(relevant, others) >= _FEWEST_OF_KIND:
            self._unit = UNIT * min(relevant, others) / (min(relevant, others) + _DOUBT)
            self._weights = word_weights([words for _, words in pages], outcomes)

    # ---- links ----

    def scores(self, links: LinkTable) -> Floats:
        """One row of standardised scores per link, as features; all 0 if nothing is learnt yet."""
        if WORD_SCORES in links.columns:
            return links[WORD_SCORES] / _SENT * UNIT
        return self._scores(links[WORDS])

    def passed(self, links: LinkTable) -> LinkTable:
        """The table with scores instead of words, which take less space, for a machine that has learnt other words."""
        if WORDS not in links.columns:
            return links
        scores = np.rint(self._scores(links[WORDS]) * (_SENT / UNIT)).astype(np.int8)
        columns = {name: column for name, column in links.columns.items() if name != WORDS}
        return LinkTable(links.urls, links.scores, {**columns, WORD_SCORES: scores})

    def add(self, rows: NDArray[Any], numbers: Numbers, links: LinkTable) -> None:
        """Add the links of a page to the rows of their URLs.

        Args:
            rows: The rows of the URLs, without fields.
            numbers: The numbers of the URLs; `UNKNOWN` for new ones, whose words are stored later, with `store`.
            links: The links, in the same order.
        """
        if WORD_SCORES in links.columns:
            _include(rows.view(URL), self.scores(links))
            return
        words = links[WORDS]
        if not self._is_learning:
            self._include(rows, words)
            return
        is_new = numbers == UNKNOWN
        rows.view(URL)["words"][is_new] = self._scores(words[is_new])  # their first promises depend on it
        known = np.flatnonzero(~is_new)
        before = rows[known]
        self.refresh(before, numbers[known])
        rows[known] = before
        self.store(numbers[known], words[known])

    def store(self, numbers: Numbers, words: WordNumbers) -> None:
        """Store the words of the latest link to each of some URLs, as long as the weights may change."""
        if len(numbers) and self._is_learning:
            self._links[numbers] = np.ascontiguousarray(words).view(_LINK).reshape(-1)
            self._known = max(self._known, int(numbers.max()) + 1)

    def refresh(self, rows: NDArray[Any], numbers: Numbers) -> None:
        """Include the scores of the latest links in the rows (without fields) of URLs with these numbers."""
        if len(numbers):
            self._include(rows, self._links.raw(numbers).view(np.uint32).reshape(-1, LINK_WORDS))

    def _include(self, rows: NDArray[Any], words: WordNumbers) -> None:
        if self._weights is not None:
            _include_words(rows.view(np.uint8), words, self._weights, self._scale, self._unit)

    def copy(self, source: int, target: int) -> None:
        """Store the words of a URL for another one."""
        self._links.set_one(target, self._links.one(source))
        self._known = max(self._known, target + 1)

    @property
    def _is_learning(self) -> bool:
        return len(self._pages) < MOST_PAGES

    def _scores(self, words: WordNumbers) -> Floats:
        if self._weights is None:
            return np.zeros((len(words), SCORES))
        return _standardised(_raw_scores(words, self._weights), self._scale, self._unit)

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name. Weights are not saved: they follow from the pages."""
        for page in self._unsaved:
            yield f"{_PAGES}/{page}", self._pages[page]
        self._unsaved.clear()
        yield from self._links.dirty_state()
        yield _FIT, np.array([self._fitted, self._known, *self._scale.ravel()], np.float64).tobytes()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore the pieces that `dirty_state` returned, after the outcomes of the pages."""
        prefix = f"{_PAGES}/"
        found = {int(name.removeprefix(prefix)): one for name, one in state.items() if name.startswith(prefix)}
        self._pages = dict(sorted(found.items()))
        self._links.restore(state)
        if _FIT in state:
            fitted, known, *scale = np.frombuffer(state[_FIT]).tolist()
            self._fitted, self._known = int(fitted), int(known)
            self._scale[:] = np.reshape(scale, self._scale.shape)
            self._compute_weights()


def word_weights(pages: Sequence[bytes], outcomes: Floats) -> Floats:
    """The weight of each word, by number; 0 for those that no page has.

    Args:
        pages: The words of each page, as `page_words` returned them.
        outcomes: The outcome of each page, from 0 to 1: neither all of them 0, nor all 1.
    """
    words, counts, page = unpack_page_words(pages)
    words = words % NUMBERS
    counts = np.minimum(counts, _MOST_COUNTED)
    frequencies = np.bincount(words, minlength=NUMBERS)
    # Logarithms are looked up: there are far fewer different counts and frequencies than words.
    idf = np.log(len(pages) / np.maximum(np.arange(len(pages) + 1), 1)).take(frequencies, mode="clip")
    values = np.log1p(np.arange(counts.max(initial=0) + 1)).take(counts)
    values *= idf.take(words)
    lengths = np.sqrt(np.bincount(page, values * values, len(pages)))
    share = outcomes / outcomes.sum() - (1.0 - outcomes) / (1.0 - outcomes).sum()
    factors = np.divide(share, lengths, out=np.zeros(len(pages)), where=lengths > 0)
    values *= factors.take(page)
    weights: Floats = idf * np.bincount(words, values, NUMBERS)
    weights[0] = 0.0
    return weights


@twin("promises")
def _raw_scores(words: WordNumbers, weights: Floats) -> Floats:
    """For each link the sum of the weights of its anchor's words / √words, and that of all of its words."""
    sums, counts = np.zeros((2, SCORES, len(words)))
    for column in range(LINK_WORDS):  # one by one: the order of additions decides the last bits of a sum
        own = words[:, column] % NUMBERS
        sums[1] += weights[own]
        counts[1] += own > 0
        if column == ANCHOR_WORDS - 1:
            sums[0], counts[0] = sums[1], counts[1]
    found: Floats = (sums / np.sqrt(np.maximum(counts, 1.0))).T
    return found


def _standardised(scores: Floats, scale: Floats, unit: float) -> Floats:
    """Raw scores in deviations from their mean, times the value of one."""
    found: Floats = np.clip((scores - scale[0]) / scale[1], _LOW, _HIGH) * unit
    return found


def _include(rows: NDArray[Any], scores: Floats) -> None:
    """Include one more score in the means of each row."""
    count = np.minimum(rows["word_links"], _RECENT - 1) + 1
    means = rows["words"].astype(np.float32)
    means += (scores.astype(np.float32) - means) / count[:, None].astype(np.float32)
    rows["words"], rows["word_links"] = means, count


@twin("promises")
def _include_words(
    row_bytes: NDArray[np.uint8], words: WordNumbers, weights: Floats, scale: Floats, unit: float
) -> None:
    """Include the scores of a link in each row. One without words changes nothing."""
    all_rows, has_words = row_bytes.view(URL), (words % NUMBERS > 0).any(axis=1)
    rows = all_rows[has_words]
    _include(rows, _standardised(_raw_scores(words[has_words], weights), scale, unit))
    all_rows[has_words] = rows
