"""A web of lists: the navigation pattern for which genre-aware crawling (002, section 3) was made.

A site is a department: a home page, four lists, the items of each list, and notes on each item. The items of a list are
mostly of one genre and of the department's subject: what stands beside a relevant page is relevant. Lists and notes are
of everyday words: a list says nothing of what it lists, and what a relevant page links to is something else.

Pages are numbered site by site: the home page, the lists (courses, more courses, jobs, news), the items in the order of
the lists, the notes in the order of the items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, NamedTuple

from honeyguide.demo.keys import Keys
from honeyguide.demo.subjects import SUBJECTS
from honeyguide.demo.text import Language, pick
from honeyguide.demo.vocabulary import GENRES, NOUNS
from honeyguide.proxy.answer import HTML, NOT_FOUND, Answer

SMALLEST: Final = 100
_GENRES: Final = ("course", "course", "job", "")  # of the lists; "": news
_SUBJECTS: Final = 4  # departments of these take turns
_LISTS: Final = len(_GENRES)
_ITEMS: Final = 12  # of a list
_NOTES: Final = 2  # on an item
_SITE: Final = 1 + _LISTS + _LISTS * _ITEMS * (1 + _NOTES)
_STRAYS: Final = 0.3  # share of the items that are of another kind than their list
_NEIGHBOURS: Final = 3  # departments that a home page links to
_URL: Final = re.compile(r"http://department-(\d{1,9})\.example/(?:(list|item|note)/(\d{1,9})\.html)?", re.ASCII)
_HOME, _LIST, _ITEM, _NOTE = "home", "list", "item", "note"


class ListPage(NamedTuple):
    """One page of the web."""

    number: int
    site: int
    role: str
    """One of "home", "list", "item" and "note"."""
    place: int
    """Its index among the pages of its role on its site."""
    genre: str
    """"course" or "job"; "" for pages of no genre."""
    subject: str
    """The name of a subject; "" for none."""


@dataclass(frozen=True)
class ListWeb:
    """A generated web of `pages` pages with texts of `page_kb`. Equal settings give equal answers."""

    seed: int = 7
    pages: int = 2000
    page_kb: float = 0.5
    _keys: Keys = field(init=False, repr=False, compare=False)
    _language: Language = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.pages < SMALLEST:
            raise ValueError(f"a web of lists has at least {SMALLEST} pages")
        keys = Keys(self.seed)
        object.__setattr__(self, "_keys", keys)
        object.__setattr__(self, "_language", Language(keys))

    def __reduce__(self) -> tuple[Any, ...]:
        return ListWeb, (self.seed, self.pages, self.page_kb)

    # Answers

    def answer(self, url: str) -> Answer:
        """The answer to a GET of a URL; 404 if there is no such page."""
        page = self.page_of(url)
        return NOT_FOUND if page is None else Answer(200, (("Content-Type", HTML),), self._html(page).encode())

    def _html(self, page: ListPage) -> str:
        rng = Random(self._keys.key("text", page.number))
        short = page.role in {_HOME, _LIST}
        subject = next((number for number, one in enumerate(SUBJECTS) if one.name == page.subject), -1)
        phrases = self._language.phrases(subject, page.genre or "general")
        sentences = self._language.sentences(rng, phrases, round(self.page_kb * 1024 * (0.2 if short else 1.0)))
        title = f"{pick(rng, NOUNS)} and {pick(rng, NOUNS)}".capitalize()  # never about what the page is about
        links = "".join(f'<li><a href="{url}">{pick(rng, NOUNS)}</a></li>\n' for url in self.links(page))
        return (
            f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>\n'
            f"<body><h1>{title}</h1>\n<p>{' '.join(sentences)}</p>\n<ul>\n{links}</ul></body></html>\n"
        )

    def links(self, page: ListPage) -> list[str]:
        """The URLs that a page links to."""
        first = page.site * _SITE
        items = first + 1 + _LISTS
        home = [first]
        match page.role:
            case "home":
                numbers = [first + 1 + place for place in range(_LISTS)]
                numbers += [site * _SITE for site in self._neighbours(page.site)]
            case "list":
                numbers = home + [items + page.place * _ITEMS + step for step in range(_ITEMS)]
            case "item":
                notes = items + _LISTS * _ITEMS + page.place * _NOTES
                numbers = home + [notes + step for step in range(_NOTES)]
            case _:
                numbers = home
        return [self.url(number) for number in numbers if number < self.pages]

    def _neighbours(self, site: int) -> list[int]:
        """Other departments: two further ones, so that all can be reached, and others by chance."""
        sites = -(-self.pages // _SITE)
        by_chance = [self._keys.key(f"neighbour {step}", site) % sites for step in range(_NEIGHBOURS - 2)]
        found = [one for one in (2 * site + 1, 2 * site + 2, *by_chance) if one < sites and one != site]
        return list(dict.fromkeys(found))

    # Ground truth

    def page(self, number: int) -> ListPage:
        """The page with a number."""
        site, rest = divmod(number, _SITE)
        if rest == 0:
            return ListPage(number, site, _HOME, 0, "", "")
        if rest <= _LISTS:
            return ListPage(number, site, _LIST, rest - 1, "", "")
        place = rest - 1 - _LISTS
        if place >= _LISTS * _ITEMS:
            return ListPage(number, site, _NOTE, place - _LISTS * _ITEMS, "", "")
        genre = _GENRES[place // _ITEMS]
        if not genre or self._keys.key("stray", number) < _STRAYS * 2**64:
            return ListPage(number, site, _ITEM, place, "", "")
        return ListPage(number, site, _ITEM, place, genre, SUBJECTS[site % _SUBJECTS].name)

    def page_of(self, url: str) -> ListPage | None:
        """The page with a URL; None if there is none."""
        found = _URL.fullmatch(url)
        if not found:
            return None
        role, place = found[2] or _HOME, int(found[3] or 0)
        rest = {_HOME: 0, _LIST: 1, _ITEM: 1 + _LISTS, _NOTE: 1 + _LISTS + _LISTS * _ITEMS}[role] + place
        number = int(found[1]) * _SITE + rest
        return self.page(number) if number < self.pages and rest < _SITE and self.url(number) == url else None

    def url(self, number: int) -> str:
        """The URL of a page."""
        page = self.page(number)
        home = f"http://department-{page.site}.example/"
        return home if page.role == _HOME else f"{home}{page.role}/{page.place}.html"

    def page_urls(self) -> Iterator[str]:
        """The URLs of all pages, in the order of their numbers."""
        return map(self.url, range(self.pages))

    def labels(self) -> Iterator[tuple[str, str]]:
        """URLs and labels: "department" for home pages; for pages of a genre "item.course" and "subject.astronomy".

        Both together are also "course.astronomy".
        """
        for page in map(self.page, range(self.pages)):
            url = self.url(page.number)
            if page.role == _HOME:
                yield url, "department"
            elif page.genre:
                for label in (f"item.{page.genre}", f"subject.{page.subject}", f"{page.genre}.{page.subject}"):
                    yield url, label

    def terms(self, genre: str, subject: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The genre terms and content terms that an expert would give."""
        return GENRES[genre], next(one.keywords for one in SUBJECTS if one.name == subject)

    def seeds(self, count: int = 3) -> tuple[str, ...]:
        """Home pages; the whole web can be reached from the first."""
        return tuple(self.url(site * _SITE) for site in range(min(count, -(-self.pages // _SITE))))
