"""What guide knows: about URLs, about fetched pages, and what it has learnt from them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import HoneyguideError
from honeyguide.strategy.guide import url_rows
from honeyguide.strategy.guide.evidence import BY_EXAMPLE, EXAMPLE, REGION, SECTION, SOURCE, TEXTS
from honeyguide.strategy.guide.example_trust import ExampleTrust
from honeyguide.strategy.guide.features import (
    LABELS,
    PRIORS,
    Floats,
    Learnt,
    Rates,
    UrlFacts,
    feature_matrix,
    text_scaler,
)
from honeyguide.strategy.guide.learnt_words import LearntWords
from honeyguide.strategy.guide.outcomes import OutcomeScale
from honeyguide.strategy.guide.page_rows import PageRows
from honeyguide.strategy.guide.promises import promises
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.shared_sums import SharedSums
from honeyguide.strategy.guide.url_rows import URL, add_evidence, section_numbers
from honeyguide.strategy.queues.rows import RowStore

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

Numbers = NDArray[np.intp]

_MAX_GAP = 9  # largest number of links since a relevant page; higher numbers count as this one
_EXAMPLE_WEIGHT = 0.3  # weight of a link to an example, whose outcome is known without a visit
_INITIAL_USUAL = 0.1  # assumed mean outcome of a link before the first one
_MIN_USUAL = 0.02  # lower bound of the mean outcome afterwards
_MODEL, _SCALER, _COUNTS, _FEATURES, _OUTCOMES = "model", "scaler", "counts", "features", "outcomes"
_TRUST, _OTHERS = "trust", "others"


class Knowledge:
    """The evidence about each URL, the records of fetched pages, and all that is learnt from their outcomes.

    It knows URLs by their numbers only, and nothing about which of them wait.
    """

    def __init__(self, stiffness: float, caution: float, boldness: float, clarity: float) -> None:
        """Set up with nothing learnt. The parameters are those of `GuideQueue`."""
        self._caution = caution
        self._boldness = boldness
        self.model = BayesianRidge(PRIORS, stiffness, fewest=8)
        self.scale = OutcomeScale(clarity)
        self.scaler = text_scaler()
        self.urls = RowStore("url", URL)
        self.pages = PageRows()
        self.rates = Rates()
        self.words = LearntWords(self.pages)
        self._trust = ExampleTrust()
        self._learnt = Learnt(self.scaler, self.rates, _INITIAL_USUAL)
        self._next_section = 1
        self.sums = SharedSums(self.model, self.scaler, self._trust, self.scale)

    # ---- evidence ----

    def merged(self, number: int, reading: Reading, outcome: float, links: Numbers) -> NDArray[Any]:
        """Return the rows of the links of a page, without fields, updated with the evidence from the page."""
        self.scaler.add(reading.links[TEXTS])
        raw = self.urls.raw(links)
        self.add_evidence(raw, links, reading, outcome, self.urls.one(number)[url_rows.GAP])
        return raw

    def add_evidence(self, raw: NDArray[Any], links: Numbers, reading: Reading, outcome: float, gap: int) -> None:
        """Add the evidence from a page to the rows of its links, without fields; `gap` is the page's own gap."""
        table = reading.links
        self.words.add(raw, links, table)
        if table[SOURCE][0] == BY_EXAMPLE:
            self._trust.add(table[EXAMPLE][(raw.view(URL)["sources"] & BY_EXAMPLE) == 0])
        gap = 0 if reading.relevant else min(gap + 1, _MAX_GAP)
        sections, count = section_numbers(table[SECTION], self._next_section)  # unique in the crawl
        self._next_section += count
        add_evidence(
            raw, table[TEXTS], outcome, len(table) + reading.links_elsewhere, gap, table[REGION], sections,
            table[EXAMPLE], table[SOURCE],
        )  # fmt: skip

    def reserve_sections(self, last: int) -> None:
        """Give no new section a number up to `last`."""
        self._next_section = max(self._next_section, last + 1)

    # ---- learning ----

    def learn_page(self, number: int, host: int, depth: int, outcome: float) -> tuple[int, Floats]:
        """Record a page that was fetched. Returns the number of its record, and the features it was chosen for."""
        features = self.features(number, host, depth).astype(np.float32).astype(np.float64)
        return self.pages.add(features, self.model.parts(features), outcome), features

    def learn_example(self, number: int, host: int, depth: int) -> None:
        """Learn from a link, if it leads to an example, whose outcome is known."""
        row = self.urls.one(number)
        if row[url_rows.EXAMPLE]:
            outcome = float(row[url_rows.EXAMPLE] > 0)
            self.model.learn(self.features(number, host, depth), outcome, _EXAMPLE_WEIGHT)
            self.rates.add(row, host, outcome)

    # ---- promises ----

    @property
    def usual(self) -> float:
        """The mean outcome of a link so far."""
        return max(self.model.mean, _MIN_USUAL) if self.model.count else _INITIAL_USUAL

    def rows(self, numbers: Numbers) -> NDArray[Any]:
        """The rows of some URLs, without fields, with their scores by the words learnt so far."""
        rows = self.urls.raw(numbers)
        self.words.refresh(rows, numbers)
        return rows

    def features(self, number: int, host: int, depth: int) -> Floats:
        """The features of one URL."""
        facts = self._facts(self.rows(np.array([number])), np.array([host]), np.array([depth]))
        return feature_matrix(facts).reshape(-1)

    def promises(self, rows: NDArray[Any], host: Numbers, depth: Numbers) -> Floats:
        """The promises of URLs, from their rows without fields, the numbers of their hosts, and their depths."""
        return promises(self._facts(rows, host, depth), self.model, self._boldness, self._trust.value**self._caution)

    def _facts(self, rows: NDArray[Any], host: Numbers, depth: Numbers) -> UrlFacts:
        self._learnt.usual = self.usual
        return UrlFacts(rows, host, depth, self._learnt)

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        yield from self.urls.dirty_state()
        yield from self.pages.dirty_state()
        yield _FEATURES, json.dumps(LABELS).encode()
        yield _MODEL, self.model.dump()
        yield _SCALER, self.scaler.dump()
        yield _OUTCOMES, self.scale.dump()
        yield _TRUST, self._trust.dump()
        yield from self.words.dirty_state()
        for rate in self.rates.all():
            yield from rate.dirty_state()
        if others := self.sums.dump():
            yield _OTHERS, others
        yield _COUNTS, np.array([self.pages.count, self._next_section]).tobytes()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore the pieces that `dirty_state` returned.

        Raises `HoneyguideError` if they are from a version with other features.
        """
        if tuple(json.loads(state.get(_FEATURES, b"[]"))) != LABELS or _COUNTS not in state:
            raise HoneyguideError("the crawl was steered by a guide with other features; start a new crawl")
        self.urls.restore(state)
        for rate in self.rates.all():
            rate.restore(state)
        self.model.restore(state[_MODEL])
        self.scaler.restore(state[_SCALER])
        self.scale.restore(state[_OUTCOMES])
        self._trust.restore(state[_TRUST])
        if _OTHERS in state:
            self.sums.restore(state[_OTHERS])
        fetched, self._next_section = np.frombuffer(state[_COUNTS], np.int64).tolist()
        self.pages.restore(state, fetched)
        self.words.restore(state)  # weights depend on the outcomes of the pages
