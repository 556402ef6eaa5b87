"""The archive: what is written can be read back, by others too, and only what was recorded stays."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from honeyguide.errors import HoneyguideError
from honeyguide.fetch.base import Headers, Response
from honeyguide.store.archive import Archive, RecordLocation, file_name, read_answer
from honeyguide.warc.write import EarlierRecord, digest_text, payload_digest

URL = "http://a.example/"
LIMIT = 1 << 20
HTML: Headers = (("Content-Type", "text/html"),)


def response(number: int, body: bytes = b"<p>honey", **more: Any) -> Response:
    settings: dict[str, Any] = {"status": 200, "reason": "OK", "headers": HTML, "request_headers": (), **more}
    return Response(f"http://a.example/{number}?q=1", body=body, raw=body, started=1.7e9 + number, **settings)


def write(archive: Archive, *responses: Response, twin: EarlierRecord | None = None) -> list[RecordLocation]:
    return [archive.write(each, payload_digest(each), twin) for each in responses]


def records(folder: Path) -> Iterator[Any]:
    """Every record of every file, as warcio reads them."""
    for path in sorted(folder.glob("pages-*.warc.gz")):
        with path.open("rb") as file:
            yield from ArchiveIterator(file)


def kinds(folder: Path) -> list[str]:
    return [record.rec_type for record in records(folder)]


def assert_valid(folder: Path) -> None:
    files = sorted(map(str, folder.glob("pages-*.warc.gz")))
    command = [sys.executable, "-c", "from warcio.cli import main; main()", "check", *files]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_request_and_response_are_there_as_they_were(tmp_path: Path) -> None:
    asked = (("User-Agent", "honeyguide/1"), ("Accept", "*/*"))
    came = (("Content-Type", "text/html"), ("X-Two", "1"), ("X-Two", "2"))
    archive = Archive(tmp_path)
    (spot,) = write(archive, response(1, headers=came, request_headers=asked, ip="192.0.2.7"))
    archive.close()
    info, request, answer = records(tmp_path)
    assert (info.rec_type, request.rec_type, answer.rec_type) == ("warcinfo", "request", "response")
    assert info.rec_headers["WARC-Filename"] == "pages-00000.warc.gz"
    assert request.http_headers.get_statuscode() == "/1?q=1"  # warcio's name for what follows the method
    assert request.http_headers.get_header("Host") == "a.example"
    assert request.http_headers.get_header("User-Agent") == "honeyguide/1"
    assert request.rec_headers["WARC-Concurrent-To"] == answer.rec_headers["WARC-Record-ID"]
    for record in (request, answer):
        assert record.rec_headers["WARC-Target-URI"] == "http://a.example/1?q=1"
        assert record.rec_headers["WARC-Date"] == "2023-11-14T22:13:21.000000Z"
        assert record.rec_headers.protocol == "WARC/1.1"
    assert answer.rec_headers["WARC-IP-Address"] == "192.0.2.7"
    assert answer.rec_headers["WARC-Payload-Digest"] == digest_text(payload_digest(response(1)))
    assert [value for name, value in answer.http_headers.headers if name == "X-Two"] == ["1", "2"]
    stored = read_answer(tmp_path, spot, LIMIT, url=URL)
    assert (stored.status, stored.body, stored.header("content-type")) == (200, b"<p>honey", "text/html")
    assert_valid(tmp_path)


# What begins as gzip is taken for gzip, as it was when it was fetched.
bodies_of_any_kind = st.binary(max_size=2000).filter(lambda body: not body.startswith(b"\x1f\x8b\x08"))


@settings(deadline=None)
@given(st.lists(bodies_of_any_kind, min_size=1, max_size=6))
def test_any_bodies_come_back(tmp_path_factory: pytest.TempPathFactory, bodies: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("archive")
    archive = Archive(folder, rotate_at=1500)
    spots = write(archive, *(response(number, body) for number, body in enumerate(bodies)))
    archive.close()
    assert [read_answer(folder, spot, LIMIT, url=URL).body for spot in spots] == bodies
    assert kinds(folder).count("response") == len(bodies)


@pytest.mark.parametrize("announced", [(("Content-Encoding", "gzip"),), ()])
def test_a_compressed_body_is_stored_as_sent_and_read_as_meant(tmp_path: Path, announced: Headers) -> None:
    raw = gzip.compress(b"<p>honey" * 100, mtime=0)
    sent = response(1, raw, headers=(*HTML, *announced))
    archive = Archive(tmp_path)
    (spot,) = write(archive, sent)
    archive.close()
    assert read_answer(tmp_path, spot, LIMIT, url=URL).body == b"<p>honey" * 100
    assert read_answer(tmp_path, spot, 10, url=URL).body == b"<p>honey<p"
    assert_valid(tmp_path)


def test_a_chunked_body_is_not_called_chunked(tmp_path: Path) -> None:
    came = (*HTML, ("Transfer-Encoding", "chunked"), ("Connection", "close"))
    archive = Archive(tmp_path)
    (spot,) = write(archive, response(1, headers=came))
    archive.close()
    *_, answer = records(tmp_path)
    assert answer.http_headers.get_header("Transfer-Encoding") is None
    assert answer.http_headers.get_header("X-Archive-Orig-Transfer-Encoding") == "chunked"
    assert answer.http_headers.get_header("Content-Length") == "8"
    assert read_answer(tmp_path, spot, LIMIT, url=URL).body == b"<p>honey"


@pytest.mark.parametrize(
    ("why", "said"),
    [("", None), ("length", "length"), ("disconnect", "disconnect"), ("encoding", "unspecified")],
)
def test_a_body_that_is_not_whole_is_marked(tmp_path: Path, why: str, said: str | None) -> None:
    archive = Archive(tmp_path)
    write(archive, response(1, truncated=why))
    archive.close()
    *_, answer = records(tmp_path)
    assert answer.rec_headers["WARC-Truncated"] == said
    assert_valid(tmp_path)


def test_a_repeated_payload_is_a_revisit(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    write(archive, response(1))
    (spot,) = write(archive, response(2), twin=EarlierRecord("http://a.example/1?q=1", 1.7e9 + 1))
    archive.close()
    assert kinds(tmp_path) == ["warcinfo", "request", "response", "request", "revisit"]
    *_, revisit = records(tmp_path)
    assert revisit.rec_headers["WARC-Refers-To-Target-URI"] == "http://a.example/1?q=1"
    assert revisit.rec_headers["WARC-Refers-To-Date"] == "2023-11-14T22:13:21.000000Z"
    assert revisit.rec_headers["WARC-Profile"].endswith("/revisit/identical-payload-digest")
    assert revisit.rec_headers["WARC-Payload-Digest"] == digest_text(payload_digest(response(1)))
    assert read_answer(tmp_path, spot, LIMIT, url=URL).status == 200
    assert_valid(tmp_path)


def test_headers_that_are_no_text_come_back_byte_by_byte(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    (spot,) = write(archive, response(1, status=404, reason="N\udce3o encontrado"))
    archive.close()
    stored = gzip.decompress((tmp_path / file_name(0)).read_bytes()[spot.offset :])
    assert b"HTTP/1.1 404 N\xe3o encontrado\r\n" in stored
    assert_valid(tmp_path)


# ---- files ----


def test_a_new_file_begins_when_one_is_full(tmp_path: Path) -> None:
    archive = Archive(tmp_path, rotate_at=1000)
    spots = write(archive, *(response(number) for number in range(6)))
    archive.close()
    assert archive.number == spots[-1].file >= 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [file_name(n) for n in range(archive.number + 1)]
    assert kinds(tmp_path).count("warcinfo") == archive.number + 1
    for number, spot in enumerate(spots):
        assert (tmp_path / file_name(spot.file)).stat().st_size >= spot.offset + spot.length
        assert read_answer(tmp_path, spot, LIMIT, url=URL).status == 200, number
    assert_valid(tmp_path)


@pytest.mark.parametrize("rotate_at", [1 << 20, 1000], ids=["in one file", "across files"])
def test_what_was_not_recorded_is_cut_when_the_crawl_goes_on(tmp_path: Path, rotate_at: int) -> None:
    archive = Archive(tmp_path, rotate_at=rotate_at)
    kept = write(archive, response(1), response(2))
    archive.sync()
    number, end = archive.number, archive.end
    write(archive, *(response(number) for number in range(3, 9)))
    last = archive.number
    archive.close()
    with (tmp_path / file_name(number)).open("ab") as file:
        file.write(b"\x1f\x8b\x08 half a member")

    archive = Archive(tmp_path, number, end, rotate_at=rotate_at)
    kept += write(archive, response(9))
    archive.close()
    names = {path.name for path in tmp_path.iterdir()}
    assert {name for name in names if "aside" not in name} == {file_name(n) for n in range(archive.number + 1)}
    # A later file may be somebody's data: it is renamed, not deleted.
    assert names >= {f"{file_name(n)}.set-aside-1" for n in range(number + 1, last + 1)}
    answers = [record.rec_headers["WARC-Target-URI"] for record in records(tmp_path) if record.rec_type == "response"]
    assert answers == [response(number).url for number in (1, 2, 9)]
    assert [read_answer(tmp_path, spot, LIMIT, url=URL).body for spot in kept] == [b"<p>honey"] * 3
    assert_valid(tmp_path)


@pytest.mark.parametrize("cut", [1, 10_000], ids=["shorter", "missing"])
def test_an_archive_shorter_than_recorded_is_refused_and_left_alone(tmp_path: Path, cut: int) -> None:
    archive = Archive(tmp_path)
    write(archive, response(1), response(2))
    archive.close()
    path = tmp_path / file_name(0)
    end = path.stat().st_size
    if cut == 1:
        path.write_bytes(path.read_bytes()[:-1])
    else:
        path.unlink()
    later = tmp_path / file_name(1)
    later.write_bytes(b"evidence")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(HoneyguideError, match="it was truncated or replaced; restore the original file"):
        Archive(tmp_path, 0, end)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_spot_without_a_record_says_so(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    (spot,) = write(archive, response(1))
    archive.close()
    with pytest.raises(HoneyguideError, match="cannot be read: it is shorter than when it was written"):
        read_answer(tmp_path, RecordLocation(0, spot.offset + spot.length, 100), LIMIT, url=URL)
