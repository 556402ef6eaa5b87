"""The answer of a served web to one request, independent of the transport."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

Headers = tuple[tuple[str, str], ...]

HTML = "text/html; charset=utf-8"

DRIP = 16
"""The number of bytes in each piece of a body that is sent with `Behaviour.DRIP`."""


class Behaviour(Enum):
    """How the transport sends an answer, where this cannot be expressed in bytes."""

    PLAIN = "send the answer"
    DELAY = "wait `seconds`, then send the answer"
    HANG = "take the request and never answer"
    DRIP = "send the body in pieces of `DRIP` bytes, `seconds` apart"
    CLOSE = "send the head and half of the body, then close the connection"
    REFUSE = "close the connection without a byte"
    ENDLESS = "send the body again and again, forever"
    GARBAGE = "send the body alone: no status line, no headers"


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and body as they go over the wire (compressed if they say so).

    The transport adds Date, and Content-Length unless it is among the headers: then it is wrong on purpose and is sent
    unchanged.
    """

    status: int
    headers: Headers = ()
    body: bytes = b""
    behaviour: Behaviour = Behaviour.PLAIN
    seconds: float = 0.0

    def header(self, name: str) -> str:
        """The first value of a header, by lower-case name; "" if it is absent."""
        return next((value for key, value in self.headers if key.lower() == name), "")


def html(text: str, *extra: tuple[str, str], status: int = 200) -> Answer:
    """An HTML answer in UTF-8."""
    return Answer(status, (("Content-Type", HTML), *extra), text.encode())


def plain(text: str, *extra: tuple[str, str], status: int = 200) -> Answer:
    """A plain-text answer in UTF-8."""
    return Answer(status, (("Content-Type", "text/plain; charset=utf-8"), *extra), text.encode())


NOT_FOUND = html("<!DOCTYPE html><title>Not found</title><h1>Not found</h1><p>There is no such page.</p>", status=404)
