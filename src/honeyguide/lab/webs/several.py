"""Several webs as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from honeyguide.fetch.base import Response

if TYPE_CHECKING:
    from honeyguide.lab.web import VirtualWeb


class SeveralWebs:
    """Several webs as one: the first web that has a URL provides its response."""

    def __init__(self, webs: Sequence[VirtualWeb]) -> None:
        self._webs = tuple(webs)
        self.name = ", ".join(web.name for web in webs)
        self.digest = blake2b("".join(web.digest for web in webs).encode(), digest_size=16).hexdigest()
        self.notes = tuple(note for web in webs for note in web.notes)
        self._length = sum(1 for _ in self.urls())

    def __len__(self) -> int:
        return self._length

    def __contains__(self, url: str) -> bool:
        return any(url in web for web in self._webs)

    def urls(self) -> Iterator[str]:
        """Web by web, each in its own order."""
        for number, web in enumerate(self._webs):
            before = self._webs[:number]
            yield from (url for url in web.urls() if not any(url in other for other in before))

    def labels(self) -> Iterator[tuple[str, str]]:
        """The sitemaps of all webs that have any."""
        return (labelled for web in self._webs if hasattr(web, "labels") for labelled in web.labels())

    def response(self, url: str) -> Response | None:
        """The response of the first web that has the URL."""
        return next((web.response(url) for web in self._webs if url in web), None)
