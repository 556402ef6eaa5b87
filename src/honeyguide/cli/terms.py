"""``honeyguide terms``: propose genre and content terms from example pages."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Mapping, Sequence
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
from honeyguide.page.settings import ScopeSettings, UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.settings import ExampleSettings, RelevanceSettings, TermSettings
from honeyguide.relevance.text import topic_language
from honeyguide.store.crawl import Crawl
from honeyguide.store.stored_page import StoredPage
from honeyguide.topic.edit import with_lists
from honeyguide.topic.examples import Example, ExampleSource, read_examples
from honeyguide.topic.feedback import FOLDS, Changes, cross_validate, propose_changes
from honeyguide.topic.file import TomlDocument, read_document
from honeyguide.topic.generate import MOST, Term, TermRanking, generate_terms
from honeyguide.topic.page_names import expanded_names
from honeyguide.topic.values import read_table

_TABLE = "terms"
_OTHERS = 1000  # pages of a crawl that marked ones are contrasted with, at most: too few would hide false positives
_BOM = b"\xef\xbb\xbf"


class ManyValues(TyperCommand):
    """A command some of whose options take all values up to the next option: shells expand ``*`` so."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its values, as the parser expects."""
        spread: list[str] = []
        option = ""
        for argument in args:
            if argument.startswith("-"):
                option = argument if argument in {"--genre", "--relevant", "--against"} else ""
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
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PAGES...", help="Other pages: choose only terms that distinguish the wanted pages from these."
        ),
    ] = None,
    method: Annotated[
        TermRanking, typer.Option(help="Ranking: by the pages that share a term, or literally as in the paper.")
    ] = TermRanking.SHARED,
    crawl: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="CRAWL", help="Propose changes from pages of a crawl: those marked, or the best."
        ),
    ] = None,
    best: Annotated[int, typer.Option(help="With --from: number of pages that count as the best.", min=1)] = 20,
    write: Annotated[
        bool, typer.Option("--write", help="With --from: write the changes, if they help on left-out pages.")
    ] = False,
    genre_terms: Annotated[int, typer.Option(help="Maximum number of genre terms.", min=1)] = MOST,
    content_terms: Annotated[int, typer.Option(help="Maximum number of content terms.", min=1)] = MOST,
    force: Annotated[bool, typer.Option("--force", help="Replace the terms in the topic file.")] = False,
) -> None:
    """Propose genre and content terms from pages (URLs, files, folders, patterns, lists) or from a crawl."""
    most = {"genre": genre_terms, "content": content_terms}
    file = _TopicFile(topic)
    if crawl is not None:
        if genre or method is TermRanking.PAPER:
            problem = "takes its pages from a crawl" if genre else "contrasts pages, which the paper's method does not"
            raise InputError("--from", problem, f"remove {'--genre' if genre else '--method'}")
        _from_crawl(file, crawl, best, relevant or [], against or [], most, write=write)
    elif genre or relevant:
        if against and method is TermRanking.PAPER:
            raise InputError("--against", "the paper's method contrasts nothing", "remove --against, or --method paper")
        pages = {"genre": genre or [], "content": relevant or []}
        _from_pages(file, pages, against or [], most, method, force=force)
    else:
        raise InputError("terms", "no pages given", "give some with --genre and --relevant, or a crawl with --from")


def _from_pages(
    file: _TopicFile,
    pages: Mapping[str, list[str]],
    against: list[str],
    most: Mapping[str, int],
    method: TermRanking,
    *,
    force: bool,
) -> None:
    """The paper's GenerateTerms. A list without pages stays as it is."""
    wanted = [name for name, names in pages.items() if names]
    if not force:
        file.refuse_to_replace(wanted)
    genre, relevant, others = (file.read(names) for names in (*pages.values(), against))
    generated = generate_terms(
        genre,
        relevant,
        file.language,
        most_genre=most["genre"],
        most_content=most["content"],
        known=() if genre else file.terms.genre,
        against=others,
        method=method,
    )
    lists = {"genre": generated.genre, "content": generated.content}
    for name, examples in (("genre", genre), ("content", relevant)):
        if examples:
            contrasted = genre if name == "content" and others and genre else others
            compared = f", contrasted with {_pages(len(contrasted))}" if contrasted else ""
            say(f"{name} terms, from {_pages(len(examples))}{compared}:")
            _show(lists[name])
            if others and not lists[name]:
                raise InputError(
                    "--against", f"no {name} term distinguishes the pages", "give other pages to contrast with"
                )
    file.write({name: [term.text for term in lists[name]] for name in wanted})
    advice = "" if others else "; delete terms that do not distinguish such pages from others"
    say(f"{file.path}: written to [{_TABLE}]{advice}")


def _from_crawl(
    file: _TopicFile,
    folder: Path,
    best: int,
    relevant: list[str],
    against: list[str],
    most: Mapping[str, int],
    *,
    write: bool,
) -> None:
    """The paper's feedback loop (section 5.2): pages that the user marked, against the crawl's others.

    Marked are the pages given, else the topic's examples; without any, the best pages stand for them.
    """
    right_names, wrong_names = relevant or file.examples.positive, against or file.examples.negative
    with Crawl.open(folder) as crawl:
        wrong = _marked(crawl, wrong_names, file)
        if right_names:
            right, what = _marked(crawl, right_names, file), "pages marked as relevant"
        else:
            right = [_example(page) for page in crawl.pages(best_first=True, most=best)]
            what = f"best pages of {folder}"
        marked = {page.text.url for page in (*right, *wrong)}
        rest = _spread(crawl, marked, _OTHERS)
    if not right:
        raise InputError(str(folder), "contains no relevant pages", "continue the crawl, or lower its threshold")
    others = [*wrong, *rest]
    limits = {"most_genre": most["genre"], "most_content": most["content"]}
    genre, content = propose_changes(file.terms, right, others, file.language, **limits)
    say(f"proposed from {len(right):,} {what}, contrasted with {len(others):,} others:")
    proposed = {"genre": genre, "content": content}
    for name, changes in proposed.items():
        _show_changes(name, changes)
    lists = {name: changes.terms for name, changes in proposed.items() if changes.differ}
    if not lists:
        say("nothing to change")
        return
    found = cross_validate(file.terms, right, others, file.language, **limits)
    if found is None:
        say(f"nothing written: too few pages to see whether the changes help; mark {FOLDS} or more with --relevant")
        return
    say(f"F1 on left-out pages: {found.changed:.3f} with the changes, {found.present:.3f} with the current terms")
    if not found.helps:
        hint = "" if right_names else "; mark pages with --relevant: the best pages only confirm the current terms"
        say(f"nothing written: the changes do not help{hint}")
    elif write:
        file.write(lists)
        say(f"{file.path}: written to [{_TABLE}]; on these pages a threshold of {found.threshold:.2f} is best")
    else:
        say("nothing written: edit the topic file, or apply all changes with --write")


def _marked(crawl: Crawl, names: Sequence[str], file: _TopicFile) -> list[Example]:
    """Pages that the user named: those of the crawl from its archive, others from where they are."""
    found: list[Example] = []
    for name in expanded_names(names):
        page = crawl.reached(name) if "://" in name and file.rules.canonical(name) else None
        found += [_example(page)] if page is not None else file.read([name])
    return [page for page in found if len(page.text)]


def _spread(crawl: Crawl, without: Collection[str], most: int) -> list[Example]:
    """A number of irrelevant pages of a crawl, evenly spread over their relevance."""
    rest = [page for page in crawl.pages(relevant=False, best_first=True) if not page.relevant]
    chosen = [page for page in rest if page.url not in without]
    step = max(len(chosen) / most, 1.0)
    return [_example(chosen[int(place * step)]) for place in range(min(most, len(chosen)))]


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
        scope: ScopeSettings = self._table(ScopeSettings, "scope")
        self.language = topic_language(relevance.language, scope.languages)
        self._urls: UrlSettings = self._table(UrlSettings, "urls")
        self.rules = UrlRules(self._urls)
        self.examples: ExampleSettings = self._table(ExampleSettings, "examples")

    def read(self, names: Sequence[str]) -> list[Example]:
        """The pages at the given names."""
        return read_examples(expanded_names(names), self.rules, self.fetch)

    def fetch(self, urls: Sequence[str]) -> Mapping[str, ExampleSource]:
        """Fetch pages with the settings of the topic file, and store them next to it."""
        fetch = self._table(FetchSettings, "fetch")
        return fetch_pages(urls, ModelPaths.beside(self.path).examples, self._urls, fetch, run=run)

    def _table(self, kind: type, name: str) -> Any:
        return read_table(kind, name, self._document.data.get(name, {}), self._document.place)

    def refuse_to_replace(self, names: Sequence[str]) -> None:
        """Refuse to overwrite existing terms."""
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
        say(f"{len(changes.drop)} to remove, which do not distinguish these pages: {', '.join(changes.drop)}")


def _pages(number: int) -> str:
    return f"{number:,} page{'s' * (number != 1)}"
