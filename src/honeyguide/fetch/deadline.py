"""How long a request may take, learnt from how long requests usually take."""

from __future__ import annotations

from collections import deque

_RECENT = 200
_EVERY = 20  # requests between two looks at the recent ones
_SHARE = 0.8  # of the recent requests are usual: a few slow hosts must not make the rest look slow
_FACTOR = 10.0
_FLOOR = 10.0  # seconds that every request may take, however quick the others are


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
        """Take into account how long a request took. Returns whether the deadline is another one now."""
        self._recent.append(seconds)
        self._until_look -= 1
        if self._until_look:
            return False
        self._until_look = _EVERY
        usual = sorted(self._recent)[int(_SHARE * len(self._recent))]
        before, self.seconds = self.seconds, min(max(_FACTOR * usual, _FLOOR), self._most)
        return self.seconds != before
