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

_BEHIND = -1.0  # the priority of URLs found during the list; lower than any score
_ENDED, _MET, _NUMBERS, _SCORES = "list ended", "list met", "list numbers", "list scores"


class FetchList:
    """The current fetch list: the URLs first found during it, and how many of its URLs have been settled.

    It is over when `n` URLs have been settled; earlier if there are no more of its URLs, or when a URL that was found
    during it had to be fetched because the hosts of the rest must not be contacted yet.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self.ended = 0
        """The number of its URLs that have been settled."""
        self.met: set[int] = set()
        """URLs that were first found during the list."""

    def settled(self, frontier: Frontier, number: int) -> bool:
        """Count a settled URL. Returns whether the list is over."""
        self.ended += 1
        return number in self.met or self.ended >= self._n or self.is_exhausted(frontier)

    def redirected(self, frontier: Frontier, source: int, target: int) -> None:
        """Record a redirect: a new target counts as found during the list if its source was."""
        if source in self.met:
            self.met.discard(source)
            if frontier.urls.parent(target) == source:
                self.met.add(target)

    def is_exhausted(self, frontier: Frontier) -> bool:
        """Whether only URLs that were found during the list are left."""
        return frontier.count(State.WAITING) + frontier.count(State.IN_FLIGHT) <= len(self.met)

    def begin(self) -> None:
        """Begin the next list."""
        self.ended = 0
        self.met.clear()


class FetchListQueue(PlainQueue):
    """Offers each link with the best of its scores, but list by list.

    Scores from the pages of a list are set aside, and URLs found during it wait behind all others. When the list is
    over, the scores take effect and the next list begins.
    """

    def __init__(self, n: int) -> None:
        super().__init__(Merge.MAX)
        self._list = FetchList(n)
        self._scores: dict[int, float] = {}  # scores from the pages of the current list
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
                self._list.met.add(link)
            self._set_aside(link, score)
        self._settled(frontier, number)

    @override
    def on_failed(self, frontier: Frontier, number: int) -> None:
        self._settled(frontier, number)

    @override
    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        self._is_changed = True
        self._list.redirected(frontier, source, target)
        if source in self._scores:
            self._set_aside(target, self._scores.pop(source))
        if self._list.is_exhausted(frontier):
            self._begin_list(frontier)

    def _set_aside(self, number: int, score: float) -> None:
        self._scores[number] = max(score, self._scores.get(number, _BEHIND))

    def _settled(self, frontier: Frontier, number: int) -> None:
        self._is_changed = True
        if self._list.settled(frontier, number):
            self._begin_list(frontier)

    def _begin_list(self, frontier: Frontier) -> None:
        scores, self._scores = self._scores, {}
        for link, score in scores.items():
            if score > frontier.urls.priority(link):
                frontier.change(link, score)
        self._list.begin()

    @override
    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        if self._is_changed:
            self._is_changed = False
            yield _ENDED, self._list.ended.to_bytes(4, "little")
            yield _MET, array("I", self._list.met).tobytes()
            yield _NUMBERS, array("I", self._scores).tobytes()
            yield _SCORES, array("d", self._scores.values()).tobytes()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        if _ENDED not in state:
            return
        self._list.ended = int.from_bytes(state[_ENDED], "little")
        met, numbers, scores = array("I"), array("I"), array("d")
        for column, name in ((met, _MET), (numbers, _NUMBERS), (scores, _SCORES)):
            column.frombytes(state[name])
        self._list.met = set(met)
        self._scores = dict(zip(numbers, scores, strict=True))
