"""``honeyguide label``: label pages of a crawl as relevant or not, most informative ones first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from honeyguide.cli.complete import crawl_folders
from honeyguide.cli.output import say
from honeyguide.cli.sender import sender
from honeyguide.errors import InputError
from honeyguide.store.commands import NO, YES, Command
from honeyguide.store.crawl import Crawl
from honeyguide.store.folder import is_running
from honeyguide.store.inbox import send
from honeyguide.store.report.snippet import Snippets
from honeyguide.store.stored_page import StoredPage

if TYPE_CHECKING:
    from honeyguide.teaching.questions import Candidate

_ANSWERS = {"y": True, "yes": True, "n": False, "no": False}
_SKIP, _QUIT = ("", "s", "skip"), ("q", "quit")

Ask = Callable[["Candidate", StoredPage], bool | None]
"""Asks whether a page is relevant; returns None without an answer. Raises `EnoughError` to stop."""


class EnoughError(Exception):
    """No more questions."""


def label(
    crawl: Annotated[
        Path, typer.Argument(help="Folder of a crawl, like crawls/NAME, running or not.", autocompletion=crawl_folders)
    ],
    most: Annotated[int, typer.Option(help="Stop after this many answers (0: when you quit).", min=0)] = 0,
    machine: Annotated[
        bool, typer.Option("--machine", help=r"Ask the language model configured in \[teacher] instead of you.")
    ] = False,
    review: Annotated[
        bool, typer.Option("--review", help="Ask only about pages that a language model has labelled.")
    ] = False,
) -> None:
    """Label pages of a crawl as relevant or not, most informative ones first; every answer is saved at once."""
    from honeyguide.teaching.labels import current_labels  # noqa: PLC0415 (takes its time)

    with Crawl.open(crawl) as opened:
        labels = current_labels(crawl)
        ask, by = _machine(opened) if machine else (_person(opened), sender("label"))
        machines = {url for url, one in labels.items() if one.is_machine}
        if review and machine:
            raise InputError("--review", "cannot be combined with --machine", "leave out one of the two")
        count = _label_all(opened, set(labels) - machines if review else set(labels), machines, ask, by, most, review)
    answers = f"{count:,} {'answer' if count == 1 else 'answers'} saved"
    when = (
        "the crawl is learning from them" if is_running(crawl) else "the crawl will learn from them when it is started"
    )
    say(f"{answers}; {when}" if count else answers)


def _label_all(crawl: Crawl, asked: set[str], machines: set[str], ask: Ask, by: str, most: int, review: bool) -> int:
    """Ask about pages in turn. Returns the number of answers."""
    from honeyguide.teaching.stored_questions import questions  # noqa: PLC0415

    count = 0
    for candidate in questions(crawl, asked):
        page = crawl.page(candidate.url) if not review or candidate.url in machines else None
        if page is None:
            continue
        try:
            answer = ask(candidate, page)
        except EnoughError:
            break
        if answer is None:
            continue
        send(crawl.path, Command("label", (candidate.url, YES if answer else NO)), by=by)
        count += 1
        if count == most:
            break
    return count


def _person(crawl: Crawl) -> Ask:
    """Asks in the terminal."""
    snippets = Snippets(crawl.topic)

    def ask(candidate: Candidate, page: StoredPage) -> bool | None:
        say(f"\n{page.title or '(no title)'}\n{page.url}")
        kept = "relevant" if page.relevant else "not relevant"
        say(f"judged {kept}: {candidate.relevance:.2f}, threshold {candidate.threshold:.2f}")
        if candidate.behind:
            say(f"{candidate.behind} of the 100 most promising waiting URLs were found on it")
        say("".join(piece.text for piece in snippets.of(page.full_text, page.language)))
        for answer in _lines("relevant? y, n, s (skip), q (quit): "):
            if answer in _QUIT:
                break
            if answer in _SKIP:
                return None
            if answer in _ANSWERS:
                return _ANSWERS[answer]
        raise EnoughError

    return ask


def _lines(prompt: str) -> Iterator[str]:
    """The lines typed by the user, until the end of input."""
    while True:
        try:
            yield input(prompt).strip().lower()
        except EOFError:
            return


def _machine(crawl: Crawl) -> tuple[Ask, str]:
    """Asks the language model of the topic, and prints its answers."""
    from honeyguide.teaching.machine import FILE, BudgetSpentError, MachineTeacher  # noqa: PLC0415
    from honeyguide.teaching.teacher import PageQuestion  # noqa: PLC0415

    if not crawl.topic.teacher.url:
        raise InputError("teacher.url", "the topic names no language model", "add a [teacher] table to it")
    teacher = MachineTeacher(crawl.topic, crawl.path / FILE)

    def ask(candidate: Candidate, page: StoredPage) -> bool | None:
        try:
            answer = teacher.answer(PageQuestion(candidate.url, page.title, page.full_text))
        except BudgetSpentError as error:
            say(str(error))
            raise EnoughError from error
        said = "no answer" if answer is None else "relevant" if answer else "not relevant"
        say(f"{said:<12} {candidate.relevance:.2f} {candidate.url}")
        return answer

    return ask, teacher.name
