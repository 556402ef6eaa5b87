"""`honeyguide label`: asks about pages, saves every answer, and leaves the rest to the crawl."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from honeyguide.cli.main import main
from honeyguide.store.commands import Command
from honeyguide.store.inbox import send
from honeyguide.teaching.labels import current_labels

from .kit import PaperWeb, about, run, topic

PAGES = [f"http://a.example/{number}" for number in range(6)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    web = PaperWeb({url: about("honey " * number, f"{url}/next") for number, url in enumerate(PAGES)})
    run(topic(PAGES, "honey", budget={"pages": len(PAGES)}), tmp_path, lambda: web)
    return tmp_path


def label(folder: Path, typed: str, monkeypatch: pytest.MonkeyPatch, *options: str) -> int:
    lines = iter(typed.split())

    def typing(_prompt: str) -> str:
        for line in lines:
            return line
        raise EOFError

    monkeypatch.setattr("builtins.input", typing)
    monkeypatch.setattr(sys, "argv", ["honeyguide", "label", str(folder), *options])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def test_every_answer_is_saved_and_nothing_is_asked_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert label(folder, "y what n s q", monkeypatch) == 0
    first = current_labels(folder)
    assert [one.relevant for one in first.values()] == [True, False]
    said = capsys.readouterr().out
    assert "2 answers saved; the crawl will learn from them when it is started" in said
    assert said.count("judged ") == 4
    assert label(folder, "n " * 10, monkeypatch) == 0  # until nothing is left
    assert len(current_labels(folder)) == len(PAGES)
    assert current_labels(folder).items() >= first.items()


def test_as_many_as_asked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert label(folder, "y y y y", monkeypatch, "--most", "3") == 0
    assert len(current_labels(folder)) == 3


def test_answers_of_a_machine_can_be_corrected(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    send(folder, Command("label", (PAGES[2], "yes")), by="machine: tiny")
    send(folder, Command("label", (PAGES[3], "yes")), by="label: ann")
    assert label(folder, "n n n n", monkeypatch, "--review") == 0
    labels = current_labels(folder)
    assert not labels[PAGES[2]].relevant
    assert labels[PAGES[3]].relevant
    assert len(labels) == 2


def test_no_machine_without_a_teacher(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert label(folder, "", monkeypatch, "--machine") == 2
    assert "[teacher]" in capsys.readouterr().err
