"""SIGKILL at random moments of runs with --again: versions, pages and archive end as if there had been none."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1
from pathlib import Path

from benchmarks.reliability.crawlers import Crawlers, crawlers_in
from benchmarks.reliability.kills import differences

from honeyguide.proxy.answer import NOT_FOUND, Answer, html, plain
from honeyguide.proxy.server import ProxyRequest, ProxyServer
from honeyguide.store.archive import archive_files

from .kit import about, rows

HOSTS, PER_HOST, NEW = 4, 10, 4
VERSIONS = "SELECT url, versions.digest FROM versions JOIN urls USING (id) ORDER BY url, versions.seq"


class EditedWeb:
    """Pages on four hosts, of which a third is edited, some disappear and some appear when `is_later` is set."""

    def __init__(self) -> None:
        self.is_later = False
        self.asked = 0

    def answer(self, request: ProxyRequest) -> Answer:
        if request.target == "/robots.txt":
            return plain("")
        self.asked += 1
        host, number = request.host.split(".")[0], int(request.target[1:] or 0)
        if number >= PER_HOST + (NEW if self.is_later else 0) or (self.is_later and number == PER_HOST - 1):
            return NOT_FOUND
        edition = " in its second edition" if self.is_later and number % 3 == 0 else ""
        links = [f"/{one}" for one in range(1, PER_HOST + (NEW if self.is_later else 0))] if not number else []
        page = html(about(f"honey bee page {number} of {host}{edition}", *links))
        etag = f'"{sha1(page.body, usedforsecurity=False).hexdigest()}"'
        if request.headers.get("if-none-match") == etag:
            return Answer(304, (("ETag", etag),))
        return Answer(200, (*page.headers, ("ETag", etag)), page.body)


@contextmanager
def serving(web: EditedWeb) -> Iterator[str]:
    """Serves a web from a thread; yields its address."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = ProxyServer(web.answer)
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    try:
        yield server.address
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def run_to_its_end(crawlers: Crawlers, out: str, *more: str) -> None:
    crawlers.start(out, *more)
    code, said = crawlers.wait()
    assert code == 0, said


def test_killed_while_it_visits_pages_again_it_ends_as_if_undisturbed(tmp_path: Path) -> None:
    """With an archive in Zstandard, whose last frame a kill cuts in two."""
    web, draw = EditedWeb(), random.Random(1)
    with serving(web) as address, crawlers_in(tmp_path) as crawlers:
        (tmp_path / "topic.toml").write_text(
            f"""
            name = "demo"
            seeds = {json.dumps([f"http://h{host}.example/" for host in range(HOSTS)])}
            keywords = ["honey", "bee"]
            budget = {{ pages = 0 }}
            revisit = {{ chance = 0.0, soonest = 0.0 }}
            [fetch]
            proxy = "{address}"
            allow_networks = ["127.0.0.0/8"]
            delay = 0.01
            domain_delay = 0.0
            ip_delay = 0.0
            [store]
            compression = "zstd"
            """
        )
        run_to_its_end(crawlers, "killed")
        killed, undisturbed = tmp_path / "killed/demo", tmp_path / "undisturbed/demo"
        shutil.copytree(killed, undisturbed)
        web.is_later = True
        run_to_its_end(crawlers, "undisturbed", "--again")
        seen: set[tuple[str, str]] = set()
        for _ in range(5):
            enough = web.asked + draw.randrange(1, 40)
            pid = crawlers.start("killed", "--again")
            while web.asked < enough and Path(f"/proc/{pid}").exists():
                threading.Event().wait(0.001)
            crawlers.kill(pid)
            known = set(rows(killed, VERSIONS))
            assert seen <= known, "a version that had been written was lost"
            seen = known
        run_to_its_end(crawlers, "killed", "--again")

    assert differences(killed, undisturbed) == []
    assert [path.suffix for path in archive_files(killed)] == [".zst"] * len(archive_files(killed))
    # One version of each edited page, however often it was visited, and the old one at that.
    edited = HOSTS * len(range(0, PER_HOST - 1, 3))
    assert rows(killed, VERSIONS) == rows(undisturbed, VERSIONS)
    assert len(rows(killed, VERSIONS)) == edited
    assert rows(killed, "SELECT count(*) FROM pages") == [(HOSTS * (PER_HOST + NEW),)]
    gone = "SELECT count(DISTINCT url) FROM events WHERE kind = 'again' AND json_extract(detail, '$.result') = 'gone'"
    assert rows(killed, gone) == [(HOSTS,)]
