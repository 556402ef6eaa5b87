"""How far VIPS agrees with itself when it sees what a browser shows: with style sheets, and without.

    python -m benchmarks.vips_cues --web FILE.warc ... [--pages 100] [--out results/vips-cues.md]

Needs Debian's chromium (`apt-get install chromium`). The pages are drawn from each WARC file, and again from those of
its pages whose style sheets have rules that we read. They are rendered without network and scripts (`chromium`), so
style sheets, pictures and frames outside a page are missing in the browser, too: what is measured is how well the layout
is estimated, not what a page looks like on the web. Costs are measured in turns, the best of all rounds counts.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time

import numpy as np
from fastwarc.warc import ArchiveIterator, WarcRecordType
from sklearn.metrics import adjusted_rand_score, rand_score

from benchmarks import machine
from benchmarks.arguments import arguments, written
from benchmarks.chromium import RenderError, chromium
from honeyguide.page.blocks.base import NO_BLOCK, Blocks
from honeyguide.page.blocks.browser import matched, read_rendered, script
from honeyguide.page.blocks.cascade import Cascade
from honeyguide.page.blocks.cues import Cues
from honeyguide.page.blocks.outline import outline_of
from honeyguide.page.blocks.vips import vips
from honeyguide.page.decode import decode
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())
SEED = 14


@dataclass(frozen=True, slots=True)
class Document:
    """A recorded page."""

    url: str
    content_type: str
    body: bytes

    def page(self) -> Page:
        return parse(decode(self.body, self.content_type), self.url, RULES, styled=True)


def documents(path: Path) -> Iterator[Document]:
    """The HTML pages of a WARC file."""
    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True):
            content_type = (record.http_headers.get("Content-Type") if record.http_headers else None) or ""
            if "html" in content_type and record.http_headers.status_code == 200:
                yield Document(record.headers["WARC-Target-URI"], content_type, record.reader.read())


def has_rules(document: Document) -> bool:
    """Whether the page's own style sheets say anything that we read."""
    return b"<style" in document.body.lower() and Cascade.of(document.page().nodes.sheets) is not None


def drawn(found: Iterable[Document], count: int) -> list[Document]:
    """So many pages with at least two links, each as likely as any other."""
    kept: list[Document] = []
    chance = random.Random(SEED)
    for number, document in enumerate(found):
        place = number if number < count else chance.randrange(number + 1)
        if place < count:
            kept[place : place + 1] = [document]
    return [document for document in kept if len(document.page().links) > 1]


@dataclass(slots=True)
class Compared:
    """A page in the browser, and as estimated."""

    page: Page
    browser: Blocks
    cues: Cues


async def rendered(found: list[Document]) -> tuple[list[Compared], int]:
    """What the browser makes of the pages, and how many could not be matched."""
    compared: list[Compared] = []
    failed = 0
    asked = script()
    async with chromium() as browser:
        for document in found:
            try:
                value = await browser.rendered(document.url, document.content_type, document.body, asked)
                page = document.page()
                cues = matched(page, outline_of(page), read_rendered(json.dumps(value).encode()))
            except (RenderError, ValueError) as error:
                print(f"{document.url}: {error}", file=sys.stderr)
                cues = None
            if cues is None:
                failed += 1
            else:
                compared.append(Compared(page, vips(page, cues=cues), cues))
    return compared, failed


def without_sheets(page: Page) -> Page:
    """The page as if it had no style sheets."""
    return replace(page, nodes=replace(page.nodes, sheets=()))


def agreement(pages: list[Compared], blocks: Callable[[Page], Blocks]) -> dict[str, float]:
    """Means over pages of how far the blocks agree with those by the browser's boxes."""
    found: dict[str, list[float]] = {"rand": [], "adjusted": [], "words": [], "blocks": []}
    for one in pages:
        ours = blocks(one.page)
        seen = one.browser.of_link != NO_BLOCK
        if seen.sum() > 1:
            mine, theirs = _apart(ours.of_link[seen]), one.browser.of_link[seen]
            found["rand"].append(rand_score(theirs, mine))
            found["adjusted"].append(adjusted_rand_score(theirs, mine))
        found["words"].append(adjusted_rand_score(_of_words(one.browser, one.page), _of_words(ours, one.page)))
        found["blocks"].append(len(ours) / max(len(one.browser), 1))
    means = {name: float(np.mean(values)) for name, values in found.items()}
    return means | {"blocks": float(np.median(found["blocks"]))}


def _apart(of_link: np.ndarray[tuple[int], np.dtype[np.int32]]) -> list[int]:
    """Blocks of links, each link in none being alone."""
    return [block if block != NO_BLOCK else -1 - place for place, block in enumerate(of_link.tolist())]


def _of_words(blocks: Blocks, page: Page) -> list[int]:
    """The block of each word; words in none are together."""
    of_word = np.full(len(page.words), -1)
    for number, (first, last) in enumerate(blocks.spans.tolist()):
        of_word[first:last] = number
    return of_word.tolist() or [0]


def cost(found: list[Document], rounds: int) -> tuple[float, float, float]:
    """Microseconds per page: parsing with style, and with VIPS, without and with style sheets."""
    best = [float("inf")] * 3
    readings: tuple[Callable[[Document], object], ...] = (
        lambda document: document.page(),
        lambda document: vips(without_sheets(document.page())),
        lambda document: vips(document.page()),
    )
    for _ in range(rounds):
        for number, read in enumerate(readings):
            start = process_time()
            for document in found:
                read(document)
            best[number] = min(best[number], process_time() - start)
    parsed, plain, styled = (seconds / len(found) * 1e6 for seconds in best)
    return parsed, plain, styled


def measure(name: str, found: list[Document], rounds: int) -> str:
    """One set of pages, as Markdown."""
    pages, failed = asyncio.run(rendered(found))
    parsed, plain, styled = cost(found, rounds)
    rows = ""
    for what, blocks in (
        ("one block", lambda page: vips(page, 1)),
        ("estimate without style sheets", lambda page: vips(without_sheets(page))),
        ("estimate with style sheets", vips),
    ):
        means = agreement(pages, blocks)
        rows += f"| {what} | {means['rand']:.3f} | {means['adjusted']:.3f} | {means['words']:.3f} | {means['blocks']:.2f} |\n"
    differ = sum(
        not np.array_equal(vips(one.page).of_link, vips(without_sheets(one.page)).of_link) for one in pages
    )
    return (
        f"## {name}: {len(pages)} pages\n\n"
        f"{failed} more could not be rendered or matched. Style sheets change the blocks of links on {differ} pages. "
        f"Parsing and VIPS take {plain:.0f} µs per page without style sheets and {styled:.0f} µs with them "
        f"({styled / plain - 1:+.1%}); parsing alone {parsed:.0f} µs.\n\n"
        "| against the browser's boxes | Rand, links | adjusted Rand, links | adjusted Rand, words | blocks, of the browser's |\n"
        f"|---|---|---|---|---|\n{rows}\n"
    )


NOTES = """\
# VIPS: an estimated layout against a browser's

Blocks of VIPS (PDoC 6) by three sources of visual cues: the static estimate without style sheets, the same with the
page's own `<style>`, and the boxes, fonts and colours of a headless Chromium (`cues=browser`). Rand is the share of
pairs of links that are in the same block, or apart, in both; adjusted Rand is 0 for chance and 1 for equal blocks. Blocks
are counted as a share of the browser's, the median over pages. The row "one block" (PDoC 1) says what no division at all
would have. Neither the browser nor the estimate has what is outside the pages: linked style sheets, pictures, frames.

"""


def main() -> int:
    """Measure, print and write down."""
    asked = arguments("vips_cues", 100, 5)
    parts = []
    for path in asked.web:
        parts.append(measure(path.name, drawn(documents(path), asked.pages), asked.rounds))
        styled = drawn(filter(has_rules, documents(path)), asked.pages)
        if len(styled) > 1:
            parts.append(measure(f"{path.name}, pages with rules of their own", styled, asked.rounds))
    return written(NOTES + "".join(parts) + machine.described("selectolax", "scikit-learn"), asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
