"""Without workers, a page can kill the crawl: once, and not again in every run that follows."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import uvloop

from honeyguide.crawl.readers import InProcessReaders, PageReaders, reader_config
from honeyguide.crawl.suspects import FILE, CautiousReaders
from honeyguide.crawl.worker_process import ReadingLimits
from honeyguide.errors import HoneyguideError
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, ReaderConfig, Reading
from honeyguide.topic.material import material_of

from .hostile import CRASH, Obedient
from .kit import PaperWeb, about, check_archive, check_tables, rows, run, topic

HOME = "http://home.example/"
BAD = f"{HOME}bad"
TOPIC = topic([HOME])
CONFIG = reader_config(TOPIC, make_model(material_of(TOPIC)))
PAGES = {HOME: about("honey", "/bad", "/good"), BAD: about(f"honey {CRASH}"), f"{HOME}good": about("honey bee")}


@pytest.fixture(autouse=True)
def tests_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """By workers, too: they look where this process does."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1]))


def crawl(folder: Path) -> None:
    """A whole crawl without workers, for a process that may die of it."""
    outcome = run(TOPIC, folder / "crawl", lambda: PaperWeb(PAGES), model=Obedient(str(folder)))
    print(outcome.stop.kind, outcome.tally.pages, dict(outcome.tally.errors))


def crawl_elsewhere(folder: Path) -> subprocess.CompletedProcess[str]:
    program = f"from pathlib import Path; from {__name__} import crawl; crawl(Path({str(folder)!r}))"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_page_that_kills_the_crawl_kills_it_once(tmp_path: Path) -> None:
    assert crawl_elsewhere(tmp_path).returncode == -signal.SIGKILL
    second = crawl_elsewhere(tmp_path)
    assert (second.returncode, second.stdout) == (0, "exhausted 2 {'reader': 1}\n"), second.stderr
    ((url, detail),) = rows(
        tmp_path / "crawl",
        "SELECT urls.url, detail FROM events JOIN urls ON urls.id = events.url WHERE kind = 'failed'",
    )
    assert url == BAD
    assert "crashes the process that reads it" in detail
    check_tables(tmp_path / "crawl")
    check_archive(tmp_path / "crawl")


# ---- who is suspected ----


class Died(Exception):  # noqa: N818 (what happens to the process)
    pass


class Witness(PageReaders):
    """Reads here, and tells what. Dies of one page, and tells what the file said at that moment."""

    def __init__(self, folder: Path, dies_of: str = "") -> None:
        self._inner = InProcessReaders(CONFIG)
        self._file = folder / FILE
        self._dies_of = dies_of
        self.read_here: list[str] = []
        self.left = b""

    async def start(self) -> None:
        pass

    async def read(self, document: Document) -> Reading:
        self.read_here.append(document.url)
        if document.url == self._dies_of:
            self.left = self._file.read_bytes()
            raise Died
        return await self._inner.read(document)

    def adopt(self, config: ReaderConfig) -> None:
        self._inner.adopt(config)

    async def close(self) -> None:
        pass


def read_here(folder: Path, urls: list[str], *, dies: bool = False) -> list[str]:
    """Read pages in a run, which may die of the last one. Returns those that were read in the process of the crawl."""
    here = Witness(folder, urls[-1] if dies else "")

    async def main() -> None:
        readers = CautiousReaders(here, CONFIG, folder, ReadingLimits())
        await readers.start()
        with suppress(Died):
            for url in urls:
                await readers.read(Document(url, about(f"honey {url}").encode()))
        await readers.close()

    uvloop.run(main())
    if dies:
        (folder / FILE).write_bytes(here.left)
    return here.read_here


def test_every_page_that_a_run_died_of_is_read_elsewhere_from_then_on(tmp_path: Path) -> None:
    a, b, c = (f"{HOME}{name}" for name in ("a" * 50, "b", "c"))
    assert read_here(tmp_path, [c, a], dies=True) == [c, a]
    assert read_here(tmp_path, [b], dies=True) == [b]
    assert read_here(tmp_path, [b, c, a]) == [c]
    # Nor are they forgotten by a run that has nothing to do with them.
    assert read_here(tmp_path, [c]) == [c]
    assert read_here(tmp_path, [a]) == []


def test_a_run_that_ends_alive_leaves_nothing(tmp_path: Path) -> None:
    assert read_here(tmp_path, [HOME, BAD]) == [HOME, BAD]
    assert list(tmp_path.iterdir()) == []
    assert read_here(tmp_path, [BAD]) == [BAD]


def test_the_file_of_somebody_else_is_neither_followed_nor_trusted(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text(f"suspect {HOME}\n")
    (tmp_path / FILE).symlink_to(victim)
    assert read_here(tmp_path, [HOME]) == [HOME]
    assert victim.read_text() == f"suspect {HOME}\n"
    (tmp_path / FILE).write_bytes(b"\xff\x00 nonsense\nreading ")
    assert read_here(tmp_path, [HOME]) == [HOME]
    os.mkfifo(tmp_path / FILE)
    assert read_here(tmp_path, [HOME]) == [HOME]


def test_a_folder_that_cannot_be_written_is_told_in_a_line(tmp_path: Path) -> None:
    readers = CautiousReaders(Witness(tmp_path), CONFIG, tmp_path / "gone", ReadingLimits())
    with pytest.raises(HoneyguideError, match=r"\.reading: cannot be written: No such file or directory"):
        asyncio.run(readers.read(Document(HOME, b"")))


def test_a_suspect_that_no_other_process_can_read_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_here(tmp_path, [HOME], dies=True)
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(HoneyguideError, match="the crawl died while reading it, and no other process can read it"):
        read_here(tmp_path, [HOME])
