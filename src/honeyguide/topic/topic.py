"""The topic: what a crawl looks for, and all of its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_type_hints

from honeyguide.browser.available import check_mode
from honeyguide.browser.settings import BrowserSettings
from honeyguide.errors import InputError
from honeyguide.fetch.registry import fetcher_named
from honeyguide.fetch.settings import FetchSettings, check_contact, check_types
from honeyguide.page.language_codes import check_languages
from honeyguide.page.settings import ScopeSettings, UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.registry import check_model_name
from honeyguide.relevance.settings import ExampleSettings, RelevanceSettings, TermSettings
from honeyguide.relevance.text import check_language, topic_language
from honeyguide.settings import settings_of
from honeyguide.strategy.registry import strategy_named
from honeyguide.strategy.settings import StrategySettings
from honeyguide.topic.budget import BudgetSettings
from honeyguide.topic.cluster import ClusterSettings
from honeyguide.topic.file import read_document
from honeyguide.topic.revisit import RevisitSettings
from honeyguide.topic.seeds import read_seeds
from honeyguide.topic.source_location import SourceLocation, dotted
from honeyguide.topic.store import StoreSettings
from honeyguide.topic.subject import read_description, read_keywords, read_name, refuse_empty
from honeyguide.topic.teacher import TeacherSettings
from honeyguide.topic.values import plain, read_table, refuse_unknown


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, where to start, and the settings: the contents of a topic file.

    Create one with `load`, `make` or `with_settings`: these check everything and raise `InputError` for the first
    mistake. The fields that hold settings are the tables of the topic file: a table added here is read, checked,
    written and explained by `honeyguide init` without further work.
    """

    name: str
    """Also the name of the crawl's folder."""
    seeds: tuple[str, ...]
    """Canonical URLs, at least one, unless they are not needed (see `load`)."""
    keywords: tuple[str, ...]
    description: str = ""
    examples: ExampleSettings = field(default_factory=ExampleSettings)
    terms: TermSettings = field(default_factory=TermSettings)
    urls: UrlSettings = field(default_factory=UrlSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    relevance: RelevanceSettings = field(default_factory=RelevanceSettings)
    strategy: StrategySettings = field(default_factory=StrategySettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    revisit: RevisitSettings = field(default_factory=RevisitSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    browser: BrowserSettings = field(default_factory=BrowserSettings)
    store: StoreSettings = field(default_factory=StoreSettings)
    teacher: TeacherSettings = field(default_factory=TeacherSettings)
    cluster: ClusterSettings = field(default_factory=ClusterSettings)

    @classmethod
    def load(cls, path: str | PathLike[str], *, plugins: bool = True, seeded: bool = True) -> Topic:
        """Read a topic from a TOML file.

        Args:
            path: The file. Seeds and examples that are files are found relative to it.
            plugins: Whether the strategy and the model must be available, and the content types readable. Otherwise
                they may belong to packages that are not installed, or be those of an earlier version: enough to look
                at what a crawl has stored, but not to crawl.
            seeded: Whether there must be seeds. Not if something else decides where to start.

        Returns:
            The topic.

        Raises:
            InputError: The file cannot be read, or a value is wrong, missing or unknown; names the file and, where
                there is one, the line.
        """
        document = read_document(Path(path))
        raw = {"name": document.path.stem, **document.data}
        return _build(raw, document.path.parent, document.place, plugins=plugins, seeded=seeded)

    @classmethod
    def make(
        cls,
        *,
        name: str,
        seeds: Iterable[str] | str | Path,
        keywords: Iterable[str] | str = (),
        description: str = "",
        place: SourceLocation = dotted,
        **tables: object,
    ) -> Topic:
        """Create a topic from Python: with the same values, checks and errors as in a file.

        Args:
            name: The name of the topic, and of the crawl's folder.
            seeds: URLs to start from; or, as a string or path, the name of a file with one URL per line, relative to
                the current folder.
            keywords: Words and phrases that pages about the topic use; a string is split at its commas.
            description: The topic in sentences.
            place: Names a setting in error messages: it is given ``("seeds", 1)`` or ``("budget", "pages")``, and by
                default returns ``seeds[1]`` and ``budget.pages``.
            **tables: The tables of a topic file, each a mapping (``budget={"pages": 500}``) or a settings object.

        Returns:
            The topic.

        Raises:
            InputError: A value is wrong, missing or unknown.
        """
        raw: dict[str, object] = {
            "name": name,
            "seeds": seeds if isinstance(seeds, str | Path) else _listed(seeds),
            "keywords": keywords if isinstance(keywords, str) else _listed(keywords),
            "description": description,
        }
        return _build({**raw, **tables}, Path(), place)

    def with_settings(self, *, place: SourceLocation = dotted, **changed: object) -> Topic:
        """This topic with some settings changed: ``topic.with_settings(budget={"pages": 500})``.

        If the rules for URLs are changed, the seeds are normalised again; what the old rules removed from them stays
        removed.

        Args:
            place: Names a setting in error messages, as for `make`.
            **changed: Fields by name. A mapping changes only those settings of its table that it contains; anything
                else replaces the field.

        Returns:
            A new topic; this one is not changed.

        Raises:
            InputError: A value is wrong or unknown.
        """
        raw = plain(self)
        for name, value in changed.items():
            if name in TABLES and isinstance(value, Mapping):
                raw[name] = {**plain(raw[name]), **value}
            else:
                raw[name] = value
        return _build(raw, Path(), place)

    @property
    def language(self) -> str:
        """The language of the topic's words, for stems and stop words, also if the topic file leaves it open."""
        return topic_language(self.relevance.language, self.scope.languages)

    def example_urls(self) -> dict[str, bool]:
        """The example pages that are given as URLs.

        Returns:
            Their canonical URLs: whether each is about the topic. One that is given as both is.
        """
        canonical = UrlRules(self.urls).canonical
        negative, positive = self.examples.negative, self.examples.positive
        labelled = [*((name, False) for name in negative), *((name, True) for name in positive)]
        found = ((canonical(name), is_positive) for name, is_positive in labelled if "://" in name)
        return {url: is_positive for url, is_positive in found if url}


TABLES: Mapping[str, type] = MappingProxyType(
    {name: kind for name, kind in get_type_hints(Topic).items() if isinstance(kind, type) and is_dataclass(kind)}
)
"""The tables of a topic file, in order."""

_KNOWN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"": tuple(item.name for item in fields(Topic))} | {name: tuple(settings_of(kind)) for name, kind in TABLES.items()}
)


def changes(old: Topic, new: Topic) -> tuple[str, ...]:
    """The names of the values that differ, in the order of the topic file: ``("seeds", "scope.max_depth")``."""
    before, after = flat(old), flat(new)
    return tuple(name for name in before if before[name] != after[name])


def flat(topic: Topic) -> dict[str, object]:
    """Every value of a topic by its dotted name."""
    found: dict[str, object] = {}
    for name, value in plain(topic).items():
        if name in TABLES:
            found |= {f"{name}.{part}": setting for part, setting in plain(value).items()}
        else:
            found[name] = value
    return found


def _build(
    raw: Mapping[str, object], folder: Path, place: SourceLocation, *, plugins: bool = True, seeded: bool = True
) -> Topic:
    """The checked topic. Names are checked first: "misspelt `seeds`" is a better message than "missing `seeds`"."""
    refuse_unknown(raw, "", _KNOWN, place)
    for name in TABLES:
        table = raw.get(name)
        if isinstance(table, Mapping):
            refuse_unknown(table, name, _KNOWN, place)
    settings: dict[str, Any] = {name: read_table(kind, name, raw.get(name, {}), place) for name, kind in TABLES.items()}
    settings["examples"] = _found_from(folder, settings["examples"])
    if plugins:
        _check_usable(settings, place)
    seeds = raw.get("seeds", ())
    topic = Topic(
        name=read_name(raw["name"], place),
        seeds=read_seeds(seeds, settings["urls"], folder, place) if seeds or seeded else (),
        keywords=read_keywords(raw.get("keywords", ()), place),
        description=read_description(raw.get("description", ""), place),
        **settings,
    )
    words = (*topic.keywords, topic.description, *topic.terms.genre, *topic.terms.content)
    refuse_empty(words, topic.examples.positive, place)
    return topic


_USED: tuple[tuple[str, str, Callable[[Any], object]], ...] = (
    ("strategy", "name", strategy_named),
    ("relevance", "model", check_model_name),
    ("relevance", "language", check_language),
    ("scope", "languages", check_languages),
    ("fetch", "fetcher", fetcher_named),
    ("fetch", "types", check_types),
    ("fetch", "contact", check_contact),
)
"""Settings that a crawl needs to be right, though what it has stored can be read without: names of parts, which other
packages may provide, what can be read, and who crawls."""


def _check_usable(settings: Mapping[str, Any], place: SourceLocation) -> None:
    """Refuse strategies, models and fetchers that do not exist, types that cannot be read, and bad contacts."""
    for table, name, check in _USED:
        try:
            check(getattr(settings[table], name))
        except InputError as error:
            raise InputError(place((table, name)), error.problem, error.remedy) from error
    try:
        check_mode(settings["fetch"].browser, settings["browser"].program)
    except InputError as error:
        table, _, name = error.place.partition(".")
        raise InputError(place((table, name)), error.problem, error.remedy) from error


def _found_from(folder: Path, examples: ExampleSettings) -> ExampleSettings:
    """The examples with absolute file names: the topic is also stored in other folders."""

    def absolute(name: str) -> str:
        return name if "://" in name else str(Path(folder, name).absolute())

    return ExampleSettings(**{kind: tuple(map(absolute, names)) for kind, names in plain(examples).items()})


def _listed(values: object) -> object:
    """Any iterable as a list, as a file would give it; anything else is returned for the checks to refuse."""
    return list(values) if isinstance(values, Iterable) else values
