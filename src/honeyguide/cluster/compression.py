"""Compression of what shards send each other, done once: items are stored and sent as the same bytes."""

from __future__ import annotations

from typing import Final

from zlib_ng import zlib_ng

_RAW: Final = -15  # raw deflate: the disk and the network have their own checksums
_LEVEL: Final = 3
_DICTIONARY: Final = (  # preset: what items have in common, most of an item with one link; most frequent last
    b"https://www..edu/.net/.com/.org/index.html"
    b'R\x60\x00\x00\x00["http://",1,0.0,"http://"'
    b'\x00\x00C\x40\x00\x00\x00[["http://www.",1,0.0],["http://.example/",1,1.0],["http://.example/",1,0.0]]'
    b"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02.example/\x00\x00\x00P"
    b'Pg[["texts","<f2",[9]],["region","|u1",[]],["section","<i4",[]],["example","|i1",[]],["source","|u1",[]]]\x01\x04\x05'
)


def compress(content: bytes) -> bytes:
    """Compress an item, which may be as short as a single link."""
    packer = zlib_ng.compressobj(_LEVEL, zlib_ng.DEFLATED, _RAW, zdict=_DICTIONARY)
    return packer.compress(content) + packer.flush()


def decompress(content: bytes) -> bytes:
    """Return what `compress` was called with."""
    return zlib_ng.decompressobj(_RAW, zdict=_DICTIONARY).decompress(content)
