"""Runs with --again read sitemaps once more, for what they did not list before."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from typer.testing import CliRunner

from honeyguide.cli.main import app
from honeyguide.crawl import crawler
from honeyguide.fetch.base import Failure, Request, Response

from .kit import about, check_archive, check_tables, rows, topic
from .living import HOST, Killed, Living, LivingWeb, SetClock, pages

MAP = f"{HOST}/sitemap.xml"
READ = "SELECT count(*) FROM events WHERE kind = 'listing'"


class ListedWeb(LivingWeb):
    """Pages, of which those in `listed` are in a sitemap that robots.txt names."""

    def __init__(self) -> None:
        super().__init__(pages(), SetClock())
        self.listed: list[str] = ["/1"]

    async def fetch(self, request: Request) -> Response | Failure:
        found = await super().fetch(request)
        assert isinstance(found, Response)
        body, kind = b"", ""
        if request.url == MAP:
            entries = "".join(f"<url><loc>{HOST}{path}</loc></url>" for path in self.listed)
            space = "http://www.sitemaps.org/schemas/sitemap/0.9"
            body, kind = f'<?xml version="1.0"?><urlset xmlns="{space}">{entries}</urlset>'.encode(), "application/xml"
        elif request.url == f"{HOST}/robots.txt":
            body, kind = f"User-agent: *\nAllow: /\nSitemap: {MAP}\n".encode(), "text/plain"
        if kind:
            return Response(request.url, 200, "", (("Content-Type", kind),), body, body, (), started=found.started)
        return found

    def publish(self, *names: str) -> None:
        """Add pages that only the sitemap knows."""
        self.pages.update({f"{HOST}/{name}": about(f"honey bee news {name}") for name in names})
        self.listed += [f"/{name}" for name in names]


@pytest.fixture
def living(tmp_path: Path) -> Living:
    # The pages are not due again: chance 1.
    crawl = Living(
        tmp_path / "test", ListedWeb(), lambda **tables: topic([f"{HOST}/"], revisit={"chance": 1.0}, **tables)
    )
    assert crawl.crawl().tally.pages == 7
    assert rows(crawl.folder, READ) == [(1,)]
    return crawl


def new_pages(folder: Path) -> list[str]:
    found = rows(folder, "SELECT url FROM pages JOIN urls USING (id) WHERE url LIKE '%/new%' ORDER BY url")
    return [url.rpartition("/")[2] for (url,) in found]


def test_what_a_sitemap_lists_anew_is_fetched(living: Living) -> None:
    assert isinstance(living.web, ListedWeb)
    living.web.publish("new1", "new2")
    living.again(2.0)
    assert living.web.asked_pages.count(MAP) == 1
    assert new_pages(living.folder) == ["new1", "new2"]
    assert rows(living.folder, "SELECT state FROM urls WHERE url = ?", MAP) == [(2,)]
    check_tables(living.folder)
    check_archive(living.folder)
    # And repair finds the same.
    kept = "SELECT url, relevance, warc_offset FROM pages JOIN urls USING (id) ORDER BY seq"
    before = rows(living.folder, kept)
    (living.folder / "crawl.sqlite").unlink()
    result = CliRunner().invoke(app, ["repair", str(living.folder)])
    assert result.exit_code == 0, result.output
    assert rows(living.folder, kept) == before
    assert rows(living.folder, READ) == [(2,)]
    parent = "SELECT parents.url FROM urls JOIN urls AS parents ON parents.id = urls.parent WHERE urls.url = ?"
    assert rows(living.folder, parent, f"{HOST}/new1") == [(MAP,)]


def test_it_is_read_once_a_day_at_most_and_more_rarely_if_nothing_is_new(living: Living) -> None:
    read = []
    for _ in range(10):
        living.again(1.001)
        read.append(MAP in living.web.asked_pages)
    # After a day, then two, then four
    assert read == [True, False, True, False, False, False, True, False, False, False]
    living.again(0.2)
    assert MAP not in living.web.asked_pages


def test_a_run_without_again_does_not_read_it_again(living: Living) -> None:
    living.web.clock.time += 30 * 86_400.0
    living.web.asked.clear()
    living.crawl()
    assert living.web.asked_pages == []


def test_with_sitemaps_never_none_is_read_again(living: Living) -> None:
    living.again(30.0, tables={"scope": {"sitemaps": "never"}})
    assert MAP not in living.web.asked_pages


def test_an_interrupted_run_is_made_up_for_by_the_next(living: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(living.web, ListedWeb)
    living.web.publish("new1", "new2", "new3")
    monkeypatch.setattr(crawler, "COMMIT_EVERY", 0.0)
    for run in range(9):
        living.web.dies_at = 2 + run
        with suppress(Killed):
            living.again(0.0 if run else 2.0)
            break
    assert run
    assert new_pages(living.folder) == ["new1", "new2", "new3"]
    assert rows(living.folder, "SELECT count(*) FROM urls WHERE state <> 2") == [(0,)]
    check_tables(living.folder)
    check_archive(living.folder)
