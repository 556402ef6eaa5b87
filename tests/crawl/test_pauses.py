"""Pauses to the second, on a clock that jumps: between requests, after robots.txt, and from one run to the next."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.visits import Visits
from honeyguide.fetch.base import Failure, Request, Response

from .jumping import BEGAN, LoopClock, TimedWeb, run_jumping
from .kit import about, answer, rows, topic
from .test_patience import HOME, OTHER, busy, gaps

ROBOTS = f"{HOME}robots.txt"


def star(count: int = 4, host: str = HOME) -> dict[str, Any]:
    """A page that links to others on its host."""
    names = [f"{host}{number}" for number in range(1, count)]
    return {host: about("honey", *names), **{name: about(name) for name in names}}


def to(url: str) -> Any:
    return lambda request, _: answer(request.url, b"", ("Location", url), status=301)


# ---- between requests ----


def test_a_crawl_waits_no_longer_than_it_must(tmp_path: Path) -> None:
    web = TimedWeb(star(9))
    outcome = run_jumping(topic([HOME], fetch={"delay": 0.3}), tmp_path, web)
    assert gaps(web.times) == pytest.approx([0.3] * 9)
    assert outcome.tally.seconds == pytest.approx(9 * 0.3, abs=0.01)


def test_the_pause_begins_when_an_answer_has_come(tmp_path: Path) -> None:
    web = TimedWeb(star(), lambda _: 2.0)
    run_jumping(topic([HOME], fetch={"delay": 0.5, "connections": 8}), tmp_path, web)
    assert gaps(web.times) == pytest.approx([2.5] * 4)


def test_a_request_that_is_held_up_before_it_leaves_shortens_no_pause(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, start = LoopClock(), Visits.visit_page
    sent: list[float] = []

    def held_up(self: Visits, number: int, url: str, **settings: Any) -> None:
        start(self, number, url, **settings)
        clock.ahead += 1.5 if len(sent) % 2 == 0 else 0.0  # the event loop does not run meanwhile

    class Web(TimedWeb):
        async def fetch(self, request: Request) -> Response | Failure:
            sent.append(clock.now())
            request.sent()
            return await super().fetch(request)

    monkeypatch.setattr(Visits, "visit_page", held_up)
    hosts = [f"http://{number}.bees.example/" for number in range(6)]
    settings = {"domain_delay": 2.0, "delay": 2.0, "per_domain": 6, "connections": 6, "robots": False}
    run_jumping(topic(hosts, fetch=settings), tmp_path, Web({host: about(host) for host in hosts}), clock=clock)
    assert len(sent) == 6
    assert min(gaps(sent)) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("asked", "pause"), [("7", 7.0), ("60", 9.0), ("0.1", 1.0)], ids=["honoured", "up to a ceiling", "never shorter"]
)
def test_crawl_delay(tmp_path: Path, asked: str, pause: float) -> None:
    web = TimedWeb({**star(), ROBOTS: f"User-agent: *\nCrawl-delay: {asked}"})
    run_jumping(topic([HOME], fetch={"delay": 1.0, "max_crawl_delay": 9.0}), tmp_path, web)
    assert gaps(web.asked_at(HOME)[1:]) == pytest.approx([pause] * 3)


def test_hosts_at_one_address_wait_for_each_other_once_it_is_known(tmp_path: Path) -> None:
    def at(ip: str) -> Any:
        def page(request: Request, _: int) -> Response:
            found = answer(request.url, about(request.url, *(f"http://{name}.example/1" for name in "abc")))
            found.ip = ip
            return found

        return page

    hosts = {"a": "192.0.2.1", "b": "192.0.2.1", "c": "192.0.2.2"}
    web = TimedWeb({f"http://{name}.example/{page}": at(ip) for name, ip in hosts.items() for page in ("", "1")})
    seeds = [f"http://{name}.example/" for name in hosts]
    run_jumping(topic(seeds, fetch={"ip_delay": 5.0, "connections": 8, "robots": False}), tmp_path, web)
    (one,), (other,), (alone,) = (web.asked_at(f"{name}.example/1") for name in hosts)
    assert abs(one - other) >= 5.0
    assert alone == pytest.approx(0.0)  # where it is was not known when its pause began


def test_what_is_left_waits_as_long_as_patience_allows(tmp_path: Path) -> None:
    pages = {HOME: about("honey", "/busy"), f"{HOME}busy": busy(1, ("Retry-After", "50"))}
    for patience, kind in ((49.0, "waiting"), (51.0, "exhausted")):
        folder = tmp_path / kind
        outcome = run_jumping(topic([HOME], fetch={"patience": patience}), folder, TimedWeb(pages))
        assert outcome.stop.kind == kind
    text = run_jumping(topic([HOME], fetch={"patience": 1.0}), tmp_path / "text", TimedWeb(pages)).stop.text
    assert re.search(r"may be contacted before \d\d:\d\d; run the same command again then$", text)


def test_minutes_are_counted_to_the_second(tmp_path: Path) -> None:
    chain = {f"{HOME}{number}": about("honey", f"/{number + 1}") for number in range(90)}
    outcome = run_jumping(topic([f"{HOME}0"], budget={"minutes": 1}), tmp_path, TimedWeb(chain, lambda _: 0.7))
    assert outcome.stop.kind == "minutes"
    assert 60.0 <= outcome.tally.seconds < 60.7
    assert outcome.tally.pages in (84, 85)  # and robots.txt


# ---- from one run to the next ----


@pytest.mark.parametrize(
    ("robots", "fetch", "pause"),
    [
        ("", {"delay": 5.0}, 5.0),
        ("User-agent: *\nCrawl-delay: 8", {"delay": 5.0}, 8.0),
        ("", {"delay": 5.0, "domain_delay": 6.0}, 6.0),
        ("", {"delay": 5.0, "ip_delay": 7.0}, 7.0),
    ],
    ids=["host", "crawl-delay", "domain", "address"],
)
def test_a_run_that_goes_on_rests_all_hosts_first(
    tmp_path: Path, robots: str, fetch: dict[str, float], pause: float
) -> None:
    pages = {**star(5), ROBOTS: robots}
    run_jumping(topic([HOME], budget={"pages": 2}, fetch=fetch), tmp_path, TimedWeb(pages))
    web = TimedWeb(pages)
    run_jumping(topic([HOME], budget={"pages": 3}, fetch=fetch), tmp_path, web, began=BEGAN + 1000)
    assert web.times == pytest.approx([pause])


# ---- robots.txt ----


def test_robots_txt_is_asked_for_once_however_many_want_to_know(tmp_path: Path) -> None:
    web = TimedWeb(star(), lambda url: 2.0 if url == ROBOTS else 0.0)
    seeds = [HOME, *(f"{HOME}{number}" for number in range(1, 4))]
    wanted = topic(seeds, fetch={"connections": 8, "per_host": 8, "per_domain": 8})
    assert run_jumping(wanted, tmp_path, web).tally.pages == 4
    assert web.asked.count(ROBOTS) == 1
    assert web.asked[0] == ROBOTS
    assert min(web.times[1:]) >= 2.0


def test_a_host_that_answers_for_anothers_robots_txt_is_left_in_peace_meanwhile(tmp_path: Path) -> None:
    # The robots.txt of a is that of b, as a says; after its pause b is asked, and takes five seconds to answer. A page
    # of b that is known by then waits for that and for the pause behind it, and b's own robots.txt comes before it.
    shared, third = f"{OTHER}robots.txt", "http://c.example/"
    pages = {**star(2), third: about("bee", OTHER), OTHER: about("comb")}
    pages |= {ROBOTS: to(shared), shared: "User-agent: *\nDisallow: /1"}
    web = TimedWeb(pages, lambda url: 5.0 if url == shared else 0.0)
    outcome = run_jumping(topic([HOME, third], fetch={"connections": 8, "delay": 3.0}), tmp_path, web)
    assert (outcome.tally.pages, dict(outcome.tally.refused)) == (3, {"robots": 1})
    assert web.asked_at(third) == pytest.approx([0.0, 3.0])
    assert web.asked_at(OTHER) == pytest.approx([3.0, 11.0, 19.0])


@pytest.mark.parametrize(("hops", "refused"), [(5, 1), (6, 0)])
def test_robots_txt_is_followed_through_five_redirects(tmp_path: Path, hops: int, refused: int) -> None:
    # RFC 9309, 2.3.1.2: beyond five it may count as not there, which allows everything.
    pages: dict[str, Any] = {f"{HOME}hop{number}": to(f"/hop{number + 1}") for number in range(1, hops)}
    pages |= {ROBOTS: to("/hop1"), f"{HOME}hop{hops}": "User-agent: *\nDisallow: /1"}
    outcome = run_jumping(topic([HOME]), tmp_path, TimedWeb({**star(3), **pages}))
    assert (outcome.tally.refused["robots"], outcome.tally.pages) == (refused, 3 - refused)


def test_what_robots_txt_said_is_written_down(tmp_path: Path) -> None:
    text = "User-agent: *\nDisallow: /1\nSitemap: http://a.example/map.xml"
    run_jumping(topic([f"{HOME}first"]), tmp_path, TimedWeb({f"{HOME}first": about("honey", "/1"), ROBOTS: text}))
    assert rows(tmp_path, "SELECT origin, status, body FROM robots") == [("http://a.example", 200, text.encode())]
    assert events(tmp_path, "robots") == [
        ("first", {"origin": "http://a.example", "status": 200, "sitemaps": ["http://a.example/map.xml"]})
    ]
    assert events(tmp_path, "refused") == [("1", {"reason": "robots"})]


def events(folder: Path, kind: str) -> list[tuple[str, dict[str, Any]]]:
    """What happened, by the last part of the URL that it happened to."""
    sql = "SELECT urls.url, detail FROM events LEFT JOIN urls ON urls.id = events.url WHERE kind = ? ORDER BY events.id"
    return [((url or "").rpartition("/")[2], json.loads(detail)) for url, detail in rows(folder, sql, kind)]


# ---- what is not a page ----


def test_what_becomes_of_what_is_no_page(tmp_path: Path) -> None:
    def picture(request: Request, _: int) -> Response:
        found = answer(request.url, b"", status=200)
        found.headers, found.skipped = (("Content-Type", "image/png"),), "type"
        return found

    names = ("lost", "nowhere", "loop1", "picture", "busy", "far", "moved")
    pages: dict[str, Any] = {
        HOME: about("honey", *(f"/{name}" for name in names)),
        f"{HOME}lost": answer(f"{HOME}lost", b"", status=404, reason="Not Found"),
        f"{HOME}nowhere": answer(f"{HOME}nowhere", b"", ("Location", "http://["), status=302),
        f"{HOME}picture": picture,
        f"{HOME}busy": busy(9, status=500),
        f"{HOME}far": to(OTHER),
        f"{HOME}moved": to("/lost"),
        **{f"{HOME}loop{number}": to(f"/loop{number + 1}") for number in range(1, 9)},
    }
    settings: dict[str, Any] = {"fetch": {"retries": 1, "redirects": 3}, "scope": {"allow_domains": ["a.example"]}}
    outcome = run_jumping(topic([HOME], **settings), tmp_path, TimedWeb(pages))
    assert dict(outcome.tally.errors) == {"404": 1, "302": 1, "500": 2}
    assert dict(outcome.tally.refused) == {"type": 1, "domain": 1, "redirects": 1}
    assert sorted(events(tmp_path, "failed"), key=str) == [
        ("busy", {"kind": "500", "detail": ""}),
        ("lost", {"kind": "404", "detail": "Not Found"}),
        ("nowhere", {"kind": "302", "detail": "redirect without a usable Location: 'http://['"}),
    ]
    assert events(tmp_path, "retry") == [("busy", {"kind": "500", "detail": "", "attempt": 1})]
    assert sorted(events(tmp_path, "refused"), key=str) == [
        ("far", {"reason": "domain", "target": OTHER}),
        ("loop4", {"reason": "redirects", "target": f"{HOME}loop5"}),
        ("picture", {"reason": "type", "type": "image/png"}),
    ]
    assert ("loop1", {"status": 301, "target": f"{HOME}loop2"}) in events(tmp_path, "redirect")
    states = dict(rows(tmp_path, "SELECT replace(url, 'http://a.example/', ''), state FROM urls"))
    done, failed, refused = 2, 3, 4
    assert {name: states[name] for name in (*names, "loop4")} == {
        **dict.fromkeys(("loop1", "loop4", "far", "moved"), done),
        **dict.fromkeys(("lost", "nowhere", "busy"), failed),
        "picture": refused,
    }


def test_the_beginning_and_the_end_are_written_down(tmp_path: Path) -> None:
    run_jumping(topic([HOME], budget={"pages": 1}), tmp_path, TimedWeb(star()))
    assert events(tmp_path, "start") == [("", {})]
    assert events(tmp_path, "stop") == [("", {"kind": "pages", "text": "the budget of 1 pages is used up"})]
    meta = dict(rows(tmp_path, "SELECT key, value FROM meta"))
    assert (meta["stop"], meta["stop_text"]) == ("pages", "the budget of 1 pages is used up")
