"""Bytes to text: header, byte order mark, meta tag, detection, in this order; the first that fits the bytes.

A byte order mark overrules a header that contradicts it, as the encoding standard has it: it is never an accident.
"""

from __future__ import annotations

import re
from functools import lru_cache

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_META_WITHIN = 4096
_DETECT_WITHIN = 16384

# Wider relatives of the names that the standard uses: they decode everything the narrow ones do, and real pages need it.
_WIDER = {"shift_jis": "cp932", "gbk": "gb18030", "euc_kr": "cp949"}


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a document. Never raises: bytes that fit nothing become U+FFFD."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    tried = set()
    for codec in (_from_header(content_type), _from_meta(body)):
        if codec and codec not in tried:
            tried.add(codec)
            try:
                return body.decode(codec)
            except UnicodeDecodeError:
                continue
    return _guess(body, tried)


def _guess(body: bytes, tried: set[str]) -> str:
    """Undeclared, or declared wrongly. A few bad bytes in a long text are damage, not another encoding."""
    if "utf-8" not in tried:
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            pass
    text = body.decode("utf-8", "replace")
    if "utf-8" in tried and text.count("\ufffd") * 200 < len(text):
        return text
    codec = _python_name(detect_encoding(body, max_len=_DETECT_WITHIN)) or "cp1252"
    if codec == "utf-8":
        codec = "cp1252"  # it is not: strict decoding failed
    return body.decode(codec, "replace")


def _from_header(content_type: str) -> str:
    found = _CHARSET.search(content_type)
    return _python_name(found[1]) if found else ""


def _from_meta(body: bytes) -> str:
    found = _META.search(body, 0, _META_WITHIN)
    codec = _python_name(found[1].decode("ascii")) if found else ""
    # A meta tag that could be read byte by byte is not UTF-16, whatever it says.
    return "utf-8" if codec.startswith("utf-16") else codec


@lru_cache(maxsize=256)
def _python_name(label: str) -> str:
    codec = map_encoding_to_html5(label, fallback_utf8=False)
    return _WIDER.get(codec, codec) if codec else ""
