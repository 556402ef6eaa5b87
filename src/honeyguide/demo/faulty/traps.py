"""Hosts that generate new URLs without end."""

from __future__ import annotations

import re
from hashlib import blake2b

from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, FaultRequest, page
from honeyguide.proxy.answer import NOT_FOUND, Answer

_ITEMS = 8
_MONTH = re.compile(r"/(\d{4})/(\d{2})/")
_ITEM = re.compile(r"/(?:item/(\d))?(?:;jsessionid=\w+)?(?:\?(?:sid|PHPSESSID)=\w+)?")
_REPEATED = re.compile(r"/(?:a/b/)*(?:a/)?")


def _links(*targets: str) -> str:
    return "\n".join(f'<p><a href="{target}">{target.partition("?")[0]}</a></p>' for target in targets)


def _calendar(request: FaultRequest) -> Answer:
    if request.target == "/":
        return page("calendar", _links("/2024/01/"))
    found = _MONTH.fullmatch(request.target)
    if not found or not 1 <= int(found[2]) <= 12:
        return NOT_FOUND
    month = int(found[1]) * 12 + int(found[2]) - 1
    near = (f"/{other // 12 % 10_000:04}/{other % 12 + 1:02}/" for other in (month - 1, month + 1))
    return page(f"calendar {found[1]}-{found[2]}", _links(*near))


def _sessions(request: FaultRequest) -> Answer:
    """Eight pages that link to each other only under URLs never used before."""
    found = _ITEM.fullmatch(request.target)
    if not found:
        return NOT_FOUND

    def fresh(item: int) -> str:
        new = blake2b(f"{request.target} {item}".encode(), digest_size=12).hexdigest()
        return (f"/item/{item}?sid={new}", f"/item/{item}?PHPSESSID={new}", f"/item/{item};jsessionid={new}")[item % 3]

    return page(f"session item {found[1]}" if found[1] else "sessions", _links(*map(fresh, range(_ITEMS))))


def _paths(request: FaultRequest) -> Answer:
    if not _REPEATED.fullmatch(request.target):
        return NOT_FOUND
    step = "b/" if request.target.endswith("a/") else "a/"
    return page("repeating-path" if request.target == "/" else f"path {request.target}", _links(step))


CORNER = Corner(
    faults=(
        Fault("calendar", "http://calendar.example/", FaultOutcome.TRAP, "every month links to the next and the last"),
        Fault(
            "sessions", "http://sessions.example/", FaultOutcome.TRAP,
            "a new session id in every link: nine pages in truth",
            most=_ITEMS + 1,
        ),
        Fault(
            "repeating-path", "http://repeating.example/", FaultOutcome.TRAP,
            "relative links that lengthen the path: /a/b/a/b/...", most=10,
        ),
    ),
    hosts={"calendar.example": _calendar, "sessions.example": _sessions, "repeating.example": _paths},
)  # fmt: skip
