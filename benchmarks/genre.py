"""What scoring costs with genre and content terms: whole pages, and the contexts of links.

    taskset -c 1 python -m benchmarks.genre [--web FILE.warc.gz ...] [--out results/genre.md]

The pages are those of the demo web, and of each WARC file given, their words one after the other, cut every 1,800. The
terms are generated from them as `honeyguide terms` does it: 24 genre terms from all pages, 48 content terms and 8 URL
terms. A page is scored from its words on, so that making its tokens counts; the rounds alternate, the best counts.
"""

from __future__ import annotations

import numpy as np

from benchmarks import machine
from benchmarks.arguments import arguments, written
from benchmarks.texts import CONTEXT, RULES, WORDS, best_of, contexts, cut, from_demo
from honeyguide.relevance.base import whole
from honeyguide.relevance.genre import Genre
from honeyguide.relevance.phrases import Finder, phrases
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import Text, TokenForm, Tokenizer
from honeyguide.topic.examples import Example, read_examples
from honeyguide.topic.generate import generate_terms

REACH = 1_000


def model_of(examples: list[Example]) -> Genre:
    """24 genre terms, 48 content terms and 8 URL terms."""
    terms = generate_terms(examples, examples, "english", most_genre=24, most_content=48)
    genre, content = (tuple(term.text for term in found) for found in (terms.genre, terms.content))
    return Genre.of(TermSettings(genre=genre, content=content, url=content[:8]), "english", 0.45)


def measure(name: str, examples: list[Example], most: int, rounds: int) -> str:
    """A table row a kind of text."""
    texts, model = cut(examples, most), model_of(examples)
    links_of_a_page = contexts()
    tokenizer = Tokenizer("english", TokenForm.BARE)

    def fresh() -> list[Text]:
        return [Text(text.words, text.url) for text in texts]

    def pages() -> None:
        for text in fresh():
            model.score(text, whole(text))

    def links() -> None:
        for text in texts:  # as in a crawl, where the page was scored before: its tokens are there
            model.score(text, links_of_a_page)

    seconds = best_of({"tokens": lambda: [tokenizer(t.words) for t in texts], "pages": pages, "links": links}, rounds)
    rate, link_rate = len(texts) / seconds["pages"], len(texts) * len(links_of_a_page) / seconds["links"]
    reached = "yes" if rate >= REACH else "**no**"
    hits = np.mean([_occurrences(model, text) for text in texts])
    several = sum(" " in term for term in (*model.genre, *model.content))
    return (
        f"## {name}: {len(texts)} pages of {WORDS:,} words\n\n"
        f"{len(model.genre)} genre terms, {len(model.content)} content terms, {several} of them with several words; "
        f"{hits:.0f} occurrences per page.\n\n"
        "| one core | per second | goal | met |\n|---|---|---|---|\n"
        f"| pages, starting from their words | {rate:,.0f} | ≥ {REACH:,} | {reached} |\n"
        f"| tokenizing only (part of it) | {len(texts) / seconds['tokens']:,.0f} | | |\n"
        f"| contexts of {CONTEXT} words, {len(links_of_a_page)} per page | {link_rate:,.0f} | | |\n\n"
    )


def _occurrences(model: Genre, text: Text) -> int:
    tokenizer = Tokenizer("english", TokenForm.BARE)
    finder = Finder(phrases((*model.genre, *model.content), tokenizer))
    return sum(len(found.number) for found in finder.find(text.tokens(tokenizer)))


def main() -> int:
    """Measure, print and write down."""
    asked = arguments("genre", 300, 6)
    sets = {"Demo web": from_demo(600)}
    sets |= {path.name: read_examples([str(path)], RULES, lambda _: {}) for path in asked.web}
    parts = [measure(name, examples, asked.pages, asked.rounds) for name, examples in sets.items()]
    text = "# Genre and content terms\n\n" + "".join(parts) + machine.described("numpy")
    return written(text, asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
