"""Messages from a worker process to the crawl: plain data, decoded strictly, so that nothing in it can be executed.

A worker parses whatever the web sends. If a page compromises it, the worst that it can send is a wrong reading:
messages are JSON and the bytes of arrays, and anything that is not exactly a valid message is a `MalformedError`. In
the other direction, from the crawl to its worker, pickles are safe.
"""

from __future__ import annotations

import json
import logging
import re
import struct
from collections.abc import Callable, Iterator
from functools import lru_cache
from math import isfinite, prod
from typing import Any, TypeVar

import numpy as np

from honeyguide.crawl.readers import OutOfMemoryError, ReadError, ReadResult
from honeyguide.errors import PluginError
from honeyguide.log_records import Packed
from honeyguide.relevance.fingerprint import BINS
from honeyguide.strategy.link_table import Column, LinkTable
from honeyguide.strategy.page_words import are_page_words
from honeyguide.strategy.reading import Reading

LENGTH = struct.Struct("<I")
"""Precedes every message: its size in bytes."""

MOST_BYTES = 1 << 28
"""Maximum size of a message. A batch of pages with the maximum number of links takes a tenth of this."""

READY = b"ready"
_RESULTS, _RECORD, _REFUSAL = b"=", b"!", b"?"
_ENCODE, _DECODE = json.JSONEncoder(separators=(",", ":")).encode, json.JSONDecoder().decode
_DTYPE = re.compile(r"[<>|][biufcSU][1-9][0-9]{0,5}")  # numbers and texts of fixed size
_KINDS = 256  # cached types of arrays: a strategy has a few, plus one per length of its texts
_SIGNATURE_SIZES = (0, 2 * BINS)
_LAST_CHARACTER = 0x10FFFF
_MAX_COUNT = 1 << 53  # upper bound of all counts
_READING = (str, str, int, float, bool, bool, bool, bool, float, bool, dict, str, int, list, int, list, *(int,) * 4)
"""The types of the fields that `pack_result` writes for a reading."""
_PLAIN = (str, int, float, bool, type(None))
_PLUGIN_ERROR = ("kind", "name", "problem", "traceback", "url", "occasion")
_FIELDS: dict[str, type | tuple[type, ...]] = {
    "name": str,
    "msg": str,
    "levelname": str,
    "levelno": int,
    "pathname": str,
    "filename": str,
    "module": str,
    "funcName": (str, type(None)),
    "lineno": int,
    "created": float,
    "msecs": (float, int),
    "relativeCreated": (float, int),
    "exc_text": (str, type(None)),
    "stack_info": (str, type(None)),
    "process": (int, type(None)),
    "processName": (str, type(None)),
    "thread": (int, type(None)),
    "threadName": (str, type(None)),
}
"""The fields that every log record has."""

T = TypeVar("T")


class MalformedError(Exception):
    """A message is not valid."""


# ---- results ----


def pack_results(results: list[bytes]) -> bytes:
    """Make the message with some results, each from `pack_result`, in the order of the documents."""
    return _RESULTS + b"".join(part for result in results for part in (LENGTH.pack(len(result)), result))


def pack_result(result: ReadResult) -> bytes:
    """Encode a result. Raises `TypeError` for a reading whose link table has columns that cannot be sent."""
    if isinstance(result, OutOfMemoryError):
        return _joined(["memory"])
    if isinstance(result, PluginError):
        return _joined(["plugin", *(getattr(result, name) for name in _PLUGIN_ERROR)])
    if isinstance(result, ReadError):
        return _joined(["unreadable", str(result)])
    table = result.links
    urls = "\n".join(table.urls)
    if urls.count("\n") > max(len(table) - 1, 0):
        raise ValueError("a URL with a line break")
    columns, arrays = [], [urls.encode("utf-8", "surrogatepass"), result.signature, result.sample, result.page_words]
    for name, column in (("scores", table.scores), *table.columns.items()):
        about, content = _packed_column(name, np.asarray(column))
        columns.append(about)
        arrays.append(content)
    header = [
        "reading",
        result.title,
        result.language,
        result.words,
        float(result.relevance),
        bool(result.relevant),
        bool(result.noindex),
        bool(result.directory),
        bool(result.foreign),
        float(result.threshold),
        bool(result.likeness),
        result.left_out,
        result.form,
        result.listed,
        result.listings,
        len(table),
        columns,
        *map(len, arrays[:4]),
    ]
    return _joined(header, *arrays)


def _packed_column(name: str, column: Column) -> tuple[list[Any], bytes]:
    kind = column.dtype.str
    if _plain_dtype(kind) is not None:
        return [name, kind, column.shape], column.tobytes()
    values = column.tolist()
    if column.ndim != 1 or not all(type(value) in _PLAIN for value in values):
        raise TypeError(f"the column {name!r} has values other than numbers and texts ({column.dtype})")
    return [name, "", values], b""


def _joined(header: list[Any], *arrays: bytes) -> bytes:
    text = _ENCODE(header).encode("ascii")
    return b"".join((LENGTH.pack(len(text)), text, *arrays))


def unpack_results(message: bytes) -> list[ReadResult]:
    """Decode a message from `pack_results`. Raises `MalformedError` if it is not valid."""
    if not message.startswith(_RESULTS):
        raise MalformedError("not results")
    return [_strictly(_unpack_result, result) for result in _parts(memoryview(message)[len(_RESULTS) :])]


def unpack_reading(content: bytes) -> Reading:
    """Decode a reading from `pack_result`. Raises `MalformedError` if it is not valid."""
    result = _strictly(_unpack_result, memoryview(content))
    if not isinstance(result, Reading):
        raise MalformedError("not a reading")
    return result


def _parts(content: memoryview) -> Iterator[memoryview]:
    while content:
        (length,) = _strictly(LENGTH.unpack, content[: LENGTH.size])
        content = content[LENGTH.size :]
        if length > len(content):
            raise MalformedError("a result is cut short")
        yield content[:length]
        content = content[length:]


def _unpack_result(content: memoryview) -> ReadResult:
    (length,) = LENGTH.unpack(content[: LENGTH.size])
    end = LENGTH.size + length
    header = _DECODE(str(content[LENGTH.size : end], "ascii"))
    rest = content[end:]
    match header:
        case ["reading", *fields]:
            return _unpack_reading(fields, rest)
        case ["memory"] if not rest:
            return OutOfMemoryError("needs too much memory to read")
        case ["unreadable", str(text)] if not rest:
            return ReadError(text)
        case ["plugin", *texts] if not rest:
            if len(texts) != len(_PLUGIN_ERROR) or not all(type(text) is str for text in texts):
                raise MalformedError("not an error of a plug-in")
            kind, name, problem, traceback, url, occasion = texts
            return PluginError(kind, name, problem=problem, traceback=traceback, url=url, occasion=occasion)
        case _:
            raise MalformedError("neither a reading nor an error")


def _unpack_reading(fields: list[Any], rest: memoryview) -> Reading:
    if tuple(map(type, fields)) != _READING:
        raise MalformedError("not the fields of a reading")
    title, language, words, relevance, relevant, noindex, directory, foreign, *fields = fields
    threshold, likeness, left_out, form, listed, listings, links, columns, *sizes = fields
    arrays = _Arrays(rest)
    url_text, signature, sample, page_words = [bytes(arrays.take(size)) for size in sizes]
    urls = str(url_text, "utf-8", "surrogatepass").split("\n") if links else []
    if len(urls) != links or (url_text and not links):
        raise MalformedError("not as many URLs as links")
    if len(signature) not in _SIGNATURE_SIZES:
        raise MalformedError("not a signature")
    if not are_page_words(page_words):
        raise MalformedError("not the words of a page")
    (_, scores), *named = [(name, arrays.column(kind, shape)) for name, kind, shape in columns]
    if arrays.left or not all(type(name) is str for name, _ in named):
        raise MalformedError("not the columns of a table")
    if scores.ndim != 1 or scores.dtype.kind not in "fiub" or np.isnan(scores).any():
        raise MalformedError("not scores")
    if not all(type(url) is str for url in listings):
        raise MalformedError("not the URLs of listings")
    if not (isfinite(relevance) and isfinite(threshold)):
        raise MalformedError("not numbers")
    return Reading(
        title=title,
        language=language,
        words=_count(words),
        signature=signature,
        relevance=relevance,
        relevant=relevant,
        noindex=noindex,
        directory=directory,
        foreign=foreign,
        links=LinkTable(urls, scores, dict(named)),
        left_out={reason: _count(number) for reason, number in left_out.items()},
        threshold=threshold,
        likeness=likeness,
        sample=sample,
        page_words=page_words,
        listings=listings,
        form=form,
        listed=_count(listed),
    )


class _Arrays:
    """The bytes of several arrays, which are taken in order."""

    def __init__(self, content: memoryview) -> None:
        self.left = content

    def take(self, count: int) -> memoryview:
        if not 0 <= count <= len(self.left):
            raise MalformedError("an array is cut short")
        taken = self.left[:count]
        self.left = self.left[count:]
        return taken

    def column(self, kind: str, shape: list[Any]) -> Column:
        dtype = _plain_dtype(kind)
        if dtype is None:
            return _column_of(kind, shape)
        content = self.take(dtype.itemsize * prod(shape))
        if dtype.kind == "U" and np.frombuffer(content, f"{kind[0]}u4").max(initial=0) > _LAST_CHARACTER:
            raise MalformedError("not characters")
        return np.ndarray(shape, dtype, content).copy()  # without a copy, the whole message would stay in memory


def _column_of(kind: str, values: list[Any]) -> Column:
    if kind != "" or not all(type(value) in _PLAIN for value in values):
        raise MalformedError("not plain values")
    column = np.empty(len(values), object)
    column[:] = values
    return column


@lru_cache(_KINDS)
def _plain_dtype(kind: str) -> np.dtype[Any] | None:
    """Parse the NumPy notation of a type, if it is one of numbers or texts of fixed size; None for any other."""
    return np.dtype(kind) if _DTYPE.fullmatch(kind) else None


# ---- refusals, in place of "ready" ----


def pack_refusal(reason: str) -> bytes:
    """Make the message of a worker that cannot read with its configuration."""
    return _REFUSAL + reason.encode("utf-8", "backslashreplace")


def refusal(message: bytes) -> str:
    """The reason in a message of `pack_refusal`; "" for any other message."""
    return message[len(_REFUSAL) :].decode("utf-8", "replace") if message.startswith(_REFUSAL) else ""


# ---- log records ----


def pack_record(record: Packed) -> bytes:
    """Make the message with a log record. Fields that are not plain data are sent as text."""
    return _RECORD + json.dumps(record, default=_plain, skipkeys=True).encode("ascii")


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else str(value)


def is_record(message: bytes) -> bool:
    """Whether a message is from `pack_record`."""
    return message.startswith(_RECORD)


def unpack_record(message: bytes) -> Packed:
    """Decode a log record from `pack_record`. Raises `MalformedError` if it is not valid."""
    return _strictly(_unpack_record, message)


def _unpack_record(message: bytes) -> Packed:
    fields = json.loads(message[len(_RECORD) :])
    for name, kind in _FIELDS.items():
        if not isinstance(fields[name], kind):
            raise MalformedError(f"a log record with a wrong {name}")
    methods = {name for name in fields if hasattr(logging.LogRecord, name)}
    return {**{name: value for name, value in fields.items() if name not in methods}, "args": None, "exc_info": None}


# ---- validation ----


def _strictly(unpack: Callable[[Any], T], content: bytes | memoryview) -> T:
    try:
        return unpack(content)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, struct.error) as error:
        raise MalformedError(f"{type(error).__name__}: {error}") from error


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value < _MAX_COUNT:
        raise MalformedError("not a count")
    return value
