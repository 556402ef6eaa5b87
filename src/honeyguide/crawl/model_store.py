"""Training and storing the model of a topic: reads the examples, stores the model next to the topic file, loads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honeyguide.crawl.fetch_pages import ExamplePage, fetch_pages
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.errors import InputError
from honeyguide.fetch.base import Fetcher
from honeyguide.page.url import UrlRules
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.material import Material
from honeyguide.store.connection import TOPIC
from honeyguide.store.stored_topic import stored_topic
from honeyguide.teaching.example_texts import save_examples
from honeyguide.topic import Topic, flat
from honeyguide.topic.examples import read_examples
from honeyguide.topic.material import LANGUAGE, MODELLED, THRESHOLD, has_examples, material_of, model_changes
from honeyguide.version import VERSION


@dataclass(frozen=True, slots=True)
class ModelPaths:
    """Where a topic's model and examples are stored, next to its file (or its crawl).

    For ``bees.toml``, they are ``bees.model`` and ``bees.examples``.
    """

    model: Path
    examples: Path
    """The example pages that were fetched, as the folder of a crawl."""

    @property
    def texts(self) -> Path:
        """The texts of all examples, for models that are fitted again during a crawl."""
        return self.examples.with_name(f"{self.examples.name}.npz")

    @classmethod
    def beside(cls, path: Path) -> ModelPaths:
        """The paths for a topic that was read from a file, or that is crawled into a folder."""
        name = path.name.removesuffix(".toml")
        return cls(path.with_name(f"{name}.model"), path.with_name(f"{name}.examples"))


@dataclass(frozen=True, slots=True)
class Examples:
    """The material that a model is trained on, with the source of each example."""

    material: Material
    place_of: Mapping[int, str]
    """The file or URL of each example, by the `id` of its text."""


def read_material(
    topic: Topic,
    keep: Path,
    *,
    fetcher: Callable[[], Fetcher] | None = None,
    run: Callable[[Session], CrawlResult] | None = None,
) -> Examples:
    """Read the examples of a topic. Pages on the web are fetched politely and stored in the folder `keep`.

    The texts for fitting the model again during a crawl are stored by `keep_texts`, after the first fit.
    """
    rules = UrlRules(topic.urls)
    kinds = (topic.examples.positive, topic.examples.negative, topic.examples.unlabelled)
    addresses = [url for names in kinds for name in names if "://" in name and (url := rules.canonical(name))]
    answers: dict[str, ExamplePage] = {}

    def fetch(_: Sequence[str]) -> Mapping[str, ExamplePage]:
        if not answers:  # all kinds in one crawl, which is more polite than three
            distinct = list(dict.fromkeys(addresses))
            answers.update(fetch_pages(distinct, keep, topic.urls, topic.fetch, fetcher=fetcher, run=run))
        return answers

    read = [read_examples(names, rules, fetch) for names in kinds]
    place_of = {id(example.text): _from_here(example.place) for examples in read for example in examples}
    material = material_of(topic, *([example.text for example in examples] for examples in read))
    return Examples(material, place_of)


def keep_texts(examples: Examples, places: ModelPaths) -> None:
    """Store the texts of examples, for models that are fitted again during a crawl. Failures are not fatal."""
    with suppress(OSError):
        save_examples(examples.material, places.texts)


def _from_here(place: str) -> str:
    """A path relative to the working directory, if it is inside it: as the user would write it."""
    return place.removeprefix(f"{Path.cwd()}{os.sep}")


def ready_model(
    topic: Topic,
    crawl: Path,
    places: ModelPaths,
    fit: Callable[[Examples], Relevance],
    *,
    fetcher: Callable[[], Fetcher] | None = None,
    run: Callable[[Session], CrawlResult] | None = None,
) -> Relevance | None:
    """The model to crawl a topic with in a folder: the one that was trained for it, or else a model fitted now.

    None if the topic has no examples, or if the crawl in the folder has a model that was fitted to the same examples:
    then the `Session` decides which model to use.
    """
    model = kept_model(topic, places.model)
    if model is None and has_examples(topic) and not suits(crawl, topic):
        examples = read_material(topic, places.examples, fetcher=fetcher, run=run)
        model = fit(examples)
        keep_texts(examples, places)
    return model


def suits(crawl: Path, topic: Topic) -> bool:
    """Whether a crawl has a model of its own with the current settings of the topic, apart from the threshold."""
    if not (crawl / saved.FOLDER).is_dir() or not (crawl / TOPIC).is_file():
        return False
    changed = model_changes(stored_topic(crawl, plugins=False), topic)
    return not changed or (changed == (THRESHOLD,) and topic.relevance.threshold > 0)


def keep_model(model: Relevance, topic: Topic, folder: Path, about: Mapping[str, Any]) -> None:
    """Save a model, with the parts of the topic that it was trained with."""
    saved.save(model, folder, {"honeyguide": VERSION, "topic": _modelled(topic), **about})


def kept_model(topic: Topic, folder: Path) -> Relevance | None:
    """The model that was trained for a topic, or None. A threshold that the topic sets replaces the model's own.

    Raises `InputError` when it was trained with other settings, or cannot be read.
    """
    if not folder.is_dir():
        return None
    model = saved.load(folder)
    was, now = saved.read_about(folder).get("topic", {}), _modelled(topic)
    differing = [name for name in now if was.get(name) != now[name] and (name != THRESHOLD or not now[name])]
    if differing:
        raise InputError(
            str(folder),
            f"was trained with other values of {', '.join(differing)}",
            "run `honeyguide train` again, or delete it",
        )
    return saved.with_threshold(model, topic.relevance.threshold) if topic.relevance.threshold else model


def _modelled(topic: Topic) -> dict[str, Any]:
    """The settings that determine the model, with tuples as lists, as they are after a round trip through JSON."""
    values = {name: value for name, value in flat(topic).items() if name.split(".")[0] in MODELLED}
    values[LANGUAGE] = topic.language
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
