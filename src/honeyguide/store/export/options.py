"""The options of an export: which pages, and what of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from honeyguide.errors import InputError
from honeyguide.page.content.reference import Extractor, trafilatura
from honeyguide.page.language_codes import check_languages
from honeyguide.store.export.fields import FIELDS, USUAL_FIELDS

if TYPE_CHECKING:
    from honeyguide.store.export.formats import ExportFormat

TEXTS = ("plain", "markdown", "full")
"""What the field `text` can be: the main content as plain text or as Markdown, or all visible text."""
EXTRACTORS = ("honeyguide", "trafilatura")
"""The extractors of main content. The second needs the extra honeyguide[content]."""
DEDUPS = ("near", "exact", "none")
"""Which duplicates are left out: pages that repeat an earlier one nearly or exactly, only exactly, or none."""
UNKNOWN_LANGUAGE = "und"
"""The ISO 639 code for pages whose language is unknown."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options of an export. `check` validates them."""

    relevant_only: bool = True
    dedup: str = ""
    """One of `DEDUPS`; "" for near duplicates among relevant pages, and none among all pages."""
    language: tuple[str, ...] = ()
    """Codes of the languages of the pages, such as "en"; none for all languages."""
    min_relevance: float = 0.0
    since: float = 0.0
    """Only pages that were requested at this Unix time or later."""
    sample: float | None = None
    """1 or more, a whole number: the number of pages. Between 0 and 1: the share of pages."""
    seed: int = 0
    """Seed of the sample: the same number gives the same pages."""
    fields: tuple[str, ...] = USUAL_FIELDS
    """The fields to write, in this order. With `QUICK_FIELDS` only, no page is read from the archive."""
    text: str = TEXTS[0]
    """The form of the field `text`: one of `TEXTS`."""
    content: str = EXTRACTORS[0]
    """The extractor of main content: one of `EXTRACTORS`."""
    bom: bool = False
    """Whether a text file begins with a byte order mark, which Excel needs to read it as UTF-8."""

    @property
    def left_out(self) -> str:
        """Which duplicates are left out: one of `DEDUPS`."""
        return self.dedup or ("near" if self.relevant_only else "none")

    @property
    def extractor(self) -> Extractor | None:
        """The extractor to use; None for that of honeyguide."""
        return None if self.content == EXTRACTORS[0] else trafilatura("content")

    @property
    def is_everything(self) -> bool:
        """Whether all pages of a crawl are selected."""
        is_limited = self.relevant_only or self.language or self.min_relevance or self.since or self.sample is not None
        return not is_limited and self.left_out == "none"

    def check(self, chosen: ExportFormat, prefix: str = "") -> None:
        """Validate all options.

        Args:
            chosen: The format.
            prefix: The prefix of option names in messages: "--" on the command line.

        Raises:
            InputError: One is invalid, does not apply to the format, or needs a package that is not installed.
        """

        def place(name: str) -> str:
            return f"{prefix}{name.replace('_', '-')}" if prefix else name

        default = ExportOptions()
        for name in ("fields", "text", "content", "bom"):
            if getattr(self, name) != getattr(default, name):
                chosen.check_observes("bom" if name == "bom" else "fields", place(name))
        check_fields(self.fields, place("fields"))
        _check_choice(self.text, TEXTS, place("text"))
        _check_choice(self.content, EXTRACTORS, place("content"))
        if self.content != EXTRACTORS[0]:
            trafilatura(place("content"))
        if self.dedup:
            _check_choice(self.dedup, DEDUPS, place("dedup"))
        check_languages(self.language, place("language"))
        if not 0 <= self.min_relevance <= 1:
            raise InputError(
                place("min_relevance"), f"{self.min_relevance} is not a relevance score", "give 0 to 1, like 0.5"
            )
        if self.sample is not None and not (0 < self.sample < 1 or (self.sample >= 1 and self.sample % 1 == 0)):
            raise InputError(place("sample"), f"{self.sample:g} is not a sample size", _SAMPLE)


_SAMPLE = "give a number of pages, like 1000, or a share, like 10%"


def check_fields(names: Sequence[str], place: str) -> None:
    """Check the names of fields.

    Args:
        names: The names.
        place: Where they were given, for the error.

    Raises:
        InputError: There is no such field, or none is given, or one is given twice.
    """
    for number, name in enumerate(names):
        if name not in FIELDS:
            raise InputError(place, f"there is no field {name!r}", f"use some of {', '.join(FIELDS)}")
        if name in names[:number]:
            raise InputError(place, f"{name} is given twice", "give each field once")
    if not names:
        raise InputError(place, "no field is given", f"use some of {', '.join(FIELDS)}")


def _check_choice(name: str, choices: Sequence[str], place: str) -> None:
    if name not in choices:
        raise InputError(place, f"there is no {name!r}", f"use {' or '.join(choices)}")


def parse_sample(text: str, place: str) -> float:
    """The size of a sample, as users write it.

    Args:
        text: A number of pages, such as "1000", or a share, such as "10%" or "0.1".
        place: Where it was given, for the error.

    Returns:
        The number, or the share.

    Raises:
        InputError: It is none of these.
    """
    try:
        number = float(text.removesuffix("%").strip())
    except ValueError:
        number = math.nan
    if text.endswith("%"):
        number /= 100
    if not 0 < number < math.inf or (number % 1 and number > 1) or (text.endswith("%") and number > 1):
        raise InputError(place, f"{text!r} is not a sample size", _SAMPLE)
    # A sample of all pages is allowed.
    return number if not text.endswith("%") or number < 1 else float(1 << 60)


def parse_time(text: str, place: str) -> float:
    """A Unix time, as users write it.

    Args:
        text: A day or a time by ISO 8601, such as "2026-05-31" or "2026-05-31T08:00", in UTC unless it says otherwise.
        place: Where it was given, for the error.

    Returns:
        The time.

    Raises:
        InputError: It is no such text.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            place, f"{text!r} is not a time", "write it as 2026-05-31 or 2026-05-31T08:00, or last"
        ) from None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
