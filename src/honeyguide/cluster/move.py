"""Redistributes a stopped crawl over another number of shards, or onto a single machine.

The new databases are written next to the old ones, under names that were never used before; then cluster.json is
replaced, which commits the move. Leftovers of an attempt that was interrupted before that are overwritten.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from honeyguide.cluster import items
from honeyguide.cluster.ring import Ring
from honeyguide.crawl.seeds import SEED_PRIORITY
from honeyguide.frontier import NO_PARENT, UNKNOWN, DirtyRows, Frontier, Politeness, State
from honeyguide.page.domains import registered_domain
from honeyguide.page.listing import INDEX
from honeyguide.relevance.saved import FOLDER as MODEL
from honeyguide.store.archive import ELSEWHERE, archive_files, file_number, number_elsewhere
from honeyguide.store.connection import COMPANIONS, FILE, TOPIC, connect, database_errors
from honeyguide.store.database import Database, PageRow, Statement
from honeyguide.store.folder import lock_folder, unwritable
from honeyguide.store.inbox import deliver, pending
from honeyguide.store.schema import SHARD_TABLES
from honeyguide.store.shards import ShardLayout, begin_run, databases, read_layout, shard_folder, write_layout
from honeyguide.store.tally import COUNTED, TALLIED
from honeyguide.store.whole import refresh
from honeyguide.strategy.queues.base import PageElsewhere
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.teaching.labels import read_labels, write_labels
from honeyguide.topic import Topic

_SINGLE = ""  # stands for the shard of a crawl on one machine
_PAGE = ", ".join(PageRow._fields)
_NEW_PAGE = f"INSERT INTO pages ({_PAGE}) VALUES ({', '.join('?' * len(PageRow._fields))})"  # noqa: S608 (own names)
_NEW_VERSION = f"INSERT INTO versions (replaced, {_PAGE}) VALUES (?, {', '.join('?' * len(PageRow._fields))})"  # noqa: S608


def prepare(folder: Path, topic: Topic, count: int) -> ShardLayout:
    """Divide a crawl, new or not, into `count` shards; 0 for one machine. Does nothing if it already is.

    Raises `InputError` when the crawl is running, `HoneyguideError` when a database cannot be read or written.
    """
    layout = read_layout(folder)
    begun = [name for name, _ in databases(folder)]  # a run may have been killed before all of its shards had begun
    sources = begun if layout.shards or not (folder / FILE).exists() else [_SINGLE]
    if len(layout.shards) == count:
        return begin_run(folder, layout)
    renewed = layout.renewed(count)
    if not sources:
        return begin_run(folder, renewed)
    try:
        with ExitStack() as locks, database_errors(folder / FILE):
            for name in {_SINGLE, *sources}:
                shard_folder(folder, name).mkdir(parents=True, exist_ok=True)
                locks.callback(os.close, lock_folder(shard_folder(folder, name)))
            refresh(folder)
            for message in chain.from_iterable(pending(shard_folder(folder, name)) for name in begun):
                deliver(folder, message)  # the shard was killed before it could apply it
            _Move(folder, topic, sources, renewed.shards or (_SINGLE,)).run()
            write_layout(folder, renewed)
            _remove(folder, sources if renewed.shards else begun)
    except (OSError, sqlite3.Error) as error:
        raise unwritable(folder, error) from error
    return begin_run(folder, renewed)


def _remove(folder: Path, names: Iterable[str]) -> None:
    """Delete the databases of shards that no longer exist; their archives stay."""
    for name in names:
        for suffix in ("", *COMPANIONS):
            (shard_folder(folder, name) / f"{FILE}{suffix}").unlink(missing_ok=True)


@dataclass(slots=True)
class _Target:
    """A shard that is being written."""

    name: str
    numbers: dict[int, int] = field(default_factory=dict)
    """Maps the numbers of URLs in the whole crawl to their numbers here."""
    owned: list[int] = field(default_factory=list)
    """The numbers in the whole crawl of the URLs that belong here."""
    pages: list[PageRow] = field(default_factory=list)
    versions: list[tuple[Any, ...]] = field(default_factory=list)
    validators: list[tuple[Any, ...]] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    outbox: list[tuple[str, int, bytes]] = field(default_factory=list)
    sent: dict[str, int] = field(default_factory=dict)

    def send(self, receiver: str, item: items.Item) -> None:
        """Put an item into the outbox."""
        self.sent[receiver] = self.sent.get(receiver, 0) + 1
        self.outbox.append((receiver, self.sent[receiver], items.pack(item)))


class _Move:
    """One redistribution, from the database of the whole crawl and the state of its shards' strategies."""

    def __init__(self, folder: Path, topic: Topic, sources: Sequence[str], targets: Sequence[str]) -> None:
        self._folder = folder
        self._topic = topic
        self._sources = sources
        self._ring = Ring(targets)
        self._targets = {name: _Target(name) for name in targets}
        self._first_target = self._targets[targets[0]]
        self._urls: list[tuple[Any, ...]] = []
        self._owners: list[str] = []
        self._states: dict[int, bytes] = {}
        self._learnt = np.zeros(0)
        self._undelivered: list[items.Item] = []

    def run(self) -> None:
        """Write the databases of all targets."""
        with closing(connect(self._folder / FILE, read_only=True)) as connection:
            query = connection.execute
            self._urls = query("SELECT url, priority, state, parent, depth, attempts FROM urls ORDER BY id").fetchall()
            self._owners = [self._ring.owner(row[0]) for row in self._urls]
            self._read_sources(query)
            redirects = query("SELECT source, target, hops FROM redirects").fetchall()
            self._number(redirects)
            self._divide_pages(query)
            self._divide_rest(query, redirects)
            meta = dict(query("SELECT key, value FROM meta"))
        self._divide_items()
        for target in self._targets.values():
            self._write(target, meta)

    # ---- reading the sources ----

    def _read_sources(self, query: Any) -> None:
        for part, name in enumerate(self._sources):
            ids: dict[int, int] | None = None
            if name != _SINGLE:
                ids = dict(query("SELECT number, id FROM shard_urls WHERE shard = ?", (name,)))
            with closing(connect(shard_folder(self._folder, name) / FILE, read_only=True)) as own:
                queue, frontier = self._restored(own)
                for number in range(len(frontier)):
                    whole = number if ids is None else ids.get(number)
                    if whole is not None and (state := queue.hand_over(number, part, len(self._sources))):
                        self._states[whole] = state
                learnt = queue.learnt()
                self._learnt = learnt if not len(self._learnt) else self._learnt + learnt
                if ids is not None:
                    self._undelivered += self._undelivered_from(own, name)

    def _restored(self, connection: sqlite3.Connection) -> tuple[CheckedQueue, Frontier]:
        queue = CheckedQueue(self._topic.strategy.name)
        frontier = Frontier(Politeness(), queue.merge, queue.rank)
        rows = connection.execute("SELECT url, priority, state, parent, depth, attempts FROM urls ORDER BY id")
        frontier.restore(rows)
        queue.restore(frontier, dict(connection.execute("SELECT name, value FROM steering")))
        return queue, frontier

    def _undelivered_from(self, connection: sqlite3.Connection, sender: str) -> Iterator[items.Item]:
        received: dict[str, int] = {}
        for receiver in self._sources:
            with closing(connect(shard_folder(self._folder, receiver) / FILE, read_only=True)) as other:
                sql = "SELECT received FROM channels WHERE shard = ?"
                received[receiver] = (other.execute(sql, (sender,)).fetchone() or (0,))[0]
        for receiver, seq, item in connection.execute("SELECT receiver, seq, item FROM outbox ORDER BY receiver, seq"):
            if seq > received.get(receiver, 0):
                yield from items.unpack(item)

    # ---- dividing ----

    def _number(self, redirects: list[tuple[int, int, int]]) -> None:
        """Number the URLs of each target, in the order of the whole crawl.

        A target also gets those URLs of other targets that its own URLs were found on, or redirect from or to.
        """
        wanted: defaultdict[str, set[int]] = defaultdict(set)
        for number, (owner, row) in enumerate(zip(self._owners, self._urls, strict=True)):
            wanted[owner].add(number)
            if row[3] != NO_PARENT:
                wanted[owner].add(row[3])
        for source, reached, _ in redirects:
            wanted[self._owners[source]].add(reached)
            wanted[self._owners[reached]].add(source)
        for name, target in self._targets.items():
            for number in sorted(wanted[name]):
                target.numbers[number] = len(target.numbers)
                if self._owners[number] == name:
                    target.owned.append(number)

    def _divide_pages(self, query: Any) -> None:
        pages = [PageRow(*values) for values in query(f"SELECT {_PAGE} FROM pages ORDER BY seq")]  # noqa: S608
        sql = f"SELECT replaced, {_PAGE} FROM versions ORDER BY number"  # noqa: S608 (own names)
        versions = [(replaced, PageRow(*values)) for replaced, *values in query(sql)]
        stored = {(row.id, row.digest): row for row in (*pages, *(row for _, row in versions)) if row.same_as is None}
        numbers: dict[int, int] = {}  # seq of each page in its target
        for row in pages:
            target = self._targets[self._owners[row.id]]
            numbers[row.id] = len(target.pages)
            target.pages.append(self._handed_over(target, row, numbers[row.id], stored))
        for replaced, row in versions:
            target = self._targets[self._owners[row.id]]
            target.versions.append((replaced, *self._handed_over(target, row, numbers[row.id], stored)))
        for page, *rest in query("SELECT page, etag, modified FROM validators"):
            target = self._targets[self._owners[page]]
            target.validators.append((target.numbers[page], *rest))

    def _handed_over(
        self, target: _Target, row: PageRow, seq: int, stored: Mapping[tuple[int, bytes], PageRow]
    ) -> PageRow:
        """Convert a row of the whole crawl for a target; `stored` has the rows with payloads, by URL and digest."""
        same_as, copy, number = row.same_as, row.duplicate_of, target.numbers[row.id]
        rendered, place = row.rendered_file, row
        if same_as is not None and self._owners[same_as] != target.name:
            place, same_as = stored[same_as, row.digest], None  # the row with the same payload goes elsewhere
        return row._replace(
            id=number,
            seq=seq,
            duplicate_of=None if copy is None else target.numbers.get(copy, number),
            same_as=None if same_as is None else target.numbers[same_as],
            warc_file=_seen_from(target, place.warc_file),
            warc_offset=place.warc_offset,
            warc_length=place.warc_length,
            rendered_file=None if rendered is None else _seen_from(target, rendered),
        )

    def _divide_rest(self, query: Any, redirects: list[tuple[int, int, int]]) -> None:
        rows: defaultdict[tuple[str, str], list[tuple[Any, ...]]] = defaultdict(list)
        for page, text in query("SELECT page, left_out FROM readings"):
            owner = self._owners[page]
            rows[owner, "INSERT INTO readings VALUES (?, ?)"].append((self._targets[owner].numbers[page], text))
        for source, reached, hops in redirects:
            for owner in {self._owners[source], self._owners[reached]}:
                numbers = self._targets[owner].numbers
                rows[owner, "INSERT INTO redirects VALUES (?, ?, ?)"].append((numbers[source], numbers[reached], hops))
        insert = "INSERT INTO events (time, kind, url, detail) VALUES (?, ?, ?, ?)"
        for time, kind, url, detail in query("SELECT time, kind, url, detail FROM events ORDER BY id"):
            if url is None:
                # The detail is the number of URLs when revisits began, which does not hold for the new numbering.
                text = "{}" if kind == "start" else detail
                rows[self._first_target.name, insert].append((time, kind, None, text))
                continue
            owner = self._owners[url]
            for name, target in self._targets.items():
                if url in target.numbers and (name == owner or kind == "listing"):
                    text = self._listing(target, detail) if kind == "listing" else detail
                    rows[name, insert].append((time, kind, target.numbers[url], text))
        for row in query("SELECT origin, fetched, status, body FROM robots"):
            rows[self._ring.owner(f"{row[0]}/"), "INSERT INTO robots VALUES (?, ?, ?, ?)"].append(row)
        for row in query("SELECT name, not_before FROM hosts"):
            owner = self._ring.owner_of_name(registered_domain(row[0]))
            rows[owner, "INSERT INTO hosts VALUES (?, ?)"].append(row)
        for (name, sql), values in rows.items():
            self._targets[name].statements.append((sql, values))

    def _listing(self, target: _Target, detail: str) -> str:
        """The event of a sitemap or feed, restricted to the listed URLs that a target has."""
        event = json.loads(detail)
        listed = range(event["first"], event["first"] + event["new"])
        own = [target.numbers[number] for number in listed if number in target.numbers]
        return json.dumps({**event, "first": min(own, default=0), "new": max(own) - min(own) + 1 if own else 0})

    def _divide_items(self) -> None:
        """Send items that were undelivered when the crawl stopped to their new owners."""
        for item in self._undelivered:
            match item:
                case items.PageLinks():
                    links = item.reading.links
                    owners = np.array([self._ring.owner(url) for url in links.urls])
                    all_links = len(links) + item.reading.links_elsewhere
                    for owner in np.unique(owners).tolist():
                        own = items.restricted(item.reading, links.where(owners == owner), all_links)
                        self._target_of(item.parent).send(owner, item._replace(reading=own))
                case items.Redirect():
                    self._target_of(item.source).send(self._ring.owner(item.target), item)
                case items.ListedUrls():
                    for url in item.urls:
                        self._target_of(item.listing).send(self._ring.owner(url), item._replace(urls=[url]))
                case items.Credit():
                    self._first_target.send(self._ring.owner(item.url), item)

    def _target_of(self, url: str) -> _Target:
        return self._targets[self._ring.owner(url)]

    # ---- writing ----

    def _write(self, target: _Target, meta: dict[str, Any]) -> None:
        queue = CheckedQueue(self._topic.strategy.name)
        frontier = Frontier(Politeness(), queue.merge, queue.rank)
        frontier.restore(self._rows(target))
        for number in target.owned:
            queue.take_over(frontier, target.numbers[number], self._states.get(number, b""))
        if target is self._first_target and len(self._learnt):
            queue.take_learnt(self._learnt)
        if target.name == _SINGLE:
            self._apply(target, frontier, queue)
        folder = shard_folder(self._folder, target.name)
        path = folder / (f"{FILE}.new" if target.name == _SINGLE else FILE)
        if target.name != _SINGLE:
            shutil.rmtree(folder, ignore_errors=True)  # left by an interrupted attempt
            folder.mkdir(parents=True)
        path.unlink(missing_ok=True)
        more: list[Statement] = [
            (_NEW_PAGE, target.pages),
            (_NEW_VERSION, target.versions),
            ("INSERT INTO validators VALUES (?, ?, ?)", target.validators),
            *target.statements,
        ]
        if target.name != _SINGLE:
            more.append(("INSERT INTO outbox VALUES (?, ?, ?)", target.outbox))
            more.append(("INSERT INTO channels VALUES (?, ?, 0)", target.sent.items()))
        with closing(Database(path, "" if target.name == _SINGLE else SHARD_TABLES)) as database:
            rows = DirtyRows(iter(_rows_of(frontier)), iter(()))
            database.commit(rows, self._meta(target, meta, frontier), queue.dirty_state(), more)
        if target.name == _SINGLE:
            for suffix in COMPANIONS:
                (self._folder / f"{FILE}{suffix}").unlink(missing_ok=True)
            path.replace(self._folder / FILE)
        else:
            shutil.copyfile(self._folder / TOPIC, folder / TOPIC)
            labels = read_labels(self._folder)
            own = {url: label for url, label in labels.items() if self._ring.owner(url) == target.name}
            if own:
                write_labels(folder, own)
        model = next(place for name in self._sources if (place := shard_folder(self._folder, name) / MODEL).is_dir())
        if not (folder / MODEL).exists():
            shutil.copytree(model, folder / MODEL)

    def _rows(self, target: _Target) -> Iterator[tuple[str, float, int, int, int, int]]:
        for number in target.numbers:
            url, priority, state, parent, depth, attempts = self._urls[number]
            if self._owners[number] != target.name:
                yield url, 0.0, int(State.ELSEWHERE), NO_PARENT, depth, 0
            else:
                yield url, priority, state, target.numbers.get(parent, NO_PARENT), depth, attempts

    def _apply(self, target: _Target, frontier: Frontier, queue: CheckedQueue) -> None:
        """Apply undelivered items directly: a single machine has no other shard to send them to."""
        redirects = []
        for item in (one for _, _, content in target.outbox for one in items.unpack(content)):
            match item:
                case items.PageLinks(note=note, reading=reading, revision=revision) if item.is_judged_again:
                    half, links = len(note) // 2, revision == items.LINKS_TOO
                    queue.revise_links(frontier, reading, note[:half], note[half:], links=links)
                case items.PageLinks(parent, depth, note, _, _, reading, revision):
                    number = frontier.urls.find(parent)
                    if revision == items.VISITED_AGAIN:
                        numbers = frontier.urls.numbers(reading.links.urls)
                        reading.links = reading.links.where(numbers == UNKNOWN)
                    if number is not None and len(reading.links):
                        page = PageElsewhere(number, reading, note)
                        queue.links(frontier, [page], self._topic.scope.max_depth)
                case items.Redirect(source, depth, priority, reached, _, hops, _, _):
                    number = frontier.urls.find(source)
                    if number is not None:
                        redirects.append((number, frontier.offer(reached, priority, number, depth), hops))
                case items.ListedUrls(_, urls, form, _) if form != INDEX:
                    queue.begin(frontier, [frontier.offer(url, SEED_PRIORITY) for url in urls])
                case items.Credit(url, pages, outcome):
                    number = frontier.urls.find(url)
                    if number is not None:
                        queue.credit(number, pages, outcome)
        target.statements.append(("INSERT OR REPLACE INTO redirects VALUES (?, ?, ?)", redirects))

    def _meta(self, target: _Target, whole: dict[str, Any], frontier: Frontier) -> dict[str, Any]:
        """The meta values of a target. Counts that cannot be divided go to the first target."""
        own = _counts(target.pages)
        if target is self._first_target:
            others = [_counts(other.pages) for other in self._targets.values() if other is not target]
            own |= {name: whole.get(name, 0) - sum(one[name] for one in others) for name in ("size", "relevant")}
            own |= {name: whole.get(name, 0) for name in ("answers", "again", "changed", "gone")}
        kept = ("seconds", "best", "told", "committed", "stop", "stop_text")
        found = {name: whole[name] for name in kept if name in whole}
        counted = {name: whole.get(name, "{}") if target is self._first_target else "{}" for name in COUNTED}
        numbers = [file_number(path) for path in archive_files(self._folder)] if target.name == _SINGLE else []
        archive = {"warc_file": max(numbers, default=-1) + 1, "warc_end": 0}
        waiting = {"waiting": frontier.count(State.WAITING)}
        nothing: dict[str, Any] = dict.fromkeys(TALLIED, 0)
        values = {**nothing, **found, **own, **counted, **archive, **waiting}
        return {**values, "paused": 0, "lesson_open": whole.get("lesson_open", 0), "run_seconds": 0.0}


def _counts(pages: Sequence[PageRow]) -> dict[str, int]:
    return {
        "pages": len(pages),
        "relevant": sum(bool(page.relevant) and page.duplicate_of is None for page in pages),
        "duplicates": sum(page.duplicate_of is not None for page in pages),
        "size": sum(page.size for page in pages),
        "answers": 0,
    }


def _rows_of(frontier: Frontier) -> Iterator[tuple[Any, ...]]:
    urls = frontier.urls
    for number in range(len(urls)):
        values = (urls.url(number), urls.priority(number), int(urls.state(number)), urls.parent(number))
        yield (number, *values, urls.depth(number), urls.attempts(number))


def _seen_from(target: _Target, file: int) -> int:
    """The number by which a target refers to a WARC file."""
    return number_elsewhere(_SINGLE, file) if file < ELSEWHERE and target.name != _SINGLE else file
