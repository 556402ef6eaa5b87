"""Decoders: what goes in comes out, in any pieces, and never more than asked for."""

from __future__ import annotations

import gzip
import sys
import tracemalloc
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

import brotli
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.fetch.decompress import BrokenEncodingError, decoder_for, salvage

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from honeyguide.fetch.decompress import Decoder


def raw_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


def in_two(squeeze: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda data: squeeze(data[: len(data) // 2]) + squeeze(data[len(data) // 2 :])


def quick_brotli(data: bytes) -> bytes:
    packed: bytes = brotli.compress(data, quality=4)
    return packed


CODERS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", gzip.compress),
    "two members": ("GZIP", in_two(gzip.compress)),
    "deflate": ("deflate", zlib.compress),
    "bare deflate": ("deflate", raw_deflate),
    "brotli": ("br", quick_brotli),
    "zstd": ("zstd", zstd.compress),
    "two frames": ("zstd", in_two(zstd.compress)),
    "skipped frame": ("zstd", lambda data: b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc" + zstd.compress(data)),
    "identity": ("identity", bytes),
    "unknown": ("none, UTF-8", bytes),
    "nothing": ("", bytes),
    "gzip in brotli": ("gzip, br", lambda data: quick_brotli(gzip.compress(data, mtime=0))),
    "gzip in gzip": ("x-gzip,gzip", lambda data: gzip.compress(gzip.compress(data), mtime=0)),
    "three deep": ("zstd, gzip, deflate", lambda data: zlib.compress(gzip.compress(zstd.compress(data), mtime=0))),
}


def drained(decoder: Decoder, chunks: Iterable[bytes], limit: int) -> Iterator[bytes]:
    """All that comes out, asking for at most `limit` bytes each time."""
    for chunk in chunks:
        piece = decoder.feed(chunk, limit)
        yield piece
        while len(piece) == limit:
            piece = decoder.feed(b"", limit)
            yield piece


contents = st.one_of(
    st.binary(max_size=400),
    st.builds(lambda piece, times: piece * times, st.binary(min_size=1, max_size=30), st.integers(1, 20_000)),
)


@pytest.mark.parametrize("name", CODERS)
@settings(max_examples=40, deadline=None)
@given(data=contents, sizes=st.lists(st.integers(1, 300), min_size=1, max_size=20), limit=st.integers(1, 100_000))
def test_round_trip_in_any_pieces(name: str, data: bytes, sizes: list[int], limit: int) -> None:
    limit = max(limit, len(data) // 500)  # no need to go through megabytes one by one
    encoding, encode = CODERS[name]
    raw = encode(data)
    chunks: list[bytes] = []
    rest = raw
    while rest:
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(rest[:size])
        rest = rest[size:]
    decoder = decoder_for(encoding)
    pieces = list(drained(decoder, chunks, limit))
    assert all(len(piece) <= limit for piece in pieces)
    assert b"".join(pieces) == data
    assert decoder.finished or not raw


@pytest.mark.parametrize("name", CODERS)
def test_cut_body_is_not_finished(name: str) -> None:
    encoding, encode = CODERS[name]
    if encode is bytes:
        return  # nothing can tell
    raw = encode(b"some text " * 100)
    decoder = decoder_for(encoding)
    out = b"".join(drained(decoder, [raw[:-1]], 100_000))
    assert not decoder.finished
    assert (b"some text " * 100).startswith(out)


def repeated(start: bytes, again: bytes, times: int) -> Iterator[bytes]:
    yield start
    for _ in range(times):
        yield again


def gzip_bomb() -> Iterator[bytes]:
    """10 GB of zeros, from a few bytes for each megabyte."""
    squeeze = zlib.compressobj(9, wbits=31)
    start = squeeze.compress(b"") + squeeze.flush(zlib.Z_FULL_FLUSH)
    megabyte = squeeze.compress(bytes(1 << 20)) + squeeze.flush(zlib.Z_FULL_FLUSH)
    return repeated(start, megabyte * 64, 160)


def zstd_bomb() -> Iterator[bytes]:
    """10 GB of zeros, as blocks that say: 128 KB of this byte."""
    block = (131072 << 3 | 1 << 1).to_bytes(3, "little") + b"\0"
    return repeated(b"\x28\xb5\x2f\xfd\x00\x58", block * 1000, 80)


def brotli_bomb() -> Iterator[bytes]:
    """10 GB of zeros: metablocks of 16 MB each, made by one encoder that is flushed after each."""
    squeeze = brotli.Compressor(quality=1)
    start = squeeze.process(bytes(1 << 16)) + squeeze.flush()
    again = squeeze.process(bytes(1 << 24)) + squeeze.flush()
    return repeated(start, again, 640)


def doubled(bomb: Iterator[bytes]) -> Iterator[bytes]:
    squeeze = zlib.compressobj(9, wbits=31)
    for piece in bomb:
        yield squeeze.compress(piece)
    yield squeeze.flush()


@pytest.mark.parametrize(
    ("encoding", "bomb"),
    [
        ("gzip", gzip_bomb),
        ("zstd", zstd_bomb),
        ("br", brotli_bomb),
        ("zstd, gzip", lambda: doubled(zstd_bomb())),
        ("gzip, gzip", lambda: doubled(gzip_bomb())),
    ],
)
def test_bomb_gives_what_is_asked_for_and_holds_little_more(encoding: str, bomb: Callable[[], Iterator[bytes]]) -> None:
    limit = 1_000_000
    raw = b"".join(bomb())  # fed at once: the worst case
    assert len(raw) < 12_000_000
    decoder = decoder_for(encoding)
    tracemalloc.start()
    try:
        out = decoder.feed(raw, limit)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert out == bytes(limit)
    assert peak < 6 * limit + 2 * len(raw)


def test_layers_hold_little_however_slowly_they_are_emptied() -> None:
    raw = b"".join(doubled(gzip_bomb()))
    decoder = decoder_for("gzip, gzip")
    tracemalloc.start()
    try:
        out = decoder.feed(raw, 1) + b"".join(decoder.feed(b"", 1) for _ in range(300))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert out == bytes(301)
    assert peak < 1_000_000 + 2 * len(raw)


@pytest.mark.parametrize(
    ("encoding", "frame"), [("gzip", gzip.compress(b"", mtime=0)), ("zstd", zstd.compress(b""))], ids=["gzip", "zstd"]
)
def test_flood_of_empty_frames_is_broken(encoding: str, frame: bytes) -> None:
    with pytest.raises(BrokenEncodingError):
        decoder_for(encoding).feed(frame * 5000, 1000)


def test_window_larger_than_http_allows_is_broken() -> None:
    window_128_mb = b"\x28\xb5\x2f\xfd\x00" + bytes([17 << 3]) + (5 << 3 | 1).to_bytes(3, "little") + b"hello"
    with pytest.raises(BrokenEncodingError):
        decoder_for("zstd").feed(window_128_mb, 1000)


def test_too_many_layers_are_broken() -> None:
    decoder_for("gzip, br, zstd")
    with pytest.raises(BrokenEncodingError):
        decoder_for("gzip, br, zstd, gzip")


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
@given(data=st.binary(min_size=4, max_size=50).filter(lambda data: data[:1] not in b"\x1f\x28\x50\x5f"))
def test_bytes_that_do_not_begin_like_the_format_are_taken_as_they_are(encoding: str, data: bytes) -> None:
    decoder = decoder_for(encoding)
    assert decoder.feed(data[:1], 100) + decoder.feed(data[1:], 100) == data
    assert decoder.finished


TEXT = b" ".join(b"%d" % (i * i) for i in range(20_000))


def byte_by_byte(encoding: str, raw: bytes) -> tuple[bytes, bool]:
    """The plain way to lose nothing that precedes a broken place: slow, and obviously right."""
    decoder = decoder_for(encoding)
    out = b""
    try:
        for at in range(len(raw)):
            out += decoder.feed(raw[at : at + 1], 10**9)
    except BrokenEncodingError:
        return out, False
    return out, decoder.finished


@pytest.mark.parametrize("name", [name for name, (_, encode) in CODERS.items() if encode is not bytes])
@settings(max_examples=20, deadline=None)
@given(place=st.floats(0, 1), damage=st.binary(max_size=8))
def test_salvage_loses_nothing_that_precedes_the_damage(name: str, place: float, damage: bytes) -> None:
    encoding, encode = CODERS[name]
    raw = bytearray(encode(TEXT[:10_000]))
    at = int(len(raw) * place)
    raw[at : at + len(damage)] = damage
    assert salvage(encoding, bytes(raw), 10**9) == byte_by_byte(encoding, bytes(raw))


def test_salvage_of_a_page_that_is_damaged_late() -> None:
    for encoding, encode in CODERS.values():
        raw = bytearray(encode(TEXT))
        raw[len(raw) * 9 // 10 :] = b"\xff" * 100
        out = salvage(encoding, bytes(raw), 10**9)[0]
        assert out[: len(TEXT) // 2] == TEXT[: len(TEXT) // 2], encoding


@pytest.mark.parametrize("limit", [1, 1000, len(TEXT), len(TEXT) + 1])
def test_salvage_keeps_the_limit(limit: int) -> None:
    raw = bytearray(gzip.compress(TEXT, mtime=0))
    raw[-6] ^= 1
    assert salvage("gzip", bytes(raw), limit)[0] == TEXT[:limit]


@pytest.mark.parametrize("encoding", ["br", "deflate"])
def test_salvage_tells_markup_from_nonsense(encoding: str) -> None:
    page = b"\xef\xbb\xbf\r\n <!DOCTYPE html><p>never encoded"
    assert salvage(encoding, page, 1000) == (page, True)
    assert salvage(encoding, page, 10) == (page[:10], False)
    for nonsense in (b"\xff\xff\xff\xff\xff\xff", b"<\x00\x01\x02\xff\xff\xff"):
        assert salvage(encoding, nonsense, 1000) == (b"", False)


@given(encoding=st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, br"]), raw=st.binary(max_size=200))
def test_nonsense_never_does_worse_than_break(encoding: str, raw: bytes) -> None:
    with suppress(BrokenEncodingError):
        assert len(decoder_for(encoding).feed(raw, 50)) <= 50
    assert len(salvage(encoding, raw, 50)[0]) <= 50
