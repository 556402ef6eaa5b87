"""The learner of TRES: double Q-learning from a replay memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from honeyguide.strategy.queues.rows import RowStore
from honeyguide.strategy.queues.tres_network import Floats, Network

_CAPACITY = 10_000  # capacity of the memory: older experiences are replaced
_MAX_LINKS = 64  # links stored per page
_BATCH, _EVERY = 60, 3  # experiences in a training step, and pages between two steps
_NETWORK, _TARGET, _NUMBERS, _NEXT = "tres network", "tres target", "tres numbers", "tres next/"


class DoubleQ:
    """Learns Q(link): the reward of fetching it, plus the discounted value of the best link of its page.

    A training step takes a random batch of experiences and moves Q(link) towards r + discount · Q'(l*), where l* is the
    link of the page with the highest Q, and Q' the network as it was at the last refresh (double Q-learning).
    Experiences are pages with links; of a page with many, an evenly spaced selection of links is stored.
    """

    def __init__(self, features: int, discount: float, refresh: int, seed: int) -> None:
        """Set up with nothing learnt.

        Args:
            features: The number of features of a link.
            discount: The discount factor of the next reward.
            refresh: Pages between two refreshes of Q'.
            seed: The seed of the initial weights and of the batches.
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
        self._next: list[bytes] = []  # by experience, the features of the links
        self._new: set[int] = set()  # indices in the memory that have changed
        self._count = 0  # experiences so far

    def values(self, rows: Floats) -> Floats:
        """The Q of links, given their features."""
        return self._network.values(rows)

    def remember(self, features: list[float], reward: float, links: Floats) -> None:
        """Store an experience: the features of a link, its reward, and the features of its page's links."""
        if len(links) > _MAX_LINKS:
            links = links[np.linspace(0, len(links) - 1, _MAX_LINKS).astype(np.intp)]
        place = self._count % _CAPACITY
        self._experience.set_one(place, (*features, reward))
        self._next[place : place + 1] = [links.astype(np.float16).tobytes()]
        self._new.add(place)
        self._count += 1

    def train(self, pages: int) -> None:
        """Take a training step, if one is due after this many pages."""
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
        yield _NUMBERS, self._count.to_bytes(8, "little")

    def restore(self, state: Mapping[str, bytes]) -> None:
        """Take back what `dirty_state` gave."""
        self._experience.restore(state)
        self._network.restore(state[_NETWORK])
        self._target = np.frombuffer(state[_TARGET])
        self._count = int.from_bytes(state[_NUMBERS], "little")
        self._next = [state[f"{_NEXT}{place}"] for place in range(min(self._count, _CAPACITY))]
