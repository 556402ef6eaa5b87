"""Reads example pages from files, file name patterns, WARC files and URLs."""

from __future__ import annotations

import glob
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.fetch.decompress import BrokenEncodingError, decoder_for
from honeyguide.page.decode import decode
from honeyguide.page.document import as_html, is_pdf
from honeyguide.page.parse import Page, parse
from honeyguide.page.unreadable import UnreadableError
from honeyguide.page.url import UrlRules
from honeyguide.page.words import SEAM, split_words
from honeyguide.relevance.text import Text
from honeyguide.warc.packing import WARC_SUFFIXES
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, records
from honeyguide.warc.record import HEAD_LIMIT, body_of, http_head

_log = logging.getLogger("honeyguide.topic")

LARGEST = 20_000_000
"""How many bytes of an example are read, counted after decompression: more are not needed."""

_GZIP = b"\x1f\x8b\x08"
_TEXT = (".txt", ".txt.gz")
_HTML = ("text/html", "application/xhtml+xml")
_NO_ADDRESS = "http://localhost/"  # the base URL for links of a file, which are never followed


class ExampleSource(Protocol):
    """A page as fetched from its URL."""

    @property
    def url(self) -> str:
        """Its URL, after redirects."""
        ...

    @property
    def body(self) -> bytes:
        """Its bytes, decompressed."""
        ...

    @property
    def content_type(self) -> str:
        """The Content-Type header."""
        ...


Fetch = Callable[[Sequence[str]], Mapping[str, ExampleSource]]
"""Maps canonical URLs to the pages that could be fetched. May raise `InputError` for one that could not."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example page of a topic."""

    place: str
    """How messages refer to it: a file, a URL, or a WARC file and a URL."""
    text: Text
    """Its words, and its URL if it has one."""
    breaks: NDArray[np.int32]
    """The positions of words at which a block begins, ascending: no phrase extends across them."""

    @classmethod
    def of(cls, place: str, page: Page, url: str) -> Example:
        """From a parsed page; `url` is "" for a page without a URL."""
        return cls(place, Text(page.words, url, page.title), np.unique(page.nodes.words_before[sorted(page.apart)]))


def read_examples(names: Iterable[str], rules: UrlRules, fetch: Fetch) -> list[Example]:
    """The pages at the given names: HTML files, text files (``.txt``), patterns ("good/*.html"), WARC files, URLs.

    They are in the order of the names, those of a pattern in alphabetical order; a source that is named twice is read
    once. Files may be compressed with gzip. Of a WARC file all HTML pages with status 200 are used. URLs are fetched
    together, by `fetch`. Raises `InputError` for a source that is missing, cannot be read or has no words.
    """
    sources = dict.fromkeys(source for name in names for source in _expanded(name, rules))
    addresses = [source for source in sources if isinstance(source, str)]
    answers = fetch(addresses) if addresses else {}
    examples: list[Example] = []
    for source in sources:
        if isinstance(source, str):
            examples.append(_fetched(source, answers, rules))
        elif source.name.lower().endswith(WARC_SUFFIXES):
            examples.extend(_from_archive(source, rules))
        else:
            examples.append(_from_file(source, rules))
    return examples


def _expanded(name: str, rules: UrlRules) -> Iterator[str | Path]:
    """A URL in its canonical form, or the files that a name or pattern matches."""
    if "://" in name:
        url = rules.canonical(name) if name.lower().startswith(("http://", "https://")) else None
        if url is None:
            raise InputError(name, "is not the URL of a page", "write it as https://example.org/page")
        yield url
    elif glob.has_magic(name) and not _is_there(name):
        found = [path for path in map(Path, sorted(glob.glob(name, recursive=True))) if path.is_file()]  # noqa: PTH207 (names may be absolute)
        if not found:
            raise InputError(name, "matches no file", "check the pattern; ** matches folders at any depth")
        yield from found
    else:
        yield Path(name)


def _is_there(name: str) -> bool:
    """Whether a name that looks like a pattern is the literal name of a file."""
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


# ---- sources ----


def _fetched(url: str, answers: Mapping[str, ExampleSource], rules: UrlRules) -> Example:
    answer = answers.get(url)
    if answer is None:
        raise InputError(url, "could not be fetched", "remove it, or save the page and name its file")
    try:
        html = as_html(answer.body, answer.content_type)
    except UnreadableError as error:
        raise InputError(url, f"cannot be read: {error}", "remove it, or save the page and name its file") from None
    return _from_html(url, html, answer.url, rules)


def _from_file(path: Path, rules: UrlRules) -> Example:
    data = _bytes_of(path)
    if is_pdf(data):
        try:
            return _from_html(str(path), as_html(data), "", rules)
        except UnreadableError as error:
            raise InputError(str(path), f"cannot be read: {error}", "name another file") from None
    content = decode(data)
    if "\0" in content:
        raise InputError(str(path), "is neither HTML, text nor PDF", "name pages saved as HTML, or texts (.txt)")
    if path.name.lower().endswith(_TEXT):
        return _from_text(str(path), content)
    return _from_html(str(path), content, "", rules)


def _from_archive(path: Path, rules: UrlRules) -> list[Example]:
    """All pages of a WARC file that have words. Of a truncated file, those before the cut."""
    examples = []
    try:
        for record in records(Part.whole(path), keep=LARGEST + HEAD_LIMIT):
            head = http_head(record.block) if record.kind == "response" else None
            if head is None or head.status != 200 or head.media_type not in _HTML:
                continue
            html = decode(body_of(record, head, LARGEST).body, head.header("content-type"))
            example = _example(f"{path}: {record.url}", html, rules.canonical(record.url) or "", rules)
            if example is not None:
                examples.append(example)
            else:
                _log.info("%s: %s is skipped: it has no words", path, record.url, extra={"url": record.url})
    except CutShortError as cut:
        _log.warning("%s is truncated at byte %d: the pages before it are used", path, cut.offset)
    if not examples:
        raise InputError(str(path), "contains no HTML page with words and status 200", "name another file")
    return examples


def _bytes_of(path: Path) -> bytes:
    with _opened(path) as file:
        data = file.read(LARGEST)
    if not data.startswith(_GZIP):
        return data
    try:
        return decoder_for("gzip").feed(data, LARGEST)
    except BrokenEncodingError:
        raise InputError(str(path), "is damaged: gzip cannot decompress it", "save it again") from None


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise InputError(str(path), "there is no such file", "check its name") from None
    except IsADirectoryError:
        raise InputError(str(path), "is a folder", f'name its pages, as in "{path}/*.html"') from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(str(path), f"cannot be read: {reason}", "name a file that you can read") from None


# ---- texts ----


def _from_html(place: str, html: str, url: str, rules: UrlRules) -> Example:
    example = _example(place, html, url, rules)
    if example is None:
        raise _without_words(place)
    return example


def _example(place: str, html: str, url: str, rules: UrlRules) -> Example | None:
    """None for a page without words."""
    page = parse(html, url or _NO_ADDRESS, rules)
    return Example.of(place, page, url) if page.words else None


def _from_text(place: str, text: str) -> Example:
    """A plain text file; a blank line ends a block."""
    paragraphs = "\n".join(line.strip() for line in text.splitlines()).split("\n\n")
    words, before = split_words(SEAM.join(paragraphs), set(range(1, len(paragraphs))))
    if not words:
        raise _without_words(place)
    return Example(place, Text(words), np.unique(before[1:-1]))


def _without_words(place: str) -> InputError:
    return InputError(place, "has no words", "name a page with text that can be read without scripts")
