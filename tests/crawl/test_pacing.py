"""When hosts may be asked again: cases worked by hand, and the same rules in whole crawls."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime, formatdate
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.frontier_for import politeness
from honeyguide.crawl.pacing import StandardPacing, backoff, retry_after, worth_retrying
from honeyguide.fetch.base import KINDS, Failure, Request, Response
from honeyguide.fetch.numbers import LONGEST_WAIT
from honeyguide.fetch.settings import FetchSettings
from honeyguide.frontier import Frontier, Limit, Politeness
from honeyguide.page.settings import ScopeSettings

from .kit import PaperWeb, answer, html, rows, run, topic

NOW = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC).timestamp()
HOUR = 3600.0
PAGE = "http://a.example/page"
ORIGIN = "http://a.example"
LATE = Failure(PAGE, "timeout", "no answer in time", transient=True)
LOST = Failure(PAGE, "connect", "refused", transient=True)
NEVER = Failure(PAGE, "tls", "certificate", transient=False)


def busy(retry_after: str = "", status: int = 503) -> Response:
    """An answer that asks to come back later."""
    return answer(PAGE, "", *[("Retry-After", retry_after)] * bool(retry_after), status=status)


class Notes:
    """What the pacing has noted."""

    def __init__(self) -> None:
        self.rests: list[tuple[str, float]] = []
        self.events: list[str] = []

    def host_rests(self, name: str, until: float, reason: str) -> None:
        self.rests.append((name, until))

    def event(self, time: float, kind: str, url: int | None = None, /, **detail: Any) -> None:
        self.events.append(kind)


class Scene:
    """A pacing, and what it can be seen to decide for the hosts a and b."""

    def __init__(self, **settings: Any) -> None:
        notes: Any = Notes()
        self.notes: Notes = notes
        self.frontier = Frontier(Politeness(Limit(1, 1.0), Limit(2, 4.0), Limit(4, 2.0)))
        self.page = self.frontier.offer(PAGE, 1.0)
        self.a, self.b = (self.frontier.host_number(f"{name}.example") for name in "ab")
        self.pacing = StandardPacing(FetchSettings(**settings), self.frontier, notes)

    def fail(self, times: int, now: float = NOW) -> None:
        for _ in range(times):
            self.pacing.failed(self.a, LOST, now)

    def rests_until(self) -> float:
        """Until when a may not be asked. b, of which nothing was said, may be asked now."""
        assert self.frontier.hosts.next_time(self.b) == 0.0
        return self.frontier.hosts.next_time(self.a)


# ---- failures in a row ----


def test_five_failures_in_a_row_earn_an_hour_of_rest_and_four_do_not() -> None:
    scene = Scene()
    scene.fail(4)
    assert scene.rests_until() == 0.0
    assert scene.notes.rests == []
    scene.fail(1, NOW + 7)
    assert scene.rests_until() == NOW + 7 + HOUR
    assert scene.notes.rests == [("a.example", NOW + 7 + HOUR)]
    assert scene.notes.events == ["host rests"]


def test_an_answer_in_between_starts_the_count_anew() -> None:
    scene = Scene()
    scene.fail(4)
    scene.pacing.answered(scene.a, busy(), NOW)  # any status will do
    scene.fail(4)
    assert scene.rests_until() == 0.0
    scene.pacing.answered(scene.b, busy(), NOW)  # but not that of another host
    scene.fail(1)
    assert scene.rests_until() == NOW + HOUR


def test_after_its_rest_a_host_may_fail_four_times_again() -> None:
    scene = Scene()
    scene.fail(5)
    scene.fail(4, NOW + HOUR)
    assert scene.rests_until() == NOW + HOUR
    scene.fail(1, NOW + HOUR)
    assert scene.rests_until() == NOW + 2 * HOUR
    assert len(scene.notes.rests) == 2


def test_failures_of_two_hosts_are_not_added_up() -> None:
    scene = Scene()
    scene.fail(4)
    scene.pacing.failed(scene.b, LOST, NOW)
    assert scene.rests_until() == 0.0


# ---- slow hosts ----


def test_two_timeouts_in_a_row_earn_an_hour_of_rest() -> None:
    scene = Scene()
    scene.pacing.failed(scene.a, LATE, NOW)
    assert scene.rests_until() == 0.0
    scene.pacing.answered(scene.a, busy(), NOW)
    scene.pacing.failed(scene.a, LATE, NOW)
    assert scene.rests_until() == 0.0
    scene.pacing.failed(scene.a, LATE, NOW + 3)
    assert scene.rests_until() == NOW + 3 + HOUR


def test_a_timeout_is_retried_once_and_much_later() -> None:
    scene = Scene(retries=2, backoff=8.0)
    assert scene.pacing.retry(scene.page, LATE, NOW) == NOW + 12 * backoff(8.0, 1, PAGE)
    scene.frontier.take(NOW)
    scene.frontier.put_back(scene.page, NOW, attempt=True)
    assert scene.pacing.retry(scene.page, LATE, NOW) is None
    assert scene.pacing.retry(scene.page, LOST, NOW) is not None
    assert Scene(retries=0).pacing.retry(0, LATE, NOW) is None


def test_a_robots_file_that_times_out_is_retried_once_and_then_every_hour() -> None:
    scene = Scene(retries=2, backoff=8.0)
    assert scene.pacing.robots_unknown(ORIGIN, LATE, NOW)
    assert scene.rests_until() == NOW + 12 * backoff(8.0, 1, ORIGIN)
    assert scene.pacing.robots_unknown(ORIGIN, LATE, NOW)
    assert scene.rests_until() == NOW + HOUR


def test_a_host_is_slow_when_its_last_request_was() -> None:
    scene, answered = Scene(), busy(status=200)
    seen = []
    for elapsed in (0.1, 5.0, 4.9):
        answered.elapsed = elapsed
        scene.pacing.answered(scene.a, answered, NOW)
        seen.append(scene.frontier.hosts.is_slow(scene.a))
    scene.pacing.failed(scene.a, LOST, NOW)
    seen.append(scene.frontier.hosts.is_slow(scene.a))
    scene.pacing.failed(scene.a, LATE, NOW)
    seen.append(scene.frontier.hosts.is_slow(scene.a))
    assert seen == [False, True, False, False, True]
    assert not scene.frontier.hosts.is_slow(scene.b)


# ---- too many requests ----


def test_a_host_that_gets_too_many_requests_is_asked_half_as_often_each_time_down_to_once_an_hour() -> None:
    scene, now, delays = Scene(backoff=8.0), NOW, []
    for _ in range(12):
        scene.pacing.answered(scene.a, busy(status=429), now)
        delays.append(scene.frontier.hosts.delay(scene.a))
        assert scene.rests_until() == now + delays[-1]
        now += delays[-1]
    assert delays == [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0, HOUR, HOUR, HOUR]
    assert scene.notes.rests[-1] == ("a.example", now)  # another run knows, too
    assert scene.frontier.hosts.delay(scene.b) == 1.0


def test_a_host_recovers_answer_by_answer() -> None:
    scene, delays = Scene(backoff=8.0), []
    for _ in range(2):
        scene.pacing.answered(scene.a, busy(status=429), NOW)
    for status in (200, 503, 404, 200, 301, 200, 200):
        scene.pacing.answered(scene.a, busy(status=status), NOW)
        delays.append(scene.frontier.hosts.delay(scene.a))
    assert delays == [8.0, 8.0, 4.0, 2.0, 1.0, 1.0, 1.0]


def test_crawl_delay_is_the_usual_delay_of_a_host_that_was_slowed_down() -> None:
    scene = Scene(backoff=8.0, delay=1.0)
    scene.pacing.answered(scene.a, busy(status=429), NOW)
    scene.pacing.robots_known(ORIGIN, 3.0)
    assert scene.frontier.hosts.delay(scene.a) == 8.0
    for _ in range(3):
        scene.pacing.answered(scene.a, busy(status=200), NOW)
    assert scene.frontier.hosts.delay(scene.a) == 3.0


def test_a_delay_of_more_than_an_hour_stays() -> None:
    scene = Scene(backoff=8.0)
    scene.frontier.set_delay(scene.a, 2 * HOUR)
    scene.pacing.answered(scene.a, busy(status=429), NOW)
    assert scene.frontier.hosts.delay(scene.a) == 2 * HOUR


# ---- trying again ----


@pytest.mark.parametrize("result", [LOST, busy(), busy("soon"), busy("0")])
def test_what_may_pass_is_tried_again_after_the_backoff_and_the_host_need_not_rest(result: Response | Failure) -> None:
    scene = Scene(backoff=8.0)
    assert scene.pacing.retry(scene.page, result, NOW) == NOW + backoff(8.0, 1, PAGE)
    assert scene.rests_until() == 0.0
    assert scene.notes.rests == []


def test_retry_after_wins_over_the_backoff_when_it_is_longer_and_holds_for_the_host() -> None:
    scene = Scene(backoff=8.0)  # between 4 and 12 seconds
    assert scene.pacing.retry(scene.page, busy("12"), NOW) == NOW + 12
    assert scene.rests_until() == NOW + 12
    assert scene.notes.rests == [("a.example", NOW + 12)]


def test_the_backoff_wins_over_retry_after_when_it_is_longer() -> None:
    scene = Scene(backoff=8.0)
    assert scene.pacing.retry(scene.page, busy("4"), NOW) == NOW + backoff(8.0, 1, PAGE) > NOW + 4
    assert scene.rests_until() == NOW + 4


def test_tries_end_but_retry_after_holds() -> None:
    scene = Scene(retries=2)
    waits: list[float] = []
    for _ in range(2):
        assert scene.frontier.take(NOW + 1e6 * len(waits)) == [scene.page]
        again = scene.pacing.retry(scene.page, LOST, NOW)
        assert again is not None
        waits.append(again - NOW)
        scene.frontier.put_back(scene.page, NOW, attempt=True)
    assert waits == pytest.approx([backoff(5.0, 1, PAGE), backoff(5.0, 2, PAGE)])
    assert scene.pacing.retry(scene.page, busy("9999999"), NOW) is None
    assert scene.rests_until() == NOW + 9999999


@pytest.mark.parametrize("result", [NEVER, busy(status=404), busy(status=200)])
def test_what_cannot_pass_is_not_tried_again(result: Response | Failure) -> None:
    assert Scene().pacing.retry(0, result, NOW) is None


# ---- robots.txt ----


@pytest.mark.parametrize(("asked", "delay"), [(0.5, 2.0), (2.0, 2.0), (7.5, 7.5), (30.0, 30.0), (31.0, 30.0)])
def test_crawl_delay_counts_within_its_limits(asked: float, delay: float) -> None:
    scene = Scene(delay=2.0, max_crawl_delay=30.0)
    scene.pacing.robots_known(ORIGIN, asked)
    assert scene.frontier.hosts.delay(scene.a) == delay
    assert scene.frontier.hosts.delay(scene.b) == 1.0


def test_without_crawl_delay_a_host_keeps_its_own() -> None:
    scene = Scene(delay=2.0)
    scene.frontier.set_delay(scene.a, 9.0)
    scene.pacing.robots_known(ORIGIN, None)
    assert scene.frontier.hosts.delay(scene.a) == 9.0


def test_a_host_without_robots_is_left_alone_for_longer_each_time_and_then_for_an_hour() -> None:
    scene, untils = Scene(retries=2, backoff=8.0), []
    for hour in range(4):
        assert scene.pacing.robots_unknown(ORIGIN, LOST, NOW + hour * HOUR)
        untils.append(scene.rests_until() - hour * HOUR)
    waits = [NOW + backoff(8.0, 1, ORIGIN), NOW + backoff(8.0, 2, ORIGIN), NOW + HOUR, NOW + HOUR]
    assert untils == pytest.approx(waits, abs=1e-6)
    assert [name for name, _ in scene.notes.rests] == ["a.example"] * 4


def test_robots_that_are_known_once_start_the_count_anew() -> None:
    scene = Scene(retries=0)
    scene.pacing.robots_known(ORIGIN, None)
    assert scene.pacing.robots_unknown(ORIGIN, busy(), NOW)
    assert scene.rests_until() == NOW + HOUR
    scene = Scene(retries=1, backoff=8.0)
    scene.pacing.robots_unknown(ORIGIN, busy(), NOW)
    scene.pacing.robots_known(ORIGIN, None)
    scene.pacing.robots_unknown(ORIGIN, busy(), NOW)
    assert scene.rests_until() == NOW + backoff(8.0, 1, ORIGIN)


@pytest.mark.parametrize(("asked", "wait"), [("12", 12.0), ("4", backoff(8.0, 1, ORIGIN))])
def test_retry_after_of_a_robots_file_counts_if_it_is_longer(asked: str, wait: float) -> None:
    scene = Scene(backoff=8.0)
    assert scene.pacing.robots_unknown(ORIGIN, busy(asked), NOW)
    assert scene.rests_until() == NOW + wait


def test_a_robots_file_that_can_never_be_had_is_not_asked_for_again() -> None:
    scene = Scene(retries=1)
    assert not scene.pacing.robots_unknown(ORIGIN, NEVER, NOW)
    assert scene.rests_until() == 0.0
    assert scene.pacing.robots_unknown(ORIGIN, LOST, NOW)
    assert scene.rests_until() == NOW + HOUR  # for it has failed twice


def test_a_robots_file_under_way_is_waited_for() -> None:
    scene = Scene(delay=2.0)
    assert scene.pacing.robots_pending(NOW) == NOW + 2.1
    assert scene.pacing.robots_pending(NOW, scene.b) == NOW + 2.1
    scene.frontier.rest(scene.b, NOW + 60)
    assert scene.pacing.robots_pending(NOW, scene.b) == NOW + 60


# ---- a run begins ----


def test_all_hosts_have_their_full_pause_when_a_run_begins() -> None:
    scene = Scene()
    scene.frontier.set_delay(scene.b, 30.0)
    scene.pacing.begin(NOW)
    assert scene.frontier.hosts.next_time(scene.a) == NOW + 4.0  # its domain's pause is longer than its own
    assert scene.frontier.hosts.next_time(scene.b) == NOW + 30.0
    assert scene.notes.rests == []  # known without


# ---- whole crawls ----


def pages(failing: Callable[[int], bool], count: int) -> dict[str, Any]:
    """Pages of one host, some of which fail."""
    return {
        f"http://a.example/{place}": Failure("", "connect", "", transient=False) if failing(place) else html(str(place))
        for place in range(count)
    }


def test_a_crawl_leaves_a_host_alone_after_five_failures_in_a_row(tmp_path: Path) -> None:
    web = PaperWeb(pages(lambda _: True, 8) | {"http://b.example/": html("b")})
    outcome = run(topic([*web.pages], fetch={"robots": False}), tmp_path / "crawl", lambda: web)
    assert outcome.stop.kind == "waiting"
    assert sum("a.example" in url for url in web.asked) == 5
    assert "http://b.example/" in web.asked
    ((name, until),) = rows(tmp_path / "crawl", "SELECT name, not_before FROM hosts")
    ((since,),) = rows(tmp_path / "crawl", "SELECT time FROM events WHERE kind = 'host rests'")
    assert (name, until) == ("a.example", since + HOUR)


def test_a_crawl_asks_on_while_a_host_answers_now_and_then(tmp_path: Path) -> None:
    web = PaperWeb(pages(lambda place: place % 5 < 4, 20))
    outcome = run(topic([*web.pages], fetch={"robots": False}), tmp_path / "crawl", lambda: web)
    assert outcome.stop.kind == "exhausted"
    assert len(web.asked) == 20


def test_a_crawl_takes_another_pacing(tmp_path: Path) -> None:
    class Insistent(StandardPacing):
        """Tries everything three times, at once, and obeys no host that wants to be left alone."""

        def retry(self, number: int, result: Response | Failure, now: float) -> float | None:
            return now if self.frontier.urls.attempts(number) < 2 else None

    def at_last(request: Request, times: int) -> Response:
        return answer(request.url, html("found")) if times == 3 else busy("9999", status=404)

    web = PaperWeb({"http://a.example/": at_last})
    wanted = topic([*web.pages], fetch={"robots": False, "retries": 0})
    assert run(wanted, tmp_path / "crawl", lambda: web, pacing=Insistent).tally.pages == 1
    assert len(web.asked) == 3


# ---- rules ----


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        ("1.5", 1.5),
        ("-5", 0.0),
        ("Wed, 01 May 2024 12:01:00 GMT", 60.0),
        ("Wednesday, 01-May-24 12:01:00 GMT", 60.0),
        ("Wed May  1 12:01:00 2024", 60.0),
        ("Wed, 01 May 2024 14:01:00 +0200", 60.0),
        ("Wed, 01 May 2024 11:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("12 minutes", None),
        ("nan", None),
        ("inf", None),
        ("1e3", None),
        ("9" * 400, LONGEST_WAIT),
        ("1000000000000000000", LONGEST_WAIT),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_WAIT),
        ("٣", None),
        ("Wed, 99 May 2024 12:00:00 GMT", None),
        ("Wed, 01 May 99999999999 12:00:00 GMT", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert retry_after(value, NOW) == seconds


@given(st.text())
def test_retry_after_takes_any_text(value: str) -> None:
    seconds = retry_after(value, NOW)
    assert seconds is None or 0 <= seconds <= LONGEST_WAIT


@given(st.text("0123456789", max_size=500), st.text("0123456789+-", max_size=12))
def test_retry_after_takes_any_digits(digits: str, zone: str) -> None:
    dates = (f"Wed, {digits} May 2024 12:00:00 GMT", f"Wed, 01 May {digits} 12:00:00 {zone}", f"1 May 24 {digits}:0")
    for value in (digits, f"-{digits}", f"{digits}.{digits}", *dates):
        seconds = retry_after(value, NOW)
        assert seconds is None or 0 <= seconds <= LONGEST_WAIT


@given(st.integers(0, int(LONGEST_WAIT)))
def test_retry_after_reads_what_servers_write(wait: int) -> None:
    assert retry_after(str(wait), NOW) == wait
    assert retry_after(formatdate(NOW + wait, usegmt=True), NOW) == wait
    assert retry_after(format_datetime(datetime.fromtimestamp(NOW + wait, UTC)), NOW) == wait


@given(st.integers(1, 12), st.text())
def test_backoff_doubles_within_half_either_way(attempt: int, url: str) -> None:
    wait = backoff(4.0, attempt, url)
    middle = 4.0 * 2 ** (attempt - 1)
    assert middle * 0.5 <= wait < middle * 1.5
    assert wait == backoff(4.0, attempt, url)


def test_backoff_spreads_urls_and_attempts() -> None:
    waits = [backoff(1.0, 1, f"http://a.example/{number}") for number in range(1000)]
    assert len(set(waits)) == 1000
    assert 0.97 < sum(waits) / 1000 < 1.03
    assert min(waits) < 0.51
    assert max(waits) > 1.49
    assert backoff(1.0, 2, "u") != 2 * backoff(1.0, 1, "u")
    assert backoff(1.0, 10_000, "u") < float("inf")
    assert backoff(0.0, 3, "u") == 0


def test_worth_retrying() -> None:
    again = {
        status
        for status in range(100, 600)
        if worth_retrying(Response("u", status, "", (), b"", b"", request_headers=()))
    }
    assert again == {429, 500, 502, 503, 504}
    for kind in KINDS:
        assert worth_retrying(Failure("u", kind, "", transient=True))
        assert not worth_retrying(Failure("u", kind, "", transient=False))


def test_a_frontier_of_its_own_is_as_polite_as_a_topic_without_settings() -> None:
    assert politeness(FetchSettings(), ScopeSettings()) == Politeness()
