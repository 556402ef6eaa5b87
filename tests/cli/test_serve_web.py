"""``honeyguide serve-web`` as a user types it."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from honeyguide.cli.main import main

PAGE = b"<title>home</title><p>hello"
BLOCK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE
HEAD = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/?x=1&y=2\r\nContent-Length: {}\r\n\r\n"
RECORD = HEAD.format(len(BLOCK)).encode() + BLOCK + b"\r\n\r\n"


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def refused(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["honeyguide", "serve-web", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    assert isinstance(left.value.code, int)
    return left.value.code


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_web_is_served_until_it_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    path = tmp_path / "w.warc"
    path.write_bytes(RECORD + RECORD[:40])
    command = [sys.executable, "-m", "honeyguide", "serve-web", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stderr is not None
        first, example = server.stdout.readline(), server.stdout.readline()
        assert first.startswith("serving 1 URLs of w.warc behind the HTTP proxy http://127.0.0.1:")
        address = example.split()[4]
        assert example == f"try it: curl --proxy {address} 'http://a.example/?x=1&y=2'\n"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": address}))
        with opener.open("http://a.example/?x=1&y=2", timeout=30) as answer:
            assert answer.read() == PAGE
        server.send_signal(number)
        assert server.wait(30) == 0
        assert server.stderr.read() == (
            f"warning: w.warc is cut short at byte {len(RECORD)}: the last 40 bytes are lost, "
            "the pages before them are kept\n"
        )


def test_wrong_input_gets_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert refused(monkeypatch, str(tmp_path / "nowhere.warc.gz")) == 2
    assert capfd.readouterr().err.endswith("nowhere.warc.gz: there is no such file; check its name\n")


def test_a_port_in_use_is_said(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert refused(monkeypatch, "demo:100", "--port", port) == 2
    assert f"--port: {port} cannot be used" in capfd.readouterr().err
