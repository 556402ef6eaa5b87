"""``honeyguide terms``: propose genre and content terms from example pages."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from honeyguide.atomic_write import output_file
from honeyguide.cli.output import say
from honeyguide.cli.run import run
from honeyguide.crawl.fetch_pages import fetch_pages
from honeyguide.crawl.model_store import ModelPaths
from honeyguide.errors import InputError
from honeyguide.fetch.settings import FetchSettings
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.settings import RelevanceSettings, TermSettings
from honeyguide.store.crawl import Crawl, StoredPage
from honeyguide.topic.edit import with_lists
from honeyguide.topic.examples import Example, ExampleSource, read_examples
from honeyguide.topic.feedback import Changes, propose_changes
from honeyguide.topic.file import TomlDocument, read_document
from honeyguide.topic.generate import MOST, Term, generate_terms
from honeyguide.topic.values import read_table

_TABLE = "terms"
_OTHERS = 10  # times as many other pages as best pages are compared with these
_BOM = b"\xef\xbb\xbf"


class ManyValues(TyperCommand):
    """A command whose ``--genre`` and ``--relevant`` take all values up to the next option: shells expand ``*`` so."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, as the parser expects."""
        spread: list[str] = []
        option = ""
        for argument in args:
            if argument.startswith("-"):
                option = argument if argument in {"--genre", "--relevant"} else ""
            elif option and spread[-1] != option:
                spread.append(option)
            spread.append(argument)
        return super().parse_args(ctx, spread)


COMMAND_CLASS = ManyValues


def terms(
    topic: Annotated[Path, typer.Argument(help="Topic file to write the terms to.")],
    genre: Annotated[
        list[str] | None,
        typer.Option(metavar="PAGES...", help="Pages of the wanted genre, about any topic."),
    ] = None,
    relevant: Annotated[
        list[str] | None,
        typer.Option(metavar="PAGES...", help="Pages of the wanted genre that are about the topic."),
    ] = None,
    crawl: Annotated[
        Path | None, typer.Option("--from", metavar="CRAWL", help="Propose changes from the best pages of a crawl.")
    ] = None,
    best: Annotated[int, typer.Option(help="With --from: number of pages that count as the best.", min=1)] = 20,
    write: Annotated[bool, typer.Option("--write", help="With --from: write the changes to the topic file.")] = False,
    genre_terms: Annotated[int, typer.Option(help="Maximum number of genre terms.", min=1)] = MOST,
    content_terms: Annotated[int, typer.Option(help="Maximum number of content terms.", min=1)] = MOST,
    force: Annotated[bool, typer.Option("--force", help="Replace the terms in the topic file.")] = False,
) -> None:
    """Propose genre and content terms from pages (URLs, HTML, text or WARC files, patterns) or from a crawl."""
    pages = {"genre": genre or [], "content": relevant or []}
    most = {"genre": genre_terms, "content": content_terms}
    file = _TopicFile(topic)
    if crawl is not None:
        if any(pages.values()):
            raise InputError("--from", "takes its pages from a crawl", "remove --genre and --relevant")
        _from_crawl(file, crawl, best, most, write=write)
    elif any(pages.values()):
        _from_pages(file, pages, most, force=force)
    else:
        raise InputError("terms", "no pages given", "give some with --genre and --relevant, or a crawl with --from")


def _from_pages(file: _TopicFile, pages: Mapping[str, list[str]], most: Mapping[str, int], *, force: bool) -> None:
    """The paper's GenerateTerms. A list without pages stays as it is."""
    wanted = [name for name, names in pages.items() if names]
    if not force:
        file.refuse_to_replace(wanted)
    genre, relevant = (read_examples(names, file.rules, file.fetch) for names in pages.values())
    generated = generate_terms(
        genre,
        relevant,
        file.language,
        most_genre=most["genre"],
        most_content=most["content"],
        known=() if genre else file.terms.genre,
    )
    for name, examples, found in (("genre", genre, generated.genre), ("content", relevant, generated.content)):
        if examples:
            say(f"{name} terms, from {_pages(len(examples))}:")
            _show(found)
    lists = {"genre": generated.genre, "content": generated.content}
    file.write({name: [term.text for term in lists[name]] for name in wanted})
    say(f"{file.path}: written to [{_TABLE}]; delete terms that do not distinguish such pages from others")


def _from_crawl(file: _TopicFile, folder: Path, best: int, most: Mapping[str, int], *, write: bool) -> None:
    """The paper's feedback loop (section 5.2), with the crawl's own pages."""
    with Crawl.open(folder) as crawl:
        found = [_example(page) for page in crawl.pages(best_first=True, most=best)]
        rest = (page for page in crawl.pages(relevant=False, best_first=True) if not page.relevant)
        others = [_example(page) for page in islice(rest, best * _OTHERS)]
    if not found:
        raise InputError(str(folder), "contains no relevant pages", "continue the crawl, or lower its threshold")
    genre, content = propose_changes(
        file.terms, found, others, file.language, most_genre=most["genre"], most_content=most["content"]
    )
    say(f"proposed from the best {_pages(len(found))} of {folder}:")
    proposed = {"genre": genre, "content": content}
    for name, changes in proposed.items():
        _show_changes(name, changes)
    lists = {name: changes.terms for name, changes in proposed.items() if changes.differ}
    if not lists:
        say("nothing to change")
    elif write:
        file.write(lists)
        say(f"{file.path}: written to [{_TABLE}]")
    else:
        say("nothing written: edit the topic file, or apply all changes with --write")


def _example(page: StoredPage) -> Example:
    return Example.of(page.url, page.page, page.url)


class _TopicFile:
    """The topic file: what this command needs of it, and where it writes to.

    Seeds and keywords may still be missing: terms can be what a new topic begins with.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._document: TomlDocument = read_document(path)
        self._read = path.read_bytes()
        self.terms: TermSettings = self._table(TermSettings, _TABLE)
        relevance: RelevanceSettings = self._table(RelevanceSettings, "relevance")
        self.language = relevance.language
        self._urls: UrlSettings = self._table(UrlSettings, "urls")
        self.rules = UrlRules(self._urls)

    def fetch(self, urls: Sequence[str]) -> Mapping[str, ExampleSource]:
        """Fetch pages as the topic file says, and keep them beside it."""
        fetch = self._table(FetchSettings, "fetch")
        return fetch_pages(urls, ModelPaths.beside(self.path).examples, self._urls, fetch, run=run)

    def _table(self, kind: type, name: str) -> Any:
        return read_table(kind, name, self._document.data.get(name, {}), self._document.place)

    def refuse_to_replace(self, names: Sequence[str]) -> None:
        """Refuse to overwrite terms that somebody has chosen."""
        for name in names:
            if getattr(self.terms, name):
                place = self._document.place((_TABLE, name))
                raise InputError(place, f"already has {name} terms", "replace them with --force")

    def write(self, lists: Mapping[str, Sequence[str]]) -> None:
        """Write lists to the file, which is replaced as a whole."""
        text = with_lists(self._document, _TABLE, lists).encode()
        place = self.path.resolve()  # the file itself, where its name is a link to it
        with output_file(place, durable=True) as draft:
            if place.read_bytes() != self._read:
                raise InputError(str(self.path), "was changed in the meantime", "run the command again")
            os.fchmod(draft.fileno(), stat.S_IMODE(place.stat().st_mode))
            draft.write(_BOM * self._read.startswith(_BOM) + text)


def _show(found: Sequence[Term]) -> None:
    say("   pages  times  term")
    for term in found:
        say(f"{term.pages:>8,}{term.times:>7,}  {term.text}")


def _show_changes(name: str, changes: Changes) -> None:
    say(f"{name} terms: {len(changes.kept)} unchanged")
    if changes.add:
        say(f"{len(changes.add)} to add:")
        _show(changes.add)
    if changes.drop:
        say(f"{len(changes.drop)} to remove, found on none of these pages: {', '.join(changes.drop)}")


def _pages(number: int) -> str:
    return f"{number:,} page{'s' * (number != 1)}"
