"""A web of thousands of hosts that watches how it is crawled: ``python -m benchmarks.reliability.strict_server``.

Every request is checked as it arrives, against all earlier ones to its host, its registered domain and its IP address.
Hosts are at loopback addresses, several domains at one. Some answers are redirects, errors, requests to come back
later, or none. The first line of output is the port; further lines are reports, as JSON, one every few seconds and one
at the end.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections import Counter, defaultdict, deque
from random import Random
from time import monotonic
from typing import NamedTuple, cast
from zlib import crc32

import uvloop

HOSTS, PER_DOMAIN, PER_ADDRESS, PAGES = 4000, 2, 8, 320
"""Hosts, hosts of a domain, hosts at an address, pages of a host."""
GRAIN = 0.002  # seconds by which clocks of two processes may differ on what is one moment
LATE = 0.25  # seconds that a busy machine may take from a request's start to its arrival
_TICK = 0.005  # seconds between two looks at the clock, by which the server knows how long it was itself held up
_TICKS = 6  # a connection is accepted, and its request read, within so many
_SPAN = 10.0  # seconds over which requests to domains and addresses are counted
_WORDS = ("honey bee hive queen comb wax nectar swarm brood keeper colony flower pollen drone frame smoker").split()
_EVERY = 5.0


class Rule(NamedTuple):
    """What is allowed of a host, a domain or an address: the defaults of honeyguide."""

    at_once: int
    delay: float

    @property
    def span(self) -> int:
        """So many delays are counted together."""
        return round(_SPAN / self.delay)


RULES = {"host": Rule(1, 1.0), "domain": Rule(2, 0.5), "address": Rule(4, 0.1)}


def host_name(number: int) -> str:
    """The name of a host."""
    return f"h{number % PER_DOMAIN}.d{number // PER_DOMAIN}.example"


def host_number(name: str) -> int:
    """The host of a name."""
    first, second, _ = name.split(".")
    return int(second[1:]) * PER_DOMAIN + int(first[1:])


def address_of(number: int) -> str:
    """Where a host is."""
    place = number // PER_ADDRESS
    return f"127.7.{place // 250}.{place % 250 + 1}"


def crawl_delay(number: int) -> float:
    """The seconds that the robots.txt of a host demands between two requests: 0 for most."""
    return 2.0 if number % 20 == 7 else 0.0


class Watch:
    """All that was requested of one host, domain or address."""

    __slots__ = ("answered", "arrivals", "delay", "not_before", "rule", "under_way")

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.delay = rule.delay
        self.under_way = 0
        self.answered = self.not_before = -1e9
        self.arrivals: deque[float] = deque(maxlen=rule.span)  # the earliest moment at which each can have arrived

    def begin(self, now: float, earliest: float) -> list[str]:
        """A request is read now, and arrived after `earliest`; returns what is wrong with that.

        Where only one may be under way, each must come a full delay after the answer to the one before: that can be
        told exactly. Where there are several, one may be on its way while another is answered, so that only the
        arrivals are compared, and the time that a request takes to arrive is allowed for: once for many of them.
        """
        wrong = []
        rule, arrivals = self.rule, self.arrivals
        self.under_way += 1
        if self.under_way > rule.at_once:
            wrong.append("too many at once")
        if rule.at_once == 1 and now - self.answered < self.delay - GRAIN:
            wrong.append("too soon after an answer")
        if arrivals and now - arrivals[-1] < self.delay - GRAIN - LATE:
            wrong.append("too soon after a request")
        if len(arrivals) == rule.span and now - arrivals[0] < rule.span * rule.delay - GRAIN - LATE:
            wrong.append(f"more than {rule.span} in {_SPAN:g} s")
        if now < self.not_before - GRAIN:
            wrong.append("before Retry-After")
        arrivals.append(earliest)
        return wrong

    def end(self, at: float) -> None:
        """Its answer was about to be sent at this moment, or its connection was gone at the earliest."""
        self.under_way -= 1
        self.answered = at


class Web:
    """What is answered, and what was wrong with the requests."""

    def __init__(self) -> None:
        chance = Random(1)
        vocabulary = [*_WORDS, *(f"w{chance.randrange(1 << 30):x}" for _ in range(20_000))]
        self._chunks = [" ".join(chance.choices(vocabulary, k=9) + chance.choices(_WORDS)) for _ in range(30_000)]
        self._watches: dict[str, defaultdict[str, Watch]] = {
            kind: defaultdict(lambda rule=rule: Watch(rule))  # type: ignore[misc]
            for kind, rule in RULES.items()
        }
        self._ticks = deque([monotonic()], maxlen=_TICKS)
        self.longest_stall = 0.0
        self.requests = 0
        self.answers: Counter[str] = Counter()
        self.violations: Counter[str] = Counter()
        self.examples: list[str] = []

    def watches(self, number: int) -> list[tuple[str, Watch]]:
        """The watches of a host."""
        groups = {
            "host": str(number),
            "domain": str(number // PER_DOMAIN),
            "address": str(number // PER_ADDRESS),
        }
        return [(kind, self._watches[kind][name]) for kind, name in groups.items()]

    def tick(self, now: float) -> None:
        """The server looks for requests: what it reads before the sixth tick from here arrived after this one."""
        self.longest_stall = max(self.longest_stall, now - self._ticks[-1] - _TICK)
        self._ticks.append(now)

    @property
    def earliest(self) -> float:
        """The earliest moment at which what the server notices now can have happened."""
        return self._ticks[0]

    def begin(self, number: int, target: str, address: str, now: float) -> list[tuple[str, Watch]]:
        """A request arrives."""
        self.requests += 1
        watches = self.watches(number)
        gaps = {kind: now - watch.arrivals[-1] for kind, watch in watches if watch.arrivals}
        wrong = [f"{kind}: {problem}" for kind, watch in watches for problem in watch.begin(now, self.earliest)]
        if address != address_of(number):
            wrong.append("sent to another address")
        if target.startswith("/private/"):
            wrong.append("forbidden by robots.txt")
        self.violations.update(wrong)
        if wrong and len(self.examples) < 20:
            seconds = ", ".join(f"{gap:.3f} s ({kind})" for kind, gap in gaps.items())
            self.examples.append(f"{host_name(number)}{target} at {now:.3f}: {', '.join(wrong)}, after {seconds}")
        return watches

    def answer(self, number: int, target: str, now: float) -> bytes | None:
        """The answer to a request; None for none, b"" for an end of the connection."""
        host = dict(self.watches(number))["host"]
        if target == "/robots.txt":
            delay = crawl_delay(number)
            host.delay = max(host.rule.delay, delay)
            demand = f"Crawl-delay: {delay:g}\n" if delay else ""
            return self._say("200 OK", f"User-agent: *\nDisallow: /private/\n{demand}", "text/plain")
        fate = crc32(f"{number}{target}".encode()) % 1000
        if fate < 30:
            return self._say("404 Not Found", "gone")
        if fate < 60:
            return self._say("301 Moved Permanently", "", more=f"Location: {self._link(fate * number)}\r\n")
        if fate < 70:
            return self._say("500 Internal Server Error", "broken")
        if fate < 74:
            host.not_before = now + 5
            return self._say("503 Service Unavailable", "later", more="Retry-After: 5\r\n")
        if fate < 77:
            return self._say("429 Too Many Requests", "too many")
        if fate < 80:
            self.answers["closed"] += 1
            return b""
        if fate < 81:
            self.answers["none"] += 1
            return None
        return self._say("200 OK", self._page(number, target))

    def _say(self, status: str, body: str, kind: str = "text/html", more: str = "") -> bytes:
        self.answers[status[:3]] += 1
        content = body.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{more}\r\n"
        return head.encode() + content

    def _page(self, number: int, target: str) -> str:
        draw = Random(crc32(f"{target} {number}".encode())).randrange
        text = ".\n".join(self._chunks[draw(len(self._chunks))] for _ in range(8))
        links = " ".join(f'<a href="{self._link(draw(1 << 40))}">{_WORDS[draw(16)]}</a>' for _ in range(12))
        return f"<title>page {target}</title><p>{text}</p><p>{links} <a href='/private/{draw(99)}'>bee</a></p>"

    def _link(self, place: int) -> str:
        return f"http://{host_name(place % HOSTS)}/{place // HOSTS % PAGES}"

    def report(self) -> dict[str, object]:
        """What has happened so far."""
        hosts = self._watches["host"]
        return {
            "requests": self.requests,
            "hosts": len(hosts),
            "domains": len(self._watches["domain"]),
            "addresses": len(self._watches["address"]),
            "answers": dict(self.answers),
            "longest stall": self.longest_stall,
            "violations": dict(self.violations),
            "examples": self.examples,
        }


class _Connection(asyncio.Protocol):
    """One connection: requests without a body, one after the other; each takes a few hundredths of a second."""

    def __init__(self, web: Web, loop: asyncio.AbstractEventLoop) -> None:
        self._web = web
        self._loop = loop
        self._rest = b""
        self._under_way: list[tuple[str, Watch]] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's is no subclass
        self._address = transport.get_extra_info("sockname")[0]

    def data_received(self, data: bytes) -> None:
        self._rest += data
        if self._rest.endswith(b"\r\n\r\n"):
            head, self._rest = self._rest.decode("latin-1"), b""
            now = monotonic()
            target = head.split(" ", 2)[1]
            host = head.partition("\r\nHost: ")[2].partition("\r\n")[0].partition(":")[0]
            number = host_number(host)
            self._under_way = self._web.begin(number, target, self._address, now)
            pause = 0.01 + crc32(target.encode()) % 64 / 1000
            self._loop.call_later(pause, self._answer, number, target)

    def _answer(self, number: int, target: str) -> None:
        now = monotonic()
        if not self._under_way:
            return
        answer = self._web.answer(number, target, now)
        if answer is None:
            return
        self._end(now)
        if answer:
            self._transport.write(answer)
        else:
            self._transport.close()

    def connection_lost(self, _: Exception | None) -> None:
        self._end(self._web.earliest)  # a crawler that gives up on an answer counts from then

    def _end(self, at: float) -> None:
        for _, watch in self._under_way:
            watch.end(at)
        self._under_way = []


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    web, ended = Web(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    server = await loop.create_server(lambda: _Connection(web, loop), "0.0.0.0", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)

    def tick() -> None:
        web.tick(monotonic())
        loop.call_later(_TICK, tick)

    tick()
    while not ended.is_set():
        try:
            await asyncio.wait_for(ended.wait(), _EVERY)
        except TimeoutError:
            print(json.dumps(web.report()), flush=True)
    print(json.dumps(web.report()), flush=True)


if __name__ == "__main__":
    uvloop.run(_serve())
    sys.exit()
