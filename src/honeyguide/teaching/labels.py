"""The labels of a crawl: pages that were marked as relevant or irrelevant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from honeyguide.atomic_write import atomic_write
from honeyguide.errors import InputError
from honeyguide.store.commands import ALL_LABELS, NO, YES
from honeyguide.store.inbox import pending
from honeyguide.topic.file import read_text

FILE: Final = "labels.tsv"
"""The name of the file in the folder of a crawl."""

MACHINE: Final = "machine"
"""Prefix of the names of teachers that are language models."""

_ANSWERS: Final = {YES: True, NO: False}
_HEAD: Final = "# URL\trelevant\tby\ttime\n"


@dataclass(frozen=True, slots=True)
class Label:
    """A judgement of a page."""

    url: str
    relevant: bool
    by: str
    """The author of the label; for a language model, it begins with "machine"."""
    time: float
    """The time, as Unix time."""

    @property
    def is_machine(self) -> bool:
        """Whether the label is from a language model."""
        return self.by.startswith(MACHINE)


def read_labels(folder: Path) -> dict[str, Label]:
    """The labels of a crawl by URL, in the order in which they were given; none if there is no file.

    Raises `InputError` for an invalid line.
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    labels = {}
    for number, line in enumerate(read_text(path, FILE, "restore it, or delete it").split("\n"), start=1):
        if line.strip() and not line.startswith("#"):
            label = _parsed(line)
            if label is None:
                raise InputError(
                    f"{path}, line {number}", "is not a label", "write a URL, yes or no, who said so, and when"
                )
            labels[label.url] = label
    return labels


def current_labels(folder: Path) -> dict[str, Label]:
    """The labels of a crawl, including those that wait in its inbox.

    Raises `InputError` as `read_labels` does.
    """
    return with_pending(folder, read_labels(folder))


def with_pending(folder: Path, labels: Mapping[str, Label]) -> dict[str, Label]:
    """Labels of a crawl, with those that wait in its inbox."""
    found = dict(labels)
    for message in pending(folder):
        arguments = message.command.arguments
        if message.command.name != "label" or len(arguments) != 2:
            continue
        url, answer = arguments
        if answer in _ANSWERS:
            found[url] = Label(url, _ANSWERS[answer], message.by, message.time)
        elif url == ALL_LABELS:
            found.clear()
        else:
            found.pop(url, None)
    return found


def _parsed(line: str) -> Label | None:
    url, answer, by, when, *_ = [*line.split("\t"), "", "", ""]
    if not url or answer not in _ANSWERS:
        return None
    try:
        time = datetime.fromisoformat(when).timestamp() if when else 0.0
    except ValueError:
        return None
    return Label(url, _ANSWERS[answer], by, time)


def write_labels(folder: Path, labels: Mapping[str, Label]) -> None:
    """Write all labels of a crawl. Raises `OSError` when that is impossible."""
    lines = [
        "\t".join((label.url, YES if label.relevant else NO, " ".join(label.by.split()), _when(label.time)))
        for label in labels.values()
    ]
    with atomic_write(folder / FILE, durable=True) as file:
        file.write((_HEAD + "".join(f"{line}\n" for line in lines)).encode())


def _when(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat(timespec="seconds")
