"""WARC records: what another reader makes of them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
from datetime import UTC, datetime
from pathlib import Path
from uuid import RFC_4122, UUID

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from honeyguide.fetch.base import Headers, Response
from honeyguide.store.archive import Archive
from honeyguide.warc.write import (
    EarlierRecord,
    digest_text,
    info_record,
    new_id,
    payload_digest,
    request_and_answer,
    warc_date,
)

HTML = b"<p>honey " * 500
SENT = (("User-Agent", "honeyguide"), ("Accept", "text/html"))


def answer(body: bytes = HTML, *headers: tuple[str, str], truncated: str = "", ip: str = "192.0.2.7") -> Response:
    given: Headers = (("Content-Type", "text/html"), *headers)
    return Response(
        url="http://bees.example/a?b=c",
        status=200,
        reason="OK",
        headers=given,
        body=body,
        raw=body,
        request_headers=SENT,
        ip=ip,
        started=1_700_000_000.25,
        truncated=truncated,
    )


def records(response: Response, twin: EarlierRecord | None = None) -> list[dict[str, str]]:
    """Headers of the records as warcio reads them, with the block under "block"."""
    written = b"".join(request_and_answer(response, payload_digest(response), twin))
    found = []
    for record in ArchiveIterator(io.BytesIO(written), no_record_parse=True):
        fields = dict(record.rec_headers.headers)
        fields["block"] = record.raw_stream.read().decode("latin-1")
        found.append(fields)
    return found


def test_request_and_response() -> None:
    request, response = records(answer())
    assert request["WARC-Type"] == "request"
    assert response["WARC-Type"] == "response"
    assert request["WARC-Concurrent-To"] == response["WARC-Record-ID"]
    for record in (request, response):
        assert record["WARC-Target-URI"] == "http://bees.example/a?b=c"
        assert record["WARC-Date"] == "2023-11-14T22:13:20.250000Z"
    assert request["block"].splitlines()[:2] == ["GET /a?b=c HTTP/1.1", "Host: bees.example"]
    assert response["WARC-IP-Address"] == "192.0.2.7"
    assert response["WARC-Payload-Digest"] == digest_text(hashlib.sha1(HTML).digest())
    head, _, body = response["block"].partition("\r\n\r\n")
    assert head.splitlines() == ["HTTP/1.1 200 OK", "Content-Type: text/html", f"Content-Length: {len(HTML)}"]
    assert body.encode() == HTML


def test_a_host_that_was_sent_is_not_sent_twice() -> None:
    response = answer()
    response.request_headers = (("Host", "other.example"),)
    assert records(response)[0]["block"].count("Host: ") == 1


def test_what_held_for_the_connection_alone_is_told_apart() -> None:
    _, response = records(answer(HTML, ("Transfer-Encoding", "chunked"), ("Content-Length", "9")))
    head = response["block"].partition("\r\n\r\n")[0].splitlines()
    assert "X-Archive-Orig-Transfer-Encoding: chunked" in head
    assert [line for line in head if line.startswith("Content-Length")] == [f"Content-Length: {len(HTML)}"]


def test_a_twin_is_referred_to_and_not_repeated() -> None:
    _, revisit = records(answer(), EarlierRecord("http://bees.example/first", 1_600_000_000.0))
    assert revisit["WARC-Type"] == "revisit"
    assert revisit["WARC-Refers-To-Target-URI"] == "http://bees.example/first"
    assert revisit["WARC-Refers-To-Date"] == warc_date(1_600_000_000.0)
    assert revisit["WARC-Payload-Digest"] == digest_text(payload_digest(answer()))
    assert revisit["block"].endswith("\r\n\r\n")


@pytest.mark.parametrize(
    ("truncated", "said"), [("length", "length"), ("disconnect", "disconnect"), ("encoding", "unspecified")]
)
def test_a_body_that_is_not_whole_says_why(truncated: str, said: str) -> None:
    assert records(answer(truncated=truncated))[1]["WARC-Truncated"] == said


def test_nothing_is_said_of_what_is_not_known() -> None:
    _, response = records(answer(ip=""))
    assert "WARC-IP-Address" not in response
    assert "WARC-Truncated" not in response


def test_only_what_came_compressed_is_stored_as_it_is() -> None:
    squeezed = gzip.compress(HTML, mtime=0)
    kept, pressed = answer(squeezed, ("Content-Encoding", "gzip")), answer()
    assert squeezed in request_and_answer(kept, payload_digest(kept), None)[1]
    assert len(request_and_answer(pressed, payload_digest(pressed), None)[1]) < len(HTML) / 4


def test_a_whole_file_passes_the_checks_of_warcio(tmp_path: Path) -> None:
    archive = Archive(tmp_path)
    for response in (answer(), answer(b""), answer(gzip.compress(HTML, mtime=0), ("Content-Encoding", "gzip"))):
        archive.write(response, payload_digest(response))
    archive.write(answer(), payload_digest(answer()), EarlierRecord("http://bees.example/first", 1_600_000_000.0))
    archive.close()
    checker = Checker(type("Options", (), {"inputs": [str(path) for path in tmp_path.iterdir()], "verbose": False})())
    checker.process_all()
    assert checker.exit_value == 0


def test_a_file_begins_with_who_wrote_it() -> None:
    record = next(ArchiveIterator(io.BytesIO(info_record("pages-00000.warc.gz", 0.0))))
    assert record.rec_type == "warcinfo"
    assert record.rec_headers["WARC-Filename"] == "pages-00000.warc.gz"
    assert b"software: honeyguide/" in record.raw_stream.read()


@pytest.mark.parametrize("digest", [bytes(20), b"\xff" * 20, *(hashlib.sha1(bytes([i])).digest() for i in range(50))])
def test_digests_are_those_of_the_standard_library(digest: bytes) -> None:
    assert digest_text(digest) == f"sha1:{base64.b32encode(digest).decode()}"


@pytest.mark.parametrize("time", [0.0, 0.999_999, 1_700_000_000.25, 1_700_000_000.999_999_6, 4_102_444_800.000_001])
def test_dates_are_those_of_the_standard_library(time: float) -> None:
    assert warc_date(time) == datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_record_ids_are_random_uuids() -> None:
    texts = {new_id() for _ in range(100)}
    assert len(texts) == 100
    for text in texts:
        one = UUID(text.removeprefix("<urn:uuid:").removesuffix(">"))
        assert text == f"<urn:uuid:{one}>"
        assert (one.version, one.variant) == (4, RFC_4122)


@pytest.mark.parametrize(
    ("url", "host", "target"),
    [
        ("http://bees.example/", "bees.example", "/"),
        ("http://bees.example", "bees.example", "/"),
        ("https://bees.example:8443/a/b?c=d&e=/?f", "bees.example:8443", "/a/b?c=d&e=/?f"),
        ("http://bees.example?q=1", "bees.example", "/?q=1"),
        ("http://[2001:db8::1]:80/a", "[2001:db8::1]:80", "/a"),
        ("http://bees.example/a#b", "bees.example", "/a"),
    ],
)
def test_what_was_asked_for(url: str, host: str, target: str) -> None:
    response = answer()
    response.url = url
    request, _ = records(response)
    assert request["block"].splitlines()[:2] == [f"GET {target} HTTP/1.1", f"Host: {host}"]
