"""The first view: how the crawl is doing, and the pages as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from honeyguide.dashboard.census import Census
from honeyguide.dashboard.host_list import ListedHost
from honeyguide.dashboard.page_list import ListedPage
from honeyguide.dashboard.status import CrawlStatus, CurvePoint, Milestone
from honeyguide.dashboard.views.charts import charts
from honeyguide.dashboard.views.frame import figures, host_link
from honeyguide.dashboard.views.pages import rows
from honeyguide.document import words
from honeyguide.document.markup import Html, element, lines
from honeyguide.document.page import section, shortened, table
from honeyguide.frontier import State
from honeyguide.store.reasons import describe
from honeyguide.store.url_events import parse_detail
from honeyguide.topic import Topic

_LONGEST_DETAIL = 200


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the first view shows."""

    topic: Topic
    status: CrawlStatus
    curve: Sequence[CurvePoint]
    census: Census | None
    """None while everything is counted for the first time."""
    targets: int
    """How many targets are known; 0 if none are."""
    hosts: Sequence[ListedHost]
    newest: list[ListedPage]
    marks: Mapping[str, str]
    """What pages are marked with, by URL."""
    milestones: Sequence[Milestone]
    indexed: float
    """The share of the crawl that is in the index."""
    problem: str


def overview(seen: Overview, controls: Html) -> list[Html]:
    """The content of the first view."""
    topic = seen.topic
    about = ", ".join(topic.keywords) or topic.description
    return [
        element("h1", shortened(topic.name, 200)),
        element("p", shortened(about, 500), class_="about"),
        *fragments(seen).values(),
        controls,
        element(
            "div",
            section(
                "Pages as they come",
                rows(seen.newest, seen.marks, "stream"),
                element("p", element("a", "All pages", href="/pages")),
            ),
            element("div", _hosts(seen.hosts), _events(seen.milestones)),
            class_="pair",
        ),
    ]


def fragments(seen: Overview) -> dict[str, Html]:
    """The parts of the first view that change while the crawl runs, by their ids."""
    return {
        "state": element("div", *_state(seen), id="state", role="status"),
        "figures": element("div", _figures(seen), id="figures"),
        "charts": element("div", *charts(seen.curve, seen.census, seen.targets), id="charts", class_="pair charts"),
    }


def _state(seen: Overview) -> list[Html]:
    status = seen.status
    if status.is_paused:
        now = "Paused."
    elif status.is_running:
        now = "Running."
    elif status.stop:
        now = f"Ended: {words.sentence(status.stop)}"
    elif status.committed:
        now = "Not running, and not ended: it was killed. Run the same command again to continue it."
    else:
        now = "It has not begun to fetch pages."
    when = f" As of {words.clock(status.committed)} UTC." if status.committed else ""
    parts = [element("p", element("strong", now), element("span", when, class_="quiet"))]
    if seen.problem:
        parts.append(element("p", f"What is shown is not up to date: {seen.problem}", class_="notice"))
    elif seen.indexed < 1:
        parts.append(
            element(
                "p", f"Reading the crawl: {seen.indexed:.0%}. Until then, what is shown is incomplete.", class_="notice"
            )
        )
    return parts


def _figures(seen: Overview) -> Html:
    status, census = seen.status, seen.census
    speed = status.speed if status.speed is not None else status.pages / status.seconds if status.seconds > 0 else None
    shown = [
        ("pages fetched", words.count(status.pages)),
        ("relevant", words.count(status.found)),
        ("harvest now" if status.is_running else "harvest at the end", words.share(status.recent, status.recent_of)),
        ("harvest overall", words.share(status.found, status.pages)),
        (
            "pages per second" + (", now" if status.speed is not None else ""),
            words.NO_NUMBER if speed is None else words.speed(speed),
        ),
        ("time spent crawling", words.duration(status.seconds)),
        ("received", words.size(status.size)),
        ("received per relevant page", words.size(status.size / status.found) if status.found else words.NO_NUMBER),
        ("duplicates not counted", words.count(status.duplicates)),
    ]
    if seen.targets:
        found = len(census.targets_found) if census else 0
        shown.insert(4, (f"recall of {words.count(seen.targets)} targets", words.share(found, seen.targets)))
    if census is not None:
        waiting = census.states[State.WAITING] + census.states[State.IN_FLIGHT]
        shown += [("URLs waiting", words.count(waiting)), ("URLs failed", words.count(census.states[State.FAILED]))]
    failures = element("p", f"Failed requests: {describe(status.errors)}.", class_="quiet") if status.errors else Html()
    return element("div", figures(shown), failures)


def _hosts(hosts: Sequence[ListedHost]) -> Html:
    if not hosts:
        return Html()
    cells = [
        [
            host_link(host.row.id, host.row.name),
            words.count(host.row.pages),
            words.count(host.row.found),
            words.count(host.row.waiting),
        ]
        for host in hosts
    ]
    every = element("p", element("a", "All hosts", href="/hosts"))
    return section("Best hosts", table(("Host", "Pages", "Relevant", "Waiting"), cells), every)


def _events(milestones: Sequence[Milestone]) -> Html:
    if not milestones:
        return Html()
    return section("What happened", element("ul", lines(map(_event, reversed(milestones))), class_="plain"))


def _event(event: Milestone) -> Html:
    detail = parse_detail(event.detail)
    if event.kind == "told":
        given = detail.get("arguments")
        what = " ".join([str(detail.get("command")), *map(str, given if isinstance(given, list) else ())])
        text = f"{detail.get('by')} sent: {what}; {detail.get('result')}"
        return element(
            "li", element("span", words.clock(event.time), class_="quiet"), " ", shortened(text, _LONGEST_DETAIL)
        )
    said = str(detail.get("text") or "") or ", ".join(
        f"{key} {value}" for key, value in detail.items() if key != "kind"
    )
    text = f"{event.kind}{': ' if said else ''}{said}"
    return element(
        "li", element("span", words.clock(event.time), class_="quiet"), " ", shortened(text, _LONGEST_DETAIL)
    )
