"""The part of the archive after the last commit: leftovers of an interrupted run, or unrecorded data."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from honeyguide.atomic_write import aside_name, open_own, sync_folder
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store.archive import archive_file, archive_files, file_number
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, records
from honeyguide.warc.record import Record

_log = logging.getLogger("honeyguide.store")

_ORDINARY = 60.0
"""Seconds between a commit and the last request that an interrupted run can have archived after it: commits are a
second apart, or a little more on a slow disk. What is later than that is the work of a run whose commits are lost."""

ANSWERS = frozenset({"response", "revisit"})


def check_tail(folder: Path, meta: Mapping[str, Any]) -> None:
    """Check what `Archive` will truncate when a crawl continues at its last commit, of which `meta` has the values.

    An interrupted run leaves up to a second of answers behind it, which are fetched again. Anything else is data:
    raises `HoneyguideError` if there are answers that the database should know of, and sets aside what is no record.
    """
    if not unrecorded(folder, meta)[1]:
        problem = "the archive contains responses that crawl.sqlite does not know of"
        raise HoneyguideError(needs_repair(folder, problem))
    number, end = meta.get("warc_file", 0), meta.get("warc_end", 0)
    interrupted = bool(meta) and not meta.get("stop")
    path = archive_file(folder, number)
    if meta and not interrupted and path.exists() and path.stat().st_size > end:
        set_aside_tail(path, end)


def unrecorded(folder: Path, meta: Mapping[str, Any]) -> tuple[int, bool]:
    """The number of responses after the last commit, and whether an interrupted run explains all of them."""
    number, end = meta.get("warc_file", 0), meta.get("warc_end", 0)
    interrupted = bool(meta) and not meta.get("stop")
    answers = 0
    for date in _dates(folder, number, end):
        answers += 1
        if not interrupted or date > meta.get("committed", date) + _ORDINARY:
            return answers, False
    return answers, True


def needs_repair(folder: Path, problem: str) -> str:
    """The message for a crawl whose database is damaged or missing, while its archive is still there."""
    return f"{folder}: {problem}; restore its crawl.sqlite, or rebuild it from the archive: honeyguide repair {folder}"


def has_answers(folder: Path) -> bool:
    """Whether the archive contains an answer."""
    return any(True for _ in _dates(folder, 0, 0))


def set_aside_tail(path: Path, end: int) -> Path:
    """Move the bytes of a file from `end` on to a separate file, and return its path."""
    kept = aside_name(path)
    with os.fdopen(open_own(path, os.O_RDWR), "r+b") as file:
        with kept.open("xb") as copy:
            file.seek(end)
            shutil.copyfileobj(file, copy)
            copy.flush()
            os.fsync(copy.fileno())
        sync_folder(path.parent)
        file.truncate(end)
    _log.warning("%s: the data after byte %d is not a record; moved to %s", path, end, kept.name)
    return kept


def _dates(folder: Path, number: int, end: int) -> Iterator[float]:
    """The Unix times of the answers after a position, as far as they can be read."""
    for path in archive_files(folder):
        if file_number(path) >= number:
            start = end if file_number(path) == number else 0
            yield from (warc_time(record) for record in readable_records(path, start) if record.kind in ANSWERS)


def readable_records(path: Path, start: int) -> Iterator[Record]:
    """The records of a file from a position on, up to its end or to the first that is damaged."""
    part = Part(path, start, path.stat().st_size, path.name)
    if start < part.end:
        with suppress(InputError, CutShortError):
            yield from records(part, keep=0)


def warc_time(record: Record) -> float:
    """The Unix time of a record; 0 if it has none."""
    try:
        return datetime.fromisoformat(record.fields.get("warc-date", "")).timestamp()
    except (ValueError, OverflowError):
        return 0.0
