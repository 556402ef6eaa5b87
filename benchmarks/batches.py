"""What reading several pages at once could save: every step that numpy does, over the joined arrays of some pages.

    taskset -c 1 python -m benchmarks.batches [--web FILE.warc.gz] [--out results/batches.md]

The pages of a batch are joined outside the clock, and nothing is taken apart again afterwards, so this is the most that
batches could save. The best of several rounds counts for each batch: other work on the machine can only make it worse.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.machine import described
from benchmarks.web import RenderedWeb, recorded, render
from honeyguide.crawl.readers import reader_config
from honeyguide.page.decode import decode
from honeyguide.page.parse import Page, parse
from honeyguide.page.spans import Spans
from honeyguide.page.url import UrlRules
from honeyguide.page.words import SEAM, Words, find_words
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.checked import checked_model
from honeyguide.relevance.fingerprint import signature
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text, Tokenizer, Tokens
from honeyguide.strategy.guide.texts import TEXT_FEATURES, LinkContexts, TextOnPage
from honeyguide.strategy.reading import Document, Reader
from honeyguide.topic.material import material_of

SIZES = (1, 2, 4, 8)
_PAGES, _ROUNDS, _WEB = 240, 7, 600
_HTML = "text/html; charset=utf-8"


@dataclass
class Batch:
    """Some pages as if they were one."""

    source: str
    apart: frozenset[int]
    words: Words
    tokens: Tokens
    spans: Spans
    """The contexts of all links, as guide reads them."""

    @classmethod
    def of(cls, pages: Sequence[Page], tokenizer: Tokenizer) -> Batch:
        """Join pages. An empty piece between two of them keeps their words apart."""
        apart: set[int] = set()
        spans = []
        pieces = words = 0
        for page in pages:
            apart.update(pieces + piece for piece in page.apart)
            spans += [text.spans(LinkContexts(page)) + words for text in TEXT_FEATURES if isinstance(text, TextOnPage)]
            pieces += page.source.count(SEAM) + 2
            words += len(page.words)
        source = (SEAM * 2).join(page.source for page in pages)
        found, _ = find_words(source, apart)
        assert len(found) == words
        return cls(source, frozenset(apart), found, tokenizer(found), np.concatenate(spans).astype(np.int32))

    def text(self, tokenizer: Tokenizer) -> Text:
        """Its text, of which nothing but the tokens is known."""
        text = Text(self.words)
        text.set_tokens(tokenizer, self.tokens)
        return text


@dataclass(frozen=True)
class Step:
    """A step of reading."""

    name: str
    prepare: Callable[[Batch], Any]
    """What the step needs. Outside the clock."""
    run: Callable[[Any], object]


def steps(model: Relevance, tokenizer: Tokenizer) -> list[Step]:
    """The steps of reading over arrays that have a row for each word or each link of a page."""

    def unread(batch: Batch) -> Words:
        return find_words(batch.source, batch.apart)[0]

    return [
        Step("words of the source", lambda batch: batch, lambda batch: find_words(batch.source, batch.apart)),
        Step("tokens of the words", unread, tokenizer),
        Step("signature", lambda batch: batch.tokens, signature),
        Step("score of the page", lambda batch: batch.text(tokenizer), lambda text: model.score(text, whole(text))),
        Step(
            "scores of the texts of its links, after that",
            lambda batch: _scored(batch, model, tokenizer),
            lambda given: model.score(*given),
        ),
    ]


def _scored(batch: Batch, model: Relevance, tokenizer: Tokenizer) -> tuple[Text, Spans]:
    text = batch.text(tokenizer)
    model.score(text, whole(text))
    return text, batch.spans


def best_of(rounds: int, tasks: Sequence[Callable[[], tuple[Callable[[Any], object], Any]]]) -> float:
    """The CPU seconds of all tasks, the best round of each. A task prepares itself: what to call, and with what."""
    best = [np.inf] * len(tasks)
    for _ in range(rounds):
        for number, task in enumerate(tasks):
            run, given = task()
            start = process_time()
            run(given)
            best[number] = min(best[number], process_time() - start)
    return sum(best)


def measure(web: RenderedWeb, rounds: int) -> Iterator[tuple[str, list[float]]]:
    """For each step its microseconds a page, by the size of a batch; then those of reading a page with guide."""
    topic = web.topic(1, 1, "guide")
    config = reader_config(topic, make_model(material_of(topic)))
    model = checked_model(config.model, "vsm")  # as a reader asks it: each of equal spans is scored once
    tokenizer, rules = Tokenizer(topic.relevance.language), UrlRules(topic.urls)
    documents = [
        Document(url, body, _HTML) for url, body in list(web.pages.items())[:: max(len(web.pages) // _PAGES, 1)]
    ]
    parsed = [parse(decode(one.body, one.content_type), one.url, rules) for one in documents]
    pages = [page for page in parsed if len(page.links) and len(page.words)]
    pages = pages[: len(pages) // max(SIZES) * max(SIZES)]
    batches = {
        size: [Batch.of(pages[first : first + size], tokenizer) for first in range(0, len(pages), size)]
        for size in SIZES
    }
    for step in steps(model, tokenizer):
        found = [
            best_of(rounds, [lambda step=step, one=one: (step.run, step.prepare(one)) for one in batches[size]])  # type: ignore[misc]
            for size in SIZES
        ]
        yield step.name, [seconds / len(pages) * 1e6 for seconds in found]
    reader = Reader(config)
    every = best_of(rounds, [lambda one=one: (reader.read, one) for one in documents])  # type: ignore[misc]
    yield "reading a page with guide, in total", [every / len(documents) * 1e6]


def table(name: str, rows: Sequence[tuple[str, list[float]]]) -> str:
    """The figures of one kind of pages."""
    *parts, (label, (every,)) = rows
    least = np.sum([np.minimum(values, values[0]) for _, values in parts], axis=0)
    head = "".join(f" {size} pages |" if size > 1 else " one page |" for size in SIZES)
    lines = [f"## {name} pages", "", f"| CPU µs per page, joined |{head}", "|---|" + "---|" * len(SIZES)]
    lines += [f"| {step} |" + "".join(f" {value:.0f} |" for value in values) for step, values in parts]
    lines.append("| sum, of what is best for each step |" + "".join(f" {value:.0f} |" for value in least))
    lines.append(
        f"| saved, of {every:.0f} for {label} |" + "".join(f" {(least[0] - value) / every:.1%} |" for value in least)
    )
    return "\n".join(lines)


NOTES = """\
The steps of reading that work on arrays with a row per word or link, for one page and for the joined arrays of several.
Joining the arrays and splitting the results is not included, and a step that is slower with several pages counts as
with one: this is an upper bound of what batches could save of reading, which is about half of the CPU time of a crawl
with guide. Arrays of several pages no longer fit into the L1 cache, and a page without any word of the topic,
which takes no time on its own, is scored with the others.
"""


def main() -> int:
    """Measure, print, and write the page if asked."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.batches")
    parser.add_argument("--rounds", type=int, default=_ROUNDS, help="number of rounds (default: %(default)s)")
    parser.add_argument("--web", type=Path, help="also read the pages of this WARC file")
    parser.add_argument("--keywords", default="biology, species, animal, plant, cell, evolution, organism")
    parser.add_argument("--out", type=Path, help="also write the tables to this Markdown file")
    options = parser.parse_args()
    webs = {"34-KB": render(_WEB, plain=False), "demo": render(_WEB, plain=True)}
    if options.web:
        keywords = tuple(word.strip() for word in options.keywords.split(","))
        webs[options.web.name.partition(".")[0]] = recorded(options.web, keywords)
    shown = "\n\n".join(table(name, list(measure(web, options.rounds))) for name, web in webs.items())
    print(shown)
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(f"# Batches\n\n{NOTES}\n{shown}\n\n{described('numpy')}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
