"""The demo web over HTTP: a proxy, an origin server, a log, a process of its own."""

import asyncio
import os
import time
import tomllib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from honeyguide.demo import DemoServer, DemoWeb, ServedRequest, faults, read_visits, run_in_process, write_start_files
from honeyguide.errors import HoneyguideError

WEB = DemoWeb(pages=300)
HOME = WEB.seeds("geology")[0]
HOST = HOME.split("/")[2]
BUSY = next(fault.url for fault in faults() if fault.name == "busy-503")

T = TypeVar("T")
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def talk(work: Callable[[Streams], Awaitable[T]], log: list[ServedRequest] | None = None) -> T:
    """Run a conversation on one connection with a server."""

    async def whole() -> T:
        server = DemoServer(WEB, log=log)
        await server.start()
        streams = await connect(server.address)
        try:
            return await work(streams)
        finally:
            streams[1].close()
            await server.stop()

    return asyncio.run(whole())


async def connect(address: str) -> Streams:
    host, port = address.removeprefix("http://").split(":")
    return await asyncio.open_connection(host, int(port))


async def read_answer(reader: asyncio.StreamReader, *, body: bool = True) -> tuple[int, dict[str, str], bytes]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    content = await reader.readexactly(int(headers.get("content-length", 0))) if body else b""
    return int(first.split(" ")[1]), headers, content


def ask(*requests: bytes, body: bool = True) -> list[tuple[int, dict[str, str], bytes]]:
    """Send the requests at once on one connection; their answers."""

    async def work(streams: Streams) -> list[tuple[int, dict[str, str], bytes]]:
        streams[1].write(b"".join(requests))
        return [await read_answer(streams[0], body=body) for _ in requests]

    return talk(work)


def get(target: str, *headers: str, method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} {target} HTTP/1.1", *headers, "", "")).encode()


def test_proxy_and_origin_requests_get_the_same_page() -> None:
    answers = ask(
        get(HOME, "Host: other.example"),
        get("/", f"Host: {HOST}"),
        get("/", f"Host: {HOST.upper()}:8080"),
        get(HOME.replace(HOST, HOST.upper() + ":80")),
    )
    assert {body for _, _, body in answers} == {WEB.answer(HOME).body}
    assert {status for status, _, _ in answers} == {200}
    assert all("date" in headers for _, headers, _ in answers)


def test_head_has_everything_but_the_body() -> None:
    urls = (HOME, "http://slow.example/", "http://endless.example/", "http://closing-early.example/", HOME)
    answers = ask(*(get(url, method="HEAD") for url in urls), body=False)
    assert [(status, headers["content-length"]) for status, headers, _ in answers] == [
        (200, str(len(WEB.answer(url).body))) for url in urls
    ]


def test_one_connection_serves_many_requests_until_one_asks_for_its_end() -> None:
    async def work(streams: Streams) -> tuple[list[int], bytes]:
        reader, writer = streams
        statuses = []
        for target in (HOME, f"{HOME}nothing", "http://nowhere.test/"):
            request = get(target)
            writer.write(request[:7])
            await writer.drain()
            writer.write(request[7:])
            statuses.append((await read_answer(reader))[0])
        writer.write(get(HOME, "Connection: close") + get(HOME))
        statuses.append((await read_answer(reader))[0])
        return statuses, await reader.read()

    assert talk(work) == ([200, 404, 404, 200], b"")


def test_old_clients_get_one_answer() -> None:
    ((status, headers, _),) = ask(get(HOME).replace(b"HTTP/1.1", b"HTTP/1.0"))
    assert (status, headers["connection"]) == (200, "close")


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
        b"GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        b"GET ftp://a/ HTTP/1.1\r\n\r\n",
        b"GET http:/// HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n",
        b"\xff\x00\r\n\r\n",
    ],
)
def test_nonsense_is_turned_away(request_bytes: bytes) -> None:
    ((status, headers, _),) = ask(request_bytes)
    assert (status, headers["connection"]) == (400, "close")


def test_a_request_without_end_is_turned_away() -> None:
    ((status, _, _),) = ask(b"GET / HTTP/1.1\r\nX: " + b"a" * 70_000)
    assert status == 431


def test_tunnels_and_other_methods_are_not_for_this_web() -> None:
    ((status, headers, body),) = ask(get("faults.example:443", method="CONNECT"))
    assert (status, headers["allow"]) == (405, "GET, HEAD")
    assert b"http:// only" in body
    assert ask(get(HOME, method="DELETE"))[0][0] == 405


def test_a_page_that_is_known_is_not_sent_again() -> None:
    etag = WEB.answer(HOME).header("etag")
    answers = ask(get(HOME, f"If-None-Match: {etag}"), get(HOME, 'If-None-Match: "old"'))
    assert [(status, bool(body)) for status, _, body in answers] == [(304, False), (200, True)]


def test_attempts_are_counted_where_they_matter() -> None:
    assert [status for status, _, _ in ask(get(BUSY), get(BUSY), get(BUSY))] == [503, 200, 200]


def test_the_log_tells_who_asked_for_what_and_when() -> None:
    log: list[ServedRequest] = []

    async def work(streams: Streams) -> None:
        streams[1].write(get(HOME, "User-Agent: tester") + get("http://late.example/") + get(f"{HOME}none?a=1"))
        for _ in range(3):
            await read_answer(streams[0])
        streams[1].write(get("http://closing-at-once.example/"))
        assert await streams[0].read() == b""

    before = time.monotonic()
    talk(work, log)
    assert [(visit.host, visit.target, visit.status) for visit in log] == [
        (HOST, "/", 200),
        ("late.example", "/", 200),
        (HOST, "/none?a=1", 404),
        ("closing-at-once.example", "/", 0),
    ]
    assert [visit.agent for visit in log] == ["tester", "", "", ""]
    times = [before, *(moment for visit in log for moment in (visit.began, visit.ended)), time.monotonic()]
    assert times == sorted(times)


def test_a_visit_that_hangs_is_logged_when_the_client_leaves() -> None:
    log: list[ServedRequest] = []

    async def work(streams: Streams) -> None:
        streams[1].write(get("http://hanging.example/"))
        await streams[1].drain()
        other = get(HOME)
        host, port = streams[1].get_extra_info("peername")
        second = await asyncio.open_connection(host, port)
        second[1].write(other)
        assert (await read_answer(second[0]))[0] == 200  # so the first request has been read
        second[1].close()

    talk(work, log)
    assert sorted((visit.host, visit.status) for visit in log) == sorted([("hanging.example", 0), (HOST, 200)])


def test_served_from_a_process_of_its_own(tmp_path: Path) -> None:
    web = DemoWeb(seed=3, pages=200, locality=0.5, page_kb=2, faults=True)
    home = web.seeds("sailing")[0]
    log = tmp_path / "visits.jsonl"

    async def once(address: str) -> bytes:
        reader, writer = await connect(address)
        writer.write(get(home, "User-Agent: tester"))
        _, _, body = await read_answer(reader)
        writer.close()
        return body

    with run_in_process(web, log=log) as running:
        assert asyncio.run(once(running.address)) == web.answer(home).body
        os.kill(running.pid, 0)
        latest = time.monotonic() + 10
        while not read_visits(log) and time.monotonic() < latest:  # it is logged once the answer is on its way
            pass
    with pytest.raises(ProcessLookupError):
        os.kill(running.pid, 0)
    (visit,) = read_visits(log)
    assert (visit.host, visit.target, visit.status, visit.agent) == (home.split("/")[2], "/", 200, "tester")
    log.write_text(log.read_text() + '{"half', encoding="utf-8")
    assert read_visits(log) == [visit]


def test_a_port_that_is_taken_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    with run_in_process(WEB) as running:
        port = int(running.address.rsplit(":", 1)[1])
        with pytest.raises(HoneyguideError, match="did not start"), run_in_process(WEB, port=port):
            pass
    assert capfd.readouterr().err.startswith("the demo web cannot be served: ")


def test_start_files_crawl_the_served_web(tmp_path: Path) -> None:
    topic, seeds, labels = write_start_files(WEB, "geology", "http://127.0.0.1:8080", tmp_path / "new")
    assert labels.read_text(encoding="utf-8") == "".join(f"{url}\t{label}\n" for url, label in WEB.labels())
    assert seeds.read_text(encoding="utf-8").split() == list(WEB.seeds("geology"))
    assert tomllib.loads(topic.read_text(encoding="utf-8")) == {
        "name": "demo-geology-300-no-faults",
        "keywords": list(WEB.keywords("geology")),
        "seeds": "seeds.txt",
        "budget": {"pages": 75},
        "fetch": {
            "proxy": "http://127.0.0.1:8080",
            "delay": 0.0,
            "domain_delay": 0.0,
            "ip_delay": 0.0,
        },
    }
    with pytest.raises(ValueError, match="no subject"):
        write_start_files(WEB, "alchemy", "http://127.0.0.1:8080", tmp_path / "none")
    assert not (tmp_path / "none").exists()
