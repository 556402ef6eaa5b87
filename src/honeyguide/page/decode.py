"""Decodes bytes by byte order mark, header, meta tag or detection, in this order; the first that fits the bytes wins.

A byte order mark overrides a header that contradicts it, as the encoding standard requires: it is never accidental.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?\s*+([\w.:-]+)", re.IGNORECASE | re.ASCII)
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*+=\s*+[\"']?\s*+([\w.:-]+)", re.IGNORECASE)
_XML = re.compile(rb"\s*+<\?xml[^>]{0,100}?encoding\s*+=\s*+[\"']([\w.:-]+)", re.IGNORECASE).match
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DECLARED_WITHIN = 4096
_DETECT_WITHIN = 16384
_DAMAGE = 200  # at most one bad character in this many is damage, not another encoding

# Supersets of the standard's encodings: they decode everything the narrow ones do, and real pages need more.
_WIDER = {"shift_jis": "cp932", "gbk": "gb18030", "euc_kr": "cp949", "big5": "big5hkscs", "iso8859-11": "cp874"}


def decode(body: bytes, content_type: str = "") -> str:
    """The text of a document. Never raises: bytes that cannot be decoded become U+FFFD."""
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    if wide := _two_bytes(body):
        return body.decode(wide, "replace")
    declared = []
    for codec in _declared(body, content_type):
        # cp1252 is what unconfigured servers declare; if the bytes are valid UTF-8, the declaration is wrong.
        text = (codec == "cp1252" and _fitting(body, "utf-8")) or _fitting(body, codec)
        if text is not None:
            return text
        declared.append(codec)
    for codec in declared:
        text = body.decode(codec, "replace")
        if _is_mere_damage(text):
            return text
    return _guess(body)


def _guess(body: bytes) -> str:
    """The text of a document whose encoding is undeclared, or declared wrongly."""
    text = _fitting(body, "utf-8")
    if text is not None:
        return text
    codec = _python_name(detect_encoding(body, max_len=_DETECT_WITHIN))
    if codec in {"", "utf-8"}:
        text = body.decode("utf-8", "replace")
        return text if _is_mere_damage(text) else body.decode("cp1252", "replace")
    return body.decode(codec, "replace")


def _fitting(body: bytes, codec: str) -> str | None:
    try:
        return body.decode(codec)
    except UnicodeDecodeError:
        return None


def _is_mere_damage(text: str) -> bool:
    return text.count("\ufffd") * _DAMAGE < len(text)


def _two_bytes(body: bytes) -> str:
    """The UTF-16 variant of a body without a mark: every other byte of its markup is zero. "" if it is not UTF-16."""
    start = body[:_DECLARED_WITHIN]
    if b"\0" in start:
        for codec, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[::2])):
            if zeros.count(0) * 2 > len(zeros):
                return codec
    return ""


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    """The codecs that are declared. The body is searched only if the header's is none, or the wrong one."""
    if codec := _from_header(content_type):
        yield codec
    if codec := _from_body(body):
        yield codec


@lru_cache(maxsize=256)
def _from_header(content_type: str) -> str:
    found = _CHARSET.search(content_type)
    return _one_byte(found[1]) if found else ""


def _from_body(body: bytes) -> str:
    found = _META.search(body, 0, _DECLARED_WITHIN) or _XML(body, 0, _DECLARED_WITHIN)
    return _one_byte(found[1].decode("ascii")) if found else ""


def _one_byte(label: str) -> str:
    """The codec of a label. A declared UTF-16 that `_two_bytes` did not confirm is most likely UTF-8."""
    codec = _python_name(label)
    return "utf-8" if codec.startswith("utf-16") else codec


@lru_cache(maxsize=256)
def _python_name(label: str) -> str:
    codec = map_encoding_to_html5(label, fallback_utf8=False)
    return _WIDER.get(codec, codec) if codec else ""
