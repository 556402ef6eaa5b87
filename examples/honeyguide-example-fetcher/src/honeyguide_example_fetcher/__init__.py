"""A fetcher that caches responses on disk, for crawls that are repeated while a topic is being developed.

In a topic file:

    [fetch]
    fetcher = "cached"

The cache is the file named by the environment variable HONEYGUIDE_CACHE; by default answers.sqlite.
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import suppress
from dataclasses import asdict

from honeyguide.errors import InputError
from honeyguide.fetch.base import Failure, Fetcher, Request, Response
from honeyguide.fetch.registry import FetcherSpec, fetcher_named
from honeyguide.fetch.settings import FetchSettings

_TABLE = "CREATE TABLE IF NOT EXISTS answers (url TEXT PRIMARY KEY, head TEXT, body BLOB, raw BLOB) WITHOUT ROWID"


class CachedFetcher(Fetcher):
    """Returns responses from a file if they were fetched before, and uses another fetcher for everything else.

    The crawl sees no difference: it keeps its delays, and a page keeps the date when it was actually fetched.
    """

    def __init__(self, inner: Fetcher, answers: sqlite3.Connection) -> None:
        self._inner = inner
        self._answers = answers

    async def fetch(self, request: Request) -> Response | Failure:
        """Look up the URL; if it is new, fetch it, and store the response unless it may be temporary."""
        sql = "SELECT head, body, raw FROM answers WHERE url = ?"
        known = self._answers.execute(sql, [request.url]).fetchone()
        if known is not None:
            return _response(*known)
        result = await self._inner.fetch(request)
        if isinstance(result, Response) and _is_lasting(result):
            row = (request.url, _head(result), result.body, result.raw)
            with suppress(sqlite3.Error):  # such as a full disk: it is fetched again next time
                self._answers.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row)
        return result

    async def close(self) -> None:
        """Close the file, and the other fetcher."""
        self._answers.close()
        await self._inner.close()


def _is_lasting(response: Response) -> bool:
    """Whether a response is neither a temporary error nor one whose body was skipped or truncated."""
    return response.status < 500 and response.status != 429 and not response.skipped and not response.truncated


def _head(response: Response) -> str:
    """All of a response except its body."""
    fields = asdict(response)
    return json.dumps({name: fields[name] for name in fields if name not in {"body", "raw", "_lower"}})


def _response(head: str, body: bytes, raw: bytes) -> Response:
    fields = json.loads(head)
    for name in ("headers", "request_headers"):
        fields[name] = tuple((key, value) for key, value in fields[name])
    return Response(**fields, body=body, raw=raw)


def open_answers(path: str) -> sqlite3.Connection:
    """Open the cache file, creating it if necessary. Raises `InputError` if it cannot be used."""
    try:
        answers = sqlite3.connect(path, isolation_level=None)
        try:
            answers.execute("PRAGMA synchronous = OFF")  # what a power failure loses is fetched again
            answers.execute(_TABLE)
        except sqlite3.Error:
            answers.close()
            raise
    except sqlite3.Error as error:
        raise InputError("HONEYGUIDE_CACHE", f"{path} cannot be used: {error}", "name another file") from None
    return answers


def _make(settings: FetchSettings) -> CachedFetcher:
    answers = open_answers(os.environ.get("HONEYGUIDE_CACHE", "answers.sqlite"))
    return CachedFetcher(fetcher_named("http").make(settings), answers)


CACHED = FetcherSpec("cached", "the live web, with responses cached on disk", _make)
