"""Hosts as the arms of a bandit: Thompson sampling decides which host comes next (as in Anthelion)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING

from typing_extensions import override

from honeyguide.frontier import Frontier
from honeyguide.strategy.queues.base import Queue
from honeyguide.strategy.queues.column import FloatColumn

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

_RESAMPLED = 4  # hosts that are resampled after each page, in rotation
_MIN_SAMPLE = 1e-300  # a sample of 0 would make all URLs of the host equal
_DICE, _TURN = "bandit dice", "bandit turn"


class HostBanditQueue(Queue):
    """The priorities of an inner queue times a sample per host from Beta(good + alpha, bad + beta) (spec, section 6).

    "Good" counts the relevant pages of a host so far, "bad" its other pages and failed URLs: each has cost a visit. So
    hosts that deliver are preferred, hosts that never did are avoided, and the less is known about a host, the more its
    samples vary: unknown hosts are tried.

    A sample is valid until the host has another outcome. So that no host is stuck with a bad sample, a few other hosts
    are resampled after each outcome, in rotation: all of them, as in plain Thompson sampling, while there are few.
    """

    def __init__(self, inner: Queue, alpha: float, beta: float, seed: int) -> None:
        self.merge = inner.merge
        self._inner = inner
        self._alpha = alpha
        self._beta = beta
        self._dice = Random(seed)
        self._hosts: list[int] = []  # in the order of their first URLs, which is the same in a resumed run
        self._places: dict[int, int] = {}  # index in `_hosts`, by host number in this run
        self._seen = 0  # number of URLs whose hosts are registered
        self._good, self._bad, self._draws = (FloatColumn(f"bandit {name}") for name in ("good", "bad", "draw"))
        self._turn = 0  # index of the next host to resample

    @override
    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        self._inner.begin(frontier, seeds)
        self._sample_new_hosts(frontier)

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        self._inner.page(frontier, number, reading, max_depth)
        self._sample_new_hosts(frontier)
        self._learn(frontier, number, self._good if reading.relevant else self._bad)

    @override
    def on_failed(self, frontier: Frontier, number: int) -> None:
        self._inner.on_failed(frontier, number)
        self._learn(frontier, number, self._bad)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """A redirect says nothing about its host."""
        self._inner.on_redirect(frontier, source, target)
        self._sample_new_hosts(frontier)

    # ---- hosts ----

    def _sample_new_hosts(self, frontier: Frontier) -> None:
        """Draw samples for the hosts of URLs that were offered since the last call."""
        for place in self._new_hosts(frontier):
            self._draw(frontier, place)

    def _new_hosts(self, frontier: Frontier) -> Iterator[int]:
        """Register these hosts; yields their indices."""
        host = frontier.urls.host
        for url in range(self._seen, len(frontier)):
            number = host(url)
            if number not in self._places:
                self._places[number] = len(self._hosts)
                self._hosts.append(number)
                yield self._places[number]
        self._seen = len(frontier)

    def _learn(self, frontier: Frontier, number: int, outcomes: FloatColumn) -> None:
        """Record one more outcome of the host of a URL, and resample."""
        own = self._places[frontier.urls.host(number)]
        outcomes[own] += 1
        self._draw(frontier, own)
        for _ in range(min(_RESAMPLED, len(self._hosts))):
            if self._turn != own:
                self._draw(frontier, self._turn)
            self._turn = (self._turn + 1) % len(self._hosts)

    def _draw(self, frontier: Frontier, place: int) -> None:
        draw = self._dice.betavariate(self._good[place] + self._alpha, self._bad[place] + self._beta)
        self._draws[place] = max(draw, _MIN_SAMPLE)
        frontier.weigh(self._hosts[place], self._draws[place])

    # ---- state ----

    @override
    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        yield from self._inner.dirty_state()
        for column in (self._good, self._bad, self._draws):
            yield from column.dirty_state()
        _, dice, _ = self._dice.getstate()
        yield _DICE, array("I", dice).tobytes()
        yield _TURN, self._turn.to_bytes(4, "little")

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        self._inner.restore(frontier, state)
        if _DICE not in state:
            return
        for column in (self._good, self._bad, self._draws):
            column.restore(state)
        dice = array("I")
        dice.frombytes(state[_DICE])
        version, _, _ = self._dice.getstate()
        self._dice.setstate((version, tuple(dice), None))
        self._turn = int.from_bytes(state[_TURN], "little")
        for place in self._new_hosts(frontier):
            frontier.weigh(self._hosts[place], self._draws[place])
