"""The export formats by name: the built-in ones, and those provided by other packages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import BinaryIO

from honeyguide.errors import InputError
from honeyguide.plugins import Registry, deferred
from honeyguide.store.export.selection import ExportSelection
from honeyguide.store.export.tables import write_csv, write_jsonl
from honeyguide.store.export.warc import write_warc, write_warc_zst

GROUP = "honeyguide.exports"
"""Entry points of this group refer to one `ExportFormat`, or to several."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A file format that pages can be exported to."""

    name: str
    summary: str
    """What is written, in a few words."""
    write: Callable[[ExportSelection, BinaryIO], int]
    """Writes the selected pages to a binary stream, without closing it, and returns their number. Its memory use should
    not depend on the number of pages."""
    suffix: str = ""
    """Suffix of the file's name; by default a dot and the name of the format."""
    observes: frozenset[str] = frozenset()
    """Which of the options "fields" and "bom" of `ExportOptions` it supports. The others are rejected."""
    shard_pages: int = 0
    """Default number of pages per file; 0 for a single file."""
    module: str = ""
    """An optional module that it needs."""
    package: str = ""
    """The package to install for that module."""

    @property
    def file_suffix(self) -> str:
        """The suffix of file names."""
        return self.suffix or f".{self.name}"

    def check_installed(self, place: str) -> None:
        """Reject a format that needs a package that is not installed.

        Args:
            place: Where the format was named, for the error.

        Raises:
            InputError: It is not installed.
        """
        if self.module and find_spec(self.module) is None:
            raise InputError(place, f"{self.name} needs {self.module}", f'pip install "{self.package}"')

    def check_observes(self, what: str, place: str) -> None:
        """Reject an option that the format does not support.

        Args:
            what: The option: "fields" or "bom".
            place: Where it was given, for the error.

        Raises:
            InputError: The format does not support it.
        """
        if what not in self.observes:
            *first, last = (one.name for one in OWN if what in one.observes)
            others = f"{', '.join(first)} or {last}" if first else last
            raise InputError(place, f"does not apply to the format {self.name}", f"use it with {others}")


OWN = (
    ExportFormat("jsonl", "one JSON object per page and line", write_jsonl, observes=frozenset(("fields",))),
    ExportFormat("csv", "one row per page, RFC 4180, with a header", write_csv, observes=frozenset(("fields", "bom"))),
    ExportFormat(
        "parquet",
        "one row per page with typed columns, in files of 50,000 pages",
        deferred("honeyguide.store.export.parquet:write_parquet"),
        observes=frozenset(("fields",)),
        shard_pages=50_000,
        module="pyarrow",
        package="honeyguide[parquet]",
    ),
    ExportFormat("warc", "requests and responses as they were recorded", write_warc, ".warc.gz"),
    ExportFormat("warc.zst", "the same, compressed with Zstandard", write_warc_zst),
    ExportFormat(
        "wacz",
        "the same with an index and a list of pages, for replay",
        deferred("honeyguide.store.export.wacz:write_wacz"),
        observes=frozenset(("fields",)),
        module="wacz",
        package="honeyguide[wacz]",
    ),
)


def _read_formats(found: object, _name: str) -> Sequence[ExportFormat]:
    several = tuple(found) if isinstance(found, Iterable) else (found,)
    return several if all(isinstance(one, ExportFormat) for one in several) else ()


REGISTRY = Registry("export format", GROUP, OWN, _read_formats, "an ExportFormat")


def export_formats() -> Mapping[str, ExportFormat]:
    """All named formats: the built-in ones, and those of installed packages.

    Returns:
        The formats by name.
    """
    return REGISTRY.every()
