"""URLs that a queue has chosen to be taken next, whatever the others promise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from honeyguide.frontier import UNKNOWN, Frontier, State

Floats = NDArray[np.float64]

NOMINEES = 8
"""How many URLs queues nominate after each page: if the host of the first rests, the next is taken."""

_ROW = np.dtype([("number", np.int64), ("promise", np.float64)])
_NAME = "nominees"


class Nominees:
    """Puts a few waiting URLs before all others, and puts them back when others are chosen in their place.

    For queues that choose by another rule than the highest score of all. The priority of a URL is half its promise,
    which is between 0 and 1, and for a nominee half a unit more; so seeds, which wait with 1, stay first. Among the
    nominees it is their order that decides, not what they promise.
    """

    def __init__(self) -> None:
        self._promises: dict[int, float] = {}  # of the nominees

    def promise(self, frontier: Frontier, number: int) -> float:
        """What a waiting URL promises, nominated or not."""
        # That of a nominee by redirect is higher than any promise.
        return self._promises.get(number, min(2 * frontier.urls.priority(number), 1.0))

    def offer_links(
        self, frontier: Frontier, page: int, urls: Sequence[str], promises: Floats
    ) -> tuple[list[int], NDArray[np.intp]]:
        """Offer the links of a page. A URL that waits already gets the promise of this link if that is higher.

        Args:
            frontier: The frontier of the crawl.
            page: The page's number.
            urls: The links, each once.
            promises: What each of them promises.

        Returns:
            The places of the links that count from now on, which are new or promise more than earlier ones, and their
            numbers. A seed that waits is not among them: nothing promises more.
        """
        view, depth = frontier.urls, frontier.urls.depth(page) + 1
        places, numbers = [], []
        for place, (url, known, promise) in enumerate(
            zip(urls, view.numbers(urls).tolist(), promises.tolist(), strict=True)
        ):
            if known == UNKNOWN:
                numbers.append(frontier.offer(url, promise / 2, page, depth))
            elif view.is_waiting(known) and promise > self.promise(frontier, known):
                self.change(frontier, known, promise)
                numbers.append(known)
            else:
                continue
            places.append(place)
        return places, np.array(numbers, np.intp)

    def choose(self, frontier: Frontier, numbers: Sequence[int]) -> None:
        """Nominate these waiting URLs, the first to be taken first; the former nominees that still wait are put back.

        Args:
            frontier: The frontier of the crawl.
            numbers: The URLs, each once. With none, those that promise most are taken.
        """
        chosen = {number: self.promise(frontier, number) for number in numbers}
        in_flight = {}  # they may come back
        for number, promise in self._promises.items():
            if frontier.urls.state(number) == State.IN_FLIGHT:
                in_flight[number] = promise
            elif number not in chosen:
                frontier.change(number, promise / 2)
        for place, number in enumerate(chosen, start=1):
            frontier.change(number, 1.0 - place / (2 * (len(chosen) + 1)))
        self._promises = chosen | in_flight

    def change(self, frontier: Frontier, number: int, promise: float) -> None:
        """Change the promise of a waiting URL; a nominee keeps its place."""
        if number in self._promises:
            self._promises[number] = promise
        else:
            frontier.change(number, promise / 2)

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """All of them: they are few."""
        yield _NAME, np.array(list(self._promises.items()), _ROW).tobytes()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back what `dirty_state` gave."""
        self._promises = dict(np.frombuffer(state[_NAME], _ROW).tolist())
