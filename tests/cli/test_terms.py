"""``honeyguide terms``, as a user types it."""

from __future__ import annotations

import asyncio
import errno
import os
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

from honeyguide.cli.main import main
from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic, template

TOPIC = '# Mine.\nseeds = ["http://a.example/"]  # one\nkeywords = "bees"\n\n[scope]\nmax_depth = 3 # far\n'


class Said(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


Command = Callable[..., Said]


@pytest.fixture
def terms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs the command in a folder with a topic file and pages; leaves no draft behind."""
    monkeypatch.chdir(tmp_path)
    Path("bees.toml").write_text(TOPIC)
    Path("genre").mkdir()
    Path("good").mkdir()
    Path("genre/1.html").write_text("<h1>Syllabus</h1><p>Office hours<p>Painting")
    Path("genre/2.html").write_text("<h1>Syllabus</h1><p>Office hours<p>Music")
    Path("good/1.html").write_text("<h1>Syllabus</h1><p>Honey bees<p>Office hours")
    Path("good/2.txt").write_text("Syllabus\n\nHoney bees\n\nbees")

    def run(*arguments: str) -> Said:
        monkeypatch.setattr(sys, "argv", ["honeyguide", "terms", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
        code = left.value.code
        return Said(code if isinstance(code, int) else 0, *capfd.readouterr())

    yield run
    assert not list(tmp_path.rglob("*.part"))


def test_both_lists_are_shown_and_written(terms: Command) -> None:
    code, out, err = terms("bees.toml", "--genre", "genre/1.html", "genre/2.html", "--relevant", "good/*")
    assert (code, err) == (0, "")
    assert out == (
        "genre terms, from 2 pages:\n"
        "   pages  times  term\n"
        "       2      2  office hours\n"
        "       2      2  syllabus\n"
        "content terms, from 2 pages:\n"
        "   pages  times  term\n"
        "       2      3  bees\n"
        "       2      2  honey bees\n"
        "bees.toml: written to [terms]; delete terms that do not distinguish such pages from others\n"
    )
    assert Path("bees.toml").read_text() == (
        f'{TOPIC}\n[terms]\ngenre = [\n    "office hours",\n    "syllabus",\n]\n'
        'content = [\n    "bees",\n    "honey bees",\n]\n'
    )
    assert Topic.load("bees.toml").terms.content == ("bees", "honey bees")


def test_options_may_be_repeated_and_stand_anywhere(terms: Command) -> None:
    said = terms("--genre-terms", "1", "--genre", "genre/1.html", "--genre", "genre/2.html", "--force", "bees.toml")
    assert said.code == 0
    assert Topic.load("bees.toml").terms.genre == ("office hours",)


def test_each_list_alone(terms: Command) -> None:
    assert terms("bees.toml", "--genre", "genre/*.html").code == 0
    assert Topic.load("bees.toml").terms.content == ()
    said = terms("bees.toml", "--relevant", "good/*", "--content-terms", "1")
    # The genre terms of the file are no content terms.
    assert (said.code, "genre terms" in said.out) == (0, False)
    topic = Topic.load("bees.toml")
    assert (topic.terms.genre, topic.terms.content) == (("office hours", "syllabus"), ("bees",))


def test_terms_of_the_user_are_replaced_only_by_force(terms: Command) -> None:
    text = TOPIC + "[terms]\nurl = ['x']\ngenre = ['mine'] # mine\n"
    Path("bees.toml").write_text(text)
    refused = terms("bees.toml", "--genre", "genre/*.html")
    assert refused == Said(2, "", "honeyguide: bees.toml:9: already has genre terms; replace them with --force\n")
    assert Path("bees.toml").read_text() == text
    assert terms("bees.toml", "--genre", "genre/*.html", "--force").code == 0
    assert Path("bees.toml").read_text() == text.replace("['mine']", '[\n    "office hours",\n    "syllabus",\n]')


def test_a_file_that_is_not_filled_in_yet(terms: Command) -> None:
    Path("new.toml").write_text(template("new"))
    assert terms("new.toml", "--genre", "genre/*.html").code == 0
    assert '#genre = []\ngenre = [\n    "office hours",\n' in Path("new.toml").read_text()


def test_the_file_keeps_its_marks_its_rights_and_its_links(terms: Command) -> None:
    Path("real").mkdir()
    file = Path("real/bees.toml")
    file.write_bytes(b"\xef\xbb\xbf" + TOPIC.replace("\n", "\r\n").encode())
    file.chmod(0o640)
    Path("link.toml").symlink_to("real/bees.toml")
    assert terms("link.toml", "--genre", "genre/*.html").code == 0
    assert Path("link.toml").is_symlink()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    written = file.read_bytes()
    assert written.startswith(b"\xef\xbb\xbf# Mine.\r\nseeds")
    assert written.count(b"\n") == written.count(b"\r\n")
    assert Topic.load("link.toml").terms.genre == ("office hours", "syllabus")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bees.toml"], "terms: no pages given; give some with --genre and --relevant, or a crawl with --from"),
        (["nowhere.toml", "--genre", "genre/*.html"], "nowhere.toml: there is no file"),
        (["wrong.toml", "--genre", "genre/*.html"], "wrong.toml:2: genre must be a list of strings"),
        (["bees.toml", "--genre", "nothing/*"], "nothing/*: matches no file"),
        (
            ["bees.toml", "--genre", "http://127.0.0.1:9/"],
            "examples: http://127.0.0.1:9/ could not be reached (address is not",
        ),
        (["bees.toml", "--from", "nowhere"], "nowhere: does not contain a crawl"),
        (["bees.toml", "--from", "nowhere", "--genre", "genre/*.html"], "--from: takes its pages from a crawl"),
        (["bees.toml", "--from", "nowhere", "--method", "paper"], "--from: contrasts pages, which the paper's method"),
        (["bees.toml", "--genre", "genre", "--against", "good", "--method", "paper"], "--against: the paper's method"),
        (["bees.toml", "--genre", "genre", "--against", "empty"], "empty: there are no pages in this folder"),
        (["bees.toml", "--genre", "genre", "--against", "genre"], "--against: no genre term distinguishes the pages"),
        (["comment.toml", "--genre", "genre/*.html", "--force"], "comment.toml:2: the list genre has comments inside"),
    ],
)
def test_wrong_input_gets_one_line_and_writes_nothing(terms: Command, arguments: list[str], message: str) -> None:
    Path("empty").mkdir()
    Path("wrong.toml").write_text("[terms]\ngenre = 'x'\n")
    Path("comment.toml").write_text("[terms]\ngenre = [\n'x', # why\n]\n")
    before = {path: path.read_bytes() for path in Path().glob("*.toml")}
    code, _, err = terms(*arguments)
    assert (code, err.count("\n")) == (2, 1)
    assert err.startswith(f"honeyguide: {message}")
    assert {path: path.read_bytes() for path in Path().glob("*.toml")} == before


def test_a_folder_that_cannot_be_written_to(terms: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("kept").mkdir()
    Path("kept/bees.toml").write_text(TOPIC)

    def refuse(*_: object) -> NoReturn:  # root may write anywhere
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        said = terms("kept/bees.toml", "--genre", "genre/*.html")
    assert (said.code, "cannot be written: Permission denied" in said.err) == (2, True)
    assert Path("kept/bees.toml").read_text() == TOPIC


def test_a_file_that_somebody_edits_meanwhile(terms: Command) -> None:
    os.mkfifo("genre/3.html")  # a page that comes when the topic file was read already

    def edit() -> None:
        with Path("genre/3.html").open("w") as page:
            Path("bees.toml").write_text("# edited\n" + TOPIC)
            page.write("<p>Syllabus")

    editor = threading.Thread(target=edit)
    editor.start()
    said = terms("bees.toml", "--genre", "genre/1.html", "genre/3.html")
    editor.join()
    assert (said.code, "was changed in the meantime; run the command again" in said.err) == (2, True)
    assert Path("bees.toml").read_text() == "# edited\n" + TOPIC


# ---- from a crawl ----


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of the demo web. Not to be changed."""
    web = DemoWeb(pages=100)
    polite = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "connections": 1}
    topic = Topic.make(
        name="bees",
        seeds=web.seeds("beekeeping"),
        keywords=web.keywords("beekeeping"),
        budget={"pages": 40},
        fetch=polite,
    )
    folder = tmp_path_factory.mktemp("crawls") / "bees"
    asyncio.run(Session(topic, folder, fetcher=lambda: DemoFetcher(web, topic.fetch), workers=0).run())
    return folder


def about_bees(crawled: Path, number: int) -> tuple[list[str], list[str]]:
    """URLs of so many pages of the crawl that name honey, and of so many that do not."""
    with Crawl.open(crawled) as crawl:
        pages = [(page.url, "honey" in page.page.words) for page in crawl.pages(relevant=False)]
    return [url for url, is_right in pages if is_right][:number], [url for url, is_right in pages if not is_right][:3]


def test_marked_pages_replace_terms(terms: Command, crawled: Path) -> None:
    genre = "genre = [ # none yet\n]\n"  # what does not change is not touched
    text = f'{TOPIC}[terms]\n{genre}content = ["zebra crossing", "Honey"]\n'
    Path("bees.toml").write_text(text)
    right, wrong = about_bees(crawled, 5)
    Path("right.txt").write_text("# Mine.\n" + "\n".join(right))
    asked = [
        "bees.toml",
        "--from",
        str(crawled),
        "--relevant",
        "right.txt",
        "--against",
        *wrong,
        "--content-terms",
        "4",
    ]
    shown = terms(*asked)
    assert (shown.code, shown.err) == (0, "")
    assert "proposed from 5 pages marked as relevant, contrasted with " in shown.out
    assert "content terms: 1 unchanged\n3 to add:\n   pages  times  term\n" in shown.out
    assert "1 to remove, which do not distinguish these pages: zebra crossing\n" in shown.out
    assert "genre terms: 0 unchanged\n" in shown.out
    assert "nothing written" in shown.out
    assert Path("bees.toml").read_text() == text
    # The present terms find the pages that were marked by them: no change can help.
    assert "1.000 with the current terms\nnothing written: the changes do not help\n" in shown.out
    worse = text.replace(', "Honey"', ', "painting"')
    Path("bees.toml").write_text(worse)
    written = terms(*asked, "--write")
    assert "F1 on left-out pages: " in written.out
    assert "bees.toml: written to [terms]; on these pages a threshold of 0." in written.out
    topic = Topic.load("bees.toml")
    assert len(topic.terms.content) == 4
    assert not {"zebra crossing", "painting"} & set(topic.terms.content)
    assert genre in Path("bees.toml").read_text()


def test_the_topics_own_examples_are_marked_pages(terms: Command, crawled: Path) -> None:
    right, _ = about_bees(crawled, 5)
    Path("bees.toml").write_text(f'{TOPIC}[terms]\ncontent = ["painting"]\n[examples]\npositive = {right!r}\n')
    said = terms("bees.toml", "--from", str(crawled), "--write")
    assert "proposed from 5 pages marked as relevant" in said.out
    assert "honey" in Topic.load("bees.toml").terms.content


def test_nothing_is_written_that_does_not_help(terms: Command, crawled: Path) -> None:
    """Unattended: what the best pages share only confirms the terms by which they are the best."""
    with Crawl.open(crawled) as crawl:
        keywords = list(crawl.topic.keywords)
    text = f"{TOPIC}[terms]\ncontent = {keywords!r}\n"
    Path("bees.toml").write_text(text)
    said = terms("bees.toml", "--from", str(crawled), "--best", "5", "--write")
    assert said.code == 0
    assert f"proposed from 5 best pages of {crawled}, contrasted with " in said.out
    assert said.out.endswith(
        "nothing written: the changes do not help; mark pages with --relevant: the best pages only confirm the current "
        "terms\n"
    )
    assert Path("bees.toml").read_text() == text
    few = terms("bees.toml", "--from", str(crawled), "--best", "4", "--write")
    assert few.out.endswith("too few pages to see whether the changes help; mark 5 or more with --relevant\n")
    assert Path("bees.toml").read_text() == text


# ---- contrast ----


def test_terms_are_contrasted_with_a_folder(terms: Command) -> None:
    Path("other/deep").mkdir(parents=True)
    Path("other/1.html").write_text("<p>Office hours<p>News")
    Path("other/deep/2.txt").write_text("office hours\n\nshop")
    Path("other/style.css").write_text("p { color: red }")  # not a page
    said = terms("bees.toml", "--genre", "genre", "--relevant", "good", "--against", "other")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "genre terms, from 2 pages, contrasted with 2 pages:\n"
        "   pages  times  term\n"
        "       2      2  syllabus\n"
        "content terms, from 2 pages, contrasted with 2 pages:\n"
        "   pages  times  term\n"
        "       2      3  bees\n"
        "       2      2  honey bees\n"
        "bees.toml: written to [terms]\n"
    )


def test_the_papers_method(terms: Command) -> None:
    said = terms("bees.toml", "--relevant", "good", "--method", "paper", "--content-terms", "1")
    assert (said.code, Topic.load("bees.toml").terms.content) == (0, ("bees",))


def test_a_crawl_without_a_find_proposes_nothing(terms: Command, tmp_path: Path) -> None:
    web = DemoWeb(pages=100)
    topic = Topic.make(
        name="none",
        seeds=web.seeds("beekeeping"),
        keywords="granite",
        budget={"pages": 3},
        fetch={"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0},
        relevance={"threshold": 0.99},
    )
    asyncio.run(Session(topic, Path("none"), fetcher=lambda: DemoFetcher(web, topic.fetch), workers=0).run())
    assert terms("bees.toml", "--from", "none") == Said(
        2, "", "honeyguide: none: contains no relevant pages; continue the crawl, or lower its threshold\n"
    )
