"""What cash queues store about fetched pages: relevance, links, the cash passed on, and the cash received since."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush
from math import isnan, nan

from honeyguide.strategy.queues.column import FloatColumn

_LINKS = "cash links/"


class VisitedPages:
    """Fetched pages by number. The richest is found without a scan.

    Links are stored as numbers and scores, eight bytes per link, and only if they are needed again, for revisits.
    """

    def __init__(self, *, keeps_links: bool) -> None:
        self._keeps_links = keeps_links
        self._relevance = FloatColumn("cash relevance", nan)
        self._cash = FloatColumn("cash visited")
        self._history = FloatColumn("cash history")
        self.total_history = 0.0
        """The history of all pages."""
        self._links: dict[int, bytes] = {}
        self._new_links: list[int] = []
        self._richest: list[tuple[float, int]] = []  # heap of (-cash, page); outdated if the cash has changed since
        self._valid = 0  # number of valid entries

    def __contains__(self, number: int) -> bool:
        return not isnan(self._relevance[number])

    def relevance(self, number: int) -> float:
        """The relevance of a page; NaN if it was not fetched."""
        return self._relevance[number]

    def cash(self, number: int) -> float:
        """The cash a page has received since it last passed cash on."""
        return self._cash[number]

    def history(self, number: int) -> float:
        """The cash that a page has passed on, before revision."""
        return self._history[number]

    def add(self, number: int, relevance: float, links: Mapping[int, float], cash: float = 0.0) -> None:
        """Add a fetched page that passes on its `cash`. `links` has the scores of its links by number."""
        self._relevance[number] = relevance
        self._note(number, cash)
        if self._keeps_links and links:
            self._links[number] = array("I", links).tobytes() + array("f", links.values()).tobytes()
            self._new_links.append(number)

    def _note(self, number: int, cash: float) -> None:
        self._history[number] += cash
        self.total_history += cash

    def links(self, number: int) -> dict[int, float]:
        """The links of a page as they were added; none if links are not stored."""
        kept = self._links.get(number, b"")
        numbers, scores = array("I"), array("f")
        numbers.frombytes(kept[: len(kept) // 2])
        scores.frombytes(kept[len(kept) // 2 :])
        return dict(zip(numbers, scores, strict=True))

    def pay(self, number: int, amount: float) -> None:
        """Add a positive amount of cash to a page."""
        before = self._cash[number]
        self._cash[number] = before + amount
        if number in self._links:
            self._valid += not before
            self._enter(number)

    def _enter(self, number: int) -> None:
        # Outdated entries are dropped when they are the majority, so the amortised cost per payment is constant.
        if len(self._richest) > 2 * self._valid + 64:
            self._richest = list(filter(self._is_valid, self._richest))
            heapify(self._richest)
        heappush(self._richest, (-self._cash[number], number))

    def _is_valid(self, entry: tuple[float, int]) -> bool:
        return self._cash[entry[1]] == -entry[0]

    def take_richest(self) -> tuple[int, float] | None:
        """Take the cash of the richest page with links: the page and its cash, or None if no page has any."""
        while self._richest:
            entry = heappop(self._richest)
            if self._is_valid(entry):
                self._valid -= 1
                self._cash[entry[1]] = 0.0
                self._note(entry[1], -entry[0])
                return entry[1], -entry[0]
        return None

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        yield from self._relevance.dirty_state()
        yield from self._cash.dirty_state()
        yield from self._history.dirty_state()
        for number in self._new_links:
            yield f"{_LINKS}{number}", self._links[number]
        self._new_links.clear()

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Restore the pieces that `dirty_state` returned."""
        self._relevance.restore(state)
        self._cash.restore(state)
        self._history.restore(state)
        self.total_history = self._history.total()
        for name, links in state.items():
            if name.startswith(_LINKS):
                self._links[int(name.removeprefix(_LINKS))] = links
        self._richest = [(-self._cash[number], number) for number in self._links if self._cash[number]]
        self._valid = len(self._richest)
        heapify(self._richest)
