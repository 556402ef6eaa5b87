"""What reading a page costs: as words and links, in blocks, with the contexts of all links.

    taskset -c 1 python -m benchmarks.pages [--web FILE.warc.gz ...] [--out results/pages.md]

The pages are those of Debian's documentation packages (fetched with apt-get, unpacked without root), and those of each
WARC file given. Flat is what every crawler does at least: the same parser, the text of the body split at white space,
and href and text of every link. A second flat reading comes nearer to what a parse yields: words without punctuation,
and absolute links, as one would write it with the standard library. The rounds of all readings alternate, and of each
page its best counts.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from urllib.parse import urljoin

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType
from selectolax.lexbor import LexborHTMLParser

from benchmarks import machine
from benchmarks.arguments import arguments, written
from honeyguide.page.blocks.cbp import cbp
from honeyguide.page.blocks.vips import vips
from honeyguide.page.context import anchors, block_texts, block_windows, parents, windows
from honeyguide.page.context.headings import headings
from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import regions
from honeyguide.page.decode import decode
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

Document = tuple[str, str, bytes]
"""URL, content type, body."""

PACKAGES = ("git-doc", "sqlite3-doc", "postgresql-doc-15", "debian-handbook", "gnuplot-doc", "python3.11-doc")
WINDOW = 20
RULES = UrlRules(UrlSettings())
WORD = re.compile(r"[^\W_]+")
REACH = {"parse": 0.65, "cbp": 1.5, "vips": 3.0, "growth": 1.5}


def from_debian(pages: int) -> list[Document]:
    """As many pages of each package, spread over it; packages that cannot be had are passed over."""
    found: list[Document] = []
    each = -(-pages // len(PACKAGES))
    with TemporaryDirectory() as folder:
        for package in PACKAGES:
            place = Path(folder) / package
            place.mkdir()
            if subprocess.run(
                ["apt-get", "download", "-q", package], cwd=place, check=False, capture_output=True
            ).returncode:
                print(f"{package}: cannot be had (is apt-get update due?)", file=sys.stderr)
                continue
            (archive,) = place.glob("*.deb")
            subprocess.run(["dpkg-deb", "-x", str(archive), str(place)], check=True)
            files = sorted(path for path in place.rglob("*.html") if path.is_file() and not path.is_symlink())
            for path in files[:: max(1, len(files) // each)][:each]:
                url = RULES.canonical(f"http://{package}.example/{path.relative_to(place)}")
                found.append((url or "http://debian.example/", "text/html", path.read_bytes()))
    return found


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


# ---- readings ----


def flat(html: str) -> tuple[list[str], list[tuple[str | None, str]]]:
    """Words and links as most crawlers take them."""
    tree = LexborHTMLParser(html)
    words = tree.body.text(separator=" ").split() if tree.body is not None else []
    return words, [(node.attributes.get("href"), node.text()) for node in tree.css("a[href]")]


def flat_alike(html: str, url: str) -> tuple[list[str], list[tuple[str | None, str]]]:
    """Likewise, with words of letters and digits alone, and absolute links."""
    tree = LexborHTMLParser(html)
    words = WORD.findall(tree.body.text(separator=" ")) if tree.body is not None else []
    return words, [(absolute(url, node.attributes.get("href") or ""), node.text()) for node in tree.css("a[href]")]


def absolute(url: str, href: str) -> str | None:
    """None for an href that cannot be read."""
    try:
        return urljoin(url, href)
    except ValueError:
        return None


def with_cbp(html: str, url: str) -> None:
    """CBP, and every context of every link that goes with it."""
    page = parse(html, url, RULES)
    blocks = cbp(page)
    anchors(page)
    windows(page, WINDOW)
    parents(page, blocks)
    block_texts(page, blocks)


def with_vips(html: str, url: str) -> None:
    """VIPS on the static estimate, and the block text windows of all links."""
    page = parse(html, url, RULES, styled=True)
    block_windows(page, vips(page), WINDOW)


def with_features(html: str, url: str) -> None:
    """Headings, lists and regions of all links."""
    page = parse(html, url, RULES, styled=True)
    headings(page)
    regions(page, link_lists(page))


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


def measure(name: str, documents: list[Document], rounds: int) -> str:
    """The costs and the blocks of a set of pages, as Markdown."""
    texts = [decode(body, content_type) for _, content_type, body in documents]
    urls = [url for url, _, _ in documents]
    cost = best_of(
        {
            "flat": lambda number: flat(texts[number]),
            "alike": lambda number: flat_alike(texts[number], urls[number]),
            "parse": lambda number: parse(texts[number], urls[number], RULES),
            "cbp": lambda number: with_cbp(texts[number], urls[number]),
            "vips": lambda number: with_vips(texts[number], urls[number]),
            "features": lambda number: with_features(texts[number], urls[number]),
        },
        len(documents),
        rounds,
    )
    kilobytes = sum(len(body) for _, _, body in documents) / len(documents) / 1000
    pages = [parse(text, url, RULES, styled=True) for text, url in zip(texts, urls, strict=True)]
    return (
        f"## {name}: {len(documents)} pages of {kilobytes:.1f} kB\n\n"
        "| one core | µs per page | | goal | met |\n|---|---|---|---|---|\n"
        f"| flat | {cost['flat']:.0f} | | | |\n"
        f"| flat, same words and absolute links | {cost['alike']:.0f} | | | |\n"
        + _row(
            "parse: words, nodes, links",
            cost["parse"],
            cost["flat"] / cost["parse"],
            "of flat's speed",
            REACH["parse"],
            -1,
        )
        + _row(
            "parse, against flat with the same words and absolute links",
            cost["parse"],
            cost["alike"] / cost["parse"],
            "of its speed",
            REACH["parse"],
            -1,
        )
        + _row("+ CBP and all link contexts", cost["cbp"], cost["cbp"] / cost["parse"], "× parse", REACH["cbp"], 1)
        + _row("+ VIPS (static) and BTW", cost["vips"], cost["vips"] / cost["parse"], "× parse", REACH["vips"], 1)
        + f"| + headings, lists, regions | {cost['features']:.0f} "
        f"| {cost['features'] / cost['parse']:.2f} × parse | | |\n\n" + "".join(_blocks(pages)) + "\n"
    )


def _row(what: str, cost: float, ratio: float, unit: str, reach: float, sign: int) -> str:
    limit, reached = f"{'≤' if sign > 0 else '≥'} {reach}", "yes" if sign * ratio <= sign * reach else "**no**"
    return f"| {what} | {cost:.0f} | {ratio:.2f} {unit} | {limit} | {reached} |\n"


def _blocks(pages: list[Page]) -> Iterator[str]:
    """What the segmenters make of the pages."""
    yield "| | blocks per page | words per block | links with different block window | µs per page |\n"
    yield "|---|---|---|---|---|\n"
    for name, segment in (("CBP", cbp), ("VIPS", vips)):
        start = process_time()
        found = [segment(page) for page in pages]
        cost = (process_time() - start) / len(pages) * 1e6
        sizes = np.concatenate([blocks.spans[:, 1] - blocks.spans[:, 0] for blocks in found])
        differ = [
            (block_windows(page, blocks, WINDOW) != windows(page, WINDOW)).any(axis=1)
            for page, blocks in zip(pages, found, strict=True)
        ]
        share = np.concatenate(differ).mean()
        yield f"| {name} | {len(sizes) / len(pages):.1f} | {sizes.mean():.1f} (median {np.median(sizes):.0f}) "
        yield f"| {share:.0%} | {cost:.0f} |\n"


# ---- growth ----


def growth(rounds: int) -> str:
    """Cost per byte of pages of 10, 100 and 1,000 KB, and of nested ones, as Markdown."""
    item = (
        '<div class="a"><h2>Bees</h2><p>Some words about <a href="/hive">a hive</a> and more.</p>'
        "<ul><li>one</li></ul></div>\n"
    )
    shapes = {f"{size:,} KB": item * (size * 1000 // len(item)) for size in (10, 100, 1000)}
    shapes |= {f"{depth:,} deep": "<table><tr><td>" * (depth // 3) + "word " * 2000 for depth in (10, 1000, 10000)}
    names = list(shapes)
    texts = list(shapes.values())
    rows = "".join(
        f"| {names[number]} | {_ns(lambda n: parse(texts[n], 'http://a.example/', RULES), number, texts, rounds):.0f} "
        f"| {_ns(lambda n: with_cbp(texts[n], 'http://a.example/'), number, texts, rounds):.0f} "
        f"| {_ns(lambda n: with_vips(texts[n], 'http://a.example/'), number, texts, rounds):.0f} |\n"
        for number in range(len(texts))
    )
    return (
        f"## Growth\n\n| page | parse, ns per byte | + CBP and contexts | + VIPS and BTW |\n|---|---|---|---|\n{rows}\n"
    )


def _ns(read: Callable[[int], object], number: int, texts: list[str], rounds: int) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = process_time()
        read(number)
        best = min(best, process_time() - start)
    return best / len(texts[number]) * 1e9


def main() -> int:
    """Measure, print and write down."""
    asked = arguments("pages", 400, 6)
    sets = {"Debian documentation": from_debian(asked.pages)}
    sets |= {path.name: from_archive(path, asked.pages) for path in asked.web}
    parts = [measure(name, documents, asked.rounds) for name, documents in sets.items() if documents]
    if not parts:
        sys.exit("no pages: neither Debian's packages nor a WARC file (--web) could be read")
    text = "# Pages\n\n" + "".join(parts) + growth(asked.rounds) + machine.described("selectolax", "numpy")
    return written(text, asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
