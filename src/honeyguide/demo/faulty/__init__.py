"""Faulty servers and documents, on separate hosts, each with the outcome that a crawl should have."""

from __future__ import annotations

from honeyguide.demo.faulty import (
    charsets,
    documents,
    encodings,
    listings,
    redirects,
    robots,
    statuses,
    transport,
    traps,
)
from honeyguide.demo.faulty.base import Fault, FaultOutcome, FaultRequest, Handler, document, site
from honeyguide.proxy.answer import Answer, html

__all__ = ["HOSTS", "INDEX", "Fault", "FaultOutcome", "answer", "counted", "faults"]

INDEX = "http://faults.example/"
_CORNERS = tuple(
    module.CORNER for module in (redirects, statuses, robots, charsets, encodings, transport, traps, documents)
)
_COUNTED = frozenset(url for corner in _CORNERS for url in corner.counted)


def faults() -> tuple[Fault, ...]:
    """All faults, in a fixed order, each with a unique name."""
    return tuple(fault for corner in _CORNERS for fault in corner.faults)


def _index() -> Answer:
    items = "\n".join(f'<li><a href="{fault.url}">{fault.name}</a>: {fault.why}</li>' for fault in faults())
    return html(document("the odd corners of the web", f"<ul>\n{items}\n</ul>"))


HOSTS: dict[str, Handler] = {
    "faults.example": site({"/": _index()}),
    **{host: handler for corner in _CORNERS for host, handler in corner.hosts.items()},
    **listings.HOSTS,
}


def answer(host: str, target: str, attempt: int, now: float) -> Answer:
    """The answer of a faulty host to a path with query."""
    return HOSTS[host](FaultRequest(host, target, attempt, now))


def counted(host: str, target: str) -> bool:
    """Whether the answer depends on the attempt."""
    return f"http://{host}{target}" in _COUNTED
