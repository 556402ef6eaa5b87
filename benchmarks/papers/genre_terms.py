"""The topics of the genre-aware experiments (002), what is dealt out for each, and the term lists made of that.

A topic is ``GENRE+CONTENT``: the pages that have both labels. Pages of courses in webkb get a label more by the words
of their title, pages of a demo web by their kind:

- ``course+title.systems``: pages of courses on systems (syllabi, the paper's own case);
- ``subject.People+subject.People.Artists``: biographies of artists;
- ``kind.job+subject.railways``: job offers on a demo web;
- ``item.course+subject.astronomy``: courses on a demo web of lists.

No list is written by hand. Where the paper has an expert, terms are `chosen` by what example pages share.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.papers.crawls import LISTS, Web, demo_labels
from benchmarks.papers.replays import Stage
from honeyguide.demo import DemoWeb
from honeyguide.lab.cases import Case, Split, make_case
from honeyguide.page.url_words import url_words
from honeyguide.relevance.text import TokenForm, Tokenizer
from honeyguide.topic.contrast import shares, telling
from honeyguide.topic.examples import Example
from honeyguide.topic.generate import MOST, generate_terms

LANGUAGE = "english"
BARE = Tokenizer(LANGUAGE, TokenForm.BARE)

RELEVANT, GENRE, OTHERS = 30, 30, 270
"""Example pages: of the topic (the paper: 13 to 36; here at most half of them), of the genre but another content, and
of neither. The SVM learns from the same ones: the first against the others."""

CHOSEN = 24
"""Terms of a list that stands for the expert's, who has 16 to 48."""

_CANDIDATES = 400
_SEEDS = 5  # as for the paper's syllabi
_TITLES = {
    "systems": re.compile(r"system|distributed|architecture|organization|network|parallel"),
    "programming": re.compile(r"program|language|compiler|c\+\+|pascal|lisp"),
}
_TITLE = re.compile(rb"<title>(.*?)</title>", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(rb"<h[1-3][^>]*>(.*?)</h[1-3]>", re.DOTALL | re.IGNORECASE)


# ---- topics ----


def labels_of(web: Web) -> str:
    """The labels of a web; of a demo web with the kind of each page."""
    if web.labels:
        return Path(web.labels).read_text(encoding="utf-8")
    if web.source.startswith(LISTS):
        return demo_labels(web.source)
    demo = DemoWeb(pages=int(web.source.partition(":")[2]))
    pages = ((url, demo.page_of(url)) for url in demo.page_urls())
    return demo_labels(web.source) + "".join(f"{url}\tkind.{page.kind}\n" for url, page in pages if page)


def with_titles(stage: Stage) -> Stage:
    """The web with a label more for pages of courses: what their title or first heading says they are on."""
    of_page = dict(stage.labels.of_page)
    for url, labels in stage.labels.of_page.items():
        if "course" in labels:
            of_page[url] = labels | titles_of(stage, url)
    return replace(stage, labels=replace(stage.labels, of_page=of_page))


def titles_of(stage: Stage, url: str) -> set[str]:
    """What the title or first heading of a page says it is on, as labels."""
    response = stage.fixture.web.response(url)
    if response is None:
        return set()
    found = (pattern.search(response.body) for pattern in (_TITLE, _HEADING))
    title = b" ".join(match[1] for match in found if match).decode("latin-1").lower()
    return {f"title.{name}" for name, words in _TITLES.items() if words.search(title)}


_WIDER = {
    "subject.People.Writers_and_critics": "subject.Language_and_literature",
    "subject.People.Artists": "subject.Art",
    "subject.Geography.African_Geography.African_Countries": "subject.Geography.African_Geography",
    "subject.Geography.European_Geography.European_Countries": "subject.Geography.European_Geography",
}
"""The content of a topic whose own label only pages of the genre have."""


def related(stage: Stage, topic: str) -> tuple[frozenset[str], frozenset[str]]:
    """The pages of a topic's genre, and those of its content, whatever their genre (002, table 6)."""
    genre_label, _, content_label = topic.partition("+")
    content = set(_labelled(stage, content_label)) | set(_labelled(stage, _WIDER.get(content_label, content_label)))
    if content_label.startswith("title."):
        content |= {url for url in stage.fixture.graph.urls if content_label in titles_of(stage, url)}
    return frozenset(_labelled(stage, genre_label)), frozenset(content)


@dataclass(frozen=True, slots=True)
class Dealt:
    """A topic in one repeat: where the crawls begin, what is learnt from, what there is to find."""

    case: Case
    genre: tuple[Example, ...]
    """Pages of the genre with another content."""
    relevant: tuple[Example, ...]
    others: tuple[Example, ...]
    """Pages of another genre."""
    pool: tuple[str, ...]
    """The pages that can be reached and that nobody has learnt from: where F1 is measured."""


def dealt(stage: Stage, topic: str, repeat: int, pages: str) -> Dealt | None:
    """Deal out a topic's pages. None when the web does not know its labels.

    The crawls begin at the pages of the departments, where a web has them, else at pages of other genres.
    """
    genre_label, _, content_label = topic.partition("+")
    genre, content = (_labelled(stage, label) for label in (genre_label, content_label))
    wanted = [url for url in genre if url in set(content)]
    if not wanted:
        return None
    graph = stage.fixture.graph
    same_genre = _drawn([url for url in genre if url not in set(wanted)], topic, repeat)
    different = _drawn([url for url in graph.urls if url not in set(genre)], topic, repeat)
    seeds = _labelled(stage, "department") or different[-_SEEDS:]
    others = [url for url in different if url not in set(seeds)][:OTHERS]
    case = make_case(topic, wanted, others, Split(seed_urls=tuple(seeds), examples=RELEVANT, pages=pages), repeat)
    reached = graph.closure((graph.number[url] for url in case.seeds), len(graph.urls))
    learnt = {*case.seeds, *case.examples, *same_genre[:GENRE], *others}
    pool = tuple(url for url in graph.urls if graph.number[url] in reached and url not in learnt)
    case = replace(case, targets=case.targets & set(pool), budget=min(case.budget, len(reached)))
    kinds = (same_genre[:GENRE], case.examples, others)
    of_genre, relevant, different_genre = (tuple(stage.example(url) for url in urls) for urls in kinds)
    return Dealt(case, of_genre, relevant, different_genre, pool)


def _labelled(stage: Stage, label: str) -> list[str]:
    """As `Labels.pages`, but none is no mistake: topics of other webs are asked for too."""
    narrower = f"{label}."
    return [
        url
        for url, labels in stage.labels.of_page.items()
        if any(one == label or one.startswith(narrower) for one in labels)
    ]


def _drawn(urls: Sequence[str], topic: str, repeat: int) -> list[str]:
    """In an order that depends on these alone."""
    number = int.from_bytes(hashlib.sha256(f"{topic} {repeat}".encode()).digest()[:8], "big")
    ordered = sorted(urls)
    return [ordered[place] for place in np.random.default_rng(number).permutation(len(ordered))]


# ---- terms ----


class Lists(NamedTuple):
    """The terms of a topic, those that count most first."""

    genre: tuple[str, ...]
    content: tuple[str, ...]
    url: tuple[str, ...] = ()

    def first(self, genre: float, content: float) -> Lists:
        """The first so many of each list, as shares of it; at least one of what there is."""
        return Lists(_first(self.genre, genre), _first(self.content, content))

    @property
    def name(self) -> str:
        """As the paper names it: ``16g24c``."""
        return f"{len(self.genre):02}g{len(self.content):02}c"


def _first(terms: tuple[str, ...], share: float) -> tuple[str, ...]:
    return terms[: max(1, round(share * len(terms)))]


def generated(hand: Dealt) -> Lists:
    """As `honeyguide terms` proposes them (GenerateTerms), 40 and 40."""
    return _generated(hand, MOST)


def selected(hand: Dealt, lists: Lists) -> Lists:
    """Of generated terms those that tell, in the place of the paper's expert who picks some of them."""
    return Lists(*_telling(hand, lists, MOST))


def chosen(hand: Dealt) -> Lists:
    """In the place of the expert's lists: of the 400 terms that most examples share, the 24 that tell most.

    Genre terms tell pages of the genre from others, and content terms pages of the topic from others of the genre. URL
    terms are found in the same way in addresses, without any limit but that they tell.
    """
    genre, content = _telling(hand, _generated(hand, _CANDIDATES), CHOSEN)
    return Lists(genre, content, _in_addresses(hand))


def _generated(hand: Dealt, most: int) -> Lists:
    found = generate_terms(hand.genre, hand.relevant, LANGUAGE, most_genre=MOST, most_content=most)
    if most > MOST:  # content terms are without the genre terms of the usual number only, or nothing would be left
        wide = generate_terms(hand.genre, (), LANGUAGE, most_genre=most)
        found = replace(found, genre=wide.genre)
    return Lists(*(tuple(term.text for term in terms) for terms in (found.genre, found.content)))


def _telling(hand: Dealt, lists: Lists, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    genre = telling(shares(lists.genre, hand.genre, BARE), shares(lists.genre, hand.others, BARE))[:most]
    rest = [term for term in lists.content if term not in set(genre)]
    content = telling(shares(rest, hand.relevant, BARE), shares(rest, hand.genre, BARE))[:most]
    return tuple(genre), tuple(content)


def _in_addresses(hand: Dealt) -> tuple[str, ...]:
    inside, outside = (_address_shares(pages) for pages in (hand.relevant, (*hand.genre, *hand.others)))
    return tuple(telling({word: share for word, share in inside.items() if share * len(hand.relevant) > 1}, outside))


def _address_shares(examples: Sequence[Example]) -> dict[str, float]:
    """On what share of the addresses each word stands; numbers are no words."""
    words = Counter(
        word for one in examples for word in {word.lower() for word in url_words(one.text.url) if word.isalpha()}
    )
    return {word: count / len(examples) for word, count in words.items()}
