"""The online link classifier: learns from fetched pages which words of a link predict relevance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from honeyguide.frontier import Frontier
from honeyguide.strategy.link_words import MOST, NUMBERS, WORDS
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.queues.logistic import Floats, Logistic
from honeyguide.strategy.queues.outcomes import OutcomeLog
from honeyguide.strategy.queues.rows import RowStore
from honeyguide.strategy.queues.turns import Turns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from honeyguide.strategy.reading import Reading

_LINK = np.dtype([("guess", np.float32), ("words", np.uint16, MOST)])  # stored per URL
_NUMBERS = "link numbers"

_MAX_OUTCOMES = 5000  # latest outcomes to fit to: older ones are from other parts of the web, and fits stay fast
_RESCORED = 64  # URLs that are re-scored after each page, in rotation
_MIN_CHANGE = 0.1  # smallest relative change of a probability for which the priority is updated


class LinkClassifierQueue(PlainQueue):
    """The priority of a URL is the probability that it is relevant, given the words of a link to it (spec, section 6).

    Without outcomes the probability is the score of the reading, a first guess that the words then correct. Outcomes
    are pages reached by a link, relevant or not. The model is refitted whenever there are a fifth more of them, and at
    least `refit` more. Links are scored when they are found; of several links to a URL the most promising counts; a
    bounded number of waiting links is re-scored after each page. Seeds keep their priority.
    """

    def __init__(self, stiffness: float, refit: int) -> None:
        super().__init__()  # MAX, which matters only for redirects: all other priorities are set here
        self._refit = refit
        self._model = Logistic(NUMBERS, stiffness)
        self._links = RowStore("link", _LINK)
        self._outcomes = OutcomeLog("link outcome")
        self._fitted = 0  # number of outcomes at the last fit
        self._turns = Turns(_RESCORED)

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        depth = frontier.urls.depth(number)
        if depth:  # a seed was not chosen
            self._outcomes.add(number, reading.relevant)
            if self._outcomes.is_refit_due(self._fitted, self._refit):
                self._fit(len(self._outcomes))
        if len(reading.links) and (not max_depth or depth < max_depth):
            self._offer_links(frontier, number, reading)
        self._rescore_next(frontier)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """A target that waits with the priority of its source takes over the source's words."""
        urls = frontier.urls
        is_open = urls.is_waiting(target) and urls.depth(source) and urls.depth(target)
        if is_open and urls.priority(source) == urls.priority(target):
            self._links[np.array([target])] = self._links[np.array([source])]

    # ---- links ----

    def _offer_links(self, frontier: Frontier, number: int, reading: Reading) -> None:
        """Offer the links of a page; store the words of those that promise more than earlier links to the same URL."""
        table = reading.links
        rows = np.zeros(len(table), _LINK)
        rows["guess"] = table.scores
        rows["words"] = table[WORDS]
        urls, depth = frontier.urls, frontier.urls.depth(number) + 1
        places: list[int] = []
        numbers: list[int] = []
        for place, (url, chance) in enumerate(zip(table.urls, self._chances(rows).tolist(), strict=True)):
            link = urls.find(url)
            if link is None:
                link = frontier.offer(url, chance, number, depth)
            elif chance > urls.priority(link) and urls.is_waiting(link) and urls.depth(link):
                frontier.change(link, chance)
            else:
                continue
            places.append(place)
            numbers.append(link)
        self._links[np.array(numbers, np.intp)] = rows[places]

    def _rescore_next(self, frontier: Frontier) -> None:
        """Re-score the next few waiting URLs, in rotation."""
        waiting = self._turns.waiting(frontier)
        if not len(waiting):
            return
        chances, before = self._chances(self._links[waiting]), frontier.urls.priorities(waiting)
        for place in np.flatnonzero(np.abs(chances - before) > _MIN_CHANGE * before).tolist():
            frontier.change(int(waiting[place]), float(chances[place]))

    # ---- learning ----

    def _chances(self, rows: NDArray[np.void]) -> Floats:
        return self._model.chances(rows["words"], rows["guess"].astype(np.float64))

    def _fit(self, outcomes: int) -> None:
        """Fit the model to the latest of the first `outcomes` outcomes."""
        numbers, is_relevant = self._outcomes.latest(_MAX_OUTCOMES, outcomes)
        rows = self._links[numbers]
        self._model.fit(rows["words"], rows["guess"].astype(np.float64), is_relevant.astype(np.float64))
        self._fitted = outcomes

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The weights are not saved: they are recomputed from the outcomes."""
        yield from self._links.dirty_state()
        yield from self._outcomes.dirty_state()
        yield _NUMBERS, np.array([self._fitted, self._turns.next], np.int64).tobytes()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        if _NUMBERS not in state:
            return
        self._links.restore(state)
        self._outcomes.restore(state)
        fitted, self._turns.next = np.frombuffer(state[_NUMBERS], np.int64).tolist()
        if fitted:
            self._fit(fitted)
