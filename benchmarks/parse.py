"""What reading a page costs, against the flat reading that every crawler does at least.

    taskset -c 1 python benchmarks/parse.py --web FILE.warc.gz [--pages 400]

Flat is: the same parser, the text of the body split at white space, and href and text of every link. `parse` gives
words that no inline tag splits and no block merges, canonical URLs, the tree with its spans, and the head. Without
``--web`` the pages are those of the demo web. The rounds of all readings alternate, and of each page its best counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

from honeyguide.demo.web import DemoWeb
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

Document = tuple[str, str, bytes]
"""URL, content type, body."""


def from_archive(path: Path, pages: int) -> list[Document]:
    """The first HTML pages of a WARC file."""
    found: list[Document] = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            content_type = (record.http_headers.get("Content-Type") if record.http_headers else None) or ""
            if len(found) == pages:
                break
            if "html" in content_type:
                found.append((record.headers["WARC-Target-URI"], content_type, record.reader.read()))
    return found


def from_demo(pages: int) -> list[Document]:
    """As many pages of a demo web whose pages are about as large as real ones."""
    web = DemoWeb(pages=max(pages, 100), page_kb=28)
    urls = list(web.page_urls())[:pages]
    return [(url, (answer := web.answer(url)).header("content-type"), answer.body) for url in urls]


def flat(html: str) -> tuple[list[str], list[tuple[str | None, str]]]:
    """Words and links as most crawlers take them."""
    tree = LexborHTMLParser(html)
    words = tree.body.text(separator=" ").split() if tree.body is not None else []
    return words, [(node.attributes.get("href"), node.text()) for node in tree.css("a[href]")]


def best_of(readings: dict[str, Callable[[int], object]], pages: int, rounds: int) -> dict[str, float]:
    """Microseconds a page of each reading."""
    best = {name: [float("inf")] * pages for name in readings}
    for _ in range(rounds):
        for name, read in readings.items():
            times = best[name]
            for number in range(pages):
                start = process_time()
                read(number)
                times[number] = min(times[number], process_time() - start)
    return {name: sum(times) / pages * 1e6 for name, times in best.items()}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What reading a page costs.")
    parser.add_argument("--web", type=Path, help="a WARC file to take pages from; the demo web when not given")
    parser.add_argument("--pages", type=int, default=400, help="so many pages (default: 400)")
    parser.add_argument("--rounds", type=int, default=12, help="how often each page is read (default: 12)")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    if asked.web is not None and not asked.web.is_file():
        sys.exit(f"{asked.web}: no such file; name a WARC file, or none for the demo web")
    documents = from_archive(asked.web, asked.pages) if asked.web is not None else from_demo(asked.pages)
    if not documents:
        sys.exit(f"{asked.web}: no HTML page in it; name a WARC file with responses")
    rules = UrlRules(UrlSettings())
    texts = [decode(body, content_type) for _, content_type, body in documents]
    readings: dict[str, Callable[[int], object]] = {
        "flat": lambda number: flat(texts[number]),
        "decode": lambda number: decode(documents[number][2], documents[number][1]),
        "parse": lambda number: parse(texts[number], documents[number][0], rules),
    }
    cost = best_of(readings, len(documents), asked.rounds)
    kilobytes = sum(len(body) for _, _, body in documents) / len(documents) / 1000
    print(f"{len(documents)} pages of {kilobytes:.1f} kB")
    for name, microseconds in cost.items():
        print(f"{name:8} {microseconds:8.1f} µs a page {1e6 / microseconds:10.0f} pages/s")
    print(f"parse at {cost['flat'] / cost['parse']:.2f} of the speed of flat")


if __name__ == "__main__":
    main()
