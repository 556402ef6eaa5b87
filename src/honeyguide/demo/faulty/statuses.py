"""Error answers: permanent ones, and temporary ones that succeed after waiting."""

from __future__ import annotations

from email.utils import formatdate

from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, FaultRequest, Handler, marker, page, site
from honeyguide.proxy.answer import Answer, html

_HOST = "statuses.example"
_BASE = f"http://{_HOST}"
_FINAL = {404: "gone or never there", 410: "gone for good", 403: "not for you", 500: "broken for ever"}
_WAIT = 1  # seconds, the value of Retry-After


def _sorry(status: int, *extra: tuple[str, str]) -> Answer:
    return html(f"<!DOCTYPE html><title>{status}</title><p>Answer {status}.</p>", *extra, status=status)


def _later(name: str, first: Answer) -> Handler:
    return lambda request: first if request.attempt == 1 else page(name)


def _later_by_date(request: FaultRequest) -> Answer:
    if request.attempt > 1:
        return page("retry-after-date")
    return _sorry(503, ("Retry-After", formatdate(request.now + _WAIT, usegmt=True)))


_PASSING: dict[str, tuple[str, Handler]] = {
    "busy-503": (
        "503 with Retry-After in seconds, then fine",
        _later("busy-503", _sorry(503, ("Retry-After", str(_WAIT)))),
    ),
    "busy-429": (
        "429 with Retry-After in seconds, then fine",
        _later("busy-429", _sorry(429, ("Retry-After", str(_WAIT)))),
    ),
    "retry-after-date": ("503 with Retry-After as a date, then fine", _later_by_date),
    "error-once": ("500 without a hint, then fine", _later("error-once", _sorry(500))),
}

CORNER = Corner(
    faults=(
        *(
            Fault(f"status-{status}", f"{_BASE}/{status}", FaultOutcome.STATUS, why, status=status)
            for status, why in _FINAL.items()
        ),
        *(
            Fault(name, f"{_BASE}/{name}", FaultOutcome.PAGE, why, marker=marker(name))
            for name, (why, _) in _PASSING.items()
        ),
    ),
    hosts={
        _HOST: site(
            {
                **{f"/{status}": _sorry(status) for status in _FINAL},
                **{f"/{name}": handler for name, (_, handler) in _PASSING.items()},
            }
        )
    },
    counted=frozenset(f"{_BASE}/{name}" for name in _PASSING),
)
