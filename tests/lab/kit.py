"""A web on paper for the lab's tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import sha256
from zlib import crc32

from honeyguide.fetch.base import Response


def page(words: str, *links: str, own: int = 40) -> str:
    """A page that says some words, and enough of its own to be no copy of another."""
    filler = " ".join(f"filler{crc32(f'{words} {links} {place}'.encode())}" for place in range(own))
    anchors = "".join(f'<p><a href="{link}">on</a></p>' for link in links)
    return f"<!DOCTYPE html><title>{words[:20]}</title><p>{words} {filler}</p>{anchors}"


class PaperVirtualWeb:
    """A virtual web from a mapping: a value is HTML, or ``-> URL`` for a redirect."""

    name = "paper"
    notes: tuple[str, ...] = ()

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = dict(pages)
        self.digest = sha256(repr(sorted(pages.items())).encode()).hexdigest()
        self.asked: list[str] = []

    def __len__(self) -> int:
        return len(self.pages)

    def __contains__(self, url: str) -> bool:
        return url in self.pages

    def urls(self) -> Iterator[str]:
        return iter(self.pages)

    def response(self, url: str) -> Response | None:
        self.asked.append(url)
        html = self.pages.get(url)
        if html is None:
            return None
        if html.startswith("-> "):
            return Response(url, 301, "Moved", (("Location", html[3:]),), b"", b"", ())
        body = html.encode()
        return Response(url, 200, "OK", (("Content-Type", "text/html; charset=utf-8"),), body, body, ())
