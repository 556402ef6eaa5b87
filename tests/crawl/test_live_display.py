"""The display of a running crawl, on terminals of several sizes and without one. Here, because time has to jump."""

from __future__ import annotations

import asyncio
import io
import re
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.cells import cell_len
from rich.console import Console

from honeyguide.cli.panel import HarvestCurve, duration, rate
from honeyguide.cli.progress import show, show_live
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Failure
from honeyguide.store.commands import Command
from honeyguide.store.inbox import send

from .jumping import JumpingLoop, LoopClock, TimedWeb
from .kit import about, topic

HOME, HANGS, GONE = "http://home.example/", "http://hangs.example/", "http://gone.example/"
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
TITLE = "\x1b]0;pwned\x07 [bold]honey[/bold] 蜂蜜 " + "on and on " * 20
SIZES = ((58, 40), (80, 40), (120, 40), (80, 12))


class Shown(NamedTuple):
    """What was written to terminals of some sizes, and to a file."""

    terminals: dict[tuple[int, int], str]
    lines: list[str]

    def frames(self, size: tuple[int, int]) -> list[list[str]]:
        """The pictures that a terminal showed one after the other, each as its lines."""
        plain = CODES.sub("", self.terminals[size])
        return [frame.rstrip("\n").split("\n") for frame in re.split(r"(?=    crawl )", plain)[1:]]


def watched(folder: Path, budget: dict[str, Any], *sizes: tuple[int, int], told: dict[int, str] | None = None) -> Shown:
    """Crawl a small web in which requests take their time, with several displays at once."""
    hosts = ("wax", "comb", "xn--bcher-kva", "nectar")
    urls = [f"http://{hosts[number % 4]}.example/{'long-' * 30}{number}" for number in range(60)]
    pages = {HOME: about("honey bee", HANGS, GONE, *urls)}
    pages |= {url: about(f"{'granite' if number % 3 else 'honey'} {number}") for number, url in enumerate(urls)}
    titled = {url: page.replace("<title>", f"<title>{TITLE}") for url, page in pages.items()}
    web = TimedWeb(
        {**titled, GONE: Failure(GONE, "dns", "no", transient=False)}, lambda url: 300.0 if url == HANGS else 1
    )
    fetch = {"connections": 4, "delay": 0.5, "robots": False}
    wanted = topic([HOME], relevance={"threshold": 0.1}, fetch=fetch, budget=budget)
    session = Session(wanted, folder, fetcher=lambda: web, workers=0, clock=LoopClock())
    terminals = {size: io.StringIO() for size in sizes}
    lines = io.StringIO()

    async def run() -> None:
        consoles = [
            Console(file=out, force_terminal=True, width=width, height=height, color_system="standard")
            for (width, height), out in terminals.items()
        ]
        displays = [show(session, lines), *(show_live(session, console) for console in consoles)]
        tasks = [asyncio.create_task(display) for display in displays]
        for seconds, name in (told or {}).items():
            asyncio.get_running_loop().call_later(seconds, partial(send, folder, Command(name), by="test"))
        await session.run()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        runner.run(run())
    return Shown({size: out.getvalue() for size, out in terminals.items()}, lines.getvalue().splitlines())


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    return watched(tmp_path_factory.mktemp("display") / "test", {"pages": 45}, *SIZES)


@pytest.mark.parametrize("size", SIZES[:3])
def test_every_row_of_the_panel_is_one_line(shown: Shown, size: tuple[int, int]) -> None:
    frames = shown.frames(size)
    assert len(frames) > 20
    assert max(cell_len(line.rstrip()) for frame in frames for line in frame) < size[0]
    labels = [line.split()[0] for line in frames[-2] if line[:9].strip()]
    assert labels == ["crawl", "pages", "relevant", "harvest", "frontier", "hosts", "errors", "fetching", "found"]
    assert max(map(len, frames)) <= 16


def test_the_panel_says_where_the_crawl_stands(shown: Shown) -> None:
    frames = shown.frames((80, 40))
    late = frames[-2]
    text = "\n".join(late)
    assert re.search(r"[━╸╺] +\d\d%  \d+ of 45 pages, \d:\d\d left", late[1])
    assert re.search(r"now \d+\.\d%   overall \d+\.\d%   [▁▂▃▄▅▆▇█]{3,}", text)
    assert "name does not resolve (1)" in text
    assert re.search(r"http://hangs\.example/ +\d+ s", text)
    assert "0.0 pages/s" not in "\n".join(frames[0])
    # Nothing of a page's title is obeyed, neither by the terminal nor as markup; names of hosts are shown to be read.
    assert re.search(r"0\.\d\d  \\u001b\]0;pwned\\u0007 \[bold\]honey", text)
    assert "\x1b]" not in shown.terminals[80, 40]
    assert any("http://bücher.example/" in line for frame in frames for line in frame)
    assert re.search(r"\x1b\[[0-9;]*32m", shown.terminals[80, 40])  # green


def test_a_low_terminal_shows_the_counts_only(shown: Shown) -> None:
    frames = shown.frames((80, 12))
    assert max(map(len, frames)) <= 12
    assert not any("fetching" in line for frame in frames for line in frame)


def test_without_a_terminal_there_are_plain_lines(shown: Shown) -> None:
    first = shown.lines[0]
    counts = r"\d+ of 45 pages, \d+ relevant, harvest rate \d.*%\), [1-9]\d*\.\d pages/s, \d+ URLs waiting"
    assert re.fullmatch(counts + r", about \d:\d\d left, errors: name does not resolve \(1\)", first)
    assert not any("\x1b" in line for line in shown.lines)


def test_a_paused_crawl_says_so_and_what_it_was_told(tmp_path: Path) -> None:
    shown = watched(tmp_path, {"pages": 20}, (58, 16), told={3: "pause", 23: "resume"})
    frames = shown.frames((58, 16))
    paused = [frame for frame in frames if "paused" in frame[0]]
    assert 30 < len(paused) < 50
    assert all("command pause: paused; requests in" in "\n".join(frame) for frame in paused[1:])
    assert "command resume: resumed" in "\n".join(frames[-1])
    assert max(map(len, frames)) <= 16
    assert sum(line.startswith("paused, ") for line in shown.lines) == 2


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ({"pages": 0, "relevant": 8}, r"of 8 relevant, \d"),
        ({"pages": 1000, "minutes": 0.2}, r"of 0\.2 min, \d"),
        ({"pages": 0, "bytes": 20_000}, r"of 20\.0 kB, \d"),
    ],
)
def test_the_bar_leads_to_the_limit_that_is_nearest(tmp_path: Path, budget: dict[str, Any], said: str) -> None:
    assert re.search(said, "\n".join(watched(tmp_path, budget, (80, 12)).frames((80, 12))[-2]))


def test_speeds_and_times() -> None:
    speeds = {1234.5: "1,234.5 pages/s", 0.1: "0.1 pages/s", 0.05: "3.0 pages/min", 0.0: "0.0 pages/s", None: ""}
    assert {speed: rate(speed) for speed in speeds} == speeds
    assert [duration(seconds) for seconds in (7, 754, 3723)] == ["0:07", "12:34", "1:02:03"]


def test_the_curve_covers_a_long_run_in_few_stretches() -> None:
    curve = HarvestCurve()
    for pages in range(100_001):
        curve.add(pages, min(pages, 50_000))
    for most in (10, 30, 64):
        rates = curve.rates(most)
        assert most // 3 <= len(rates) <= most
        assert (rates[0], rates[-1]) == (1.0, 0.0)
        assert sum(rates) / len(rates) == pytest.approx(0.5, abs=0.1)
    assert HarvestCurve().rates(10) == []
