"""What workers send arrives as it was, and what they should not send does nothing at all."""

from __future__ import annotations

import json
import logging
import os
import pickle
import string
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from honeyguide.crawl import wire
from honeyguide.crawl.readers import OutOfMemoryError, ReadError, ReadResult
from honeyguide.errors import PluginError
from honeyguide.log_records import ForwardingHandler, replay
from honeyguide.strategy.link_table import NO_LINKS, LinkTable
from honeyguide.strategy.reading import Reading

texts = st.text(st.characters(codec=None), max_size=20)  # any character, half a pair included
counts = st.dictionaries(texts, st.integers(0, 1 << 40), max_size=3)
scores = st.floats(allow_nan=False)
unit = st.floats(0, 1)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts


@st.composite
def tables(draw: st.DrawFn) -> LinkTable:
    urls = draw(st.lists(st.text(string.printable.replace("\n", "") + "ä\ud800", max_size=30), max_size=5))
    rows = len(urls)
    numbers = arrays.arrays(
        arrays.boolean_dtypes() | arrays.integer_dtypes() | arrays.floating_dtypes() | arrays.unicode_string_dtypes(),
        st.integers(0, 3).map(lambda more: (rows, more)) | st.just((rows,)),
        elements={"allow_nan": False},
    )
    objects = st.lists(plain, min_size=rows, max_size=rows).map(column_of)
    columns = draw(st.dictionaries(texts, numbers | objects, max_size=3))
    return LinkTable(urls, draw(arrays.arrays(np.float64, rows, elements=scores)), columns)


def column_of(values: list[Any]) -> np.ndarray[Any, Any]:
    column = np.empty(len(values), object)
    column[:] = values
    return column


readings = st.builds(
    Reading,
    title=texts,
    language=texts,
    words=st.integers(0, 1 << 40),
    signature=st.just(b"") | st.binary(min_size=64, max_size=64),
    relevance=unit,
    relevant=st.booleans(),
    noindex=st.booleans(),
    links=tables(),
    left_out=counts,
    threshold=unit,
    likeness=st.booleans(),
    sample=st.binary(max_size=30),
)
READING = Reading("Bees", "en", 3, b"", 0.5, True, False, LinkTable(["http://a.example/"], np.ones(1)))


def sent(*results: ReadResult) -> list[ReadResult]:
    return wire.unpack_results(wire.pack_results([wire.pack_result(result) for result in results]))


@settings(deadline=None)  # drawing arrays takes its time on a busy machine
@given(st.lists(readings, max_size=3))
def test_readings_arrive_as_they_were(read: list[Reading]) -> None:
    arrived = sent(*read)
    assert arrived == read
    for one, other in zip(read, arrived, strict=True):
        assert isinstance(other, Reading)
        for name, column in one.links.columns.items():
            copy = other.links[name]
            assert (copy.dtype, copy.shape, copy.flags.writeable) == (column.dtype, column.shape, True)


@given(texts, st.lists(texts, min_size=6, max_size=6))
def test_errors_arrive_as_they_were(problem: str, fields: list[str]) -> None:
    names = ("problem", "traceback", "url", "occasion")
    plugin = PluginError(*fields[:2], **dict(zip(names, fields[2:], strict=True)))
    unreadable, memory, failed = sent(ReadError(problem), OutOfMemoryError(), plugin)
    assert (type(unreadable), str(unreadable)) == (ReadError, problem)
    assert type(memory) is OutOfMemoryError
    assert isinstance(failed, PluginError)
    assert vars(failed) == vars(plugin)


def test_a_page_without_links_arrives() -> None:
    read = Reading("", "", 0, b"", 0.0, False, False, NO_LINKS)
    assert sent(read) == [read]


@given(st.binary(max_size=200))
def test_noise_is_no_message(noise: bytes) -> None:
    for unpack in (wire.unpack_results, wire.unpack_record):
        with suppress(wire.MalformedError):
            unpack(b"=" + noise)


@given(st.data())
def test_a_damaged_message_is_a_reading_or_malformed_and_never_anything_else(data: st.DataObject) -> None:
    message = bytearray(wire.pack_results([wire.pack_result(READING), wire.pack_result(ReadError("no"))]))
    for _ in range(data.draw(st.integers(1, 4))):
        message[data.draw(st.integers(1, len(message) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(1, len(message)))
    try:
        results = wire.unpack_results(bytes(message[:cut]))
    except wire.MalformedError:
        return
    assert all(isinstance(result, Reading | ReadError | PluginError) for result in results)


class Exploit:
    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (66,)


def test_a_pickle_is_not_opened() -> None:
    pickled = pickle.dumps([Exploit()])
    for message in (pickled, b"=" + pickled, b"=" + wire.LENGTH.pack(len(pickled)) + pickled):
        with pytest.raises(wire.MalformedError):
            wire.unpack_results(message)


def altered(place: int, value: Any, rest: bytes | None = None) -> bytes:
    """The message with `READING`, in which one field is another."""
    packed = wire.pack_result(READING)
    (length,) = wire.LENGTH.unpack_from(packed)
    header = json.loads(packed[4 : 4 + length])
    header[place] = value
    text = json.dumps(header).encode()
    return wire.pack_results([wire.LENGTH.pack(len(text)) + text + (packed[4 + length :] if rest is None else rest)])


def test_the_fields_are_where_the_next_test_looks_for_them() -> None:
    assert wire.unpack_results(altered(1, "Wax"))[0] != READING
    assert wire.unpack_results(altered(1, "Bees")) == [READING]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, "code"),
        (0, "memory"),
        (1, 5),
        (2, None),
        (3, -1),
        (3, True),
        (3, 1 << 80),
        (4, float("nan")),
        (4, float("inf")),
        (4, "1"),
        (5, 1),
        (7, None),
        (8, None),
        (9, "1"),
        (10, {"x": -1}),
        (10, []),
        (10, {"x": 1.5}),
        (11, None),
        (12, -1),
        (12, 1.0),
        (13, [5]),
        (13, "x"),
        (14, 2),
        (14, 0),
        (14, None),
        (15, []),
        (15, [["scores", "O8", [1]]]),
        (15, [["scores", "|V8", [1]]]),
        (15, [["scores", "<f8", [2]]]),
        (15, [["scores", "<f8", [-1]]]),
        (15, [["scores", "<f8", [1, 1]]]),
        (15, [["scores", "<f8", 1]]),
        (15, [["scores", "<f8", ["1"]]]),
        (15, [["scores", "<U2", [1]]]),
        (15, [["scores", "", [0.5]]]),
        (15, [["scores", "<f8", [1]], ["more", "<f8", [1]]]),
        (15, [["scores", "<f8", [1]], ["more", "", [[1]]]]),
        (15, [["scores", "<f8", [1]], ["more", "", []]]),
        (15, [["scores", "<f8", [1]], ["more", "|O", [1]]]),
        (15, [["scores", "<f8", [1]], [5, "", [1]]]),
        (16, -1),
        (16, 1 << 40),
        (16, 1.0),
        (17, 8),
    ],
)
def test_what_is_not_exactly_a_reading_is_refused(place: int, value: Any) -> None:
    with pytest.raises(wire.MalformedError):
        wire.unpack_results(altered(place, value))


def test_scores_are_numbers_and_texts_have_characters() -> None:
    packed = wire.pack_result(READING)
    (length,) = wire.LENGTH.unpack_from(packed)
    arrays_only = packed[4 + length :]
    for content in (arrays_only[:-8] + np.array([np.nan]).tobytes(), arrays_only + b"\0", arrays_only[:-1]):
        with pytest.raises(wire.MalformedError):
            wire.unpack_results(altered(1, "Bees", content))
    texts_of_bytes = [["scores", "<f8", [1]], ["by", "<U1", [1]]]
    with pytest.raises(wire.MalformedError):
        wire.unpack_results(altered(11, texts_of_bytes, arrays_only + b"\xff\xff\xff\xff"))


@pytest.mark.parametrize("column", [column_of([{1}]), np.array([(1, 2.0)], "i4,f8"), np.array([["a"]], object)])
def test_a_column_that_cannot_be_sent_is_named(column: Any) -> None:
    table = READING.links.with_columns(mine=column)
    with pytest.raises(TypeError, match="the column 'mine'"):
        wire.pack_result(Reading("", "", 0, b"", 0.0, False, False, table))


def test_a_url_with_a_line_break_is_refused_where_it_is_made() -> None:
    with pytest.raises(ValueError, match="line break"):
        wire.pack_result(Reading("", "", 0, b"", 0.0, False, False, LinkTable(["a\nb"], np.ones(1))))


# ---- log records ----


def record(**extra: Any) -> dict[str, Any]:
    """What a worker sends of a record."""
    packed: list[dict[str, Any]] = []
    logger = logging.Logger("honeyguide.test")  # noqa: LOG001 (not the one that the record is replayed to)
    logger.addHandler(ForwardingHandler(packed.append))
    logger.warning("honey %d", 5, extra=extra)
    return packed[0]


def test_log_records_arrive_with_their_fields(caplog: pytest.LogCaptureFixture) -> None:
    message = wire.pack_record(record(event="x", count=np.int64(3), share=0.5, path=ReadError("text")))
    assert wire.is_record(message)
    replay(wire.unpack_record(message))
    (arrived,) = caplog.records
    assert (arrived.name, arrived.getMessage(), arrived.levelname) == ("honeyguide.test", "honey 5", "WARNING")
    fields = vars(arrived)
    assert (fields["event"], fields["count"], fields["share"], fields["path"]) == ("x", 3, 0.5, "text")
    assert fields["worker"] == os.getpid()


@pytest.mark.parametrize(
    "changes", [{"levelno": "high"}, {"name": 5}, {"msg": None}, {"created": None}, {"exc_text": [1]}, {"lineno": None}]
)
def test_a_record_that_is_none_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(wire.MalformedError):
        wire.unpack_record(wire.pack_record({**record(), **changes}))


def test_a_record_cannot_replace_methods_or_bring_arguments(caplog: pytest.LogCaptureFixture) -> None:
    hostile = {**record(), "getMessage": "mine", "args": ["%s"], "exc_info": [1, 2, 3]}
    replay(wire.unpack_record(wire.pack_record(hostile)))
    (arrived,) = caplog.records
    assert arrived.getMessage() == "honey 5"
    assert arrived.exc_info is None
