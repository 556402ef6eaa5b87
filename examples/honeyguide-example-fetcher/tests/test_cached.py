"""Nothing is requested twice, even by a later run; temporary errors are retried."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from honeyguide_example_fetcher import CachedFetcher, open_answers

from honeyguide.errors import InputError
from honeyguide.fetch.base import Failure, Fetcher, Request, Response


class Counting(Fetcher):
    """A web that counts the requests it gets."""

    def __init__(self, status: int = 200) -> None:
        self.status = status
        self.asked: list[str] = []

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request.url)
        headers = (("Content-Type", "text/html"),)
        return Response(request.url, self.status, "", headers, b"page", b"page", (), started=7.0)

    async def close(self) -> None:
        pass


def fetched(inner: Counting, path: Path, *urls: str) -> list[Response | Failure]:
    async def run() -> list[Response | Failure]:
        fetcher = CachedFetcher(inner, open_answers(str(path)))
        results = [await fetcher.fetch(Request(url)) for url in urls]
        await fetcher.close()
        return results

    return asyncio.run(run())


def test_an_answer_is_kept(tmp_path: Path) -> None:
    web, path = Counting(), tmp_path / "answers.sqlite"
    first, again = fetched(web, path, "http://a.example/", "http://a.example/")
    (later,) = fetched(web, path, "http://a.example/")
    assert web.asked == ["http://a.example/"]
    assert first == again == later
    assert isinstance(later, Response)
    assert (later.header("content-type"), later.started) == ("text/html", 7.0)


def test_an_error_that_may_pass_is_not(tmp_path: Path) -> None:
    web = Counting(status=503)
    fetched(web, tmp_path / "answers.sqlite", "http://a.example/", "http://a.example/")
    assert len(web.asked) == 2


def test_a_file_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no database, but long enough to be taken for one " * 100)
    with pytest.raises(InputError, match=r"HONEYGUIDE_CACHE: .*notes\.txt cannot be used"):
        open_answers(str(tmp_path / "notes.txt"))
