"""The records of WARC files, however they are compressed, cut or damaged."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from honeyguide.errors import InputError
from honeyguide.warc import read as reading
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, is_packed_together, read_record, records
from honeyguide.warc.record import Record, http_head, response_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HTML = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def plain(number: int, body: bytes = b"", head: str = HTML) -> bytes:
    block = f"{head}\r\n".encode() + (body or f"<p>page {number} ".encode() * 400)
    fields = f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a.example/{number}>\r\n"
    return f"{fields}Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


RECORDS = [plain(number) for number in range(5)]

Packing = Callable[[list[bytes]], bytes]


def one_by_one(some: list[bytes]) -> bytes:
    return b"".join(gzip.compress(one, mtime=0) for one in some)


def together(some: list[bytes]) -> bytes:
    return gzip.compress(b"".join(some), mtime=0)


def not_at_all(some: list[bytes]) -> bytes:
    return b"".join(some)


def frames(some: list[bytes]) -> bytes:
    return b"".join(zstd.compress(one) for one in some)


def one_frame(some: list[bytes]) -> bytes:
    return zstd.compress(b"".join(some))


def frames_and_extensions(some: list[bytes]) -> bytes:
    """With frames between them that are no records."""
    return b"".join(zstd.compress(one) + b"\x50\x2a\x4d\x18\x03\0\0\0abc" for one in some)


def with_dictionary(some: list[bytes]) -> bytes:
    """A file that begins with what all frames need, itself compressed."""
    dictionary = zstd.ZstdDict(plain(7) + plain(8), is_raw=True)
    packed = zstd.compress(dictionary.dict_content)
    first = b"\x5d\x2a\x4d\x18" + len(packed).to_bytes(4, "little") + packed
    return first + b"".join(zstd.compress(one, zstd_dict=dictionary) for one in some)


PACKINGS: list[Packing] = [
    *(one_by_one, together, not_at_all),
    *(frames, one_frame, frames_and_extensions, with_dictionary),
]


def written(folder: Path, data: bytes) -> Part:
    (folder / "a.warc").write_bytes(data)
    return Part.whole(folder / "a.warc")


def before_the_cut(part: Part) -> list[str]:
    urls: list[str] = []
    with pytest.raises(CutShortError):
        urls.extend(record.url for record in records(part))
    return urls


@pytest.mark.parametrize("pack", PACKINGS)
def test_every_record_in_order(tmp_path: Path, pack: Packing) -> None:
    found = list(records(written(tmp_path, pack(RECORDS))))
    assert [record.url for record in found] == [f"http://a.example/{number}" for number in range(5)]
    assert {record.kind for record in found} == {"response"}
    assert [record.block for record in found] == [one.partition(b"\r\n\r\n")[2][:-4] for one in RECORDS]
    assert len({record.check for record in found}) == 5
    as_plain = records(written(tmp_path, not_at_all(RECORDS)))
    assert [record.check for record in found] == [record.check for record in as_plain]


@pytest.mark.parametrize("pack", PACKINGS)
def test_no_more_of_a_block_is_kept_than_asked_for(tmp_path: Path, pack: Packing) -> None:
    part = written(tmp_path, pack(RECORDS))
    whole = list(records(part))
    assert [record.block for record in records(part, keep=0)] == [b""] * 5
    assert [record.block for record in records(part, keep=10)] == [b"HTTP/1.1 2"] * 5
    large = written(tmp_path, pack([plain(0, bytes(200_000)), *RECORDS[1:]]))
    assert [len(record.block) for record in records(large)] == [65_536, *(len(record.block) for record in whole[1:])]
    assert len(next(records(large, keep=1 << 20)).block) > 200_000


@pytest.mark.parametrize("pack", [one_by_one, not_at_all, frames, frames_and_extensions])
def test_a_record_is_found_again_by_its_place(tmp_path: Path, pack: Packing) -> None:
    part = written(tmp_path, pack(RECORDS))
    for record in records(part):
        again = read_record(part.path, record.offset, record.length, 1 << 20)
        assert (again.fields, again.block) == (record.fields, record.block)
    with pytest.raises(ValueError, match=r"no WARC record|incorrect"):
        read_record(part.path, record.offset + 3, record.length, 1 << 20)


@pytest.mark.parametrize("pack", PACKINGS)
def test_a_part_of_a_file_is_a_warc_of_its_own(tmp_path: Path, pack: Packing) -> None:
    inside = pack(RECORDS[1:4])
    path = tmp_path / "a.wacz"
    path.write_bytes(b"PK before" + inside + b"PK behind")
    read: list[int] = []
    part = Part(path, 9, 9 + len(inside), "inside")
    assert [record.url[-1] for record in records(part, progress=read.append)] == ["1", "2", "3"]
    assert is_packed_together(part) == (pack in {together, one_frame, with_dictionary})
    assert sum(read) >= len(inside)


def test_what_lies_before_a_cut_is_kept(tmp_path: Path) -> None:
    for pack in (one_by_one, not_at_all, frames, with_dictionary):
        until = len(pack(RECORDS[:3]))
        for cut in (until + 1, until + 60, len(pack(RECORDS[:4])) - 20):
            assert before_the_cut(written(tmp_path, pack(RECORDS)[:cut])) == [f"http://a.example/{n}" for n in range(3)]
    different = [plain(number, Random(number).randbytes(50_000)) for number in range(5)]
    whole = together(different)
    urls = before_the_cut(written(tmp_path, whole[: len(whole) // 2]))
    assert urls == ["http://a.example/0", "http://a.example/1"]


@pytest.mark.parametrize("pack", PACKINGS)
def test_what_is_damaged_is_said(tmp_path: Path, pack: Packing) -> None:
    whole = bytearray(pack([plain(number, bytes(range(256)) * 300) for number in range(5)]))
    middle = len(whole) // 2
    whole[middle : middle + 200] = b"WARC/1.1 nonsense" * 12
    if pack is not_at_all:  # nothing tells that a body was changed, but a head must be one
        whole = bytearray(b"".join([*RECORDS[:2], b"nonsense\r\n\r\n", *RECORDS[2:]]))
    with pytest.raises(InputError, match=r"a\.warc: is (damaged|not a WARC)"):
        list(records(written(tmp_path, bytes(whole))))


def test_records_that_are_compressed_together_behind_single_ones(tmp_path: Path) -> None:
    part = written(tmp_path, one_by_one(RECORDS[:2]) + together(RECORDS[2:]))
    with pytest.raises(InputError, match=r"several records compressed together at byte .*; decompress it"):
        list(records(part))


# Without the time: it would be in the name of the test, and processes that collect it a second apart would not agree.
@pytest.mark.parametrize(
    "data", [b"not a WARC file at all\r\n\r\n", gzip.compress(b"neither", mtime=0), b"WARC/1.1\r\n\r\n"]
)
def test_what_is_no_warc_at_all(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(InputError, match="is not a WARC file, or is damaged in its first record"):
        list(records(written(tmp_path, data)))


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    assert list(records(written(tmp_path, b""))) == []


def test_a_file_that_is_not_there_or_is_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        Part.whole(tmp_path / "none.warc")
    with pytest.raises(InputError, match="is a folder"):
        list(records(Part.whole(tmp_path)))


# ---- answers ----


def test_a_revisit_has_its_own_head_and_the_body_of_its_original() -> None:
    original = Record({}, f"{HTML}\r\n<p>honey".encode())
    revisit = Record({}, b"HTTP/1.1 203 Again\r\nX-Cache: hit\r\n\r\n")
    answer = response_of("http://a.example/", revisit, original, 100)
    assert (answer.status, answer.header("x-cache"), answer.body) == (203, "hit", b"<p>honey")
    answer = response_of("http://a.example/", Record({}, b""), original, 2)
    assert (answer.status, answer.body, answer.truncated) == (200, b"<p", "length")
    with pytest.raises(ValueError, match="no HTTP response"):
        response_of("http://a.example/", Record({}, b"1.2.3.4"), None, 100)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_head_ends_at_the_first_blank_line(end: str) -> None:
    head = http_head(end.join(["HTTP/1.0 404 Not Found", "A: 1", " folded", "", "body", "", ""]).encode())
    assert head is not None
    assert (head.status, head.reason, head.headers) == (404, "Not Found", (("A", "1 folded"),))
    assert head.size == len(end.join(["HTTP/1.0 404 Not Found", "A: 1", " folded", "", ""]))


def test_a_bomb_is_unpacked_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few bytes of Zstandard can stand for gigabytes, which must not be in memory at once."""
    bomb = plain(0, bytes(40_000_000))
    part = written(tmp_path, frames([bomb, RECORDS[1]]))
    assert part.end < 20_000
    largest = 0
    take = reading._Member.take

    def watched(self: reading._Member, piece: bytes) -> None:
        nonlocal largest
        largest = max(largest, len(piece))
        take(self, piece)

    monkeypatch.setattr(reading._Member, "take", watched)
    assert [record.url[-1] for record in records(part)] == ["0", "1"]
    assert largest <= 1 << 20


@pytest.mark.parametrize("length", [0, 5, 1 << 30])
def test_a_dictionary_that_is_none(tmp_path: Path, length: int) -> None:
    data = b"\x5d\x2a\x4d\x18" + length.to_bytes(4, "little") + b"\x28\xb5\x2f\xfdx" + frames(RECORDS)
    with pytest.raises(InputError, match="damaged"):
        list(records(written(tmp_path, data)))
