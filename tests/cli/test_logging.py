"""``-v`` and ``--log-file``: what a user sees of a command while it runs, and what is left to read afterwards."""

from __future__ import annotations

import json
import logging
import os
import pty
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cli.log import JsonFormatter, LogOptions, logging_to
from honeyguide.topic.file import read_document

from .kit import Command

Logged = Callable[..., tuple[str, str]]

PAGE = b"<title>Bees</title><p>honey bees make honey of nectar</p><a href='/%d'>next</a>"
LINE = re.compile(r"\d\d:\d\d:\d\d\.\d{3} (DEBUG|INFO|WARNING|ERROR) +honeyguide\.\w+: .+")
STRATEGY = """
import logging
import os
from dataclasses import replace
from honeyguide.strategy.recipes.baselines import RECIPES

def rule(values):
    def talkative(view):
        logging.getLogger("talkative").warning("a page was read", extra={"pid": os.getpid()})
        logging.getLogger("honeyguide.strategy").debug("for those who want to know")
        return inner(view)
    inner = RECIPES[0].rule(values)
    return talkative

TALKATIVE = replace(RECIPES[0], name="talkative", rule=rule)
"""


class Site(BaseHTTPRequestHandler):
    """An endless chain of pages, without a robots.txt."""

    def do_GET(self) -> None:
        number = self.path.removeprefix("/") or "0"
        body = PAGE % (int(number) + 1) if number.isdigit() else b""
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def folder(tmp_path: Path, site: str) -> Path:
    """Has a topic file for the site. Nobody listens at the other seeds."""
    nowhere = [f"http://127.0.0.2:59999/{number}" for number in range(6)]
    for name, seeds, pages in (("bees", [site], 4), ("half", [site, *nowhere], 4)):
        (tmp_path / f"{name}.toml").write_text(
            f"""
            seeds = {json.dumps(seeds)}
            keywords = ["honey"]
            budget = {{ pages = {pages} }}
            [fetch]
            allow_networks = ["127.0.0.0/8"]
            connections = 1
            delay = 0.0
            domain_delay = 0.0
            ip_delay = 0.0
            backoff = 0.0
            retries = 1
            patience = 0.0
            robots = {json.dumps(name == "bees")}
            """
        )
    return tmp_path


@pytest.fixture
def honeyguide(honeyguide: Command) -> Logged:
    """Runs a command in this process. Returns what it wrote to its two outputs."""

    def run(*arguments: str, code: int = 0) -> tuple[str, str]:
        said = honeyguide(*arguments)
        assert said.code == code, said.err
        return said.out, said.err

    return run


def in_a_process(folder: Path, *arguments: str) -> str:
    """Run a command, with packages that are in the folder. Returns what it wrote to standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "honeyguide", *arguments],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stderr


def records(path: Path) -> list[dict[str, Any]]:
    """What is in a log file. Fails for a line that is no JSON object, or lacks one of the fields that all have."""
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for record in found:
        assert list(record)[:4] == ["time", "level", "logger", "message"]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", record["time"])
    return found


def events(found: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [record for record in found if record.get("event") == kind]


# ---- the terminal ----


def test_a_command_is_quiet_unless_asked(folder: Path, honeyguide: Logged) -> None:
    assert honeyguide("crawl", "bees.toml", "--workers", "0")[1] == ""


@pytest.mark.parametrize("arguments", [["-v", "crawl", "bees.toml"], ["crawl", "bees.toml", "--verbose"]])
def test_verbose_tells_of_the_run_before_and_after_the_command(
    folder: Path, arguments: list[str], honeyguide: Logged
) -> None:
    err = honeyguide(*arguments, "--workers", "0")[1]
    assert [line for line in err.splitlines() if not LINE.fullmatch(line)] == []
    assert " INFO    honeyguide.crawl: start: crawls/bees, strategy guide, settings " in err
    assert " INFO    honeyguide.crawl: stop: 4 pages, 4 relevant: the budget of 4 pages is used up\n" in err
    assert "DEBUG" not in err


@pytest.mark.parametrize("arguments", [["crawl", "bees.toml", "-vv"], ["-v", "crawl", "bees.toml", "-v"]])
def test_twice_verbose_tells_of_every_page(folder: Path, site: str, arguments: list[str], honeyguide: Logged) -> None:
    err = honeyguide(*arguments, "--workers", "0")[1]
    pages = re.findall(r"DEBUG +honeyguide\.crawl: page: (\S+): relevance [\d.]+, promised [\d.]+, \d+ ms\n", err)
    assert pages == [site, *(f"{site}{number}" for number in (1, 2, 3))]
    assert " DEBUG   honeyguide.crawl: commit: 4 pages, " in err


def test_a_log_stands_above_the_live_display(folder: Path) -> None:
    """In a terminal: complete lines, with the panel drawn again below them."""
    topic = folder / "bees.toml"  # of a crawl that takes long enough for the panel to appear
    topic.write_text(topic.read_text().replace(" delay = 0.0", " delay = 0.4").replace("patience = 0.0", ""))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "honeyguide", "crawl", "bees.toml", "-vv"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200", "LINES": "50"},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 4096):
            seen += part
    except OSError:  # what a terminal says when nobody is left at its other side
        pass
    os.close(ours)
    assert process.wait() == 0
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode()).replace("\r", "\n").split("\n")
    assert any("Ctrl-C saves and exits" in line for line in lines)
    logged = [line.rstrip() for line in lines if "honeyguide." in line]
    assert [line for line in logged if not LINE.fullmatch(line)] == []
    assert sum(": page: " in line for line in logged) == 4


# ---- the file ----


def test_the_log_file_has_a_run_with_its_failures(folder: Path, site: str, honeyguide: Logged) -> None:
    before = datetime.now(UTC).isoformat()
    err = honeyguide("crawl", "half.toml", "--log-file", "log.jsonl")[1]
    found = records(folder / "log.jsonl")
    seeds = events(found, "seed failed")
    assert err == "".join(f"warning: seed {one['url']}: {one['reason']}\n" for one in seeds)
    assert before <= found[0]["time"] <= datetime.now(UTC).isoformat()
    assert found[0]["command"] == "honeyguide crawl half.toml --log-file log.jsonl"
    (start,) = events(found, "start")
    assert (start["logger"], start["level"], start["crawl"]) == ("honeyguide.crawl", "INFO", "crawls/half")
    assert (start["strategy"], start["seeds"], start["workers"]) == ("guide", 7, 1)
    retries, failures = events(found, "retry"), events(found, "failed")
    assert len(retries) >= 1
    assert [one["url"] for one in seeds] == [one["url"] for one in failures]
    assert retries[0]["attempt"] == 1
    for record in (*retries, *failures):
        assert record["kind"] == "connect"
        assert record["url"].startswith("http://127.0.0.2:59999/")
        assert record["url"] in record["message"]
    (rest,) = events(found, "host rests")
    assert (rest["host"], rest["reason"]) == ("127.0.0.2:59999", "5 failures in a row")
    (stop,) = events(found, "stop")
    assert (stop["kind"], stop["pages"], stop["relevant"]) == ("pages", 4, 4)
    assert stop["errors"] == {"connect": 5}
    assert events(found, "page") == []  # which are for -vv


def test_the_log_file_has_every_page_when_asked(folder: Path, site: str, honeyguide: Logged) -> None:
    honeyguide("-vv", "--log-file", "log.jsonl", "crawl", "bees.toml", "--workers", "0")
    found = records(folder / "log.jsonl")
    pages = events(found, "page")
    assert [page["url"] for page in pages] == [site, *(f"{site}{number}" for number in (1, 2, 3))]
    assert all(page["status"] == 200 and 0 < page["relevance"] <= 1 and page["ms"] >= 0 for page in pages)
    assert pages[0]["promised"] == 1.0
    (robots,) = events(found, "robots")
    assert (robots["origin"] + "/", robots["status"]) == (site, 404)
    assert events(found, "commit")[-1]["pages"] == 4


def test_a_second_run_is_appended_with_the_same_settings(folder: Path, honeyguide: Logged) -> None:
    for _ in range(2):
        honeyguide("crawl", "bees.toml", "--log-file", "log.jsonl", "--workers", "0")
    honeyguide("crawl", "bees.toml", "--log-file", "log.jsonl", "--workers", "0", "--pages", "6")
    found = records(folder / "log.jsonl")
    first, second, third = (record for record in found if record.get("event") in {"start", "resume"})
    assert [first["event"], second["event"], third["event"]] == ["start", "resume", "resume"]
    assert first["settings"] == second["settings"] != third["settings"]


def test_the_error_that_ends_a_command_is_in_the_file(folder: Path, honeyguide: Logged) -> None:
    err = honeyguide("-v", "crawl", "nowhere.toml", "--log-file", "log.jsonl", code=2)[1]
    assert err.count("nowhere.toml: ") == 1
    last = records(folder / "log.jsonl")[-1]
    assert (last["level"], last["message"]) == ("ERROR", err.splitlines()[-1].removeprefix("honeyguide: "))
    assert "exception" not in last


@pytest.mark.parametrize("place", ["nowhere/log.jsonl", ".", "bees.toml/log.jsonl"])
def test_a_log_file_that_cannot_be_written_is_refused(folder: Path, place: str, honeyguide: Logged) -> None:
    before = sorted(folder.rglob("*"))
    out, err = honeyguide("crawl", "bees.toml", "--log-file", place, code=2)
    assert out == ""
    assert err.startswith(f"honeyguide: --log-file: {place} cannot be written: ")
    assert err.count("\n") == 1
    assert sorted(folder.rglob("*")) == before


def test_a_full_disk_costs_the_log_and_not_the_crawl(folder: Path, honeyguide: Logged) -> None:
    out, err = honeyguide("crawl", "bees.toml", "--log-file", "/dev/full", "--workers", "0")
    assert "4 pages fetched" in out
    assert err == "warning: /dev/full: cannot be written any more: [Errno 28] No space left on device\n"


# ---- records ----


def test_records_of_workers_arrive_with_their_fields(
    folder: Path, honeyguide: Logged, installed: Callable[[Path], AbstractContextManager[None]]
) -> None:
    (folder / "talkative.py").write_text(STRATEGY)
    about = folder / "talkative-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: talkative\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[honeyguide.strategies]\ntalkative = talkative:TALKATIVE\n")
    command = ("crawl", "bees.toml", "--strategy", "talkative", "--workers", "1")
    err = in_a_process(folder, *command, "--log-file", "log.jsonl")
    assert err == "warning: a page was read\n" * 4
    found = [record for record in records(folder / "log.jsonl") if record["logger"] == "talkative"]
    assert [(record["level"], record["message"]) for record in found] == [("WARNING", "a page was read")] * 4
    assert all(record["worker"] == record["pid"] != os.getpid() for record in found)
    with installed(folder):
        err = honeyguide(*command, "-vv", "--out", "again")[1]
    assert err.count(" DEBUG   honeyguide.strategy: for those who want to know\n") == 4


def test_warnings_of_python_are_logged(folder: Path, honeyguide: Logged, monkeypatch: pytest.MonkeyPatch) -> None:
    def warn(path: Path) -> Any:
        warnings.warn("old file", UserWarning, stacklevel=1)
        return read_document(path)

    monkeypatch.setattr("honeyguide.topic.topic.read_document", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        err = honeyguide("crawl", "bees.toml", "--log-file", "log.jsonl", "--workers", "0")[1]
    assert err == "warning: old file\n"
    (found,) = (record for record in records(folder / "log.jsonl") if record["logger"] == "py.warnings")
    assert (found["message"], found["category"]) == ("old file", "UserWarning")


def test_logging_is_as_before_when_a_command_has_ended(tmp_path: Path) -> None:
    def state() -> tuple[Any, ...]:
        return logging.getLogger("honeyguide").level, list(logging.getLogger().handlers), warnings.showwarning

    before = state()
    with pytest.raises(ValueError, match="why"), logging_to(LogOptions(2, tmp_path / "log.jsonl")):
        raise ValueError("why")
    assert state() == before
    last = records(tmp_path / "log.jsonl")[-1]
    assert (last["level"], last["message"]) == ("ERROR", "why")
    assert last["exception"].endswith("ValueError: why")


def test_a_line_holds_whatever_a_record_holds() -> None:
    record = logging.makeLogRecord(
        {"name": "x", "levelname": "INFO", "msg": "%s\nand a line", "args": ("ü\udc80",), "created": 1.0625, "url": {1}}
    )
    record.time = record.logger = "mine"
    try:
        raise ValueError("why")
    except ValueError:
        record.exc_info = sys.exc_info()
    line = JsonFormatter().format(record)
    assert "\n" not in line
    fields = json.loads(line.encode("utf-8", "backslashreplace"))
    assert fields["time"] == "1970-01-01T00:00:01.062Z"
    assert (fields["logger"], fields["message"], fields["url"]) == ("x", "ü\udc80\nand a line", "{1}")
    assert fields["exception"].startswith("Traceback")
    assert fields["exception"].endswith("ValueError: why")


# ---- from Python ----


def test_the_library_is_silent_and_leaves_logging_to_the_program(folder: Path) -> None:
    script = """
import logging, sys, honeyguide
assert logging.getLogger().handlers == []
logging.getLogger("honeyguide.crawl").error("nobody listens")
print([page.url for page in honeyguide.crawl("half.toml")], flush=True)
seen = []
handler = logging.Handler()
handler.emit = lambda record: seen.append((record.name, record.levelname, getattr(record, "event", "")))
logging.getLogger("honeyguide").addHandler(handler)
logging.getLogger("honeyguide").setLevel("INFO")
list(honeyguide.crawl("half.toml", budget={"pages": 5}))
print(seen)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert done.stderr == ""
    pages, seen = done.stdout.splitlines()
    assert pages.count("http://") == 4
    assert "('honeyguide.crawl', 'INFO', 'resume')" in seen
    assert "('honeyguide.crawl', 'INFO', 'stop')" in seen
