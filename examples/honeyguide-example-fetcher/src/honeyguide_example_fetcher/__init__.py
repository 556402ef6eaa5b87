"""A fetcher that keeps answers on disk, for crawls that are repeated while a topic takes shape.

In a topic file:

    [fetch]
    fetcher = "cached"

The answers are in the file that the environment variable HONEYGUIDE_CACHE names, else in answers.sqlite.
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
    """Answers what was fetched before from a file, and asks another fetcher for everything else.

    The crawl does not know the difference: it keeps its pauses, and dates a page by when it was really fetched.
    """

    def __init__(self, inner: Fetcher, answers: sqlite3.Connection) -> None:
        self._inner = inner
        self._answers = answers

    async def fetch(self, request: Request) -> Response | Failure:
        """Look the URL up; if it is new, fetch it, and keep what will be the same next time."""
        sql = "SELECT head, body, raw FROM answers WHERE url = ?"
        known = self._answers.execute(sql, [request.url]).fetchone()
        if known is not None:
            return _response(*known)
        result = await self._inner.fetch(request)
        if isinstance(result, Response) and _is_lasting(result):
            row = (request.url, _head(result), result.body, result.raw)
            with suppress(sqlite3.Error):  # a full disk: then it is fetched again next time
                self._answers.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", row)
        return result

    async def close(self) -> None:
        """Close the file, and the other fetcher."""
        self._answers.close()
        await self._inner.close()


def _is_lasting(response: Response) -> bool:
    """Neither an error that may pass, nor an answer whose body was not read, or not to its end."""
    return response.status < 500 and response.status != 429 and not response.skipped and not response.truncated


def _head(response: Response) -> str:
    """All of an answer but its body."""
    fields = asdict(response)
    return json.dumps({name: fields[name] for name in fields if name not in {"body", "raw", "_lower"}})


def _response(head: str, body: bytes, raw: bytes) -> Response:
    fields = json.loads(head)
    for name in ("headers", "request_headers"):
        fields[name] = tuple((key, value) for key, value in fields[name])
    return Response(**fields, body=body, raw=raw)


def open_answers(path: str) -> sqlite3.Connection:
    """The file of answers, which is made if need be. Raises `InputError` when it cannot be used."""
    try:
        answers = sqlite3.connect(path, isolation_level=None)
        try:
            answers.execute("PRAGMA synchronous = OFF")  # what a power cut costs is fetched again
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


CACHED = FetcherSpec("cached", "the live web, with answers kept on disk", _make)
