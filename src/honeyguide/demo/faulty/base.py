"""The building blocks of faults."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from honeyguide.proxy.answer import NOT_FOUND, Answer, html, plain


class FaultOutcome(Enum):
    """The expected outcome for a faulty URL in a crawl with default settings (timeouts may be shorter)."""

    PAGE = "a page is stored, at `at` if that is given"
    CUT = "an incomplete page is stored: `truncated` says why"
    UNKEPT = "the page is fetched, but asks not to be indexed"
    SKIPPED = "it is answered, but the body is not read: its type is not wanted"
    STATUS = "after all retries it is still answered with the error `status`"
    FAILED = "after all retries there is no answer: a failure of this `kind`"
    LOST = "redirects do not lead to a page"
    REFUSED = "it is never requested: robots.txt, the guard or the scope forbids it"
    TRAP = "it never ends; at most `most` of its pages are fetched (0: only a budget ends it)"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its URL and the expected outcome."""

    name: str
    url: str
    outcome: FaultOutcome
    why: str
    at: str = ""
    """The URL of the page that is stored, if redirects lead to another one."""
    marker: str = ""
    """Text that the decoded page contains."""
    status: int = 0
    kind: str = ""
    truncated: str = ""
    """The expected value of `Response.truncated`."""
    leads_to: tuple[str, ...] = ()
    """URLs that the crawl must reach from this page, in canonical form."""
    forbidden: tuple[str, ...] = ()
    """URLs that must never be requested."""
    most: int = 0


class FaultRequest(NamedTuple):
    """A request to a faulty host."""

    host: str
    target: str
    attempt: int
    now: float


Handler = Callable[[FaultRequest], Answer]


class Corner(NamedTuple):
    """A family of faults and the hosts that show them."""

    faults: tuple[Fault, ...]
    hosts: Mapping[str, Handler]
    counted: frozenset[str] = frozenset()
    """URLs whose answer depends on the attempt."""


def marker(name: str) -> str:
    """The text that identifies the page of a fault."""
    return f"This page shows {name}."


def document(name: str, body: str = "", head: str = "") -> str:
    """A small page that contains its marker."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title>{head}</head>\n'
        f"<body>\n<h1>{name}</h1>\n<p>{marker(name)}</p>\n{body}\n</body>\n</html>\n"
    )


def page(name: str, body: str = "", *headers: tuple[str, str], head: str = "") -> Answer:
    """The small page as an answer."""
    return html(document(name, body, head), *headers)


def site(pages: Mapping[str, Answer | Handler], otherwise: Handler | None = None) -> Handler:
    """A host that serves these pages by path and query; robots.txt allows everything unless it is given."""

    def answer(request: FaultRequest) -> Answer:
        found = pages.get(request.target)
        if found is None:
            if request.target == "/robots.txt":
                return plain("User-agent: *\nDisallow:\n")
            return otherwise(request) if otherwise else NOT_FOUND
        return found if isinstance(found, Answer) else found(request)

    return answer
