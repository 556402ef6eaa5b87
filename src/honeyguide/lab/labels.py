"""Labels: which pages of a web are about which topic, from a file or from the web itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from honeyguide.errors import InputError
from honeyguide.lab.web import LabelledWeb, VirtualWeb
from honeyguide.page.url import UrlRules
from honeyguide.topic.file import read_text

_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of the pages of one web."""

    place: str
    """The file or the web they come from, for messages."""
    of_page: dict[str, frozenset[str]]
    """By canonical URL, in the order of the file; pages of the web only."""
    unknown: tuple[str, ...]
    """The URLs of the file that the web does not have."""

    def pages(self, topic: str) -> list[str]:
        """The pages with a label, or with one that begins with it: ``subject.Science`` has ``subject.Science.Biology``.

        Raises `InputError` when there is none.
        """
        narrower = f"{topic}."
        found = [
            url
            for url, labels in self.of_page.items()
            if any(label == topic or label.startswith(narrower) for label in labels)
        ]
        if not found:
            known = sorted({label for labels in self.of_page.values() for label in labels})
            some = ", ".join(known[:_SHOWN]) + (", ..." if len(known) > _SHOWN else "")
            raise InputError(self.place, f"no page has the label {topic}", f"use one of {some}, or a prefix of one")
        return found


def known_labels(web: VirtualWeb) -> Labels | None:
    """The built-in labels of a web; None if it has none."""
    found: dict[str, set[str]] = {}
    for url, label in web.labels() if isinstance(web, LabelledWeb) else ():
        found.setdefault(url, set()).add(label)
    return Labels(web.name, {url: frozenset(labels) for url, labels in found.items()}, ()) if found else None


def read_labels(path: Path, rules: UrlRules, landing: Callable[[str], str | None]) -> Labels:
    """Read labels from lines with a URL, a tab and a label; a page with several labels has several lines.

    Blank lines are skipped. `landing` returns the URL of the page that a URL leads to, which gets the label; None if
    that is not in the web.
    """
    found: dict[str, set[str]] = {}
    unknown: dict[str, None] = {}
    for number, line in enumerate(read_text(path, str(path), "name a file of labels").split("\n"), start=1):
        if not line.strip():
            continue
        url, tab, label = line.rstrip("\r").partition("\t")
        label = label.strip()
        if not tab or not label or "\t" in label:
            raise InputError(f"{path}:{number}", "is not a URL, a tab and a label", "write one of each per line")
        canonical = rules.canonical(url.strip())
        page = landing(canonical) if canonical else None
        if page is not None:
            found.setdefault(page, set()).add(label)
        else:
            unknown[url] = None
    if not found:
        raise InputError(str(path), "labels no page of this web", "give the labels that belong to it")
    return Labels(str(path), {url: frozenset(labels) for url, labels in found.items()}, tuple(unknown))


def warning(labels: Labels) -> str:
    """A sentence about labelled URLs that are not in the web; "" when there are none."""
    count = len(labels.unknown)
    if not count:
        return ""
    known = len(labels.of_page)
    return (
        f"{labels.place}: {count:,} of {known + count:,} labelled URLs are not in the web, such as {labels.unknown[0]}"
    )
