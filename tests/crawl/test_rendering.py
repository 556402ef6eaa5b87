"""Pages that scripts write, in a whole crawl: rendered, archived, explained, judged again, repaired, exported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator

from honeyguide.browser.available import find_program
from honeyguide.cli.main import app
from honeyguide.lab.web import open_web
from honeyguide.page.blocks.browser import BrowserCues
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.store.crawl import Crawl

from .kit import PaperWeb, about, answer, rows, run, topic

HOME, SHELL, PLAIN = "http://app.example/", "http://app.example/one", "http://plain.example/"
SCRIPT = (
    "fetch('/data' + location.pathname).then(r => r.text())"
    ".then(t => { document.getElementById('root').innerHTML = t })"
)
EMPTY = "<!DOCTYPE html><title>App</title><body><div id=root></div><script src=/app.js></script>"
USELESS = (
    "<!DOCTYPE html><title>Thin</title><p>Nothing but words of the page.</p><script>" + "let a;" * 500 + "</script>"
)


def pages() -> dict[str, object]:
    honey = about("honey bees make honey in a hive", "/one", "/two", "http://plain.example/")
    data = {"http://app.example/data/": honey, "http://app.example/data/one": about("one honey bee"),
            "http://app.example/data/two": about("two tax forms")}  # fmt: skip
    shells = dict.fromkeys((HOME, SHELL, "http://app.example/two"), EMPTY)
    script = answer("http://app.example/app.js", SCRIPT)
    return {**shells, **data, "http://app.example/app.js": script, PLAIN: about("honey bees again", "/thin"),
            "http://plain.example/thin": USELESS}  # fmt: skip


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PaperWeb]:
    pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'honeyguide[browser]'")
    if find_program() is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    folder = tmp_path_factory.mktemp("rendering")
    web = PaperWeb(pages())
    wanted = topic(
        [HOME],
        fetch={"browser": "auto"},
        browser={"seconds": 60.0, "share": 1.0},
        strategy={"name": f"btw(cues=browser, boxes={folder / 'boxes'})"},
    )
    run(wanted, folder / "crawl", lambda: web)
    return folder / "crawl", web


def told(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(one) for one in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_scripted_pages_are_found_and_each_file_is_requested_once(crawled: tuple[Path, PaperWeb]) -> None:
    folder, web = crawled
    with Crawl.open(folder) as crawl:
        found = {page.url: (page.row.rendered_spot is not None, page.relevant) for page in crawl.pages(relevant=False)}
        assert found == {
            HOME: (True, True),
            SHELL: (True, True),
            "http://app.example/two": (True, False),
            PLAIN: (False, True),
            "http://plain.example/thin": (False, False),
        }
        assert not any(page.duplicate_of for page in crawl.pages(relevant=False)), "their bytes are the same"
        assert "one honey bee" in crawl.page(SHELL).text  # type: ignore[union-attr]
    assert sorted(web.asked_pages) == sorted({*web.asked_pages}), "nothing is requested twice"


def test_the_archive_has_the_answer_and_what_became_of_it(crawled: tuple[Path, PaperWeb]) -> None:
    answers, made = {}, []
    with (crawled[0] / "pages-00000.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file):
            head = record.rec_headers
            if record.rec_type in {"response", "revisit"}:
                answers[head["WARC-Record-ID"]] = head["WARC-Target-URI"]
            elif record.rec_type == "conversion":
                assert answers[head["WARC-Refers-To"]] == head["WARC-Target-URI"]
                made.append((head["WARC-Target-URI"], b"honey" in record.content_stream().read()))
    assert dict(made) == {HOME: True, SHELL: True, "http://app.example/two": False}


def test_why_and_the_report_say_what_it_gained(crawled: tuple[Path, PaperWeb], tmp_path: Path) -> None:
    folder = crawled[0]
    assert "and read so:" in told("why", folder, HOME)
    assert "rendered in a browser" in told("why", folder, "http://plain.example/thin")
    assert "nothing was gained" in told("why", folder, "http://plain.example/thin")
    assert "rendered" not in told("why", folder, PLAIN)
    told("report", folder, "--format", "md", "-o", tmp_path / "report.md")
    report = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Rendered in a browser" in report
    assert "of these read as rendered | 3 |" in report


def test_repair_and_judging_again_read_what_was_rendered(crawled: tuple[Path, PaperWeb], tmp_path: Path) -> None:
    folder = shutil.copytree(crawled[0], tmp_path / "crawl")
    kept = (
        "SELECT url, words, links, relevant, rendered_file, rendered_offset, rendered_length, warc_offset "
        "FROM pages JOIN urls USING (id) ORDER BY seq"
    )
    before = rows(folder, kept)
    (folder / "crawl.sqlite").unlink()
    told("repair", folder)
    assert rows(folder, kept) == before
    with Crawl.open(folder) as crawl:
        wanted = crawl.topic.with_settings(relevance={"threshold": 0.01}, budget={"pages": 5})
    run(wanted, folder, lambda: PaperWeb({}))
    assert rows(folder, "SELECT kind FROM events WHERE kind = 'judged'") == [("judged",)]
    assert [row[:3] for row in rows(folder, kept)] == [row[:3] for row in before]


def test_exports_and_the_lab_have_the_text(crawled: tuple[Path, PaperWeb], tmp_path: Path) -> None:
    folder = crawled[0]
    told("export", folder, "--format", "jsonl", "--out", tmp_path / "pages.jsonl")
    lines = map(json.loads, (tmp_path / "pages.jsonl").read_text(encoding="utf-8").splitlines())
    assert "one honey bee" in {one["url"]: one for one in lines}[SHELL]["text"]
    told("export", folder, "--format", "warc", "--out", tmp_path / "pages.warc.gz")
    for source in (folder, tmp_path / "pages.warc.gz"):
        recorded = open_web([str(source)], UrlRules(UrlSettings())).response(SHELL)
        assert recorded is not None
        assert b"one honey bee" in recorded.body


def test_real_boxes_are_there_for_vips(crawled: tuple[Path, PaperWeb]) -> None:
    cues = BrowserCues(crawled[0].parent / "boxes")
    with Crawl.open(crawled[0]) as crawl:
        page = crawl.page(SHELL)
        assert page is not None
        seen = cues(parse(decode(page.stored.body), page.url, crawl.url_rules, styled=True))
    assert not cues.estimated
    assert seen.boxes.width.max() > 500


def test_a_page_that_leads_on_by_script_is_followed(tmp_path: Path, crawled: object) -> None:
    web = PaperWeb({HOME: "<title>x</title><script>location.href = '/moved' " + ";" * 200 + "</script>",
                    "http://app.example/moved": about("honey bee")})  # fmt: skip
    settings = {"seconds": 60.0, "requests": 0}
    run(topic([HOME], fetch={"browser": "always"}, browser=settings), tmp_path / "crawl", lambda: web)
    assert web.asked_pages == [HOME, "http://app.example/moved"]
