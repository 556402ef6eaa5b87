"""The labels of pages, for the views."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from honeyguide.errors import HoneyguideError
from honeyguide.store.commands import FORGET, NO, YES
from honeyguide.teaching.labels import FILE, Label, read_labels, with_pending


class Marks:
    """The labels of a crawl with those that wait in its inbox. The file is read again only when it has changed."""

    def __init__(self, folder: Path) -> None:
        """`folder` is that of the crawl."""
        self._folder = folder
        self._read: tuple[int, int] = (0, 0)
        self._labels: Mapping[str, Label] = {}

    def now(self) -> dict[str, str]:
        """The answer, ``yes`` or ``no``, for each URL that has one; none if the file of labels cannot be read."""
        try:
            state = (self._folder / FILE).stat()
            if (state.st_mtime_ns, state.st_ino) != self._read:
                self._labels = read_labels(self._folder)
                self._read = (state.st_mtime_ns, state.st_ino)
        except (OSError, HoneyguideError):  # there is none, most often; what is wrong with it, the crawl says
            self._labels, self._read = {}, (0, 0)
        return {url: YES if label.relevant else NO for url, label in with_pending(self._folder, self._labels).items()}


def parsed_mark(text: str) -> tuple[str, ...]:
    """The URL and the answer in the value of a button, which are the arguments of ``label``. What is wrong, it says."""
    answer, _, url = text.partition(" ")
    return url, answer


def mark_value(answer: str, url: str, now: str | None) -> str:
    """The value of the button for an answer: pressed again, it takes back what the page is marked with."""
    return f"{FORGET if answer == now else answer} {url}"
