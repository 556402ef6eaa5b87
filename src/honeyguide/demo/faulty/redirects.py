"""Redirects: all kinds, chains, loops, and redirects to places that a crawler must not visit."""

from __future__ import annotations

from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, FaultRequest, marker, page, site
from honeyguide.proxy.answer import NOT_FOUND, Answer, html

_HOST = "redirects.example"
_OTHER = "landing.example"
_BASE = f"http://{_HOST}"
_CODES = (301, 302, 303, 307, 308)
PRIVATE = "http://169.254.169.254/latest/meta-data/"


def _to(location: str, status: int = 302) -> Answer:
    return html("<!DOCTYPE html><title>Moved</title><p>Moved.</p>", ("Location", location), status=status)


def _endless(request: FaultRequest) -> Answer:
    stem, _, number = request.target.rpartition("/")
    return _to(f"{int(number) + 1}") if stem == "/endless" and number.isdecimal() else NOT_FOUND


def _kept(name: str, path: str, why: str, at: str) -> Fault:
    return Fault(name, _BASE + path, FaultOutcome.PAGE, why, at=at, marker=marker(name))


_CODE_FAULTS = tuple(
    _kept(f"redirect-{code}", f"/{code}", f"{code} with a relative Location", f"{_BASE}/landed-{code}")
    for code in _CODES
)

_pages: dict[str, Answer] = {
    "/chain-3": _to("/chain-2"),
    "/chain-2": _to("/chain-1", 301),
    "/chain-1": _to(f"{_BASE}/landed-chain", 307),
    "/landed-chain": page("redirect-chain"),
    "/loop-a": _to("/loop-b"),
    "/loop-b": _to("/loop-a"),
    "/self": _to("/self", 301),
    "/other-host": _to(f"http://{_OTHER}/landed"),
    "/private": _to(PRIVATE),
    "/file": _to("file:///etc/hostname"),
    "/nowhere": html("<!DOCTYPE html><title>Moved</title><p>Moved, but where?</p>", status=302),
}
for _code in _CODES:
    _pages[f"/{_code}"] = _to(f"landed-{_code}", _code)
    _pages[f"/landed-{_code}"] = page(f"redirect-{_code}")

CORNER = Corner(
    faults=(
        *_CODE_FAULTS,
        _kept("redirect-chain", "/chain-3", "three redirects in a row", f"{_BASE}/landed-chain"),
        _kept("redirect-other-host", "/other-host", "to another host", f"http://{_OTHER}/landed"),
        Fault("redirect-endless", f"{_BASE}/endless/1", FaultOutcome.LOST, "a chain longer than any limit"),
        Fault("redirect-loop", f"{_BASE}/loop-a", FaultOutcome.LOST, "two pages that redirect to each other"),
        Fault("redirect-self", f"{_BASE}/self", FaultOutcome.LOST, "a page that redirects to itself"),
        Fault("redirect-nowhere", f"{_BASE}/nowhere", FaultOutcome.LOST, "302 without Location"),
        Fault("redirect-scheme", f"{_BASE}/file", FaultOutcome.LOST, "to a file: URL"),
        Fault(
            "redirect-private",
            f"{_BASE}/private",
            FaultOutcome.LOST,
            "to an address that is not public: the guard stops it",
            forbidden=(PRIVATE,),
        ),
    ),
    hosts={_HOST: site(_pages, _endless), _OTHER: site({"/landed": page("redirect-other-host")})},
)
