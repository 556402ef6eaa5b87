"""Virtual webs of WARC files: what is in them, which answer counts, and how it is read back."""

from __future__ import annotations

import gzip
import os
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Response
from honeyguide.lab.web import VirtualWeb, open_web
from honeyguide.lab.webs.mapped import drop_unused
from honeyguide.lab.webs.url_table import UrlTable
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.warc.record import unchunked

from .warcs import HTML, Record, page, payload, redirect, write

RULES = UrlRules(UrlSettings())
A, B, C = "http://a.example/", "http://b.example/x", "https://c.example/"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "honeyguide" / "webs"


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    """Two pages and a redirect."""
    return write(tmp_path / "w.warc.gz", [page(A, "one"), redirect(C, B), page(B, "two")])


def opened(*sources: Path | str, rules: UrlRules = RULES) -> VirtualWeb:
    return open_web([str(source) for source in sources], rules)


def answer(web: VirtualWeb, url: str) -> Response:
    response = web.response(url)
    assert response is not None
    return response


# ---- what is in a web ----


@pytest.mark.parametrize("packed", [True, False])
def test_pages_and_redirects_answer_and_nothing_else_does(tmp_path: Path, packed: bool) -> None:
    records = [
        Record("", b"software: x", kind="warcinfo", head=False),
        page(A, "one", kind="request"),
        page(A, "one"),
        redirect(C, B),
        page("http://a.example/gone", "gone", status=404),
        page("http://a.example/broken", "broken", status=500),
        Record("http://a.example/empty-redirect", b"", 302, ()),
        Record("http://a.example/picture", b"\x89PNG", 200, (("Content-Type", "image/png"),)),
        page("dns:a.example", "not http"),
        page(B, "two"),
    ]
    web = opened(write(tmp_path / "w.warc", records, packed=packed))
    assert list(web.urls()) == [A, C, B]
    assert len(web) == 3
    assert A in web
    assert "http://a.example/gone" not in web
    assert web.response("http://a.example/gone") is None
    assert answer(web, A).body == b"<title>one</title><p>one"
    moved = answer(web, C)
    assert (moved.status, moved.header("location"), moved.body) == (301, B, b"")
    assert web.notes == ()
    assert web.name == "w.warc"


def test_urls_are_canonical_and_follow_the_rules_given(tmp_path: Path) -> None:
    spelled = [page("<HTTP://A.example:80/?utm_source=x&b=1&a=%7e>", "one"), page("http://a.example/?b=1&a=~", "again")]
    path = write(tmp_path / "w.warc.gz", spelled)
    assert list(opened(path).urls()) == ["http://a.example/?b=1&a=~"]
    keeping = UrlRules(UrlSettings(drop_tracking=False))
    assert list(opened(path, rules=keeping).urls())[0] == "http://a.example/?utm_source=x&b=1&a=~"  # noqa: RUF015


def test_of_several_answers_the_first_page_counts_or_else_the_first_redirect(tmp_path: Path) -> None:
    one = write(tmp_path / "1.warc.gz", [redirect(A, B), redirect(B, A), page(C, "error", status=503)])
    two = write(
        tmp_path / "2.warc", [page(A, "first"), page(A, "second"), redirect(B, C), page(C, "found")], packed=False
    )
    web = opened(one, two)
    assert len(web) == 3
    assert b"first" in answer(web, A).body
    assert answer(web, B).header("location") == A
    assert b"found" in answer(web, C).body
    assert web.name == "1.warc.gz, 2.warc"


def test_http_and_https_of_an_address_are_two(tmp_path: Path) -> None:
    web = opened(write(tmp_path / "w.warc.gz", [page(C, "safe")]))
    assert C in web
    assert "http://c.example/" not in web


# ---- how answers are read ----


def test_bodies_are_decompressed_and_kept_as_they_were_sent(tmp_path: Path) -> None:
    sent = gzip.compress(b"<p>hello", mtime=0)
    chunked = (
        b"5;ext=1\r\n" + sent[:5] + b"\r\n" + f"{len(sent) - 5:x}".encode() + b"\r\n" + sent[5:] + b"\r\n0\r\n\r\n"
    )
    coded = (*HTML, ("Content-Encoding", "gzip"))
    records = [
        Record(A, sent, headers=coded),
        Record(B, chunked, headers=(*coded, ("Transfer-Encoding", "chunked"))),
        Record(C, sent[:10] + b"\xff" * 20, headers=coded),
        Record("http://d.example/", sent, headers=(*coded, ("Transfer-Encoding", "chunked"))),
        Record("http://e.example/", sent[:-9], headers=coded),
    ]
    web = opened(write(tmp_path / "w.warc.gz", records))
    for url in (A, B, "http://d.example/"):  # the last says chunked and is not, as some tools leave it
        assert (answer(web, url).body, answer(web, url).raw, answer(web, url).truncated) == (b"<p>hello", sent, "")
    assert (answer(web, C).body, answer(web, C).truncated) == (b"", "encoding")
    assert answer(web, "http://e.example/").truncated == "encoding"


def test_a_long_body_is_cut_and_a_cut_one_says_so(tmp_path: Path) -> None:
    records = [
        Record(A, b"x" * 5_000_000),
        page(B, "two", fields=(("WARC-Truncated", "disconnect"),)),
        page(C, "three", fields=(("WARC-Truncated", "time"),)),
    ]
    web = opened(write(tmp_path / "w.warc.gz", records))
    assert (len(answer(web, A).body), answer(web, A).truncated) == (4_000_000, "length")
    assert [answer(web, url).truncated for url in (B, C)] == ["disconnect", "disconnect"]


def test_headers_are_as_they_were_sent(tmp_path: Path) -> None:
    headers = (("Content-Type", "text/html"), ("X-Name", "caf\u00e9"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2"))
    web = opened(write(tmp_path / "w.warc.gz", [Record(A, b"x", headers=headers)]))
    assert answer(web, A).headers == headers
    assert (answer(web, A).status, answer(web, A).reason, answer(web, A).url) == (200, "Said", A)


@given(st.lists(st.binary(min_size=1, max_size=40), max_size=5))
def test_chunks_are_put_together(pieces: list[bytes]) -> None:
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    assert unchunked(chunks) == b"".join(pieces)


# ---- revisits ----


def test_a_revisit_has_its_own_head_and_the_body_it_repeats(tmp_path: Path) -> None:
    original = page(A, "one")
    digest = payload(original.body)
    again = (*HTML, ("X-Own", "yes"))
    records = [
        Record(B, b"", headers=again, kind="revisit", fields=(digest,)),  # before what it repeats: as good
        original._replace(fields=(digest,)),
        Record(C, b"", kind="revisit", head=False, fields=(digest,)),
        Record("http://d.example/", b"", kind="revisit", fields=(("WARC-Refers-To-Target-URI", A),)),
        Record("http://e.example/", b"", kind="revisit", fields=(payload(b"never seen"),)),
        Record("http://f.example/", b"", 304, kind="revisit", fields=(digest,)),
    ]
    web = opened(write(tmp_path / "w.warc.gz", records))
    assert list(web.urls()) == [B, A, C, "http://d.example/"]
    assert [answer(web, url).body for url in web.urls()] == [original.body] * 4
    assert answer(web, B).header("x-own") == "yes"
    assert answer(web, C).status == 200
    assert web.notes == ("1 revisit records refer to pages that are not there, and are left out",)


def test_a_revisit_of_a_url_does_not_replace_its_page(tmp_path: Path) -> None:
    digest = payload(page(A, "one").body)
    records = [page(A, "one", fields=(digest,)), Record(A, b"", kind="revisit", fields=(digest,))]
    web = opened(write(tmp_path / "w.warc.gz", records))
    assert len(web) == 1
    assert b"one" in answer(web, A).body


# ---- files that are not whole ----


@pytest.mark.parametrize("packed", [True, False])
def test_of_a_file_cut_anywhere_the_records_before_are_kept(tmp_path: Path, packed: bool) -> None:
    records = [page(A, "one"), page(B, "two")]
    first, second = (record.packed if packed else record.plain for record in records)
    tail = 0 if packed else 4  # the line ends behind a plain record are no loss
    for cut in range(1, len(second) - tail, 7):
        path = tmp_path / f"{cut}.warc"
        path.write_bytes(first + second[:cut])
        web = opened(path)
        assert list(web.urls()) == [A]
        (note,) = web.notes
        assert f"{cut}.warc is cut short at byte {len(first):,}" in note
        assert f"the last {cut:,} bytes are lost" in note
        assert opened(path).notes == web.notes  # said again when the index comes out of the cache


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_cut_in_its_first_record_holds_nothing(tmp_path: Path, packed: bool) -> None:
    whole = page(A, "one").packed if packed else page(A, "one").plain
    path = tmp_path / "w.warc"
    path.write_bytes(whole[: len(whole) - 20])
    with pytest.raises(InputError, match=r"holds no HTML page.*cut short at byte 0"):
        opened(path)


@pytest.mark.parametrize("at", [30, 60, -6])
def test_a_damaged_file_is_refused_with_the_place(tmp_path: Path, at: int) -> None:
    first, second = page(A, "one").packed, bytearray(page(B, "two").packed)
    second[at] ^= 0x55
    path = tmp_path / "w.warc.gz"
    path.write_bytes(first + second + page(C, "three").packed)
    with pytest.raises(InputError, match=rf"w.warc.gz: is damaged at byte {len(first)}"):
        opened(path)


def test_records_compressed_as_one_behind_single_ones_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.warc.gz"
    path.write_bytes(page(A, "one").packed + gzip.compress(page(B, "two").plain + page(C, "three").plain, mtime=0))
    with pytest.raises(InputError, match="several records compressed together at byte"):
        opened(path)


def test_a_record_shorter_than_it_says_is_damage(tmp_path: Path) -> None:
    first = page(A, "one").packed
    path = tmp_path / "w.warc.gz"
    path.write_bytes(first + gzip.compress(page(B, "two").plain[:-30], mtime=0) + page(C, "three").packed)
    with pytest.raises(InputError, match=rf"is damaged at byte {len(first)}"):
        opened(path)


def test_a_damaged_plain_file_is_refused(tmp_path: Path) -> None:
    first = page(A, "one").plain
    path = tmp_path / "w.warc"
    for damage in (
        b"GARBAGE" + page(B, "two").plain,
        page(B, "two").plain.replace(b"Content-Length", b"Content-Wrong"),
    ):
        path.write_bytes(first + damage)
        with pytest.raises(InputError, match=rf"is damaged at byte {len(first)}"):
            opened(path)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(packed=st.booleans(), at=st.integers(0, 600), cut=st.integers(0, 30), put=st.binary(max_size=30))
def test_whatever_the_damage_it_is_a_web_or_wrong_input(
    tmp_path: Path, packed: bool, at: int, cut: int, put: bytes
) -> None:
    records = [page(A, "one", fields=(payload(b"x"),)), redirect(C, B), page(B, "two" * 20)]
    content = b"".join(record.packed if packed else record.plain for record in records)
    path = tmp_path / "w.warc"
    path.write_bytes(content[:at] + put + content[at + cut :])
    try:
        web = opened(path)
    except InputError:
        return
    assert all(web.response(url) is not None for url in web.urls())


@pytest.mark.parametrize(
    "content", [b"hello", gzip.compress(b"hello", mtime=0), b"<html>", b"\x1f\x8b\x08broken", b"WARC/1.1"]
)
def test_what_is_no_warc_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.warc.gz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"is not a WARC file|holds no HTML page"):
        opened(path)


def test_files_without_pages_or_that_are_not_there_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.warc"
    empty.write_bytes(b"")
    picture = Record(A, b"\x89PNG", headers=(("Content-Type", "image/png"),))
    for path in (empty, write(tmp_path / "w.warc.gz", [picture, redirect(B, A)])):
        with pytest.raises(InputError, match="holds no HTML page"):
            opened(path)
    with pytest.raises(InputError, match="there is no such file"):
        opened(tmp_path / "nowhere.warc.gz")
    with pytest.raises(InputError, match="is a folder without"):
        opened(tmp_path)
    with pytest.raises(InputError, match="no web is named"):
        opened()


def test_a_file_compressed_as_a_whole_is_unpacked_once(tmp_path: Path, cache: Path) -> None:
    records = [page(A, "one"), redirect(C, B), page(B, "two")]
    path = tmp_path / "w.warc.gz"
    path.write_bytes(gzip.compress(b"".join(record.plain for record in records), mtime=0))
    for _ in range(2):
        web = opened(path)
        assert list(web.urls()) == [A, C, B]
        assert b"two" in answer(web, B).body
        assert len(list(cache.iterdir())) == 2  # the records, and one index of them
    assert web.digest == opened(write(tmp_path / "p.warc", records, packed=False)).digest


# ---- the index ----


def test_the_digest_is_of_the_content_wherever_and_however_it_lies(tmp_path: Path) -> None:
    records = [page(A, "one"), page(B, "two")]
    packed = opened(write(tmp_path / "1.warc.gz", records))
    plain = opened(write(tmp_path / "2.warc", records, packed=False))
    other = opened(write(tmp_path / "3.warc.gz", [page(A, "one"), page(B, "too")]))
    assert packed.digest == plain.digest
    assert packed.digest != other.digest


def test_an_index_is_made_once_and_again_when_the_file_changes(warc: Path, cache: Path) -> None:
    read: list[tuple[int, int]] = []

    def count() -> int:
        read.clear()
        web = open_web([str(warc)], RULES, progress=lambda done, whole: read.append((done, whole)))
        assert not read or read[-1] == (warc.stat().st_size,) * 2
        return len(web)

    assert count() == 3
    assert read
    assert count() == 3
    assert not read  # out of the cache
    assert len(list(cache.iterdir())) == 1

    write(warc, [page(A, "one"), page("http://d.example/", "new")])
    assert count() == 2
    assert read
    same_size = warc.read_bytes()
    os.utime(warc, ns=(1, 1))
    assert count() == 2
    assert read  # touched: it may be another
    assert warc.read_bytes() == same_size


@pytest.mark.parametrize("name", ["starts.npy", "about.json", "text.npy"])
def test_a_damaged_index_is_made_again(warc: Path, cache: Path, name: str) -> None:
    opened(warc)
    (folder,) = cache.iterdir()
    (folder / name).write_bytes(b"rubbish")
    web = opened(warc)
    assert b"two" in answer(web, B).body
    assert (folder / name).read_bytes() != b"rubbish"
    assert list(cache.iterdir()) == [folder]  # no drafts are left


def test_a_cache_that_cannot_be_written_is_no_matter(
    warc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    web = opened(warc)
    assert b"one" in answer(web, A).body


def test_indexes_unused_for_a_month_are_dropped(warc: Path, cache: Path) -> None:
    opened(warc)
    (folder,) = cache.iterdir()
    now = (folder / "about.json").stat().st_mtime
    drop_unused(cache, now + 29 * 86_400)
    assert folder.exists()
    drop_unused(cache, now + 31 * 86_400)
    assert not folder.exists()


def test_a_file_that_changes_under_an_open_web_is_noticed(warc: Path) -> None:
    web = opened(warc)
    warc.write_bytes(bytes(warc.stat().st_size))
    with pytest.raises(HoneyguideError, match=r"w.warc.gz: no record at byte 0: the file has changed"):
        web.response(A)


@settings(max_examples=50)
@given(st.sets(st.text(max_size=8), min_size=1, max_size=200))
def test_every_url_is_found_in_a_table_and_no_other(texts: set[str]) -> None:
    urls = sorted(f"http://{text}" for text in texts)
    table = UrlTable.of(urls)
    assert [table.row(url) for url in urls] == list(range(len(urls)))
    assert list(table) == urls
    assert table.row("http://\N{SNOWMAN} not there") == -1


def test_urls_of_equal_marks_are_told_apart() -> None:
    # CRC-32 maps both of these to 0x4DDB0C25 (a well-known pair).
    pair = ["plumless", "buckeroo"]
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    table = UrlTable.of(pair)
    assert [table.row(url) for url in pair] == [0, 1]


def test_an_empty_table() -> None:
    table = UrlTable.of([])
    assert (len(table), list(table), table.row("http://a.example/")) == (0, [], -1)


def test_pages_whose_urls_have_equal_marks_are_two_pages(tmp_path: Path) -> None:
    # CRC-32 is linear: equal-length texts that differ by the same bits as the pair above collide at the end of a URL.
    urls = ["http://a.example/plumless", "http://a.example/buckeroo"]
    assert zlib.crc32(urls[0].encode()) == zlib.crc32(urls[1].encode())
    web = opened(write(tmp_path / "w.warc.gz", [page(urls[0], "one"), page(urls[1], "two")]))
    assert [answer(web, url).body for url in urls] == [page("", "one").body, page("", "two").body]
