"""What the fetcher says, hears and reports, short of bodies and addresses."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.errors import InputError
from honeyguide.fetch import http
from honeyguide.fetch.base import KINDS, Failure, Request, Response
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp.abc import ResolveResult

    from honeyguide.fetch.http import HttpFetcher

    from .conftest import Names, Play, Site

    Answer = Callable[..., bytes]

HTML = "Content-Type: text/html"


def test_answer_is_reported_as_it_came(play: Play, answer: Answer) -> None:
    response = play.response(answer(b"<p>hi", "Content-TYPE: text/html", "x-a: 1", "X-A: 2", status="203 Fine, really"))
    assert response.url.startswith("http://127.0.0.1:")
    assert (response.status, response.reason) == (203, "Fine, really")
    assert response.headers == (("Content-Length", "5"), ("Content-TYPE", "text/html"), ("x-a", "1"), ("X-A", "2"))
    assert (response.body, response.raw, response.truncated, response.skipped) == (b"<p>hi", b"<p>hi", "", "")
    assert response.ip == "127.0.0.1"
    assert response.started > 0
    assert response.elapsed > 0
    assert response.header("x-a") == "1"


def test_request_says_who_asks_and_is_reported_as_sent(play: Play, answer: Answer) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> tuple[str, Response | Failure]:
        result = await fetcher.fetch(Request(site.url("/a%7Eb/%C3%A9?q=%2f&x=a+b")))
        return site.requests[0], result

    page = answer(b"")
    sent, response = play.script(
        {"/a%7Eb/%C3%A9?q=%2f&x=a+b": page}, script, agent="bird", contact="mailto:me@example.org"
    )
    assert isinstance(response, Response)
    line, *headers = sent.strip().split("\r\n")
    assert line == "GET /a%7Eb/%C3%A9?q=%2f&x=a+b HTTP/1.1"
    assert tuple(tuple(header.split(": ", 1)) for header in headers) == response.request_headers
    said = dict(response.request_headers)
    assert said["User-Agent"] == "bird/1.2 (+mailto:me@example.org)"
    assert said["Accept-Encoding"] == "gzip, deflate, br, zstd"
    assert said["Accept"].startswith("text/html, application/xhtml+xml")


def test_a_request_is_reported_when_it_leaves_and_only_if_it_does(play: Play) -> None:
    events: list[str] = []

    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        events.append("arrived")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")

    async def script(site: Site, fetcher: HttpFetcher) -> None:
        for _ in range(2):  # the second time on the same connection
            await fetcher.fetch(Request(site.url("/"), sent=lambda: events.append("sent")))
        result = await fetcher.fetch(Request("http://127.0.0.1:1/", sent=lambda: events.append("sent")))
        assert isinstance(result, Failure)

    play.script({"/": page}, script)
    assert events == ["sent", "arrived", "sent", "arrived"]


def test_user_agent_without_contact_has_no_bracket(play: Play, answer: Answer) -> None:
    assert dict(play.response(answer(b"")).request_headers)["User-Agent"] == "honeyguide/1.2"


def test_an_answer_without_a_body_that_nobody_asked_for(play: Play) -> None:
    response = play.response(b'HTTP/1.1 304 Not Modified\r\nETag: W/"x"\r\n\r\n')
    assert (response.status, response.body) == (304, b"")


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See", "307 Temp", "308 Perm"])
def test_redirects_are_answers(play: Play, answer: Answer, status: str) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> tuple[int, Response | Failure]:
        result = await fetcher.fetch(Request(site.url("/")))
        return len(site.requests), result

    page = answer(b"moved", "Location: /else", status=status)
    asked, response = play.script({"/": page, "/else": answer(b"")}, script)
    assert isinstance(response, Response)
    assert (asked, response.status, response.header("location")) == (1, int(status[:3]), "/else")


def test_header_bytes_beyond_ascii(play: Play, answer: Answer) -> None:
    utf8 = play.response(answer(b"", "Location: /caf\u00c3\u00a9", status="301 Moved"))
    assert utf8.header("location") == "/café"
    latin = play.response(answer(b"", "Location: /caf\u00e9", "X-Ascii: a", status="301 Moved"))
    assert (latin.header("location"), latin.header("x-ascii")) == ("/café", "a")
    repr(latin).encode()  # no surrogates: whatever writes them down cannot fail


def test_connection_is_kept_and_used_again(play: Play, answer: Answer) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> tuple[int, int]:
        for path in ("/", "/gone", "/moved", "/"):
            await fetcher.fetch(Request(site.url(path)))
        return len(site.requests), site.connections

    pages = {
        "/": answer(b"x" * 100_000, HTML),
        "/gone": answer(b"gone", "Content-Type: image/png", status="404 Not Found"),
        "/moved": answer(b"", "Location: /", status="301 Moved"),
    }
    assert play.script({**pages}, script) == (4, 1)


def test_idle_connections_are_bounded(
    play: Play, answer: Answer, names: Callable[..., Names], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> list[bool]:
        for host in ("a.test", "b.test", "c.test"):
            await fetcher.fetch(Request(site.url("/", host)))
        return ["Connection: close" in head for head in site.requests]

    monkeypatch.setattr(http, "_MOST_IDLE", 0)
    loopback = [["127.0.0.1"]]
    resolver = names(a=loopback, b=loopback, c=loopback)
    assert play.script({"/": answer(b"")}, script, resolver=resolver, connections=1) == [False, False, True]


def test_no_more_fetches_at_once_than_connections(play: Play, answer: Answer) -> None:
    under_way = 0
    most = 0

    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        for _ in range(20):  # let everybody else come
            await asyncio.sleep(0)
        under_way -= 1
        writer.write(answer(b""))

    async def script(site: Site, fetcher: HttpFetcher) -> list[Response | Failure]:
        return await asyncio.gather(*[fetcher.fetch(Request(site.url("/"))) for _ in range(12)])

    results = play.script({"/": page}, script, connections=3)
    assert all(isinstance(result, Response) for result in results)
    assert most <= 3


def test_cookies_are_forgotten_unless_asked_for(play: Play, answer: Answer, names: Callable[..., Names]) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> list[bool]:
        for host in ("a.test", "a.test", "b.test"):
            await fetcher.fetch(Request(site.url("/", host)))
        return ["Cookie: sid=7" in head for head in site.requests]

    pages = {"/": answer(b"", "Set-Cookie: sid=7")}
    loopback = [["127.0.0.1"]]
    off = play.script({**pages}, script, resolver=names(a=loopback, b=loopback))
    on = play.script({**pages}, script, resolver=names(a=loopback, b=loopback), cookies=True)
    assert (off, on) == ([False, False, False], [False, True, False])


@pytest.mark.parametrize(
    ("domain", "sent"),
    [
        ("", False),
        ("; Domain=one.co.uk", True),
        ("; Domain=.one.co.uk", True),
        ("; Domain=co.uk", False),
        ('; domain = ".CO.uk"', False),
        ("; Domain=one.co.uk; Domain=co.uk", False),
        ("; Domain=uk", False),
        ("; Domain=two.co.uk", False),
    ],
)
def test_no_site_sets_cookies_for_others(
    play: Play, answer: Answer, names: Callable[..., Names], domain: str, sent: bool
) -> None:
    hosts = ["www.one.co.uk", "one.co.uk", "two.co.uk"]
    resolver = names()
    resolver.answers = {host: [["127.0.0.1"]] for host in hosts}

    async def script(site: Site, fetcher: HttpFetcher) -> list[bool]:
        for host in ("www.one.co.uk", "one.co.uk", "two.co.uk"):
            await fetcher.fetch(Request(site.url("/", host)))
        return ["Cookie:" in head for head in site.requests]

    pages = {"/": answer(b"", f"Set-Cookie: sid=7{domain}")}
    assert play.script({**pages}, script, resolver=resolver, cookies=True)[1:] == [sent, False]


@pytest.mark.parametrize("age", ["Max-Age=" + "9" * 400, "Max-Age=" + "9" * 5000, "Expires=Fri, 31 Dec 99999999 0:0:0"])
def test_cookies_of_any_age_do_no_harm(play: Play, answer: Answer, names: Callable[..., Names], age: str) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> list[bool]:
        results = [await fetcher.fetch(Request(site.url("/", "a.test"))) for _ in range(2)]
        return [isinstance(result, Response) for result in results]

    page = answer(b"", f"Set-Cookie: sid=7; {age}")
    assert play.script({"/": page}, script, resolver=names(a=[["127.0.0.1"]]), cookies=True) == [True, True]


@pytest.mark.parametrize("length", ["9" * 400, "-5", "99999999999999999999", "0x10", "1e3"])
def test_no_content_length_does_harm(play: Play, length: str) -> None:
    failure = play.failure(f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nhi".encode())
    assert (failure.kind, failure.transient) == ("protocol", False)


def test_nothing_is_passed_on_to_where_a_redirect_leads(
    play: Play, answer: Answer, names: Callable[..., Names]
) -> None:
    """Neither cookies nor names and passwords nor where we came from: each request stands alone."""
    rules = UrlRules(UrlSettings())

    async def script(site: Site, fetcher: HttpFetcher) -> list[str]:
        url = site.url("/", "a.test")
        for _ in range(3):
            result = await fetcher.fetch(Request(url))
            assert isinstance(result, Response)
            target = rules.join(url, result.header("location").replace("PORT", str(site.port)))
            assert target is not None
            url = target
        return site.requests

    pages = {
        "/": answer(b"", "Set-Cookie: sid=7", "Location: http://anna:secret@b.test:PORT/next", status="302 Found"),
        "/next": answer(b"", "Location: http://c.test:PORT/last", status="307 Temporary"),
        "/last": answer(b"", "Location: /", status="302 Found"),
    }
    loopback = [["127.0.0.1"]]
    heads = play.script({**pages}, script, resolver=names(a=loopback, b=loopback, c=loopback), cookies=True)
    usual = {"host", "user-agent", "accept", "accept-encoding"}
    for head in heads:
        said = {line.partition(":")[0].lower() for line in head.strip().split("\r\n")[1:]}
        assert said <= usual | {"connection"}, head


def test_large_headers_pass_and_huge_ones_fail(play: Play, answer: Answer) -> None:
    response = play.response(answer(b"ok", "X-Long: " + "y" * 40_000, "X-Short: 1"))
    assert (len(response.header("x-long")), response.header("x-short"), response.body) == (40_000, "1", b"ok")
    assert play.failure(answer(b"ok", "X-Long: " + "y" * 200_000)).kind == "protocol"


def failure_of(play: Play, page: bytes) -> tuple[str, bool]:
    async def last_words(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(page)
        writer.close()

    failure = play.failure(last_words)
    assert failure.kind in KINDS
    assert failure.detail
    assert "\n" not in failure.detail
    return failure.kind, failure.transient


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        (b"", ("connect", True)),
        (b"HTTP/1.1 200 OK\r\nContent-Le", ("connect", True)),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n", ("connect", True)),
        (b"\x00\x01\x02 not HTTP\r\n\r\n", ("protocol", False)),
        (b"HTTP/1.1 abc OK\r\n\r\n", ("protocol", False)),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhi\r\n", ("protocol", False)),
    ],
    ids=["nothing", "half a head", "no body", "garbage", "bad status", "bad chunk"],
)
def test_answers_that_are_none(play: Play, page: bytes, outcome: tuple[str, bool]) -> None:
    assert failure_of(play, page) == outcome


def test_lost_connection_is_not_asked_again_here(play: Play) -> None:
    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async def script(site: Site, fetcher: HttpFetcher) -> int:
        await fetcher.fetch(Request(site.url("/")))
        return len(site.requests)

    assert play.script({"/": close}, script) == 1


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nthe beginning")
    await asyncio.Event().wait()


async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while not writer.is_closing():
        writer.write(b".")
        await writer.drain()
        await asyncio.sleep(0)


def test_hanging_servers_run_into_the_read_timeout(play: Play) -> None:
    for page in (hang, stall):
        failure = play.failure(page, read_timeout=0.1)
        assert (failure.kind, failure.transient) == ("timeout", True)


def test_names_that_take_too_long_run_into_the_connect_timeout(
    play: Play, names: Callable[..., Names], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait_forever(*_: object) -> list[ResolveResult]:
        await asyncio.Event().wait()
        return []

    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        return await fetcher.fetch(Request("http://slow.test/"))

    resolver = names()
    monkeypatch.setattr(resolver, "resolve", wait_forever)
    failure = play.script({}, script, resolver=resolver, connect_timeout=0.1)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.transient) == ("timeout", True)


def test_dripping_server_runs_into_the_total_timeout(play: Play) -> None:
    failure = play.failure(drip, read_timeout=5, total_timeout=0.1)
    assert (failure.kind, failure.transient) == ("timeout", True)


def test_waiting_for_a_turn_is_no_timeout(play: Play, answer: Answer) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> list[Response | Failure]:
        return await asyncio.gather(*(fetcher.fetch(Request(site.url(path))) for path in ("/hang", "/")))

    results = play.script({"/hang": hang, "/": answer(b"")}, script, connections=1, total_timeout=0.5)
    assert [type(result) for result in results] == [Failure, Response]


def test_cancelling_is_passed_on(play: Play, answer: Answer) -> None:
    reached = asyncio.Event()

    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        reached.set()
        await hang(reader, writer)

    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        task = asyncio.ensure_future(fetcher.fetch(Request(site.url("/hang"))))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await fetcher.fetch(Request(site.url("/")))  # the slot is free again

    assert isinstance(play.script({"/hang": page, "/": answer(b"")}, script, connections=1), Response)


def test_refused_connection(play: Play) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        server = await asyncio.start_server(hang, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        server.close()
        await server.wait_closed()
        return await fetcher.fetch(Request(f"http://127.0.0.1:{port}/"))

    failure = play.script({}, script)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.transient) == ("connect", True)


@pytest.mark.parametrize("url", ["http://", "http:///x", "ftp://127.0.0.1/", "mailto:a@b.c", "", "http://[::/"])
def test_urls_that_cannot_be_asked_for(play: Play, url: str) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        return await fetcher.fetch(Request(url))

    failure = play.script({}, script)
    assert isinstance(failure, Failure)
    assert failure.kind in {"protocol", "address"}
    assert not failure.transient


def test_untrusted_certificate_is_refused(play: Play, answer: Answer) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Path(__file__).with_name("untrusted.pem"))

    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        return await fetcher.fetch(Request(site.url("/", scheme="https")))

    failure = play.script({"/": answer(b"")}, script, context=context)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.transient) == ("tls", False)
    assert "certificate" in failure.detail


def test_https_to_a_server_that_speaks_no_tls(play: Play) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        async with await asyncio.start_server(greet, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            return await fetcher.fetch(Request(f"https://127.0.0.1:{port}/"))

    failure = play.script({}, script)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.transient) == ("tls", False)


def test_proxy_is_asked_instead_of_the_host(play: Play, answer: Answer) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> tuple[str, Response | Failure]:
        result = await fetcher.fetch(Request("http://far.example/page?a=b"))
        return site.requests[0], result

    page = answer(b"via", HTML)
    head, response = play.script({"http://far.example/page?a=b": page}, script, through_proxy=True)
    assert head.startswith("GET http://far.example/page?a=b HTTP/1.1\r\nHost: far.example\r\n")
    assert isinstance(response, Response)
    assert (response.body, response.ip) == (b"via", "")


@pytest.mark.parametrize(("status", "transient"), [("403 Forbidden", False), ("502 Bad Gateway", True)])
def test_proxy_that_opens_no_tunnel(play: Play, answer: Answer, status: str, transient: bool) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        return await fetcher.fetch(Request("https://far.example/"))

    result = play.script({"far.example:443": answer(b"", status=status)}, script, through_proxy=True)
    assert isinstance(result, Failure)
    assert (result.kind, result.transient) == ("connect", transient)


@pytest.mark.parametrize("name", ["agent", "contact"])
def test_identity_that_would_break_the_header(play: Play, name: str) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> None:
        raise AssertionError

    broken: Any = {name: "bird\r\nX-Evil: 1"}
    with pytest.raises(InputError, match=rf"fetch\.{name}"):
        play.script({}, script, **broken)


@pytest.mark.parametrize("proxy", ["127.0.0.1:3128", "socks5://127.0.0.1", "http://", "http://[::/"])
def test_proxy_setting_that_is_none(play: Play, proxy: str) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> None:
        raise AssertionError

    with pytest.raises(InputError, match=r"fetch\.proxy"):
        play.script({}, script, proxy=proxy)
