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
from honeyguide.demo import DemoFetcher, DemoWeb
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
        (["comment.toml", "--genre", "genre/*.html", "--force"], "comment.toml:2: the list genre has comments inside"),
    ],
)
def test_wrong_input_gets_one_line_and_writes_nothing(terms: Command, arguments: list[str], message: str) -> None:
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


def test_a_crawl_proposes_changes(terms: Command, crawled: Path) -> None:
    genre = "genre = [ # none yet\n]\n"  # what does not change is not touched
    text = f'{TOPIC}[terms]\n{genre}content = ["zebra crossing", "Honey"]\n'
    Path("bees.toml").write_text(text)
    shown = terms("bees.toml", "--from", str(crawled), "--best", "5", "--content-terms", "4")
    assert (shown.code, shown.err) == (0, "")
    assert f"proposed from the best 5 pages of {crawled}:\n" in shown.out
    assert "content terms: 1 unchanged\n3 to add:\n   pages  times  term\n" in shown.out
    assert "1 to remove, found on none of these pages: zebra crossing\n" in shown.out
    assert "genre terms: 0 unchanged\n" in shown.out
    assert "nothing written" in shown.out
    assert Path("bees.toml").read_text() == text
    written = terms("bees.toml", "--from", str(crawled), "--best", "5", "--content-terms", "4", "--write")
    assert written.out == shown.out.replace(
        "nothing written: edit the topic file, or apply all changes with --write", "bees.toml: written to [terms]"
    )
    topic = Topic.load("bees.toml")
    assert (topic.terms.content[0], len(topic.terms.content)) == ("Honey", 4)
    assert genre in Path("bees.toml").read_text()
    again = terms("bees.toml", "--from", str(crawled), "--best", "5", "--content-terms", "4", "--write")
    assert again.out.endswith("nothing to change\n")


def test_a_crawl_tells_genre_from_content(terms: Command, crawled: Path) -> None:
    # Pages about anything say "needs" on the demo web, and only those about bees say "honey".
    Path("bees.toml").write_text(TOPIC + '[terms]\ngenre = ["needs"]\n')
    assert terms("bees.toml", "--from", str(crawled), "--best", "8", "--write").code == 0
    topic = Topic.load("bees.toml")
    assert "honey" in topic.terms.content
    assert "honey" not in topic.terms.genre
    assert len(topic.terms.genre) > 1


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
