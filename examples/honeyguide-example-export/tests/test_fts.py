"""A crawl of the demo web is exported, and can be searched."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import honeyguide
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.export import export

NO_PAUSES = {"robots": False, "delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0}


def test_pages_can_be_searched(tmp_path: Path) -> None:
    web = DemoWeb(pages=300, page_kb=1.0)
    subject = web.subjects[0]
    seeds, words = web.seeds(subject), web.keywords(subject)
    topic = honeyguide.Topic.make(name="demo", seeds=seeds, keywords=words, budget={"pages": 20}, fetch=NO_PAUSES)
    found = list(honeyguide.crawl(topic, out=tmp_path, fetcher=lambda: DemoFetcher(web)))
    with honeyguide.Crawl.open(tmp_path / "demo") as crawl:
        assert export(crawl, "fts", tmp_path / "pages.sqlite") == len(found) > 0
    with closing(sqlite3.connect(tmp_path / "pages.sqlite")) as database:
        query = "SELECT url FROM pages WHERE pages MATCH ? ORDER BY rank"
        hits = {url for (url,) in database.execute(query, [" OR ".join(words)])}
    assert hits
    assert hits <= {page.url for page in found}
