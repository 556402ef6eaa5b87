"""URLs that a queue has chosen to be fetched next, regardless of the promises of others."""

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
    """Moves a few waiting URLs to the front of the frontier, and back when others are chosen instead.

    For queues that do not simply choose the highest score. The priority of a URL is half its promise, which is between
    0 and 1, plus one half for a nominee; so seeds, which wait with 1, stay first. The priorities of nominees depend on
    their order, not on their promises.
    """

    def __init__(self) -> None:
        self._promises: dict[int, float] = {}  # by nominee

    def promise(self, frontier: Frontier, number: int) -> float:
        """The promise of a waiting URL, nominated or not."""
        # The priority of a nominee by redirect is higher than any promise.
        return self._promises.get(number, min(2 * frontier.urls.priority(number), 1.0))

    def offer_links(
        self, frontier: Frontier, page: int, urls: Sequence[str], promises: Floats
    ) -> tuple[list[int], NDArray[np.intp]]:
        """Offer the links of a page. A waiting URL gets the promise of the new link if that is higher.

        Args:
            frontier: The frontier of the crawl.
            page: The page's number.
            urls: The distinct links.
            promises: The promise of each.

        Returns:
            The indices and numbers of the links that are new or promise more than earlier ones. They never include a
            waiting seed: no promise is higher.
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
        """Nominate waiting URLs, in the order in which to take them; earlier nominees that still wait are put back.

        Args:
            frontier: The frontier of the crawl.
            numbers: The distinct URLs. If there are none, URLs are taken by their promises.
        """
        chosen = {number: self.promise(frontier, number) for number in numbers}
        in_flight = {}  # they may be put back
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
        """All nominees: they are few."""
        yield _NAME, np.array(list(self._promises.items()), _ROW).tobytes()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore what `dirty_state` returned."""
        self._promises = dict(np.frombuffer(state[_NAME], _ROW).tolist())
