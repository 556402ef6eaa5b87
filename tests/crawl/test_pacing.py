"""Whether to ask again, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime, formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.pacing import backoff, retry_after, worth_retrying
from honeyguide.fetch.base import KINDS, Failure, Response
from honeyguide.fetch.settings import FetchSettings

NOW = datetime(2024, 5, 1, 12, 0, 0, tzinfo=UTC).timestamp()


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
        ("9" * 400, None),
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
    assert seconds is None or seconds >= 0


@given(st.integers(0, 10**8))
def test_retry_after_reads_what_servers_write(wait: int) -> None:
    assert retry_after(str(wait), NOW) == wait
    assert retry_after(formatdate(NOW + wait, usegmt=True), NOW) == wait
    assert retry_after(format_datetime(datetime.fromtimestamp(NOW + wait, UTC)), NOW) == wait


@given(st.integers(1, 12), st.text())
def test_backoff_doubles_within_half_either_way(attempt: int, url: str) -> None:
    wait = backoff(FetchSettings(backoff=4.0), attempt, url)
    middle = 4.0 * 2 ** (attempt - 1)
    assert middle * 0.5 <= wait < middle * 1.5
    assert wait == backoff(FetchSettings(backoff=4.0), attempt, url)


def test_backoff_spreads_urls_and_attempts() -> None:
    settings = FetchSettings(backoff=1.0)
    waits = [backoff(settings, 1, f"http://a.example/{number}") for number in range(1000)]
    assert len(set(waits)) == 1000
    assert 0.97 < sum(waits) / 1000 < 1.03
    assert min(waits) < 0.51
    assert max(waits) > 1.49
    assert backoff(settings, 2, "u") != 2 * backoff(settings, 1, "u")
    assert backoff(settings, 10_000, "u") < float("inf")
    assert backoff(FetchSettings(backoff=0.0), 3, "u") == 0


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
