"""The export formats by name: the built-in ones, and those that other packages provide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from honeyguide.errors import InputError
from honeyguide.plugins import Registry
from honeyguide.store.export.selection import ExportSelection
from honeyguide.store.export.tables import write_csv, write_jsonl
from honeyguide.store.export.warc import write_warc

GROUP = "honeyguide.exports"
"""Entry points of this group refer to one `ExportFormat`, or to several."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A file format that pages can be exported to."""

    name: str
    summary: str
    """What is written, in a few words."""
    write: Callable[[ExportSelection, BinaryIO], int]
    """Writes the selected pages to a binary stream, which it leaves open, and returns their number. Its memory use
    does not depend on the number of pages."""
    suffix: str = ""
    """Suffix of the file's name; by default a dot and the name of the format."""
    observes: frozenset[str] = frozenset()
    """Which of "fields" and "bom" of an `ExportSelection` it takes into account. Users cannot set the others for it."""

    @property
    def file_suffix(self) -> str:
        """The suffix of the names of such files."""
        return self.suffix or f".{self.name}"

    def check_observes(self, what: str, place: str) -> None:
        """Refuse an option that the format does not take into account.

        Args:
            what: The option: "fields" or "bom".
            place: Where it was given, for the error.

        Raises:
            InputError: The format ignores it.
        """
        if what not in self.observes:
            others = " or ".join(one.name for one in OWN if what in one.observes)
            raise InputError(place, f"does not apply to the format {self.name}", f"use it with {others}")


OWN = (
    ExportFormat("jsonl", "one JSON object per page and line", write_jsonl, observes=frozenset(("fields",))),
    ExportFormat("csv", "one row per page, RFC 4180, with a header", write_csv, observes=frozenset(("fields", "bom"))),
    ExportFormat("warc", "requests and responses as they were recorded", write_warc, ".warc.gz"),
)


def _read_formats(found: object, _name: str) -> Sequence[ExportFormat]:
    several = tuple(found) if isinstance(found, Iterable) else (found,)
    return several if all(isinstance(one, ExportFormat) for one in several) else ()


REGISTRY = Registry("export format", GROUP, OWN, _read_formats, "an ExportFormat")


def export_formats() -> Mapping[str, ExportFormat]:
    """All formats that have a name: the built-in ones, and those of installed packages.

    Returns:
        The formats by name.
    """
    return REGISTRY.every()
