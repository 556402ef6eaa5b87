"""Compressed bodies: complete, truncated, mislabelled, and a decompression bomb."""

from __future__ import annotations

import sys
import zlib
from functools import cache

import brotli

from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, Handler, document, marker, site
from honeyguide.proxy.answer import HTML, Answer

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_HOST = "encodings.example"
_BASE = f"http://{_HOST}"
_GZIP, _RAW = 31, -15  # what zlib calls these formats
_MEGABYTE = bytes(1 << 20).replace(b"\0", b" ")


def _packed(body: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, bits)
    return packer.compress(body) + packer.flush()


def _sent(coding: str, body: bytes) -> Answer:
    return Answer(200, (("Content-Type", HTML), ("Content-Encoding", coding)), body)


@cache
def _bomb() -> Answer:
    """About a megabyte that decompresses to a gigabyte.

    After a full flush the compressor has no history, so the compressed form of one megabyte can be repeated without
    compressing the gigabyte. The stream has no end mark: no client should ever get there.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP)
    start = packer.compress(document("bomb").encode()) + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(_MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH)
    return _sent("gzip", start + piece * 1024)


def _whole() -> dict[str, Answer]:
    return {
        "gzip": _sent("gzip", _packed(document("gzip").encode(), _GZIP)),
        "deflate": _sent("deflate", zlib.compress(document("deflate").encode())),
        "deflate-raw": _sent("deflate", _packed(document("deflate-raw").encode(), _RAW)),
        "brotli": _sent("br", brotli.compress(document("brotli").encode())),
        "zstd": _sent("zstd", zstd.compress(document("zstd").encode())),
        "gzip-mislabelled": _sent("gzip", document("gzip-mislabelled").encode()),
    }


def _cut() -> Answer:
    long = document("gzip-cut", "".join(f"<p>Line {number * number}</p>\n" for number in range(2000))).encode()
    return _sent("gzip", _packed(long, _GZIP)[:1000])


_WHOLE = _whole()
_pages: dict[str, Answer | Handler] = {
    **{f"/{name}": answer for name, answer in _WHOLE.items()},
    "/gzip-cut": _cut(),
    "/gzip-broken": _sent("gzip", b"\x1f\x8b\x08\x00" + bytes(range(255, 100, -1))),
    "/bomb": lambda _ask: _bomb(),
}

CORNER = Corner(
    faults=(
        *(
            Fault(
                f"encoding-{name}",
                f"{_BASE}/{name}",
                FaultOutcome.PAGE,
                "says gzip, is not" if name == "gzip-mislabelled" else "compressed",
                marker=marker(name),
            )
            for name in _WHOLE
        ),
        Fault(
            "encoding-gzip-cut",
            f"{_BASE}/gzip-cut",
            FaultOutcome.CUT,
            "a gzip body that stops in the middle",
            marker=marker("gzip-cut"),
            truncated="encoding",
        ),
        Fault(
            "encoding-gzip-broken",
            f"{_BASE}/gzip-broken",
            FaultOutcome.FAILED,
            "begins like gzip, and cannot be unpacked",
            kind="protocol",
        ),
        Fault(
            "bomb",
            f"{_BASE}/bomb",
            FaultOutcome.CUT,
            "a megabyte that unpacks to a gigabyte",
            marker=marker("bomb"),
            truncated="length",
        ),
    ),
    hosts={_HOST: site(_pages)},
)
