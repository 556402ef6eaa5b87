"""Writes topic files: the template a user starts from, and the copy that is stored with a crawl."""

from __future__ import annotations

import inspect
import re
import textwrap

from honeyguide.settings import Parameter, settings_of
from honeyguide.toml_text import assignment, toml
from honeyguide.topic.seeds import PLACEHOLDER_SEEDS
from honeyguide.topic.source_location import dotted
from honeyguide.topic.subject import PLACEHOLDER_KEYWORDS, read_name
from honeyguide.topic.topic import TABLES, Topic
from honeyguide.topic.values import example

_WIDTH = 100


def template(name: str) -> str:
    """The file that `honeyguide init NAME` writes: placeholders to replace, and every setting as a comment.

    Explanations begin with ``# ``, settings with ``#`` alone, so that deleting the ``#`` is enough to enable one. The
    text loads as soon as the placeholders are replaced. Raises `InputError` if the name is not valid for a folder.
    """
    name = read_name(name, dotted)
    lines = [
        "# A topic file for honeyguide: what to look for, and where to start. Next steps:",
        "# 1. fill in your own seeds and keywords below, and a description if you like",
        f"# 2. honeyguide crawl {name}.toml",
        f"# 3. honeyguide report crawls/{name}",
        "",
        "# The crawl is stored in a folder with this name.",
        f"name = {toml(name)}",
        "",
        *_prose(
            "Where to start: a few pages about the topic, or pages that link to such pages. "
            'May also be the name of a text file with one URL per line: seeds = "seeds.txt"'
        ),
        *_listing("seeds", PLACEHOLDER_SEEDS),
        "",
        *_prose("Words and phrases that pages about the topic use."),
        *_listing("keywords", PLACEHOLDER_KEYWORDS),
        "",
        *_prose("The topic in a few sentences of your own; may be empty."),
        'description = ""',
        "",
        *_prose(
            "Everything below is at its default. A line with no space after its # is a setting: "
            "delete the # to change it."
        ),
    ]
    for table, kind in TABLES.items():
        lines += ["", f"[{table}]", *_prose(_about(kind))]
        for part, declared in settings_of(kind).items():
            lines += ["", *_explained(part, declared)]
    return "\n".join(lines) + "\n"


def dump(topic: Topic) -> str:
    """A text that loads to an equal topic: its subject, and the settings that are not at their defaults."""
    lines = [
        f"name = {toml(topic.name)}",
        *_listing("seeds", topic.seeds),
        *_listing("keywords", topic.keywords),
        f"description = {toml(topic.description)}",
    ]
    for table, kind in TABLES.items():
        values = getattr(topic, table)
        changed = [part for part, declared in settings_of(kind).items() if getattr(values, part) != declared.default]
        if changed:
            lines += ["", f"[{table}]"]
        for name in changed:
            lines += assignment(name, getattr(values, name), _WIDTH)
    return "\n".join(lines) + "\n"


def _listing(name: str, items: tuple[str, ...]) -> list[str]:
    """A list with one item per line, convenient to edit."""
    return [f"{name} = [", *(f"    {toml(item)}," for item in items), "]"]


def _explained(name: str, declared: Parameter) -> list[str]:
    """A setting's meaning, then the setting at its default as a comment."""
    text = declared.help
    if declared.choices:
        text += f"; one of {', '.join(map(toml, declared.choices))}"
    if declared.limits:
        text += f" ({declared.limits})"
    lines = _prose(text)
    if declared.example:
        lines += _prose(f"example: {example(declared)}")
    return lines + [f"#{line}" for line in assignment(name, declared.default, _WIDTH - 1)]


def _about(kind: type) -> str:
    """The purpose of a table, from its docstring, without the opening words "The [name] table"."""
    text = " ".join((inspect.getdoc(kind) or "").split("\n\n")[0].split()).replace("`", "")
    text = re.sub(r"^The \[\w+\] table( of a topic file)?\W*", "", text)
    return text[:1].upper() + text[1:]


def _prose(text: str) -> list[str]:
    """Wrapped comment lines; none for no text. Exactly one space follows each #."""
    return [f"# {line}" for line in textwrap.wrap(text, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)]
