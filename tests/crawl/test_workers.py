"""Reading in other processes: the same crawl, whatever happens to them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import uvloop

from honeyguide.crawl import worker_process
from honeyguide.crawl.readers import ReadError, reader_config
from honeyguide.crawl.session import Session
from honeyguide.crawl.worker_process import ReadingLimits, WorkerLostError, WorkerProcess
from honeyguide.crawl.worker_readers import WorkerReaders
from honeyguide.demo import DemoWeb, run_in_process
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.errors import HoneyguideError, InputError, PluginError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.topic.material import material_of

from .hostile import CRASH, GORGE, HANG, SHOT, Obedient
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
    # With a model that does not learn from the crawl's pages: which come first depends on how soon they are read.
    wanted = topic(
        web.seeds(subject), ", ".join(web.keywords(subject)), fetch={"connections": 8}, relevance={"model": "vsm"}
    )
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


def test_what_is_sent_to_a_worker_that_has_died_is_refused_as_lost() -> None:
    """However late: the connection may be closed by then, which uvloop reports in a way of its own."""

    async def main() -> None:
        worker = await WorkerProcess.launch(reader_config(TOPIC, MODEL), ReadingLimits())
        try:
            (number,) = workers_of(os.getpid())
            os.kill(number, signal.SIGKILL)
            with pytest.raises(WorkerLostError):
                await worker.receive()
            with suppress(WorkerLostError):  # the first may still be accepted
                await worker.send([Document(HOME, b"honey")])
            await asyncio.sleep(0)
            with pytest.raises(WorkerLostError):
                await worker.send([Document(HOME, b"honey")])
        finally:
            await worker.stop()

    uvloop.run(main())


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
        pid = crawlers.start("out", workers=2)
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


# ---- pages that harm the process that reads them ----

LIMITS = ReadingLimits(seconds=1.0, memory=1 << 28)


@pytest.fixture(autouse=True)
def tests_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """By workers, too: they look where this process does."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))


def read_all(documents: list[Document], model: Relevance = MODEL) -> list[Reading | BaseException]:
    async def main() -> list[Reading | BaseException]:
        readers = WorkerReaders(reader_config(TOPIC, model), 1, LIMITS)
        await readers.start()
        try:
            return await asyncio.gather(*map(readers.read, documents), return_exceptions=True)
        finally:
            await readers.close()

    return uvloop.run(main())


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        (HANG, "took longer than 1 s to read"),
        (GORGE, "needs more than 256 MiB to read"),
        (CRASH, "crashes the process that reads it"),
    ],
)
def test_a_page_that_harms_its_worker_costs_only_itself(tmp_path: Path, word: str, problem: str) -> None:
    model = Obedient(str(tmp_path))
    fine = [Document(f"{HOME}{place}", about(f"honey {place}").encode()) for place in range(20)]
    results = read_all([*fine[:5], Document(f"{HOME}harmful", about(word).encode()), *fine[5:]], model)
    harmful = results.pop(5)
    assert isinstance(harmful, ReadError)
    assert str(harmful) == problem
    reader = Reader(reader_config(TOPIC, model))
    assert results == [reader.read(document) for document in fine]


def test_a_page_is_not_to_blame_for_a_worker_that_was_killed(tmp_path: Path) -> None:
    model = Obedient(str(tmp_path))
    documents = [Document(f"{HOME}{place}", about(f"honey {place}").encode()) for place in range(4)]
    documents[2] = Document(f"{HOME}2", about(f"honey {SHOT}").encode())
    results = read_all(documents, model)
    assert results == [Reader(reader_config(TOPIC, model)).read(document) for document in documents]


def test_a_document_that_cannot_even_be_received() -> None:
    (deadly,) = read_all([Document(HOME, bytes(2 * LIMITS.memory))])
    assert isinstance(deadly, ReadError)
    assert str(deadly) == "crashes the process that reads it"


def test_a_harmful_page_in_a_crawl_fails_and_is_kept(tmp_path: Path) -> None:
    pages = {HOME: about("honey", "/bad", "/good"), f"{HOME}bad": about(CRASH), f"{HOME}good": about("honey bee")}
    outcome = run(TOPIC, tmp_path / "crawl", lambda: PaperWeb(pages), workers=1, model=Obedient(str(tmp_path)))
    assert (outcome.stop.kind, outcome.tally.pages, dict(outcome.tally.errors)) == ("exhausted", 2, {"reader": 1})
    ((detail,),) = rows(tmp_path / "crawl", "SELECT detail FROM events WHERE kind = 'failed'")
    assert "crashes the process that reads it" in detail
    check_tables(tmp_path / "crawl")
    check_archive(tmp_path / "crawl")


def hang_and_die(folder: Path) -> None:
    """Be a crawl that is killed while its worker hangs; says which worker."""

    async def main() -> None:
        config = reader_config(TOPIC, Obedient(str(folder)))
        worker = await WorkerProcess.launch(config, ReadingLimits(seconds=0.2))
        await worker.send([Document(HOME, about(HANG).encode())])
        print(*workers_of(os.getpid()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(main())


def test_a_worker_that_hangs_ends_after_a_crawl_that_was_killed(tmp_path: Path) -> None:
    program = f"from pathlib import Path; from {__name__} import hang_and_die; hang_and_die(Path({str(tmp_path)!r}))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    worker = int(done.stdout)
    give_up = time.monotonic() + PATIENCE
    while is_alive(worker):
        assert time.monotonic() < give_up, "it hangs for ever"
        time.sleep(0.01)


class Sheriff(PaperWeb):
    """Stops the workers at one page, for good."""

    async def fetch(self, request: Request) -> Response | Failure:
        if len(self.asked_pages) == 10 and not request.url.endswith("/robots.txt"):
            for worker in workers_of(os.getpid()):
                os.kill(worker, signal.SIGSTOP)
        return await super().fetch(request)


def test_a_worker_that_is_stopped_is_replaced(tmp_path: Path) -> None:
    pages = {HOME: about("honey", *(f"http://h{place}.example/" for place in range(30)))}
    pages |= {f"http://h{place}.example/": about(f"honey bee {place}") for place in range(30)}
    wanted = topic([HOME], fetch={"connections": 4})
    outcome = run(wanted, tmp_path, lambda: Sheriff(pages), workers=1, limits=LIMITS)
    assert (outcome.stop.kind, outcome.tally.pages, dict(outcome.tally.errors)) == ("exhausted", 31, {})
    assert workers_of(os.getpid()) == []


def test_a_worker_that_never_gets_ready_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = tmp_path / "python"
    stopped.write_text("#!/bin/sh\nkill -STOP $$\n")
    stopped.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(stopped))
    monkeypatch.setattr(worker_process, "_START_TIMEOUT", 0.1)
    (result,) = read_all([Document(HOME, b"")])
    assert isinstance(result, HoneyguideError)
    assert str(result) == "a worker process could not be started; --workers 0 crawls without one"


def test_a_model_that_cannot_be_sent_ends_the_crawl_in_a_line(tmp_path: Path) -> None:
    class Local(Obedient):
        """Nobody else can import it."""

    (result,) = read_all([Document(HOME, b"")], Local(str(tmp_path)))
    assert isinstance(result, HoneyguideError)
    assert str(result).startswith("pages cannot be read in a worker process: ")


class Absent(Obedient):
    """Cannot be loaded anywhere else."""

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, ("no_such_module",)


def test_a_model_that_a_worker_cannot_load_ends_the_crawl_in_a_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (result,) = read_all([Document(HOME, b"")], Absent(str(tmp_path)))
    assert str(result) == (
        "a worker process cannot read pages: ModuleNotFoundError: No module named 'no_such_module'; "
        "--workers 0 crawls without one"
    )
    assert capfd.readouterr().err == ""


def test_a_strategy_whose_columns_cannot_be_sent_is_named(tmp_path: Path) -> None:
    wanted = topic([HOME], strategy={"name": f"{Obedient.__module__}:ODD"})
    with pytest.raises(PluginError, match="TypeError: the column 'odd' has values other than numbers and texts"):
        run(wanted, tmp_path, lambda: PaperWeb({HOME: about("honey", "/1")}), workers=1)


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
