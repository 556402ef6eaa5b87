"""The database row of a page that was fetched and read."""

from __future__ import annotations

from typing import NamedTuple

from honeyguide.fetch.base import Response
from honeyguide.store.archive import RecordLocation
from honeyguide.store.database import PageRow
from honeyguide.strategy.reading import Reading

_MAX_VALIDATOR = 1000  # characters: longer validators are not used


class Sources(NamedTuple):
    """Where a page is in the archive, and which earlier pages it duplicates."""

    spot: RecordLocation
    rendered: RecordLocation | None
    """The location of the document rendered by a browser, if that was read."""
    digest: bytes
    same_as: int | None
    duplicate_of: int | None


def page_row(number: int, seq: int, priority: float, response: Response, reading: Reading, sources: Sources) -> PageRow:
    """Make the row of a page, the `seq`-th of the crawl; `priority` is that of its URL when it was taken."""
    spot, rendered, digest, same_as, duplicate_of = sources
    return PageRow(
        id=number,
        seq=seq,
        fetched=response.started,
        elapsed=response.elapsed,
        status=response.status,
        content_type=response.header("content-type"),
        size=len(response.raw),
        title=reading.title,
        language=reading.language,
        words=reading.words,
        links=len(reading.links) + reading.links_elsewhere,
        relevance=reading.relevance,
        relevant=reading.relevant,
        priority=priority,
        signature=reading.signature,
        duplicate_of=duplicate_of,
        digest=digest,
        same_as=same_as,
        truncated=response.truncated,
        warc_file=spot.file,
        warc_offset=spot.offset,
        warc_length=spot.length,
        rendered_file=None if rendered is None else rendered.file,
        rendered_offset=None if rendered is None else rendered.offset,
        rendered_length=None if rendered is None else rendered.length,
    )


class KnownCopy(NamedTuple):
    """The validators and the digest of the stored copy of a page, for a revisit."""

    etag: str
    modified: str
    """ETag and Last-Modified as sent by the server; "" if missing."""
    digest: bytes
    """The digest of its payload."""


def validators_of(response: Response) -> tuple[str, str]:
    """ETag and Last-Modified of a response; "" if missing, or if it cannot be sent back."""
    return _sendable(response.header("etag")), _sendable(response.header("last-modified"))


def _sendable(value: str) -> str:
    return value if value.isascii() and value.isprintable() and len(value) <= _MAX_VALIDATOR else ""
