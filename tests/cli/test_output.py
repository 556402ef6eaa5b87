"""What commands print cannot steer a terminal, whatever pages and folders contain."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from honeyguide.cli.main import main
from honeyguide.cli.output import say, visible
from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.folder import CrawlFolder
from honeyguide.topic import Topic

CLI = Path(__file__).parents[2] / "src" / "honeyguide" / "cli"
ESCAPE = "\x1b[2J\x9b31m\u202egnp.exe\r"


@pytest.mark.parametrize("text", ["Bienen für alle: 蜂 🐝‍👩", "two\nlines\tand a tab", "\\u001b"])
def test_ordinary_text_stays(text: str) -> None:
    assert visible(text) == text


def test_what_a_terminal_obeys_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    say(f"a{ESCAPE}b\x00\x7f\udce3")
    assert capsys.readouterr().out == "a\\u001b[2J\\u009b31m\\u202egnp.exe\\u000db\\u0000\\u007f\\udce3\n"


def test_commands_print_in_no_other_way() -> None:
    for path in CLI.glob("*.py"):
        found = re.findall(r"(?<![\w.])print\(", path.read_text(encoding="utf-8"))
        assert len(found) == (path.name == "output.py"), path.name


def test_urls_and_errors_are_shown_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    web, folder = DemoWeb(pages=300, page_kb=1.0), tmp_path / "bees"
    fetch = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0}
    topic = Topic.make(name="bees", seeds=web.seeds("beekeeping"), keywords="bee", budget={"pages": 4}, fetch=fetch)
    asyncio.run(Session(topic, folder, fetcher=lambda: DemoFetcher(web), workers=0).run())
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as database, database:
        sql = "SELECT url FROM pages JOIN urls USING (id) WHERE parent >= 0"
        (url,) = database.execute(sql).fetchone()
        database.execute("UPDATE urls SET url = url || ? WHERE parent < 0", (ESCAPE,))
    for asked in (
        ["why", str(folder), url],
        ["why", str(folder), f"http://a.example/{ESCAPE}\nhoneyguide: all is well"],
    ):
        monkeypatch.setattr(sys, "argv", ["honeyguide", *asked])
        with pytest.raises(SystemExit):
            main()
    said = capsys.readouterr()
    assert "\\u001b[2J\\u009b31m\\u202egnp.exe" in said.out
    assert said.err.count("\n") == 1
    assert not set(said.out + said.err) & set("\x1b\x9b\u202e\r")


def test_a_topic_with_a_password_is_for_its_owner_alone(tmp_path: Path) -> None:
    fetch = {"proxy": "http://me:secret@127.0.0.1:8080"}
    topic = Topic.make(name="bees", seeds=["http://a.example/"], keywords="bee", fetch=fetch)
    folder = CrawlFolder(tmp_path / "bees", topic)
    folder.settle_in()
    folder.leave()
    assert (tmp_path / "bees" / "topic.toml").stat().st_mode & 0o077 == 0
