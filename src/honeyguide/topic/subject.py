"""Reads the name, the keywords and the description of a topic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from honeyguide.errors import InputError
from honeyguide.settings import show
from honeyguide.topic.source_location import SourceLocation
from honeyguide.topic.values import check_text, check_texts

PLACEHOLDER_KEYWORDS = ("your first keyword", "your second keyword")
"""What `honeyguide init` writes where the user's keywords belong."""

_NAME = re.compile(r"(?!\.)[\w.-]+")
_LONGEST_NAME = 100
_LONGEST_NAME_BYTES = 240  # file systems stop at 255, and some letters are four bytes


def read_name(raw: object, place: SourceLocation) -> str:
    """A name that is valid for a folder. It is normalised to NFC, since macOS decomposes file names."""
    name = unicodedata.normalize("NFC", check_text(raw, "name", ("name",), place))
    if not _NAME.fullmatch(name):
        proposal = re.sub(r"[^\w.-]+", "-", name).strip(".-") or "my-topic"
        raise InputError(
            place(("name",)),
            f"{show(name)} cannot be the name of a folder",
            f'use letters, digits, "_", "-" and ".", as in name = {show(proposal)}',
        )
    if len(name) > _LONGEST_NAME or len(name.encode()) > _LONGEST_NAME_BYTES:
        raise InputError(place(("name",)), "the name is too long", f"use at most {_LONGEST_NAME} characters")
    return name


def read_keywords(raw: object, place: SourceLocation) -> tuple[str, ...]:
    """Keywords from a list or from one string with commas, without empty ones and duplicates."""
    if isinstance(raw, str):
        words = check_text(raw, "keywords", ("keywords",), place).split(",")
    elif isinstance(raw, list | tuple):
        words = check_texts(raw, "a keyword", ("keywords",), place)
    else:
        raise InputError(
            place(("keywords",)),
            f"keywords must be a list of strings, not {show(raw)}",
            'write keywords = ["graph theory", "vertex"]',
        )
    tidy = tuple(dict.fromkeys(keyword for word in words if (keyword := " ".join(word.split()))))
    for keyword in tidy:
        if keyword in PLACEHOLDER_KEYWORDS:
            problem = f"{show(keyword)} is still the placeholder"
            raise InputError(place(("keywords",)), problem, "write your own keywords")
    return tidy


def read_description(raw: object, place: SourceLocation) -> str:
    """The description without surrounding white space."""
    return check_text(raw, "description", ("description",), place).strip()


def refuse_empty(texts: Iterable[str], examples: Iterable[str], place: SourceLocation) -> None:
    """Refuse a topic without a single word or example: nothing could ever be relevant to it."""
    if not any(examples) and not any(character.isalnum() for text in texts for character in text):
        problem = "neither keywords nor description contains a word, so no page could be relevant"
        remedy = "write what the pages you want are about, or name pages like them under [examples]"
        raise InputError(place(("keywords",)), problem, remedy)
