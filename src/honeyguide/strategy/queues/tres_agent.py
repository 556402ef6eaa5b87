"""The learner of TRES: double Q-learning from a memory of what links led to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from honeyguide.strategy.queues.rows import RowStore
from honeyguide.strategy.queues.tres_network import Floats, Network

_CAPACITY = 10_000  # experiences that are remembered: older ones are replaced
_MOST_LINKS = 64  # of a page, that are remembered with it
_BATCH, _EVERY = 60, 3  # experiences in a training step, and pages between two steps
_NETWORK, _TARGET, _NUMBERS, _NEXT = "tres network", "tres target", "tres numbers", "tres next/"


class DoubleQ:
    """Learns Q(link): the reward of fetching it, and what the best link of its page is worth, discounted.

    A training step takes a random batch of experiences and moves Q(link) towards r + discount · Q'(l*), where l* is the
    link of the page with the highest Q, and Q' the network as it was at the last refresh (double Q-learning).
    Experiences are pages that had links; of a page with many, some links evenly spread over it are remembered.
    """

    def __init__(self, features: int, discount: float, refresh: int, seed: int) -> None:
        """Set up with nothing learnt.

        Args:
            features: Of a link.
            discount: What the next reward is worth now.
            refresh: Pages between two refreshes of Q'.
            seed: Of the first weights and of the batches.
        """
        self._features = features
        self._discount = discount
        self._refresh = refresh
        self._seed = seed
        self._network = Network(features, seed)
        self._target = self._network.weights.copy()
        self._experience = RowStore(
            "tres memory", np.dtype([("features", np.float16, features), ("reward", np.float32)])
        )
        self._next: list[bytes] = []  # features of the links of each experience
        self._new: set[int] = set()  # places in the memory that have changed
        self._met = 0  # experiences so far

    def values(self, rows: Floats) -> Floats:
        """Q of links, by their features."""
        return self._network.values(rows)

    def remember(self, features: list[float], reward: float, links: Floats) -> None:
        """A link with these features was followed: its reward, and the features of the links there, of one at least."""
        if len(links) > _MOST_LINKS:
            links = links[np.linspace(0, len(links) - 1, _MOST_LINKS).astype(np.intp)]
        place = self._met % _CAPACITY
        self._experience.set_one(place, (*features, reward))
        self._next[place : place + 1] = [links.astype(np.float16).tobytes()]
        self._new.add(place)
        self._met += 1

    def train(self, pages: int) -> None:
        """After so many pages: take a training step, if it is time for one."""
        if pages % self._refresh == 0:
            self._target = self._network.weights.copy()
        if pages % _EVERY or not self._next:
            return
        self._step(np.random.default_rng((self._seed, pages)))

    def _step(self, dice: np.random.Generator) -> None:
        places = dice.choice(len(self._next), min(_BATCH, len(self._next)), replace=False)
        batch = self._experience[places]
        links = [np.frombuffer(self._next[place], np.float16).reshape(-1, self._features) for place in places.tolist()]
        rows = np.concatenate(links).astype(np.float64)
        starts = np.cumsum([0, *map(len, links)]).tolist()
        values = self._network.values(rows)
        best = [first + int(values[first:last].argmax()) for first, last in pairwise(starts)]
        behind = self._network.values(rows[best], self._target)
        self._network.fit(batch["features"].astype(np.float64), batch["reward"] + self._discount * behind)

    # ---- state ----

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        yield from self._experience.dirty_state()
        for place in sorted(self._new):
            yield f"{_NEXT}{place}", self._next[place]
        self._new.clear()
        yield _NETWORK, self._network.dump()
        yield _TARGET, self._target.tobytes()
        yield _NUMBERS, self._met.to_bytes(8, "little")

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back what `dirty_state` gave."""
        self._experience.restore(state)
        self._network.restore(state[_NETWORK])
        self._target = np.frombuffer(state[_TARGET])
        self._met = int.from_bytes(state[_NUMBERS], "little")
        self._next = [state[f"{_NEXT}{place}"] for place in range(min(self._met, _CAPACITY))]
