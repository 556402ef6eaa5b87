"""``honeyguide watch`` and ``honeyguide crawl --watch``: they print an address, serve it, and end."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from honeyguide.cli.main import main
from honeyguide.demo import DemoWeb, run_in_process, write_start_files

TIME = 120


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "honeyguide", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder)


def address(process: subprocess.Popen[str]) -> str:
    """The address that a command prints."""
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"http://\S+/\?token=\S+", line):
            return found[0]
    pytest.fail("no address was printed")


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def first_view(url: str) -> str:
    """The first view, as a browser gets it that opens the address."""
    from http.cookiejar import CookieJar
    from urllib.request import HTTPCookieProcessor, build_opener

    with build_opener(HTTPCookieProcessor(CookieJar())).open(Request(url), timeout=30) as answer:
        return str(answer.read(), "utf-8")


def test_a_crawl_is_watched_while_it_runs_and_afterwards(tmp_path: Path) -> None:
    web = DemoWeb(pages=300)
    with run_in_process(web) as server:
        write_start_files(web, "beekeeping", server.address, tmp_path)
        topic = tmp_path / "demo.toml"
        topic.write_text(re.sub(r"(?m)^delay = .*$", "delay = 2.0", topic.read_text()))
        crawl = start(tmp_path, "crawl", "demo.toml", "--watch", "--workers", "0", "--quiet")
        try:
            url = address(crawl)
            assert "Running." in first_view(url)
            crawl.send_signal(signal.SIGINT)
            output, _ = crawl.communicate(timeout=TIME)
        finally:
            end(crawl)
        assert crawl.returncode == 130
        assert re.search(r"\d+ pages? fetched", output)
        with pytest.raises(OSError, match="refused"):
            urlopen(url, timeout=5)
    (folder,) = (tmp_path / "crawls").iterdir()
    watch = start(tmp_path, "watch", str(folder))
    try:
        assert "Ended: " in first_view(address(watch))
        watch.send_signal(signal.SIGINT)
        output, _ = watch.communicate(timeout=TIME)
    finally:
        end(watch)
    assert watch.returncode == 0
    assert "Traceback" not in output


@pytest.mark.parametrize("arguments", [(), ("--labels", "labels.tsv")])
def test_what_cannot_be_watched(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["honeyguide", "watch", "nowhere", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    assert "nowhere: does not contain a crawl" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
