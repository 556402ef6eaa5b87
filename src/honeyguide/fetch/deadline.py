"""The time limit of requests, learnt from how long requests usually take."""

from __future__ import annotations

from collections import deque

_RECENT = 200
_EVERY = 20  # requests between two updates from the recent ones
_SHARE = 0.8  # quantile of the recent requests that counts as usual: a few slow hosts must not affect the rest
_FACTOR = 10.0
_FLOOR = 10.0  # minimum time limit, in seconds


class Deadline:
    """The seconds that a request may take: ten times what is usual, at least 10, at most the limit of the settings.

    A host that needs longer is slow; it gets another chance among others that are, with the limit of the settings. The
    time of requests that ran out of it counts, too: if everything becomes slow, as on a bad line, the deadline follows.
    """

    def __init__(self, most: float) -> None:
        self.seconds = most
        self._most = most
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._until_look = _EVERY

    def note(self, seconds: float) -> bool:
        """Record how long a request took. Returns whether the deadline has changed."""
        self._recent.append(seconds)
        self._until_look -= 1
        if self._until_look:
            return False
        self._until_look = _EVERY
        usual = sorted(self._recent)[int(_SHARE * len(self._recent))]
        before, self.seconds = self.seconds, min(max(_FACTOR * usual, _FLOOR), self._most)
        return self.seconds != before
