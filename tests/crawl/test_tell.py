"""`tell`, `status` and `--metrics` beside a crawl in a process of its own, by what the server of its pages saw."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.request import urlopen

import pytest

from honeyguide.cli.main import main
from honeyguide.demo import DemoWeb, read_visits, run_in_process
from honeyguide.frontier import State
from honeyguide.proxy import ServedRequest
from honeyguide.store.inbox import pending

from .kit import check_tables, crawlers_in, rows
from .test_signals import Place, wait_until


class Said(NamedTuple):
    code: int
    out: str
    err: str


Honeyguide = Callable[..., Said]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    web = DemoWeb(pages=400, page_kb=1.0)
    log = tmp_path / "visits"
    log.touch()
    with run_in_process(web, log=log) as server, crawlers_in(tmp_path) as crawlers:
        yield Place(tmp_path, web, server.address, crawlers)


@pytest.fixture
def honeyguide(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Honeyguide:
    def run(*arguments: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["honeyguide", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return Said(left.value.code if isinstance(left.value.code, int) else 0, *capfd.readouterr())

    return run


def visits(place: Place, since: float = 0.0) -> list[ServedRequest]:
    return [visit for visit in read_visits(place.folder / "visits") if visit.began > since]


def status(honeyguide: Honeyguide, place: Place) -> dict[str, Any]:
    found = honeyguide("status", place.crawl, "--json")
    assert found.code == 0, found.err
    values: dict[str, Any] = json.loads(found.out)
    return values


def test_a_running_crawl_does_what_it_is_told(place: Place, honeyguide: Honeyguide) -> None:
    place.write_topic()
    place.crawlers.start("out", "--pages", "60")
    wait_until(lambda: len(place.asked()) >= 20)

    assert honeyguide("tell", place.crawl, "budget", "pages=+1000") == (0, "pages is 1,060 now\n", "")

    waiting = Counter(url.split("/")[2] for (url,) in rows(place.crawl, "SELECT url FROM urls WHERE state = 0"))
    host, _ = (waiting & Counter(visit.host for visit in visits(place))).most_common(1)[0]
    said = honeyguide("tell", place.crawl, "block", host)
    assert said == (0, f"nothing more is requested from {host}; URLs waiting there are dropped\n", "")
    told = time.monotonic()
    wait_until(lambda: len(visits(place, told)) >= 30)
    late = [visit for visit in visits(place, told) if visit.host == host]
    assert len(late) <= 1, late  # one that was in flight, which may reach the server later

    assert honeyguide("tell", place.crawl, "pause").out == "paused; requests in flight are completed\n"
    time_paused = time.monotonic()
    paused = status(honeyguide, place)
    assert (paused["state"], paused["running"], paused["paused"]) == ("paused", True, True)
    assert paused["budget"]["pages"]["limit"] == 1060
    assert paused["blocked"] == [host]
    assert host in honeyguide("status", place.crawl).out
    assert honeyguide("tell", place.crawl, "unblock", host).code == 0  # while it is paused, nothing is requested
    assert not visits(place, time_paused)

    assert honeyguide("tell", place.crawl, "resume") == (0, "resumed\n", "")
    assert honeyguide("tell", place.crawl, "resume") == (1, "", "honeyguide: resume: the crawl is not paused\n")
    wait_until(lambda: host in {visit.host for visit in visits(place, time_paused)})

    assert honeyguide("tell", place.crawl, "stop").code == 0
    code, summary = place.crawlers.wait()
    assert code == 130
    assert "stopped: stopped by tell: " in summary
    ended = status(honeyguide, place)
    assert (ended["state"], ended["stop"]) == ("stopped", "interrupted")
    assert ended["pages"] == len(place.kept())
    sent = [json.loads(text) for (text,) in rows(place.crawl, "SELECT detail FROM events WHERE kind = 'told'")]
    assert [one["command"] for one in sent] == [
        *("budget", "block", "pause", "unblock", "resume", "resume", "stop"),
    ]
    assert all(one["by"].startswith("tell: ") for one in sent)
    check_tables(place.crawl)


def test_a_crawl_that_does_not_run_is_told_for_its_next_start(place: Place, honeyguide: Honeyguide) -> None:
    place.write_topic()
    place.crawlers.start("out", "--pages", "5")
    place.crawlers.wait()
    said = honeyguide("tell", place.crawl, "budget", "pages=+5")
    assert said == (0, "sent: will be applied when the crawl is next started\n", "")
    assert status(honeyguide, place)["pending"] == 1
    for name in ("pause", "resume", "stop"):
        code, out, err = honeyguide("tell", place.crawl, name)
        assert (code, out) == (2, "")
        assert f"is not running, so it cannot {name}; start it first" in err
    place.crawlers.start("out", "--pages", "5")
    code, summary = place.crawlers.wait()
    assert code == 0
    assert "10 pages fetched" in summary
    assert not pending(place.crawl)


def test_a_crawl_that_hangs_is_not_waited_for_for_ever(place: Place, honeyguide: Honeyguide) -> None:
    place.write_topic()
    pid = place.crawlers.start("out")
    wait_until(lambda: len(place.asked()) >= 5)
    os.kill(pid, signal.SIGSTOP)
    said = honeyguide("tell", place.crawl, "budget", "pages=7", "--wait", "0.2")
    assert said == (0, "sent: the crawl has not responded yet\n", "")
    os.kill(pid, signal.SIGCONT)
    code, summary = place.crawlers.wait()
    assert code == 0
    assert "the budget of 7 pages is used up" in summary


def test_ctrl_c_does_not_take_a_command_back(
    place: Place, honeyguide: Honeyguide, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write_topic()
    pid = place.crawlers.start("out")
    wait_until(lambda: len(place.asked()) >= 5)
    os.kill(pid, signal.SIGSTOP)

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("honeyguide.cli.tell.time.sleep", interrupt)
    assert honeyguide("tell", place.crawl, "stop") == (130, "", "sent, without waiting for the result\n")
    monkeypatch.undo()
    os.kill(pid, signal.SIGCONT)
    assert place.crawlers.wait()[0] == 130


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tell", "nowhere", "pause"), "nowhere: does not contain a crawl"),
        (("tell", "nowhere", "dance"), "nowhere: does not contain a crawl"),
        (("status", "nowhere"), "nowhere: does not contain a crawl"),
    ],
)
def test_a_crawl_has_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, honeyguide: Honeyguide, arguments: tuple[str, ...], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = honeyguide(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert not list(tmp_path.iterdir())


# ---- metrics ----


def test_prometheus_sees_what_status_says(place: Place, honeyguide: Honeyguide, free_port: int) -> None:
    place.write_topic()
    pid = place.crawlers.start("out", "--metrics", str(free_port))
    wait_until(lambda: len(place.asked()) >= 20)
    honeyguide("tell", place.crawl, "pause")
    label = '{crawl="demo"}'

    def metrics() -> dict[str, str]:
        with urlopen(f"http://127.0.0.1:{free_port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))

    def is_at_rest() -> bool:
        """Whether nothing is under way any more: what was when it paused is still counted."""
        is_paused = float(metrics()[f"honeyguide_paused{label}"]) == 1
        return is_paused and not rows(place.crawl, "SELECT url FROM urls WHERE state = ?", int(State.IN_FLIGHT))

    wait_until(is_at_rest)
    values, now = metrics(), status(honeyguide, place)
    assert float(values[f"honeyguide_pages_total{label}"]) == now["pages"] > 0
    assert float(values[f"honeyguide_harvest_now_ratio{label}"]) == pytest.approx(now["harvest_now"])
    assert float(values['honeyguide_budget_left{crawl="demo",limit="pages"}']) == 1000 - now["pages"]
    os.kill(pid, signal.SIGINT)
    assert place.crawlers.wait()[0] == 130
    with pytest.raises(OSError, match="refused"):
        urlopen(f"http://127.0.0.1:{free_port}/metrics")


@pytest.fixture
def free_port() -> int:
    from socket import socket

    with socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
