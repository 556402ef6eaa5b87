"""Commands in the inbox of a crawl: what is accepted, in which order, and what becomes of rubbish."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store.commands import Command
from honeyguide.store.inbox import Inbox, pending, send
from honeyguide.topic import Topic, dump

ID = "00000000000000000001-0123456789abcdef"
BUDGET = {"pages": 500, "minutes": 2.5}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """As far as a sender sees it, the folder of a crawl."""
    topic = Topic.make(name="test", seeds=["http://a.example/"], keywords="honey", budget=BUDGET)
    (tmp_path / "topic.toml").write_text(dump(topic))
    return tmp_path


def tell(folder: Path, name: str, *arguments: str) -> str:
    return send(folder, Command(name, arguments), by="test")


def put(folder: Path, text: str | bytes, name: str = ID) -> Path:
    (folder / "inbox").mkdir(exist_ok=True)
    path = folder / "inbox" / f"{name}.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def message(**changed: object) -> str:
    return json.dumps({"id": ID, "time": 1.0, "by": "test", "command": "pause", "arguments": [], **changed})


# ---- sending ----


def test_commands_wait_in_the_order_of_sending(folder: Path) -> None:
    sent = [tell(folder, name) for name in ("pause", "resume", "pause", "stop")]
    assert [one.id for one in pending(folder)] == sent
    assert [str(one.command) for one in pending(folder)] == ["pause", "resume", "pause", "stop"]
    assert {one.by for one in pending(folder)} == {"test"}


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        (("block", "Spam.Example", "https://spam.example/", "/print/*"), ("spam.example", "/print/*")),
        (("block", "https://a.example/forum/*"), ("a.example/forum/*",)),
        (("seed", "b.example/x", "HTTP://B.example:80/#top"), ("https://b.example/x", "http://b.example/")),
        (("keywords", "queen  bee, comb", "hive"), ("queen bee", "comb", "hive")),
        (("budget", "pages=+20", "minutes=7"), ("pages=+20", "minutes=7")),
    ],
)
def test_arguments_are_stored_in_their_canonical_spelling(
    folder: Path, written: tuple[str, ...], canonical: tuple[str, ...]
) -> None:
    tell(folder, *written)
    (found,) = pending(folder)
    assert found.command.arguments == canonical


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (("paus",), "there is no command 'paus'; did you mean pause?"),
        (("pause", "now"), "'now' is one argument too many"),
        (("budget",), "nothing to change"),
        (("budget", "pages"), "'pages' is not a limit"),
        (("budget", "haste=1"), "'haste=1' is not a limit"),
        (("budget", "pages=many"), "pages must be a whole number, not 'many'"),
        (("budget", "pages=-5"), "pages must be at least 0"),
        (("budget", "minutes=nan"), "minutes must be a finite number"),
        (("budget", f"pages=+{2**63 - 1}"), "pages is"),
        (("budget", "relevant=+5"), "relevant has no limit to add to"),
        (("block",), "needs a host or a path"),
        (("block", "two words"), "is not a domain or host; write a host such as example.org"),
        (("block", "a.example:8080"), "domains are matched without ports"),
        (("block", ""), "is neither a host nor a path"),
        (("seed",), "needs a URL"),
        (("seed", "mailto:me@a.example"), "is not an address on the web"),
        (("keywords", " , "), "needs a keyword"),
    ],
)
def test_a_wrong_command_is_refused_and_leaves_nothing(folder: Path, written: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said.replace("(", r"\(").replace("?", r"\?")):
        tell(folder, *written)
    assert not (folder / "inbox").exists()


def test_there_has_to_be_a_crawl(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not contain a crawl"):
        tell(tmp_path, "pause")
    assert not list(tmp_path.iterdir())


def test_an_inbox_takes_no_more_than_a_crawl_can_read(folder: Path) -> None:
    with pytest.raises(InputError, match="send less at a time"):
        tell(folder, "keywords", "x" * 300_000)
    for number in range(1000):
        put(folder, message(), f"{number:020d}-0123456789abcdef")
    with pytest.raises(InputError, match="1,000 commands are already pending"):
        tell(folder, "pause")


def test_nothing_is_sent_through_a_link(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (folder / "inbox").symlink_to(elsewhere)
    with pytest.raises(HoneyguideError, match="move it away"):
        tell(folder, "pause")
    assert not list(elsewhere.iterdir())


# ---- taking ----


def test_a_command_is_handed_out_once_and_its_file_stays_until_it_is_recorded(folder: Path) -> None:
    inbox = Inbox(folder)
    assert inbox.take() == []
    tell(folder, "pause")
    (taken,) = inbox.take()
    tell(folder, "resume")
    assert [str(one.command) for one in inbox.take()] == ["resume"]
    assert inbox.take() == []
    assert [str(one.command) for one in pending(folder)] == ["pause", "resume"]
    inbox.delete()
    assert not list((folder / "inbox").iterdir())
    assert taken.by == "test"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[1]",
        b"x" * 300_000,
        message(id="another"),
        message(time="now"),
        message(time=float("nan")),
        message(time=-1),
        message(by=None),
        message(command=["pause"]),
        message(arguments="all"),
        message(arguments=[1]),
    ],
    ids=repr,
)
def test_rubbish_is_set_aside_with_a_warning(folder: Path, text: str | bytes, caplog: pytest.LogCaptureFixture) -> None:
    path = put(folder, text)
    tell(folder, "pause")
    inbox = Inbox(folder)
    with caplog.at_level(logging.WARNING):
        assert [str(one.command) for one in inbox.take()] == ["pause"]
    assert "is not a command" in caplog.text
    assert path.with_name(f"{path.name}.set-aside-1").exists()
    inbox.delete()
    assert inbox.take() == []


def test_links_pipes_and_folders_are_no_commands(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    secret = folder / "secret"
    secret.write_text(message())
    inbox = folder / "inbox"
    inbox.mkdir()
    (inbox / f"{ID}.json").symlink_to(secret)
    os.mkfifo(inbox / f"{ID[:-1]}0.json")
    (inbox / f"{ID[:-1]}1.json").mkdir()
    (inbox / "notes.txt").write_text("mine")
    assert Inbox(folder).take() == []
    assert caplog.text.count("is not a command") == 3
    assert secret.exists()
    assert (inbox / "notes.txt").exists()


def test_an_inbox_that_is_a_link_is_empty(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    put(elsewhere, message())
    (folder / "inbox").symlink_to(elsewhere / "inbox")
    assert Inbox(folder).take() == []
    assert pending(folder) == []
