"""The mail of one shard: between its database, its loop, and whoever carries parcels."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.cluster import items
from honeyguide.cluster.leases import LeaseRequest
from honeyguide.cluster.mail import ItemInbox, ItemOutbox, Parcel
from honeyguide.store.database import Statement

_READ = "SELECT seq, item FROM outbox WHERE receiver = ? AND seq >= ? ORDER BY seq LIMIT ?"


@dataclass(slots=True)
class _Arrived:
    """A parcel that is being worked through."""

    sender: str
    number: int
    """Of the first of the items that are left."""
    items: deque[bytes]
    receipt: asyncio.Future[int]


class ShardMail:
    """Goes on where the last commit of the shard left it.

    Nothing is sent before it is committed, and nothing is acknowledged before what followed from it is.
    """

    def __init__(self, name: str, query: Callable[..., Iterator[tuple[Any, ...]]]) -> None:
        """`name` is that of the shard; `query` queries what it has committed."""
        self._name = name
        self._query = query
        channels = list(query("SELECT shard, sent, received FROM channels"))
        kept = dict(query("SELECT receiver, min(seq) FROM outbox GROUP BY receiver"))
        self._outbox = ItemOutbox(self._read, {shard: sent for shard, sent, _ in channels}, kept)
        self._inbox = ItemInbox({shard: received for shard, _, received in channels})
        self._writing: tuple[dict[str, int], dict[str, int]] | None = None
        self._arrived: deque[_Arrived] = deque()
        self._applied: list[_Arrived] = []  # parcels that are answered when they are safe
        self._is_closed = False

    def _read(self, receiver: str, first: int, most: int) -> list[tuple[int, bytes]]:
        try:
            return [(seq, item) for seq, item in self._query(_READ, receiver, first, most)]
        except sqlite3.ProgrammingError:  # the run has just ended: it is sent by the next one
            return []

    # ---- what is sent ----

    def add(self, receiver: str, content: bytes) -> None:
        """Something for a shard. It is sent after the next commit."""
        self._outbox.add(receiver, content)

    @property
    def sent(self) -> int:
        """How many items there ever were for others."""
        return self._outbox.total

    def receivers(self) -> list[str]:
        """The shards that there is something to send to."""
        return self._outbox.receivers()

    def parcel(self, receiver: str, leases: LeaseRequest) -> Parcel:
        """What to send to a shard: the same again until it is acknowledged."""
        first, content = self._outbox.parcel(receiver)
        return Parcel(self._name, receiver, first, content, leases)

    def acknowledge(self, receiver: str, number: int) -> None:
        """A shard has committed the items up to a number."""
        self._outbox.acknowledge(receiver, number)

    # ---- what has come in ----

    @property
    def received(self) -> int:
        """How many items of others were ever applied."""
        return self._inbox.total

    @property
    def is_waiting(self) -> bool:
        """Whether something has come in that was not applied yet."""
        return bool(self._arrived)

    def receive(self, parcel: Parcel) -> asyncio.Future[int]:
        """A parcel has come in. Returns what will be safe with a commit; at once if there is nothing to apply."""
        receipt: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        arrived = _Arrived(parcel.sender, parcel.first, deque(parcel.items()), receipt)
        if self._is_closed or not arrived.items:
            receipt.set_result(self._inbox.safe(parcel.sender))
        else:
            self._arrived.append(arrived)
        return receipt

    def apply(self, apply: Callable[[Sequence[items.Item]], None], most: int) -> None:
        """Let what has come in have its effect, about so many items of it: each once, in order, some together."""
        while self._arrived and most > 0:
            parcel = self._arrived[0]
            while parcel.items and most > 0:
                for content in self._inbox.accept(parcel.sender, parcel.number, [parcel.items.popleft()]):
                    found = items.unpack(content)
                    apply(found)
                    most -= len(found)
                parcel.number += 1
            if not parcel.items:
                self._applied.append(self._arrived.popleft())
        self._answer()

    def _answer(self) -> None:
        """Answer those parcels of which everything that was applied is safe."""
        if not self._applied:
            return
        left, applied = [], self._inbox.applied()
        for parcel in self._applied:
            if self._inbox.safe(parcel.sender) < applied.get(parcel.sender, 0):
                left.append(parcel)
            elif not parcel.receipt.done():
                parcel.receipt.set_result(self._inbox.safe(parcel.sender))
        self._applied = left

    def close(self) -> None:
        """Answer all parcels with what is safe: nothing is applied any more."""
        self._is_closed = True
        for parcel in (*self._arrived, *self._applied):
            if not parcel.receipt.done():
                parcel.receipt.set_result(self._inbox.safe(parcel.sender))

    # ---- commits ----

    def statements(self) -> tuple[Statement, ...]:
        """What a commit writes."""
        new, deleted, sent = self._outbox.take_changes()
        applied = self._inbox.applied()
        self._writing = sent, applied
        names = sent.keys() | applied.keys()
        channels = [(name, sent.get(name, 0), applied.get(name, 0)) for name in sorted(names)]
        return (
            ("INSERT INTO outbox VALUES (?, ?, ?)", new),
            ("DELETE FROM outbox WHERE receiver = ? AND seq <= ?", deleted),
            ("INSERT OR REPLACE INTO channels VALUES (?, ?, ?)", channels),
        )

    def committed(self) -> bool:
        """What `statements` returned is on disk. Returns False if it has been told before."""
        if self._writing is None:
            return False
        sent, applied = self._writing
        self._writing = None
        self._outbox.committed(sent)
        self._inbox.committed(applied)
        self._answer()
        return True
