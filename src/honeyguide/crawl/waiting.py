"""Why a URL waits: its rank in the queues, and the reasons that delay it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from honeyguide.crawl.probation import Probation
from honeyguide.document.words import moment
from honeyguide.errors import HoneyguideError, plugin_errors
from honeyguide.fetch.numbers import LONGEST_WAIT
from honeyguide.fetch.robots import Rules, read_robots
from honeyguide.frontier import Frontier, State
from honeyguide.page.url import host_of, origin_of
from honeyguide.store.crawl import Crawl
from honeyguide.store.url_events import RETRY
from honeyguide.store.why import PathStep
from honeyguide.strategy.registry import strategy_named

_COUNT = "SELECT count(*), coalesce(sum(priority > ?1), 0) FROM urls WHERE state <= 1"
_EQUALS = "SELECT url, id FROM urls WHERE state <= 1 AND priority = ?1"
_ON_HOST = "(substr(url, 1, length(?2)) = ?2 OR substr(url, 1, length(?3)) = ?3)"


@dataclass(frozen=True, slots=True)
class Rank:
    """A position in a queue, from 1, and the length of the queue."""

    place: int
    of: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """The ranks of a waiting URL, and the reasons that delay it."""

    overall: Rank
    on_host: Rank
    reasons: tuple[str, ...]
    """The reasons that delay it, apart from the URLs before it."""


def waiting_of(crawl: Crawl, step: PathStep, frontier: Frontier, now: float) -> Waiting:
    """Explain why a URL waits. `frontier` is the restored frontier of the crawl."""
    overall = _rank(crawl, step, "")
    on_host = _rank(crawl, step, f" AND {_ON_HOST}", *_origins(step.url))
    reasons = (*_of_crawl(crawl, step), *_of_host(crawl, step, now), *_of_probation(crawl, step, frontier))
    return Waiting(overall, on_host, reasons)


def _origins(url: str) -> tuple[str, str]:
    """The prefixes of the URLs of a host."""
    return f"http://{host_of(url)}/", f"https://{host_of(url)}/"


def _rank(crawl: Crawl, step: PathStep, condition: str, *values: object) -> Rank:
    """Its rank among some URLs: behind those with a higher priority, and equal ones that the strategy puts first."""
    name = crawl.topic.strategy.name
    with plugin_errors("strategy", name, step.url, passing=(HoneyguideError,)):
        rank = strategy_named(name).queue().rank or (lambda _url, number: number)
        own = rank(step.url, step.number), step.number
        equals = crawl.query(_EQUALS + condition, step.priority, *values)
        first = sum((rank(url, number), number) < own for url, number in equals)
    ((count, before),) = crawl.query(_COUNT + condition, step.priority, *values)
    return Rank(before + first + 1, count)


def _of_crawl(crawl: Crawl, step: PathStep) -> Iterator[str]:
    if stop := crawl.meta.get("stop_text", ""):
        yield f"the crawl has ended: {stop}"
    if step.last_event is not None and step.last_event.kind == RETRY:
        yield f"{step.last_event.text} ({moment(step.last_event.time)}); it is tried again"


def _of_host(crawl: Crawl, step: PathStep, now: float) -> Iterator[str]:
    host, most = host_of(step.url), crawl.topic.scope.pages_per_host
    for (until,) in crawl.query("SELECT not_before FROM hosts WHERE name = ? AND not_before > ?", host, now):
        sql = (
            "SELECT json_extract(detail, '$.reason') FROM events WHERE kind = 'host rests' "
            "AND json_extract(detail, '$.host') = ? ORDER BY id DESC LIMIT 1"
        )
        reason = next(crawl.query(sql, host), (None,))[0]
        when = moment(min(until, now + LONGEST_WAIT))
        yield f"its host is not contacted before {when}{f': {reason}' if reason else ''}"
    if most:
        sql = f"SELECT count(*) FROM urls WHERE state IN (?1, ?4) AND {_ON_HOST}"  # noqa: S608 (own text)
        ((taken,),) = crawl.query(sql, int(State.DONE), *_origins(step.url), int(State.FAILED))
        if taken >= most:
            yield f"its host has had as many pages as a host may have: {most:,} (scope.pages_per_host)"
    if crawl.topic.fetch.robots:
        yield from _of_robots(crawl, step.url)


def _of_robots(crawl: Crawl, url: str) -> Iterator[str]:
    origin, settings = origin_of(url), crawl.topic.fetch
    rules: Rules | None = None
    for status, body in crawl.query("SELECT status, body FROM robots WHERE origin = ?", origin):
        rules = read_robots(status, body, settings.agent)
    if rules is None:
        sql = (
            "SELECT json_extract(detail, '$.status') FROM events WHERE kind = 'robots' "
            "AND json_extract(detail, '$.origin') = ? ORDER BY id DESC LIMIT 1"
        )
        for (status,) in crawl.query(sql, origin):
            found = f"status {status}" if status else "no response"
            yield f"the robots.txt of its host could not be fetched ({found}), so nothing is fetched until it can be"
    elif not rules.allowed(url):
        yield "robots.txt disallows it: it will be refused when its turn comes"
    elif rules.crawl_delay and (delay := min(rules.crawl_delay, settings.max_crawl_delay)) > settings.delay:
        yield f"its host wants {delay:g} s between two requests (Crawl-delay)"


def _of_probation(crawl: Crawl, step: PathStep, frontier: Frontier) -> Iterator[str]:
    probation = Probation(frontier, crawl.topic.scope)
    probation.restore(crawl.query("SELECT id, duplicate_of FROM pages ORDER BY seq"))
    if frontier.hosts.on_probation(frontier.urls.host(step.number)) or probation.doubts(step.number):
        share = f"{crawl.topic.scope.probation:g} pages for each page of other hosts"
        yield f"its host is on probation, as a site that may be spam: it gets {share} (scope.probation)"
