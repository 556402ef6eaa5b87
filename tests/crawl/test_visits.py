"""Visits in progress: none is forgotten, whenever it completes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from honeyguide.crawl.readers import InProcessReaders, reader_config
from honeyguide.crawl.visits import Visits
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reading
from honeyguide.topic.material import material_of

from .kit import PaperWeb, about, run, topic

HOME = "http://home.example/"
TOPIC = topic([HOME])


def test_a_visit_is_in_progress_until_it_is_collected() -> None:
    async def main() -> None:
        web = PaperWeb({f"{HOME}{place}": about("honey") for place in range(3)})
        visits = Visits(web, InProcessReaders(reader_config(TOPIC, make_model(material_of(TOPIC)))))
        for place in range(3):
            visits.visit_page(place, f"{HOME}{place}", patient=False)
        for _ in range(10):
            await asyncio.sleep(0)
        assert not list(visits.in_progress())
        assert len(visits) == 3
        assert len(await visits.ended(0.0)) == 3
        assert not visits

    asyncio.run(main())


class StaggeredWeb(PaperWeb):
    """Each answer takes somewhat longer than the one before, and always less than it takes to read a page."""

    async def fetch(self, request: Request) -> Response | Failure:
        found = await super().fetch(request)
        for _ in range(len(self.asked)):
            await asyncio.sleep(0)
        return found


def test_a_crawl_does_not_end_before_visits_that_complete_while_a_page_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model of a crawl with keywords alone learns from its first 20 pages, while the last ones are in flight."""
    read = InProcessReaders.read

    async def read_slowly(self: InProcessReaders, document: Document) -> Reading:
        for _ in range(100):
            await asyncio.sleep(0)
        return await read(self, document)

    monkeypatch.setattr(InProcessReaders, "read", read_slowly)
    pages = {f"http://h{place}.example/": about(f"honey bee {place}") for place in range(22)}
    pages[HOME] = about("honey", *pages)
    web = StaggeredWeb(pages)
    outcome = run(topic([HOME], fetch={"connections": 16}), tmp_path, lambda: web)
    assert (outcome.stop.kind, outcome.tally.pages) == ("exhausted", 23)
