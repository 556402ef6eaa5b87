"""How long a request may take follows how long requests take, and a body has to make progress."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.fetch import deadline, stream
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.deadline import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.fetch.http import HttpFetcher

    from .conftest import Play, Site


def after(durations: list[float], most: float = 60.0) -> float:
    learnt = Deadline(most)
    for seconds in durations:
        learnt.note(seconds)
    return learnt.seconds


def test_nothing_is_usual_before_enough_is_known() -> None:
    assert after([]) == after([0.1] * 19) == 60.0


@pytest.mark.parametrize(("usual", "seconds"), [(0.1, 10.0), (1.0, 10.0), (2.5, 25.0), (5.9, 59.0), (20.0, 60.0)])
def test_ten_times_what_is_usual_within_limits(usual: float, seconds: float) -> None:
    assert after([usual] * 20) == seconds
    assert after([usual] * 20, most=5.0) == 5.0


def test_a_few_slow_requests_change_nothing_and_many_do() -> None:
    assert after([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 60.0] * 5) == 10.0
    assert after([0.1, 0.1, 0.1, 10.0] * 5) == 60.0


def test_what_was_usual_is_forgotten() -> None:
    assert after([0.1] * 500 + [4.0] * 200) == 40.0


@given(st.lists(st.floats(0, 1e6)), st.floats(0.01, 1000))
def test_the_deadline_is_never_beyond_its_limits(durations: list[float], most: float) -> None:
    assert min(10.0, most) <= after(durations, most) <= most


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


def test_a_request_gets_as_long_as_is_usual_and_a_patient_one_as_long_as_it_may(
    play: Play, answer: Callable[..., bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deadline, "_FLOOR", 0.05)

    async def script(site: Site, fetcher: HttpFetcher) -> list[float]:
        for _ in range(20):
            assert isinstance(await fetcher.fetch(Request(site.url("/"))), Response)
        results = [await fetcher.fetch(Request(site.url("/hang"), patient=patient)) for patient in (False, True)]
        assert all(isinstance(result, Failure) and result.kind == "timeout" for result in results)
        return [result.elapsed for result in results]

    hurried, patient = play.script({"/": answer(b""), "/hang": hang}, script, total_timeout=0.6)
    assert hurried < 0.6 <= patient


def dripping(size: int, every: float) -> Callable[..., object]:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"." * size)
            await writer.drain()
            await asyncio.sleep(every)

    return drip


def test_a_body_that_drips_is_given_up(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_GRACE", 0.05)
    failure = play.failure(dripping(1, 0.01), min_rate=1000.0, total_timeout=30.0)  # type: ignore[arg-type]
    assert (failure.kind, failure.transient) == ("timeout", True)
    assert failure.detail == "slower than 1000 bytes per second"
    assert failure.elapsed < 10.0


@pytest.mark.parametrize(("size", "settings"), [(100_000, {}), (1, {"min_rate": 0.0, "total_timeout": 0.2})])
def test_a_body_that_is_quick_enough_is_read_on(
    play: Play, monkeypatch: pytest.MonkeyPatch, size: int, settings: dict[str, float]
) -> None:
    monkeypatch.setattr(stream, "_GRACE", 0.0)
    result = play.fetch(dripping(size, 0.001), **{"min_rate": 1000.0, "max_body": 1_000_000, **settings})  # type: ignore[arg-type]
    if settings:
        assert isinstance(result, Failure)
        assert "slower" not in result.detail  # it ran into the total timeout
    else:
        assert isinstance(result, Response)
        assert len(result.body) == 1_000_000
