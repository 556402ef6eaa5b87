"""Makes the folder of a crawl of any size, through the store's own code, without crawling.

    python -m benchmarks.big_crawl FOLDER [--pages 1000000]

Every page leads to four new URLs on hosts of very different sizes; a few pages in a hundred fail or are refused. The
texts of all pages are those of a few documents in the archive, so that any page can be read again.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import time
from collections.abc import Iterator
from pathlib import Path

from honeyguide.fetch.base import Response
from honeyguide.frontier import DirtyRows
from honeyguide.relevance import saved
from honeyguide.relevance.models import make_model
from honeyguide.store.archive import RecordLocation
from honeyguide.store.database import PageRow
from honeyguide.store.folder import CrawlFolder
from honeyguide.store.storage import Storage, open_storage
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

_SEEDS = 10
_LINKS = 4  # new URLs on each page
_HOSTS, _SITES = 20_000, 5_000
_DOCUMENTS = 100
_BATCH = 20_000  # pages a commit
_WORDS = [
    f"{a}{b}" for a in "ba ce di fo gu la me ni po ru sa te vi xo zu".split() for b in "bee lan mor nis tar".split()
]
_WAITING, _DONE, _FAILED, _REFUSED = 0, 2, 3, 4


def make(folder: Path, pages: int, seed: int = 11) -> None:
    """Make a crawl with so many pages."""
    topic = Topic.make(name="big", seeds=[_url(number) for number in range(_SEEDS)], keywords="honey, bee, hive")
    own = CrawlFolder(folder, topic)
    own.settle_in()
    saved.save(make_model(material_of(topic)), folder / saved.FOLDER)
    storage = open_storage(folder)
    try:
        _fill(storage, _documents(storage), pages, random.Random(seed))
    finally:
        storage.archive.close()
        storage.database.close()
        own.leave()


def _url(number: int) -> str:
    """The URL with a number: on a host that has many of them, or few, in a way that looks like chance."""
    share = (number * 2_654_435_761 % 4_294_967_296) / 4_294_967_296
    host = int(_HOSTS * share**4)
    return f"https://h{host}.site{host % _SITES}.example/{_WORDS[number % len(_WORDS)]}/page-{number}.html"


def _documents(storage: Storage) -> list[tuple[RecordLocation, bytes, int]]:
    """Answers in the archive: the place of each, its digest and its size."""
    made = []
    for number in range(_DOCUMENTS):
        rng = random.Random(number)
        parts = []
        for _ in range(12):
            text = " ".join(rng.choices([*_WORDS, "honey", "bee", "hive"], k=60))
            links = " ".join(
                f'<li><a href="{_url(rng.randrange(4_000_000))}">{rng.choice(_WORDS)} honey</a>' for _ in range(5)
            )
            parts.append(f"<div><h2>{rng.choice(_WORDS)}</h2><p>{text}</p><ul>{links}</ul></div>")
        body = f"<!DOCTYPE html><title>Page {number}</title><body>{''.join(parts)}".encode()
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        response = Response(_url(number), 200, "OK", headers, body, body, (("User-Agent", "benchmark"),), started=1.7e9)
        digest = hashlib.sha1(body).digest()
        made.append((storage.archive.write(response, digest), digest, len(body)))
    storage.archive.sync()
    return made


def _fill(storage: Storage, documents: list[tuple[RecordLocation, bytes, int]], pages: int, rng: random.Random) -> None:
    database, now = storage.database, 1.7e9
    states: dict[int, int] = {}
    found = size = seq = number = written = 0
    parents: list[int] = [-1] * _SEEDS
    database.event(now, "start", None)
    while seq < pages:
        now += 0.1
        if number % 23 == 7:
            database.event(now, "failed", number, kind="404" if number % 2 else "timeout", detail="")
            states[number] = _FAILED
        elif number % 61 == 9:
            database.event(now, "refused", number, reason="robots")
            states[number] = _REFUSED
        else:
            spot, digest, length = documents[seq % len(documents)]
            relevance = rng.random() ** 2
            title = f"Common {' '.join(rng.choices(_WORDS, k=5))}{' honey' if relevance > 0.5 else ''}"
            duplicate = seq % 50 == 49
            row = PageRow(
                number, seq, now, 0.2, 200, "text/html", length, title, "en", 700, _LINKS, relevance, relevance >= 0.5,
                relevance, b"", number - 1 if duplicate and states.get(number - 1) == _DONE else None, digest, None, "",
                spot.file, spot.offset, spot.length,
            )  # fmt: skip
            database.page(row, {"domain": 3})
            database.event(now, "page", number)
            states[number] = _DONE
            parents += [number] * _LINKS
            found += relevance >= 0.5 and row.duplicate_of is None
            size += length
            seq += 1
        number += 1
        if len(states) >= _BATCH or seq == pages:
            meta = _meta(storage, seq, found, size, now)
            new = _rows(parents, written, number, states, rng)
            changed = ((0.5, state, 0, one) for one, state in states.items() if one < written)
            database.commit(DirtyRows(new, changed), meta)
            written = len(parents)
            states = {}


def _rows(
    parents: list[int], begin: int, taken: int, states: dict[int, int], rng: random.Random
) -> Iterator[tuple[int, str, float, int, int, int, int]]:
    for number in range(begin, len(parents)):
        state = states.get(number, _WAITING) if number < taken else _WAITING
        yield (
            number,
            _url(number),
            rng.random(),
            state,
            parents[number],
            0 if parents[number] < 0 else 1 + number % 7,
            0,
        )


def _meta(storage: Storage, pages: int, found: int, size: int, now: float) -> dict[str, object]:
    return {
        "pages": pages, "relevant": found, "duplicates": 0, "size": size, "answers": pages, "seconds": now - 1.7e9,
        "best": 1.0, "errors": '{"404": 10, "timeout": 10}', "refused": "{}", "accepted": "{}",
        "warc_file": storage.archive.number, "warc_end": storage.archive.end, "committed": now, "stop": "pages",
        "stop_text": f"{pages:,} pages were fetched",
    }  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.big_crawl")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=1_000_000)
    options = parser.parse_args()
    began = time.perf_counter()
    make(options.folder, options.pages)
    print(f"{options.folder}: {options.pages:,} pages in {time.perf_counter() - began:.0f} s")
