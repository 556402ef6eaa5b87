from __future__ import annotations

import csv
import io
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from fastwarc import warc as fastwarc
from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main as warcio

from honeyguide.atomic_write import is_draft
from honeyguide.demo import faults
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.lab.web import open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.store.archive import Archive
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import USUAL_FIELDS, ExportOptions, Progress, export_formats
from honeyguide.store.export import export as export_with
from honeyguide.topic.examples import read_examples
from honeyguide.topic.page_names import expanded_names
from honeyguide.warc.part import Part
from honeyguide.warc.read import records as records_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Scripted = Callable[..., Crawl]
CrawlDemo = Callable[..., Path]
WARC = "pages-00000.warc.gz"


def export(crawl: Crawl, form: str, out: Path | BinaryIO, *, progress: Progress | None = None, **options: Any) -> int:
    return export_with(crawl, form, out, ExportOptions(**options), progress=progress)


def jsonl(crawl: Crawl, **options: Any) -> list[dict[str, object]]:
    out = io.BytesIO()
    export(crawl, "jsonl", out, **options)
    return [json.loads(line) for line in out.getvalue().decode().splitlines()]


def records(path: Path) -> list[tuple[str, str, str, str, bytes]]:
    """Type, target, id, concurrent-to and content of every record."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file):
            head = record.rec_headers
            names = ("WARC-Target-URI", "WARC-Record-ID", "WARC-Concurrent-To")
            content = record.content_stream().read()
            found.append((record.rec_type, *(head.get_header(name) or "" for name in names), content))
    return found


def check(path: Path) -> None:
    """``warcio check``: reads every record and compares its digests."""
    with pytest.raises(SystemExit) as ended:
        warcio(["check", str(path)])
    assert ended.value.code == 0


@pytest.fixture
def changed(demo_folder: Path, tmp_path: Path) -> Iterator[Crawl]:
    """The demo crawl in a folder of its own, for a test to spoil."""
    with Crawl.open(shutil.copytree(demo_folder, tmp_path / "changed")) as crawl:
        yield crawl


# ---- JSON lines and CSV ----

STORY = (
    "<head><title>Bees</title><meta name=author content='A. Keeper'><meta name=description content='On bees.'>"
    "<meta property='article:published_time' content='2024-05-31T08:00Z'><link rel=canonical href='/bees'>"
    "<link rel=license href='https://creativecommons.org/licenses/by/4.0/'></head>"
    "<nav><a href=/>Home</a> <a href=/2>All stories of the site</a></nav>"
    "<article><h1>Bees</h1><p>{0} is what a honey bee makes from nectar, and it keeps that in combs of wax.</p>"
    "<p>It lives in a hive, with thousands of others, and it dances to say where {0} can be had.</p>"
    "<p>Read what we wrote about it last week, before you ask us what we think of it.</p></article>"
    "<footer>Imprint and terms of use</footer>"
)


def test_the_text_is_the_main_content_in_the_form_that_is_asked_for(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": STORY.format("Honey")})

    def text(**options: Any) -> dict[str, Any]:
        out = io.BytesIO()
        export(crawl, "jsonl", out, **options)
        (row,) = map(json.loads, out.getvalue().splitlines())
        return dict(row)

    row = text()
    assert row["text"].startswith("Bees\nHoney is what a honey bee makes")
    assert "Imprint" not in row["text"]
    assert "All stories" not in row["text"]
    assert (row["author"], row["date"], row["description"]) == ("A. Keeper", "2024-05-31", "On bees.")
    assert row["canonical"] == "http://a.example/bees"
    assert row["licence"] == "https://creativecommons.org/licenses/by/4.0/"
    assert text(text="markdown")["text"].startswith("# Bees\n\nHoney is what")
    page = next(crawl.pages())
    full = text(text="full", fields=("full_text", "text"))
    assert full["text"] == full["full_text"] == page.full_text
    assert "Imprint and terms of use" in page.full_text
    assert (page.text, page.metadata.author) == (row["text"], "A. Keeper")


def test_what_the_pages_of_a_site_share_is_not_their_content(scripted: Scripted) -> None:
    home = "http://a.example/"
    links = "".join(f"<a href=/{number}>{number}</a>" for number in range(1, 4))
    own = {number: " ".join(f"word{number}{other}, and" for other in range(40)) for number in range(1, 4)}
    stories = {f"{home}{number}": STORY.format(f"honey of the kind {own[number]}") for number in own}
    crawl = scripted({home: f"<p>honey bee{links}", **stories})
    pages = {page.url: page.text for page in crawl.pages(relevant=False)}
    for number in range(1, 4):
        assert f"honey of the kind word{number}0, and" in pages[f"{home}{number}"]
        assert "Read what we wrote" not in pages[f"{home}{number}"]


def test_copies_of_a_page_are_not_what_a_site_shares(scripted: Scripted) -> None:
    home = "http://a.example/"
    links = "".join(f"<a href=/{number}>{number}</a>" for number in range(1, 5))
    copies = {f"{home}{number}": STORY.format(f"honey of the kind {number}") for number in range(1, 5)}
    crawl = scripted({home: f"<p>honey bee{links}", **copies})
    texts = [page.text for page in crawl.pages(relevant=False) if page.depth]
    assert len(texts) == 4
    assert all("Read what we wrote" in text for text in texts)


def test_a_page_that_is_alone_on_its_site_shares_nothing(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": STORY.format("honey")})
    assert "Read what we wrote" in next(crawl.pages()).text


def test_a_missing_extractor_names_the_extra(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = scripted({"http://a.example/": STORY.format("Honey")})
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    with pytest.raises(InputError, match=r"content: trafilatura is not installed; pip install \"honeyguide\[content\]"):
        export(crawl, "jsonl", io.BytesIO(), content="trafilatura")
    with pytest.raises(InputError, match="there is no 'other'; use honeyguide or trafilatura"):
        export(crawl, "jsonl", io.BytesIO(), content="other")


def test_another_extractor_can_find_the_content(scripted: Scripted) -> None:
    pytest.importorskip("trafilatura")
    crawl = scripted({"http://a.example/": STORY.format("Honey")})
    for form in ("plain", "markdown"):
        out = io.BytesIO()
        export(crawl, "jsonl", out, content="trafilatura", text=form)
        text = json.loads(out.getvalue())["text"]
        assert "Honey is what a honey bee makes" in text
        assert ("# Bees" in text) is (form == "markdown")


def test_json_lines_say_of_each_page_what_the_crawl_knows(demo_crawl: Crawl, tmp_path: Path) -> None:
    pages = list(demo_crawl.pages())
    out = tmp_path / "bees.jsonl"
    assert export(demo_crawl, "jsonl", out) == len(pages) > 5
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    for row, page in zip(rows, pages, strict=True):
        assert tuple(row) == USUAL_FIELDS
        assert row["url"] == page.url
        assert row["text"] == page.text != ""
        assert row["relevance"] == page.relevance >= 0.15
        assert row["relevant"] is True
        assert (row["title"], row["depth"], row["parent"]) == (page.title, page.depth, page.parent)
        assert (row["warc_file"], row["warc_offset"]) == (WARC, page.row.warc_offset)
        assert (row["status"], row["hash"], row["duplicate_of"]) == (200, page.digest, "")
        assert row["content_type"].startswith("text/html")
        fetched = datetime.fromisoformat(row["fetched"])
        assert fetched.tzinfo == UTC
        assert fetched.timestamp() == pytest.approx(page.fetched, abs=1e-5)


def test_everything_is_exported_when_asked_for(scripted: Scripted) -> None:
    bees = "<p>honey bee</p>"
    crawl = scripted(
        {
            "http://a.example/": "<p>cars</p><a href=/one>1</a> <a href=/two>2</a>",
            "http://a.example/one": bees,
            "http://a.example/two": bees,
        }
    )
    one, two, seed = "http://a.example/one", "http://a.example/two", "http://a.example/"
    assert [row["url"] for row in jsonl(crawl)] == [one]
    assert [row["url"] for row in jsonl(crawl, dedup="none")] == [one, two]
    rows = jsonl(crawl, relevant_only=False)
    assert [row["url"] for row in rows] == [seed, one, two]
    assert [row["duplicate_of"] for row in rows] == ["", "", one]
    assert [row["relevant"] for row in rows] == [False, True, True]
    assert [row["parent"] for row in rows] == ["", seed, seed]
    assert rows[1]["text"] == rows[2]["text"] == "honey bee"


def test_csv_says_the_same_as_json_lines(demo_crawl: Crawl) -> None:
    out = io.BytesIO()
    count = export(demo_crawl, "csv", out, relevant_only=False)
    assert not out.closed
    rows = list(csv.DictReader(io.StringIO(out.getvalue().decode(), newline="")))
    assert len(rows) == count == 100
    assert rows == [{name: str(value) for name, value in row.items()} for row in jsonl(demo_crawl, relevant_only=False)]
    assert any("\n" in row["text"] for row in rows)


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\uff1d"])
def test_what_a_spreadsheet_would_compute_is_marked_as_text(scripted: Scripted, begins: str) -> None:
    crawl = scripted({"http://a.example/": f"<title>{begins}1+1</title><p>{begins}honey, bee"})
    out = io.BytesIO()
    export(crawl, "csv", out)
    _, row = csv.reader(io.StringIO(out.getvalue().decode(), newline=""))
    assert row[1:3] == [f"'{begins}1+1", f"'{begins}honey, bee"]
    assert row[3:5] == [f"{next(crawl.pages()).relevance}", "True"]


def test_csv_keeps_values_as_they_are(scripted: Scripted) -> None:
    title = 'HYPERLINK("http://good.example/"), honey; "bee"'
    crawl = scripted({"http://a.example/": f"<title>{title}</title><p>honey, bee</p><p>+1 honey"})
    out = io.BytesIO()
    export(crawl, "csv", out)
    header, row = csv.reader(io.StringIO(out.getvalue().decode(), newline=""))
    assert tuple(header) == USUAL_FIELDS
    assert row[1:3] == [title, "honey, bee\n+1 honey"]


def test_letters_of_all_scripts_are_written_as_they_are(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": "<p>honey bee 蜂蜜 мёд 🐝</p>"})
    for form in ("jsonl", "csv"):
        out = io.BytesIO()
        export(crawl, form, out)
        assert "honey bee 蜂蜜 мёд 🐝" in out.getvalue().decode()


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_the_fields_asked_for_are_written_in_that_order(changed: Crawl, form: str) -> None:
    (changed.path / WARC).unlink()  # nothing but texts is read from the archive
    out = io.BytesIO()
    count = export(
        changed,
        form,
        out,
        fields=(
            "relevance",
            "url",
        ),
    )
    lines = out.getvalue().decode().splitlines()
    first = next(changed.pages())
    if form == "csv":
        assert lines[:2] == ["relevance,url", f"{first.relevance},{first.url}"]
    else:
        assert json.loads(lines[0]) == {"relevance": first.relevance, "url": first.url}
    assert len(lines) == count + (form == "csv")


def test_csv_for_excel_begins_with_a_byte_order_mark(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": "<title>Müsli</title><p>honey bee"})
    out = io.BytesIO()
    export(
        crawl,
        "csv",
        out,
        fields=(
            "title",
            "url",
        ),
        bom=True,
    )
    assert out.getvalue() == "\ufefftitle,url\r\nMüsli,http://a.example/\r\n".encode()


@pytest.mark.parametrize(
    ("form", "options", "problem"),
    [
        (
            "jsonl",
            {
                "fields": (
                    "url",
                    "txt",
                )
            },
            "fields: there is no field 'txt'; use some of url, title, text, ",
        ),
        (
            "csv",
            {
                "fields": (
                    "url",
                    "url",
                )
            },
            "fields: url is given twice",
        ),
        ("csv", {"fields": ()}, "fields: no field is given"),
        (
            "warc",
            {"fields": ("url",)},
            "fields: does not apply to the format warc; use it with jsonl, csv, parquet or wacz",
        ),
        ("jsonl", {"bom": True}, "bom: does not apply to the format jsonl; use it with csv"),
    ],
)
def test_fields_that_cannot_be_written_are_refused(
    demo_crawl: Crawl, form: str, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InputError, match="^" + re.escape(problem)):
        export(demo_crawl, form, io.BytesIO(), **options)


def test_a_body_is_read_back_no_further_than_the_crawl_read_it(crawl_demo: CrawlDemo, tmp_path: Path) -> None:
    (bomb,) = (fault.url for fault in faults() if fault.name == "bomb")
    with Crawl.open(crawl_demo(tmp_path / "bomb", 1, seeds=[bomb], fetch={"max_body": 100_000})) as crawl:
        (row,) = jsonl(crawl, relevant_only=False)
        (page,) = crawl.pages(relevant=False)
        assert len(page.stored.body) == 100_000
        assert row["text"] == page.text


# ---- all formats ----


@pytest.mark.parametrize("form", export_formats())
@pytest.mark.parametrize("relevant_only", [True, False])
def test_progress_reaches_its_total(demo_crawl: Crawl, form: str, relevant_only: bool) -> None:
    told: list[tuple[int, int]] = []
    pages = export(
        demo_crawl, form, io.BytesIO(), relevant_only=relevant_only, progress=lambda *step: told.append(step)
    )
    assert pages == (demo_crawl.count() if relevant_only else 100)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {total for _, total in told} == {told[-1][0]}


@pytest.mark.parametrize("form", export_formats())
def test_a_crawl_without_pages(scripted: Scripted, tmp_path: Path, form: str) -> None:
    crawl = scripted({}, seeds=["http://a.example/gone"])
    for relevant_only in (True, False):
        out = tmp_path / f"none.{form}"
        assert export(crawl, form, out, relevant_only=relevant_only) == 0
        if form == "warc":
            check(out)
        elif form in {"jsonl", "csv"}:
            assert len(out.read_text(encoding="utf-8").splitlines()) == (form == "csv")


@pytest.mark.parametrize("form", export_formats())
@pytest.mark.parametrize("relevant_only", [True, False])
def test_a_missing_file_is_named_and_what_was_there_stays(changed: Crawl, form: str, relevant_only: bool) -> None:
    out = changed.path / "out"
    out.write_text("before", encoding="utf-8")
    (changed.path / WARC).rename(changed.path / "elsewhere")
    with pytest.raises(HoneyguideError, match=rf"{WARC}: cannot be read: No such file.*; restore the original file"):
        export(changed, form, out, relevant_only=relevant_only)
    assert out.read_text(encoding="utf-8") == "before"
    assert not any(is_draft(file.name) for file in changed.path.iterdir())


@pytest.mark.parametrize("form", export_formats())
def test_a_file_that_was_cut_or_exchanged_is_named(changed: Crawl, form: str) -> None:
    file = changed.path / WARC
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(HoneyguideError, match=f"{WARC}: cannot be read"):
        export(changed, form, io.BytesIO())
    file.write_bytes(b"other" * len(whole))
    with pytest.raises(HoneyguideError, match=f"{WARC}: cannot be read"):
        export(changed, form, io.BytesIO())


def test_an_unknown_format_is_refused(demo_crawl: Crawl, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"format: no export format 'xml'; use one of jsonl, csv, parquet, warc, warc.zst, wacz"
    ):
        export(demo_crawl, "xml", tmp_path / "out.xml")
    assert not list(tmp_path.iterdir())


def test_a_place_that_cannot_be_written_is_refused(demo_crawl: Crawl, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        export(demo_crawl, "jsonl", tmp_path / "missing" / "out.jsonl")


# ---- WARC ----


def test_warc_of_the_relevant_pages(demo_crawl: Crawl, tmp_path: Path) -> None:
    out = tmp_path / "bees.warc.gz"
    export(demo_crawl, "warc", out)
    check(out)
    info, *rest = records(out)
    assert info[0] == "warcinfo"
    assert b"relevant pages of the crawl bees" in info[4]
    requests, answers = rest[::2], rest[1::2]
    assert {kind for kind, *_ in requests} == {"request"}
    assert {kind for kind, *_ in answers} == {"response"}
    assert [url for _, url, *_ in answers] == [page.url for page in demo_crawl.pages()]
    for asked, answered in zip(requests, answers, strict=True):
        assert (asked[1], asked[3]) == answered[1:3]


def test_warc_of_everything_is_the_archive_without_what_was_not_recorded(changed: Crawl, tmp_path: Path) -> None:
    recorded = (changed.path / WARC).read_bytes()
    with (changed.path / WARC).open("ab") as file:
        file.write(b"half a record")
    out = tmp_path / "all.warc.gz"
    assert export(changed, "warc", out, relevant_only=False) == 100
    assert out.read_bytes() == recorded
    check(out)


def test_warc_files_of_a_long_crawl_become_one(
    crawl_demo: CrawlDemo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Archive.__init__, "__kwdefaults__", {"rotate_at": 50_000})
    folder = crawl_demo(tmp_path / "bees", 60)
    files = sorted(folder.glob("*.warc.gz"))
    assert len(files) > 2
    with Crawl.open(folder) as crawl:
        export(crawl, "warc", tmp_path / "all.warc.gz", relevant_only=False)
        export(crawl, "warc", tmp_path / "some.warc.gz")
        found = {page.url for page in crawl.pages()}
        assert {page.warc_file for page in crawl.pages()} > {WARC}
    assert (tmp_path / "all.warc.gz").read_bytes() == b"".join(file.read_bytes() for file in files)
    for name in ("all.warc.gz", "some.warc.gz"):
        check(tmp_path / name)
    assert {url for kind, url, *_ in records(tmp_path / "some.warc.gz") if kind == "response"} == found


@pytest.mark.parametrize("relevant_only", [True, False])
def test_warc_zst_has_the_same_records_one_in_each_frame(
    demo_crawl: Crawl, tmp_path: Path, relevant_only: bool
) -> None:
    count = export(demo_crawl, "warc.zst", tmp_path / "bees.warc.zst", relevant_only=relevant_only)
    assert count == export(demo_crawl, "warc", tmp_path / "bees.warc.gz", relevant_only=relevant_only)
    found = {}
    for suffix in ("zst", "gz"):
        read = fastwarc.ArchiveIterator(str(tmp_path / f"bees.warc.{suffix}"), parse_http=False)
        found[suffix] = [
            (one.headers.get("WARC-Type"), one.headers.get("WARC-Target-URI"), one.reader.read()) for one in read
        ]
    skipped = int(relevant_only)  # the first record, which is made anew
    assert found["zst"][skipped:] == found["gz"][skipped:]
    assert len(found["zst"]) > count
    path = tmp_path / "bees.warc.zst"
    again = [record.kind for record in records_of(Part.whole(path))]
    assert [kind for kind, *_ in found["zst"]] == again
    with path.open("rb") as file, zstd.ZstdFile(file) as plain:
        assert sum(1 for _ in ArchiveIterator(plain)) == len(again)
    web = open_web([str(path)], UrlRules(UrlSettings()))
    for page in demo_crawl.pages(most=3):
        answer = web.response(page.url)
        assert answer is not None
        assert answer.body == page.stored.body
    examples = read_examples([str(path)], UrlRules(UrlSettings()), lambda _: {})
    assert {page.url for page in demo_crawl.pages()} <= {example.text.url for example in examples}
    assert expanded_names([str(tmp_path)]) == [str(tmp_path / f"bees.warc.{suffix}") for suffix in ("gz", "zst")]


BEES = "<title>Bees</title><p>the honey bee</p>"


def test_a_revisit_stays_one_beside_its_original(scripted: Scripted, tmp_path: Path) -> None:
    crawl = scripted(
        {
            "http://a.example/": "<p>honey bee hive</p><a href=/one>1</a> <a href=/two>2</a>",
            "http://a.example/one": BEES,
            "http://a.example/two": BEES,
        }
    )
    out = tmp_path / "bees.warc.gz"
    assert export(crawl, "warc", out, dedup="none") == 3
    check(out)
    assert [(kind, url[-3:]) for kind, url, *_ in records(out)[1:] if kind != "request"] == [
        ("response", "le/"),
        ("response", "one"),
        ("revisit", "two"),
    ]


def test_a_revisit_without_its_original_becomes_a_full_response(scripted: Scripted, tmp_path: Path) -> None:
    crawl = scripted(
        {
            "http://a.example/": "<p>cars</p><a href=/one>1</a> <a href=/two>2</a>",
            "http://a.example/one": (BEES, "X-Robots-Tag: noindex"),
            "http://a.example/two": (BEES, "X-Second: yes"),
        }
    )
    out = tmp_path / "bees.warc.gz"
    assert export(crawl, "warc", out, dedup="none") == 1
    check(out)
    (_, request, response) = records(out)
    assert request[:2] == ("request", "http://a.example/two")
    assert response[:2] == ("response", "http://a.example/two")
    assert request[3] == response[2]
    assert response[4] == BEES.encode()
    stored = {identifier for _, _, identifier, *_ in records(crawl.path / WARC)}
    assert not stored & {request[2], response[2]}
    with out.open("rb") as file:
        headers = [record.http_headers for record in ArchiveIterator(file) if record.rec_type == "response"]
    assert [head.get_header("X-Second") for head in headers] == ["yes"]
