"""What a bad side of the web is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from honeyguide.proxy.answer import NOT_FOUND, Answer, html, plain


class FaultOutcome(Enum):
    """What should become of a faulty URL in a crawl with default settings (times may be shorter)."""

    PAGE = "a page is kept, at `at` if that is given"
    CUT = "a page is kept, though not whole: `truncated` says why"
    UNKEPT = "the page is fetched, but it asks not to be kept"
    SKIPPED = "it is answered, but the body is not read: no wanted type"
    STATUS = "after all retries it is still answered with the error `status`"
    FAILED = "after all retries there is no answer: a failure of this `kind`"
    LOST = "redirects lead to no page"
    REFUSED = "it is never asked for: robots.txt, the guard or the scope forbids it"
    TRAP = "it never ends; at most `most` of its pages are fetched (0: only a budget ends it)"


@dataclass(frozen=True, slots=True)
class Fault:
    """One bad side: where it is and what should become of it."""

    name: str
    url: str
    outcome: FaultOutcome
    why: str
    at: str = ""
    """The URL of the page that is kept, where redirects lead to another."""
    marker: str = ""
    """Text that the decoded page holds."""
    status: int = 0
    kind: str = ""
    truncated: str = ""
    """As `Response.truncated` says it."""
    leads_to: tuple[str, ...] = ()
    """URLs that the crawl must reach from this page, in canonical form."""
    forbidden: tuple[str, ...] = ()
    """URLs that must never be asked for."""
    most: int = 0


class Ask(NamedTuple):
    """A request as the faulty hosts see it."""

    host: str
    target: str
    attempt: int
    now: float


Handler = Callable[[Ask], Answer]


class Corner(NamedTuple):
    """A family of bad sides and the hosts that show them."""

    faults: tuple[Fault, ...]
    hosts: Mapping[str, Handler]
    counted: frozenset[str] = frozenset()
    """URLs whose answer depends on the attempt."""


def marker(name: str) -> str:
    """The text by which the page of a fault is known."""
    return f"This page shows {name}."


def document(name: str, body: str = "", head: str = "") -> str:
    """A small page that holds its marker."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{name}</title>{head}</head>\n'
        f"<body>\n<h1>{name}</h1>\n<p>{marker(name)}</p>\n{body}\n</body>\n</html>\n"
    )


def page(name: str, body: str = "", *headers: tuple[str, str], head: str = "") -> Answer:
    """The small page as an answer."""
    return html(document(name, body, head), *headers)


def site(pages: Mapping[str, Answer | Handler], otherwise: Handler | None = None) -> Handler:
    """A host that shows these pages by path and query; robots.txt allows everything unless it is given."""

    def answer(ask: Ask) -> Answer:
        found = pages.get(ask.target)
        if found is None:
            if ask.target == "/robots.txt":
                return plain("User-agent: *\nDisallow:\n")
            return otherwise(ask) if otherwise else NOT_FOUND
        return found if isinstance(found, Answer) else found(ask)

    return answer
