"""Reading in other processes: the same crawl, whatever happens to them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import uvloop

from honeyguide.crawl.readers import ReadError, reader_config
from honeyguide.crawl.session import Session
from honeyguide.crawl.worker_readers import WorkerReaders
from honeyguide.demo import DemoFetcher, DemoWeb, run_in_process
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.topic.material import material_of

from .kit import PaperWeb, about, check_archive, check_tables, crawlers_in, rows, run, topic

HOME = "http://home.example/"
PATIENCE = 60.0
TOPIC = topic([HOME])
MODEL = make_model(material_of(TOPIC))
PAGES = (
    "SELECT urls.url, status, digest, title, language, words, links, relevance, relevant, left_out FROM pages "
    "JOIN urls USING (id) LEFT JOIN readings ON page = pages.id ORDER BY url"
)


def test_pages_are_read_in_the_language_of_the_topic() -> None:
    assert reader_config(topic([HOME], relevance={"language": "german"}), MODEL).language == "german"


def test_any_number_of_workers_gives_the_same_crawl(tmp_path: Path) -> None:
    web = DemoWeb(pages=150, page_kb=2.0)
    subject = web.subjects[0]
    wanted = topic(web.seeds(subject), ", ".join(web.keywords(subject)), fetch={"connections": 8})
    found = []
    for workers in (0, 1, 2):
        folder = tmp_path / str(workers)
        outcome = run(wanted, folder, lambda: DemoFetcher(web), workers=workers)
        assert outcome.tally.pages == 150
        check_tables(folder)
        found.append(rows(folder, PAGES))
    assert found[0] == found[1] == found[2]


# ---- workers that die ----


def workers_of(pid: int) -> list[int]:
    """The process numbers of the workers of a crawler."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            command = (entry / "cmdline").read_bytes()
        except OSError:  # it has just ended
            continue
        if parent == pid and b"honeyguide.crawl.worker" in command:
            found.append(int(entry.name))
    return found


def is_alive(pid: int) -> bool:
    """Whether a process runs: one that has ended may be listed for as long as nobody asks how."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Assassin(PaperWeb):
    """Halts the workers at one page, so that they hold what they were given, and kills them at a later one."""

    async def fetch(self, request: Request) -> Response | Failure:
        deed = {10: signal.SIGSTOP, 20: signal.SIGKILL}.get(len(self.asked_pages))
        if deed and not request.url.endswith("/robots.txt"):
            for worker in workers_of(os.getpid()):
                os.kill(worker, deed)
        return await super().fetch(request)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_worker_that_is_killed_costs_nothing(tmp_path: Path, workers: int, caplog: pytest.LogCaptureFixture) -> None:
    pages = {HOME: about("honey", *(f"http://h{place}.example/" for place in range(60)))}
    pages |= {f"http://h{place}.example/": about(f"honey bee {place}") for place in range(60)}
    web = Assassin(pages)
    wanted = topic([HOME], fetch={"connections": 24})
    outcome = run(wanted, tmp_path, lambda: web, workers=workers)
    assert (outcome.stop.kind, outcome.tally.pages, dict(outcome.tally.errors)) == ("exhausted", 61, {})
    assert sorted(web.asked_pages) == sorted(pages)
    check_tables(tmp_path)
    check_archive(tmp_path)
    assert workers_of(os.getpid()) == []
    died = [record for record in caplog.records if record.name == "honeyguide.crawl"]
    # One that is killed when nothing is left to read may not be missed before the crawl ends.
    assert {record.levelname for record in died} == {"WARNING"}
    assert len(died) <= workers
    assert sum(vars(record)["unread"] for record in died) > 0


def test_workers_end_with_a_crawler_that_is_killed(tmp_path: Path) -> None:
    web = DemoWeb(pages=100, page_kb=1.0)
    with run_in_process(web) as server, crawlers_in(tmp_path) as crawlers:
        (tmp_path / "topic.toml").write_text(
            f"""
            seeds = ["{web.seeds(web.subjects[0])[0]}"]
            keywords = ["page"]
            [fetch]
            proxy = "{server.address}"
            allow_networks = ["127.0.0.0/8"]
            """
        )
        pid = crawlers.start("out", "--workers", "2")
        give_up = time.monotonic() + PATIENCE
        while len(workers := workers_of(pid)) < 2:
            assert time.monotonic() < give_up, crawlers.said()
            time.sleep(0.002)
        assert os.getpgid(pid) not in map(os.getpgid, workers)  # Ctrl-C is for the crawl alone
        crawlers.kill(pid)
        while any(map(is_alive, workers)):
            assert time.monotonic() < give_up, "they live on"
            time.sleep(0.002)
        assert crawlers.said() == ""  # they had nothing to complain about


class Deadly(Document):
    """A document that ends the process that takes it from the line."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


def read_all(documents: list[Document], workers: int = 1) -> list[Reading | BaseException]:
    async def main() -> list[Reading | BaseException]:
        readers = WorkerReaders(reader_config(TOPIC, MODEL), workers)
        await readers.start()
        try:
            return await asyncio.gather(*map(readers.read, documents), return_exceptions=True)
        finally:
            await readers.close()

    return uvloop.run(main())


def test_a_document_that_ends_its_worker_costs_only_itself() -> None:
    fine = [Document(f"{HOME}{place}", about(f"honey {place}").encode()) for place in range(4)]
    results = read_all([fine[0], fine[1], Deadly(HOME, b""), fine[2], fine[3]])
    deadly = results.pop(2)
    assert isinstance(deadly, ReadError)
    assert str(deadly) == "crashes the process that reads it"
    assert results == [Reader(reader_config(TOPIC, MODEL)).read(document) for document in fine]


def test_a_worker_that_cannot_be_started_ends_the_crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(HoneyguideError, match="a worker process could not be started"):
        run(TOPIC, tmp_path, lambda: PaperWeb({HOME: about("honey")}), workers=2)


def test_a_topic_that_cannot_be_read_for_is_refused_before_any_worker_starts(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only stop words"):
        Session(topic([HOME], "the, and"), tmp_path, workers=1)


def test_a_page_that_cannot_be_read_is_kept_and_its_host_not_blamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = range(8)
    pages = {HOME: about("honey", *(f"/{place}" for place in places))}
    pages |= {f"{HOME}{place}": about(f"bee {place}") for place in places}
    read = Reader.read

    def choosy(self: Reader, document: Document) -> Reading:
        if document.url != HOME and int(document.url[-1]) < 6:
            raise ZeroDivisionError("a fault of ours")
        return read(self, document)

    monkeypatch.setattr(Reader, "read", choosy)
    outcome = run(TOPIC, tmp_path, lambda: PaperWeb(pages))
    # More than five in a row fail: were the host to blame, it would rest now, and the others would wait.
    assert (outcome.stop.kind, outcome.tally.pages, dict(outcome.tally.errors)) == ("exhausted", 3, {"reader": 6})
    detail = "SELECT DISTINCT detail FROM events WHERE kind = 'failed'"
    assert rows(tmp_path, detail) == [('{"kind": "reader", "detail": "ZeroDivisionError: a fault of ours"}',)]
    check_tables(tmp_path)
    check_archive(tmp_path)  # where every answer is
