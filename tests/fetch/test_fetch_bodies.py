"""Which bodies are read, how far, and what is kept of broken ones."""

from __future__ import annotations

import asyncio
import gzip
import random
import sys
import zlib
from functools import partial
from typing import TYPE_CHECKING

import brotli
import pytest

from honeyguide.fetch.base import Request, Response

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.fetch.base import Failure
    from honeyguide.fetch.http import HttpFetcher

    from .conftest import Play, Site

    Answer = Callable[..., bytes]

HTML = "Content-Type: text/html; charset=utf-8"
GZIP = "Content-Encoding: gzip"
PAGE = b"<!DOCTYPE html><p>" + b" ".join(b"word%d" % (i * i) for i in range(3000))
RAW_DEFLATE = zlib.compressobj(wbits=-15)
ENCODED = {
    "gzip": gzip.compress(PAGE, mtime=0),
    "x-gzip": gzip.compress(PAGE[:9000], mtime=0) + gzip.compress(PAGE[9000:], mtime=0),
    "deflate": zlib.compress(PAGE),
    "Deflate": RAW_DEFLATE.compress(PAGE) + RAW_DEFLATE.flush(),
    "br": brotli.compress(PAGE),
    "zstd": zstd.compress(PAGE),
    "gzip, br": brotli.compress(gzip.compress(PAGE, mtime=0)),
    "identity": PAGE,
    "utf-8": PAGE,
}


def chunked(body: bytes, size: int, *headers: str) -> bytes:
    head = "\r\n".join(("HTTP/1.1 200 OK", "Transfer-Encoding: chunked", *headers, "", "")).encode()
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return head + b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (*pieces, b""))


@pytest.mark.parametrize("encoding", ENCODED)
def test_every_encoding_is_undone(play: Play, answer: Answer, encoding: str) -> None:
    raw = ENCODED[encoding]
    header = f"Content-Encoding: {encoding}"
    for page in (answer(raw, HTML, header), chunked(raw, 700, HTML, header)):
        response = play.response(page)
        assert (response.body, response.raw, response.truncated) == (PAGE, raw, "")


def test_body_that_ends_with_the_connection(play: Play) -> None:
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + PAGE)
        writer.close()

    response = play.response(page)
    assert (response.body, response.truncated) == (PAGE, "")


@pytest.mark.parametrize("wrong", ["gzip", "zstd", "br", "deflate"])
def test_announced_encoding_that_was_not_applied(play: Play, answer: Answer, wrong: str) -> None:
    response = play.response(answer(PAGE, HTML, f"Content-Encoding: {wrong}"))
    assert (response.body, response.truncated) == (PAGE, "")


def test_gzip_that_was_not_announced(play: Play, answer: Answer) -> None:
    raw = gzip.compress(PAGE, mtime=0)
    assert play.response(answer(raw, HTML)).body == PAGE
    assert play.response(answer(raw)).body == PAGE
    archive = play.response(answer(raw, "Content-Type: application/gzip"), Request("", any_type=True))
    assert archive.body == raw  # here the archive itself is what was asked for


def test_empty_bodies_are_whole_in_any_encoding(play: Play, answer: Answer) -> None:
    for encoding in ENCODED:
        response = play.response(answer(b"", HTML, f"Content-Encoding: {encoding}"))
        assert (response.body, response.truncated) == (b"", "")


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_cut_encoding_keeps_what_can_be_decoded(play: Play, answer: Answer, encoding: str) -> None:
    whole = bytes(random.Random(3).choices(b"abcdefgh", k=400_000))  # too long for one block of any format
    coded: dict[str, Callable[[bytes], bytes]] = {
        "gzip": gzip.compress,
        "deflate": zlib.compress,
        "br": partial(brotli.compress, quality=4),
        "zstd": zstd.compress,
    }
    raw = coded[encoding](whole)
    cut = raw[: len(raw) * 9 // 10]
    response = play.response(answer(cut, HTML, f"Content-Encoding: {encoding}"))
    assert response.truncated == "encoding"
    assert response.raw == cut
    assert len(whole) // 2 < len(response.body) < len(whole)
    assert whole.startswith(response.body)


def test_broken_encoding_keeps_what_came_before(play: Play, answer: Answer) -> None:
    raw = bytearray(gzip.compress(PAGE, mtime=0))
    raw[-5] ^= 1  # the checksum: every byte of the page is there
    response = play.response(answer(bytes(raw), HTML, GZIP))
    assert (response.body, response.truncated) == (PAGE, "encoding")


@pytest.mark.parametrize("encoding", ["gzip", "br"])
def test_junk_behind_the_end_is_ignored(play: Play, answer: Answer, encoding: str) -> None:
    response = play.response(answer(ENCODED[encoding] + b"<!-- served by -->", HTML, f"Content-Encoding: {encoding}"))
    assert (response.body, response.truncated) == (PAGE, "")


@pytest.mark.parametrize(
    ("encoding", "raw"),
    [
        ("gzip", b"\x1f\x8b\x08\x00"),
        ("gzip", b"\x1f\x8b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("deflate", b"\xff\xff\xff\xff"),
        ("br", b"\xff\xff\xff\xff\xff\xff"),
        ("zstd", b"\x28\xb5\x2f\xfd\xff\xff\xff\xff\xff"),
        ("gzip, gzip, gzip, gzip", PAGE),
    ],
)
def test_encoding_broken_from_the_start_is_a_failure(play: Play, answer: Answer, encoding: str, raw: bytes) -> None:
    failure = play.failure(answer(raw, HTML, f"Content-Encoding: {encoding}"))
    assert (failure.kind, failure.transient) == ("protocol", False)


def test_lost_connection_keeps_what_came(play: Play) -> None:
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + PAGE)
        writer.close()

    response = play.response(page)
    assert (response.body, response.raw, response.truncated) == (PAGE, PAGE, "disconnect")


def test_lost_connection_before_anything_is_decoded_is_a_failure(play: Play) -> None:
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nContent-Encoding: gzip\r\n\r\n"
        writer.write(head + ENCODED["gzip"][:10])
        writer.close()

    failure = play.failure(page)
    assert (failure.kind, failure.transient) == ("connect", True)


def test_limit_counts_to_the_byte(play: Play, answer: Answer) -> None:
    for encoding, raw in ENCODED.items():
        page = answer(raw, HTML, f"Content-Encoding: {encoding}")
        fits = play.response(page, max_body=len(PAGE))
        assert (fits.body, fits.truncated) == (PAGE, ""), encoding
        cut = play.response(page, max_body=len(PAGE) - 1)
        assert (cut.body, cut.truncated) == (PAGE[:-1], "length"), encoding
    plain = play.response(answer(PAGE, HTML), max_body=10)
    assert (plain.body, plain.raw, plain.truncated) == (PAGE[:10], PAGE[:10], "length")


def endless(first: bytes, again: bytes) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], object]:
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(first)
        while not writer.is_closing():
            writer.write(again)
            await writer.drain()

    return page


def truncated_and_closed(play: Play, page: object) -> Response:
    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        result = await fetcher.fetch(Request(site.url("/")))
        await site.closed.wait()
        return result

    response = play.script({"/": page}, script, max_body=200_000)  # type: ignore[dict-item]
    assert isinstance(response, Response), response
    assert response.truncated == "length"
    return response


def test_endless_body_is_cut_and_the_connection_closed(play: Play) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    assert truncated_and_closed(play, endless(head, b"all work and no play " * 500)).body[:9] == b"all work "


def test_bomb_expands_to_the_limit_only(play: Play) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"
    squeeze = zlib.compressobj(9, wbits=31)
    start = squeeze.compress(b"") + squeeze.flush(zlib.Z_FULL_FLUSH)
    megabyte = squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    response = truncated_and_closed(play, endless(head + start, megabyte))
    assert response.body == bytes(200_000)


def test_encoded_body_that_never_says_anything_ends_too(play: Play) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: deflate\r\n\r\n"
    nothing = b"\x00\x00\x00\xff\xff" * 1000  # stored blocks of length 0
    assert truncated_and_closed(play, endless(head, nothing)).body == b""


@pytest.mark.parametrize(
    ("content_type", "skipped"),
    [
        ("text/html", ""),
        ("TEXT/HTML;charset=x", ""),
        ("application/xhtml+xml ; q=1", ""),
        ("", ""),
        ("image/png", "type"),
        ("text/htmlx", "type"),
        ("application/zip; text/html", "type"),
    ],
)
def test_only_wanted_types_are_read(play: Play, answer: Answer, content_type: str, skipped: str) -> None:
    page = answer(b"body", f"Content-Type: {content_type}")
    response = play.response(page)
    assert (response.skipped, response.body) == (skipped, b"" if skipped else b"body")
    assert play.response(page, Request("", any_type=True)).body == b"body"


def test_types_are_a_setting(play: Play, answer: Answer) -> None:
    page = answer(b"body", "Content-Type: text/plain")
    assert play.response(page, types=("Text/Plain",)).body == b"body"


def test_unwanted_type_is_closed_unread(play: Play) -> None:
    async def page(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9000000000\r\n\r\n")

    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        result = await fetcher.fetch(Request(site.url("/")))
        await site.closed.wait()
        return result

    response = play.script({"/": page}, script)
    assert isinstance(response, Response)
    assert (response.status, response.skipped, response.body, response.raw) == (200, "type", b"", b"")
    assert response.header("content-type") == "video/mp4"


def test_error_pages_are_read_a_little_whatever_their_type(play: Play, answer: Answer) -> None:
    short = play.response(answer(b"no", "Content-Type: image/png", status="404 Not Found"))
    assert (short.body, short.skipped, short.truncated) == (b"no", "", "")
    long = play.response(answer(b"n" * 100_000, HTML, status="500 Oh"))
    assert (len(long.body), long.truncated) == (65536, "length")
