"""Reads the seeds of a crawl: a list of URLs, or a text file of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from honeyguide.errors import InputError
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.settings import show
from honeyguide.topic.file import read_text
from honeyguide.topic.source_location import SourceLocation
from honeyguide.topic.values import check_text, check_texts

PLACEHOLDER_SEEDS = ("https://example.org/your-first-seed", "https://example.org/your-second-seed")
"""What `honeyguide init` writes where the user's seeds belong, in canonical form."""

_HOW = "write a list of URLs, or the name of a text file with one URL per line"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_HOST = re.compile(r"[^\s/\\?#:@]+\.[^\s/\\?#:@.]+\.?(?::\d+)?(?:[/?#].*)?")


@dataclass(frozen=True, slots=True)
class _Listed:
    """Seeds as they were written. Places need a scan of the file, so they are computed only for errors."""

    texts: list[str]
    place: Callable[[int], str]
    """The place of one seed."""
    whole: Callable[[], str]
    """The place of the list itself."""


def read_seeds(raw: object, settings: UrlSettings, folder: Path, place: SourceLocation) -> tuple[str, ...]:
    """Canonical URLs, in order, without duplicates. A string is the name of a file relative to `folder`."""
    if isinstance(raw, str | Path):
        listed = _from_file(check_text(str(raw), "seeds", ("seeds",), place), folder, place)
    elif isinstance(raw, list | tuple):
        texts = check_texts(raw, "a seed", ("seeds",), place)
        listed = _Listed(texts, lambda index: place(("seeds", index)), lambda: place(("seeds",)))
    else:
        raise InputError(place(("seeds",)), f"seeds must be a list of URLs, not {show(raw)}", _HOW)
    if not listed.texts:
        raise InputError(listed.whole(), "there are no seeds", "give at least one URL to start from")
    rules = _rules(settings, place)
    return tuple(dict.fromkeys(_canonical(listed, index, rules) for index in range(len(listed.texts))))


def _rules(settings: UrlSettings, place: SourceLocation) -> UrlRules:
    """The rules for URLs, which check their settings more closely than the declarations can."""
    try:
        return UrlRules(settings)
    except InputError as error:
        key = tuple(error.place.split("."))
        raise InputError(place(key), error.problem, error.remedy) from None


def _from_file(name: str, folder: Path, place: SourceLocation) -> _Listed:
    """The URLs of a text file; blank lines and text after a # are skipped (a fragment does not change the page)."""
    here = place(("seeds",))
    if "://" in name:
        raise InputError(here, "seeds must be a list of URLs, not one URL", f"write seeds = [{show(name)}]")
    path = folder / name
    texts: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(read_text(path, here, _HOW).split("\n"), start=1):
        text = line.partition("#")[0].strip()
        if text:
            texts.append(text)
            numbers.append(number)
    return _Listed(texts, lambda index: f"{path}:{numbers[index]}", lambda: str(path))


def spelled_out(text: str) -> tuple[str, ...]:
    """What is meant by an address that a user wrote: itself, or if it has no scheme, with https and with http."""
    text = text.strip()
    return (f"https://{text}", f"http://{text}") if _HOST.fullmatch(text) else (text,)


def _canonical(listed: _Listed, index: int, rules: UrlRules) -> str:
    text = spelled_out(listed.texts[index])[0]
    scheme = _SCHEME.match(text)
    if not scheme:
        raise InputError(listed.place(index), f"{show(text)} is not a URL", "write it as https://example.org/page")
    if scheme[1].lower() not in {"http", "https"}:
        problem = f"{show(text)} is not an address on the web"
        raise InputError(listed.place(index), problem, "seeds begin with https:// or http://")
    url = rules.canonical(text)
    if url is None:
        raise InputError(listed.place(index), f"{show(text)} is not a valid URL", "check its host name")
    if url in PLACEHOLDER_SEEDS:
        raise InputError(listed.place(index), f"{show(url)} is still the placeholder", "write your own seeds")
    return url
