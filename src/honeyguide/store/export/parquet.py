"""Pages of a crawl as Parquet, with typed columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import date, datetime
from importlib import import_module
from typing import Any, BinaryIO, Final, NamedTuple

from honeyguide.store.export.selection import ExportSelection
from honeyguide.version import VERSION

SCHEMA_VERSION: Final = 1
"""Raised whenever a column changes its name, type or meaning; new columns do not raise it."""
METADATA: Final = b"honeyguide"
"""The key of the file's own metadata: JSON, with the crawl and the options of the export."""

_GROUP_ROWS = 2_000
_GROUP_CHARACTERS = 8 << 20  # of texts: what a reader has to have in memory at once


def _text(value: str) -> str:
    """Text without characters that are none, which pages may have and Parquet does not allow."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def _optional(value: str) -> str | None:
    return _text(value) or None


def _day(value: str) -> date | None:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


def _same(value: Any) -> Any:
    return value


class ColumnType(NamedTuple):
    """How the values of a field are stored."""

    type: str
    nullable: bool
    convert: Callable[[Any], Any]


_TEXT = ColumnType("string", False, _text)
_OPTIONAL = ColumnType("string", True, _optional)

TYPES: Final[dict[str, ColumnType]] = {
    "url": _TEXT,
    "title": _TEXT,
    "text": _TEXT,
    "relevance": ColumnType("double", False, _same),
    "relevant": ColumnType("bool", False, _same),
    "depth": ColumnType("int32", False, _same),
    "parent": _OPTIONAL,
    "fetched": ColumnType("timestamp[us, tz=UTC]", False, datetime.fromisoformat),
    "status": ColumnType("int32", False, _same),
    "hash": _TEXT,
    "warc_file": _TEXT,
    "warc_offset": ColumnType("int64", False, _same),
    "language": _OPTIONAL,
    "content_type": _TEXT,
    "duplicate_of": _OPTIONAL,
    "author": _OPTIONAL,
    "date": ColumnType("date32[day]", True, _day),
    "description": _OPTIONAL,
    "canonical": _OPTIONAL,
    "licence": _OPTIONAL,
    "page_count": ColumnType("int32", False, _same),
    "full_text": _TEXT,
}
"""The columns by field; the types are named as pyarrow prints them. What a field has as "" is null where it may be."""

_FEW_VALUES = ("relevant", "depth", "status", "warc_file", "language", "content_type", "licence")


def write_parquet(selection: ExportSelection, out: BinaryIO) -> int:
    """Write one Parquet file. Returns the number of pages.

    A row group has 2,000 pages at most, and fewer if their texts are long: it is what is in memory at once, here and in
    programs that read the file. Columns of few values are stored as dictionaries, and all have statistics, by which
    readers skip what they do not need.
    """
    pyarrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    fields = selection.options.fields
    schema = _schema(pyarrow, selection)
    dictionaries = [name for name in fields if name in _FEW_VALUES]
    written = 0
    with parquet.ParquetWriter(
        out, schema, compression="zstd", use_dictionary=dictionaries or False, write_page_index=True
    ) as writer:
        for group in _groups(selection.records()):
            columns = [
                pyarrow.array([TYPES[name].convert(row[name]) for row in group], schema.field(name).type)
                for name in fields
            ]
            table = pyarrow.Table.from_arrays(columns, schema=schema)
            writer.write_table(table, row_group_size=len(group))
            written += len(group)
    return written


def _schema(pyarrow: Any, selection: ExportSelection) -> Any:
    known = {
        str(one): one
        for one in (
            *(pyarrow.string(), pyarrow.float64(), pyarrow.bool_(), pyarrow.int32(), pyarrow.int64()),
            *(pyarrow.timestamp("us", "UTC"), pyarrow.date32()),
        )
    }
    about = {
        "schema": SCHEMA_VERSION,
        "software": f"honeyguide {VERSION}",
        "crawl": selection.crawl.topic.name,
        "options": asdict(selection.options),
    }
    return pyarrow.schema(
        [
            pyarrow.field(name, known[TYPES[name].type], nullable=TYPES[name].nullable)
            for name in selection.options.fields
        ],
        metadata={METADATA: json.dumps(about)},
    )


def _groups(records: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Records in groups that fit into memory."""
    group: list[dict[str, Any]] = []
    characters = 0
    for record in records:
        group.append(record)
        characters += len(record.get("text", "")) + len(record.get("full_text", ""))
        if len(group) >= _GROUP_ROWS or characters >= _GROUP_CHARACTERS:
            yield group
            group, characters = [], 0
    if group:
        yield group
