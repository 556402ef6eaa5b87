"""What a crawl notes as it goes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from honeyguide.crawl.budget import StopReason
from honeyguide.fetch.base import Response
from honeyguide.store.tally import Tally
from honeyguide.strategy.reading import Reading


class RecorderProtocol(Protocol):
    """Takes down everything that happens, in the order it happens."""

    tally: Tally
    redirect_hops: dict[int, int]
    """By URL: how many redirects in a row led to it."""

    def page(self, number: int, response: Response, reading: Reading, /) -> None:
        """A page was fetched and read."""
        ...

    def answer(self, response: Response, /) -> object:
        """Something else was answered."""
        ...

    def redirect(self, source: int, target: int, hops: int, /) -> None:
        """One URL leads to another, as the `hops`-th redirect in a row."""
        ...

    def redirected_from(self, sources: Iterable[int], /) -> set[int]:
        """The URLs that some led to, directly or not, as far as earlier runs noted it."""
        ...

    def event(self, time: float, kind: str, url: int | None = None, /, **detail: Any) -> None:
        """Something happened."""
        ...

    def robots(self, origin: str, now: float, status: int, body: bytes, /) -> None:
        """What a robots.txt said."""
        ...

    def host_rests(self, name: str, until: float, reason: str, /) -> None:
        """A host must be left alone for long, and why."""
        ...

    def seconds(self, now: float, /) -> float:
        """Time spent crawling, over all runs."""
        ...

    def commit(self, now: float, stop: StopReason | None = None, /) -> None:
        """Everything noted so far is safe when this returns."""
        ...
