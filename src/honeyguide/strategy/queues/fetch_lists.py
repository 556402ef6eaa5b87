"""Best-N-first (001): a fetch list of N URLs is fetched before anything found on it changes the order."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from typing_extensions import override

from honeyguide.frontier import Frontier, Merge, State
from honeyguide.strategy.queues.base import PlainQueue

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

_BEHIND = -1.0  # the priority of URLs found meanwhile: no score is as low
_ENDED, _FOUND, _NUMBERS, _SCORES = "list ended", "list found", "list numbers", "list scores"


class FetchListQueue(PlainQueue):
    """Offers each link with its score, of several the best, but list by list.

    Scores that the pages of a list give are set aside, and URLs found meanwhile wait behind all others. When `n` URLs
    have been settled, the scores count and the next list begins. It begins earlier if the list was shorter: when none
    of it is left, or when URLs found meanwhile had to be fetched because the hosts of the rest must not be contacted
    yet.
    """

    def __init__(self, n: int) -> None:
        super().__init__(Merge.MAX)
        self._n = n
        self._ended = 0  # URLs of the list that have been settled
        self._found: set[int] = set()  # URLs that were first met on it
        self._scores: dict[int, float] = {}  # what its pages say of their links
        self._is_changed = False

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        depth = frontier.urls.depth(number) + 1
        is_too_deep = 0 < max_depth < depth
        for url, score in reading.links.rows():
            link = frontier.urls.find(url)
            if link is None:
                if is_too_deep:
                    continue
                link = frontier.offer(url, _BEHIND, number, depth)
                self._found.add(link)
            self._set_aside(link, score)
        self._end(frontier, number)

    @override
    def on_failed(self, frontier: Frontier, number: int) -> None:
        self._end(frontier, number)

    @override
    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        if source in self._found and frontier.urls.parent(target) == source:
            self._found.add(target)
        if source in self._scores:
            self._set_aside(target, self._scores.pop(source))
        self._end(frontier, source)

    def _set_aside(self, number: int, score: float) -> None:
        self._scores[number] = max(score, self._scores.get(number, _BEHIND))

    def _end(self, frontier: Frontier, number: int) -> None:
        """A URL has been settled."""
        self._is_changed = True
        self._ended += 1
        was_found, left = number in self._found, frontier.count(State.WAITING) + frontier.count(State.IN_FLIGHT)
        self._found.discard(number)
        if was_found or self._ended >= self._n or left <= len(self._found):
            for link, score in self._scores.items():
                if score > frontier.urls.priority(link):
                    frontier.change(link, score)
            self._scores, self._found, self._ended = {}, set(), 0

    @override
    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        if self._is_changed:
            self._is_changed = False
            yield _ENDED, self._ended.to_bytes(4, "little")
            yield _FOUND, array("I", self._found).tobytes()
            yield _NUMBERS, array("I", self._scores).tobytes()
            yield _SCORES, array("d", self._scores.values()).tobytes()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        if _ENDED not in state:
            return
        self._ended = int.from_bytes(state[_ENDED], "little")
        found, numbers, scores = array("I"), array("I"), array("d")
        for column, name in ((found, _FOUND), (numbers, _NUMBERS), (scores, _SCORES)):
            column.frombytes(state[name])
        self._found = set(found)
        self._scores = dict(zip(numbers, scores, strict=True))
