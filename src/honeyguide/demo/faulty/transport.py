"""Servers that are slow or silent, never stop sending, send a wrong Content-Length, or do not speak HTTP."""

from __future__ import annotations

from dataclasses import replace

from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, marker, page, site
from honeyguide.proxy.answer import Answer, Behaviour

_LINE = b"<p>There is always another line to read on this page.</p>\n"


def _behaving(name: str, behaviour: Behaviour, seconds: float = 0.0, lines: int = 0) -> Answer:
    answer = page(name)
    return replace(answer, body=answer.body + _LINE * lines, behaviour=behaviour, seconds=seconds)


def _lying(name: str, difference: int) -> Answer:
    answer = page(name, "".join("<p>More.</p>\n" for _ in range(40)))
    return replace(answer, headers=(*answer.headers, ("Content-Length", str(len(answer.body) + difference))))


# One host each: a host that hangs must not delay another fault.
_HOSTS: dict[str, Answer] = {
    "late": _behaving("late", Behaviour.DELAY, 0.3),
    "slow": _behaving("slow", Behaviour.DRIP, 0.01, lines=4),
    "dripping": _behaving("dripping", Behaviour.DRIP, 1.0, lines=10_000),
    "hanging": _behaving("hanging", Behaviour.HANG),
    "closing-early": _behaving("closing-early", Behaviour.CLOSE, lines=50),
    "closing-at-once": _behaving("closing-at-once", Behaviour.REFUSE),
    "endless": _behaving("endless", Behaviour.ENDLESS, lines=100),
    "garbage": Answer(
        200, body=b"\x00\x01\x02 220 mail.example ready\r\n\xff\xfe\r\n\r\n", behaviour=Behaviour.GARBAGE
    ),
    "length-too-long": _lying("length-too-long", 1000),
    "length-too-short": _lying("length-too-short", -100),
    "empty": Answer(200, (("Content-Type", "text/html"),)),
}


def _kept(name: str, why: str) -> Fault:
    return Fault(name, f"http://{name}.example/", FaultOutcome.PAGE, why, marker=marker(name))


def _cut(name: str, truncated: str, why: str) -> Fault:
    return Fault(name, f"http://{name}.example/", FaultOutcome.CUT, why, marker=marker(name), truncated=truncated)


def _failed(name: str, kind: str, why: str) -> Fault:
    return Fault(name, f"http://{name}.example/", FaultOutcome.FAILED, why, kind=kind)


CORNER = Corner(
    faults=(
        _kept("late", "answers after 0.3 seconds"),
        _kept("slow", "sends its page in small pieces"),
        Fault("empty", "http://empty.example/", FaultOutcome.PAGE, "200 with an empty body"),
        _cut("closing-early", "disconnect", "closes the connection in the middle of the body"),
        _cut("length-too-long", "disconnect", "Content-Length promises more than comes"),
        _cut("endless", "length", "a body without end"),
        _failed("dripping", "timeout", "sends so slowly that the total time runs out"),
        _failed("hanging", "timeout", "takes the request and never answers"),
        _failed("closing-at-once", "connect", "closes the connection without a byte"),
        _failed("length-too-short", "protocol", "more comes than Content-Length promises, and it is no next answer"),
        _failed("garbage", "protocol", "what comes is not HTTP"),
    ),
    hosts={f"{name}.example": site({"/": answer}) for name, answer in _HOSTS.items()},
)
