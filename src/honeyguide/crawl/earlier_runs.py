"""What earlier runs of a crawl have found, according to its database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from honeyguide.frontier import State
from honeyguide.page.blocklist import BLOCKED
from honeyguide.page.listing import INDEX
from honeyguide.store.database import Database
from honeyguide.store.tally import Tally
from honeyguide.store.url_events import FOUND_LISTING, LISTING


class EarlierRuns:
    """Answers queries from committed data."""

    _database: Database
    tally: Tally

    def copies(self) -> Iterable[tuple[int, int | None]]:
        """The pages of earlier runs, in their order, each with the earlier page that it duplicates."""
        return self._database.query("SELECT id, duplicate_of FROM pages ORDER BY seq")

    def redirected_from(self, sources: Iterable[int]) -> set[int]:
        """The URLs that some URLs redirected to, directly or indirectly, according to earlier runs."""
        leads_to = dict(self._database.query("SELECT source, target FROM redirects"))
        reached: set[int] = set()
        for number in sources:
            target = leads_to.get(number)
            while target is not None and target not in reached:
                reached.add(target)
                target = leads_to.get(target)
        return reached

    def indexes(self) -> Iterable[tuple[int, int, int]]:
        """The sitemap indexes that earlier runs found, each with the first and the count of its new URLs."""
        return ((number, one["first"], one["new"]) for number, one in self._events(LISTING) if one["form"] == INDEX)

    def dropped(self) -> Iterable[int]:
        """The URLs that earlier runs refused because they were blocked, and that are still refused."""
        if not self.tally.refused[BLOCKED]:
            return ()
        sql = """
            SELECT refused.url FROM urls JOIN (
                SELECT url, max(id), json_extract(detail, '$.reason') AS reason
                FROM events WHERE kind = 'refused' GROUP BY url
            ) AS refused ON refused.url = urls.id WHERE urls.state = ? AND refused.reason = ?
        """
        return [number for (number,) in self.query(sql, int(State.REFUSED), BLOCKED)]

    def outcomes(self) -> Iterable[tuple[int, float, bool]]:
        """The pages of earlier runs: number, relevance, and whether each counts as found."""
        sql = "SELECT id, relevance, relevant AND duplicate_of IS NULL FROM pages"
        return ((number, relevance, bool(counts)) for number, relevance, counts in self.query(sql))

    def listings_found(self) -> Iterable[tuple[int, str, int]]:
        """The sitemaps and feeds that earlier runs found, in order: number, referring host, and level."""
        for number, detail in self._events(FOUND_LISTING):
            yield number, detail["host"], detail["level"]

    def listings_read(self) -> Iterable[tuple[int, str, float, int]]:
        """The sitemaps and feeds that earlier runs read, once per reading: number, form, time, number of new URLs."""
        for number, time, text in self.query(
            "SELECT url, time, detail FROM events WHERE kind = ? ORDER BY id", LISTING
        ):
            detail = json.loads(text)
            yield number, detail["form"], time, detail["new"]

    def _events(self, kind: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for number, detail in self.query("SELECT url, detail FROM events WHERE kind = ? ORDER BY id", kind):
            yield number, json.loads(detail)

    def query(self, sql: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        """The rows of a query on committed data."""
        return self._database.query(sql, *values)
