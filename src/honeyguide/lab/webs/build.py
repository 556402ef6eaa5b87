"""Builds the index of WARC files: finds pages, resolves revisits, and chooses among several responses of a URL."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from itertools import compress
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.lab.webs.index import Index, content_digest
from honeyguide.lab.webs.url_table import UrlTable, encoded
from honeyguide.page.url import UrlRules
from honeyguide.warc.part import Part
from honeyguide.warc.read import CutShortError, Progress, records
from honeyguide.warc.record import HTML, RENDERED, Record, bare_url, http_head

_PAGE, _REDIRECT, _REVISIT = range(3)  # of several responses of a URL, the smallest kind wins


class _Revisit(NamedTuple):
    """A revisit record, which refers to another record."""

    row: int
    digest: int
    of: str
    """The canonical URL that it refers to; "" for none."""
    has_head: bool


class _Rows:
    """The responses found so far, in growing arrays: a few dozen bytes each, plus the URL."""

    def __init__(self) -> None:
        self.text = bytearray()
        self.starts = array("q", [0])
        self.status = array("h")
        self.places = array("q")
        self.kinds = array("b")
        self.marks = array("I")
        self.checks = array("I")
        self.digests = array("Q")
        self.revisits: list[_Revisit] = []
        self.rendered: dict[int, tuple[int, int, int]] = {}
        """By row, the location of the document rendered by a browser, which directly follows the response."""
        self.html = 0

    def __len__(self) -> int:
        return len(self.status)

    def add(self, part: int, found: Record, url: str, status: int, kind: int, digest: int) -> None:
        """Add a response."""
        key = encoded(url)
        self.text += key
        self.starts.append(len(self.text))
        self.status.append(status)
        self.places.extend((part, found.offset, found.length))
        self.kinds.append(kind)
        self.marks.append(crc32(key))
        self.checks.append(found.check)
        self.digests.append(digest)

    def url(self, row: int) -> bytes:
        """The URL of a row."""
        return bytes(self.text[self.starts[row] : self.starts[row + 1]])


def build(parts: Sequence[Part], rules: UrlRules, progress: Progress) -> Index:
    """The index of the parts. Raises `InputError` when one is damaged, or when there is no HTML page in any."""
    rows = _Rows()
    notes = []
    for number, part in enumerate(parts):
        try:
            for found in records(part, progress=progress):
                _take(rows, number, found, rules)
        except CutShortError as cut:
            lost = part.end - cut.offset
            notes.append(
                f"{part.name} is cut short at byte {cut.offset - part.start:,}: "
                f"the last {lost:,} bytes are lost, the pages before them are kept"
            )
    if not rows.html:
        problem = "; ".join(["holds no HTML page", *notes])
        raise InputError(", ".join(str(part.path) for part in parts), problem, "name another file")
    original, originals, missing = _resolved(rows)
    if missing:
        notes.append(f"{missing:,} revisit records refer to pages that are not there, and are left out")
    return _chosen(rows, original, originals, tuple(notes))


def _take(rows: _Rows, part: int, found: Record, rules: UrlRules) -> None:
    """Add a record if it is a page, a redirect, or a revisit of either."""
    kind = found.kind
    if kind not in {"response", "revisit", RENDERED}:
        return
    url = rules.canonical(found.url)
    if kind == RENDERED:
        if url is not None and len(rows) and rows.url(len(rows) - 1) == encoded(url):
            rows.rendered[len(rows) - 1] = (part, found.offset, found.length)
            rows.checks[-1] ^= found.check
        return
    head = http_head(found.block) if found.block else None
    if url is None or is_robots(url) or (head is None and kind == "response"):
        return
    digest = _digest(found.fields.get("warc-payload-digest", ""))
    if head is not None and head.is_redirect:
        rows.add(part, found, url, head.status, _REDIRECT, 0)
    elif kind == "response" and head is not None and head.is_page:
        rows.add(part, found, url, head.status, _PAGE, digest)
        rows.html += head.media_type in HTML
    elif kind == "revisit" and (head is None or head.is_page):
        of = rules.canonical(bare_url(found.fields.get("warc-refers-to-target-uri", "")))
        rows.revisits.append(_Revisit(len(rows), digest, of or "", head is not None))
        rows.add(part, found, url, head.status if head else 0, _REVISIT, 0)


def is_robots(url: str) -> bool:
    """Whether a canonical URL is that of a robots.txt, which crawlers also store, but which is not a page."""
    return url.endswith("/robots.txt") and url.count("/") == 3


def _digest(text: str) -> int:
    """64 bits of a payload digest; 0 when there is none."""
    return int.from_bytes(blake2b(text.upper().encode(), digest_size=8).digest(), "big") if text else 0


def _resolved(rows: _Rows) -> tuple[NDArray[np.int32], NDArray[np.int64], int]:
    """Resolve revisits. Returns the index of the record with each row's body, or -1; these; how many are missing.

    A revisit refers to the page with its payload digest, or else to the first page at the URL that it refers to.
    Revisits of missing pages are dropped.
    """
    original = np.full(len(rows), -1, np.int32)
    originals: list[tuple[int, ...]] = []
    missing = 0
    by_digest, by_url = _pages_wanted(rows)
    for revisit in rows.revisits:
        page = by_digest.get(revisit.digest, -1) if revisit.digest else -1
        if page < 0:
            page = by_url.get(revisit.of.encode(), -1)
        if page < 0:
            missing += 1
            continue
        rows.kinds[revisit.row] = _PAGE
        place = tuple(rows.places[3 * page : 3 * page + 3])
        if revisit.has_head:
            original[revisit.row] = len(originals)
            originals.append(place)
        else:
            rows.status[revisit.row] = rows.status[page]
            rows.places[3 * revisit.row : 3 * revisit.row + 3] = array("q", place)
    for row, place in rows.rendered.items():
        if rows.kinds[row] == _PAGE:
            original[row] = len(originals)
            originals.append(place)
    return original, np.array(originals, np.int64).reshape(-1, 3), missing


def _pages_wanted(rows: _Rows) -> tuple[dict[int, int], dict[bytes, int]]:
    """The first page with each digest, and at each URL, that a revisit refers to."""
    kinds = np.frombuffer(rows.kinds, np.int8)
    digests = {revisit.digest for revisit in rows.revisits} - {0}
    marks = {crc32(revisit.of.encode()) for revisit in rows.revisits if revisit.of}
    with_digest = np.isin(np.frombuffer(rows.digests, np.uint64), np.array(sorted(digests), np.uint64))
    with_url = np.isin(np.frombuffer(rows.marks, np.uint32), np.array(sorted(marks), np.uint32))
    by_digest: dict[int, int] = {}
    by_url: dict[bytes, int] = {}
    for row in np.flatnonzero((kinds == _PAGE) & (with_digest | with_url)).tolist():
        by_digest.setdefault(rows.digests[row], row)
        by_url.setdefault(rows.url(row), row)
    return by_digest, by_url


def _chosen(rows: _Rows, original: NDArray[np.int32], originals: NDArray[np.int64], notes: tuple[str, ...]) -> Index:
    """Choose, for each URL, the first page, or else the first redirect."""
    kinds = np.frombuffer(rows.kinds, np.int8)
    marks = np.frombuffer(rows.marks, np.uint32)
    keep = kinds != _REVISIT
    order = np.argsort(marks, kind="stable")
    same = np.flatnonzero(marks[order][1:] == marks[order][:-1])
    # Only URLs with equal hashes can be equal; a row may be in two of the pairs, which does no harm.
    groups: defaultdict[bytes, set[int]] = defaultdict(set)
    for row in order[np.union1d(same, same + 1)].tolist():
        if keep[row]:
            groups[rows.url(row)].add(row)
    for group in groups.values():
        best = min(group, key=lambda row: (kinds[row], row))
        keep[list(group - {best})] = False
    return _packed_up(rows, keep, original, originals, notes)


def _packed_up(
    rows: _Rows,
    keep: NDArray[np.bool_],
    original: NDArray[np.int32],
    originals: NDArray[np.int64],
    notes: tuple[str, ...],
) -> Index:
    """Make the index of the rows to keep, with as few copies as possible: a large web leaves no memory for them."""
    if keep.all():
        text = rows.text
        starts = np.frombuffer(rows.starts, np.int64)
        kept: slice | NDArray[np.intp] = slice(None)
    else:
        text = bytearray()
        for row in compress(range(len(rows)), keep):
            text += rows.url(row)
        rows.text.clear()  # before the next copies are made
        kept = np.flatnonzero(keep)
        starts = np.concatenate(([0], np.cumsum(np.diff(np.frombuffer(rows.starts, np.int64))[kept])))
    urls = UrlTable.made(text, starts, np.frombuffer(rows.marks, np.uint32)[kept])
    status = np.frombuffer(rows.status, np.int16)[kept]
    return Index(
        urls=urls,
        status=status,
        places=np.frombuffer(rows.places, np.int64).reshape(-1, 3)[kept],
        original=original[kept],
        originals=originals,
        digest=content_digest(urls, (status, np.frombuffer(rows.checks, np.uint32)[kept])),
        notes=notes,
    )
