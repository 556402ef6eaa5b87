"""Numbers, hosts and URLs of the clean pages, each computed without a list of the others.

Pages are numbered from 0. Sixteen hosts make a block of about 640 consecutive pages: one host for each of the twelve
subjects, a portal, a trade host (courses, jobs, products), a general host without any subject, and a host whose pages
each have a subject of their own. So "a host about chess in block 17" is arithmetic, and a page of a web of ten million
pages costs no more than one of a web of three hundred.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import Final, NamedTuple

from honeyguide.demo.keys import Keys
from honeyguide.demo.subjects import COUNT, SUBJECTS
from honeyguide.demo.vocabulary import GENRE_FOLDERS, NEUTRAL_SITE_WORDS, NOUNS, SHARED_DOMAINS, SITE_NOUNS

PAGES_A_BLOCK: Final = 640
PORTAL, TRADE, GENERAL, MIXED = range(COUNT, COUNT + 4)
SLOTS: Final = COUNT + 4
FANOUT: Final = 4  # the pages of a host form a tree: page k lists the pages 4k+1 to 4k+4
NO_SUBJECT: Final = -1
COPIES: Final = frozenset({"print", "mirror", "twin"})

_SIZES: Final = (5, 6, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 13, 14, 16, 21)
_WHOLE: Final = sum(_SIZES)
_SHARES: Final = tuple(
    tuple(accumulate((_SIZES[(slot * 5 + turn) % SLOTS] for slot in range(SLOTS)), initial=0)) for turn in range(SLOTS)
)
_FIRST_WORDS: Final = (*(s.site_words for s in SUBJECTS), *NEUTRAL_SITE_WORDS.values())
_SLOT_OF_WORD: Final = {word: slot for slot, words in enumerate(_FIRST_WORDS) for word in words}
_TAIL: Final = ".example"
_TWIN: Final = 2  # an exact duplicate is two places after its original
_HOST: Final = re.compile(r"(?P<word>[^.-]+)[.-](?P<second>[a-z]+)(?:-pages)?(?P<count>[0-9]{0,9})\.example")
_LAST_NUMBER: Final = re.compile(r"(\d{1,9})(?:\.html?|/)?$", re.ASCII)


class Site(NamedTuple):
    """One host of the clean web."""

    block: int
    slot: int
    """Below COUNT a subject, else PORTAL, TRADE, GENERAL or MIXED."""
    host: str
    """As in a canonical URL: lower case, internationalised names in their ASCII form."""
    title: str
    first: int
    size: int
    key: int
    """64 bits that determine everything else about the host."""


class DemoPage(NamedTuple):
    """One page of the clean web: everything that is known without generating its HTML."""

    number: int
    site: Site
    place: int
    """Its position on its host; 0 is the home page."""
    kind: str
    """One of "home", "article", "synonym", "hub", "course", "job", "product", "general", "portal", "tunnel", "print",
    "mirror", "twin"."""
    subject: int
    """Index into SUBJECTS, or NO_SUBJECT."""
    original: int
    """The number of the page it copies; its own number if it is not a copy."""
    key: int
    """64 bits that determine everything else about the page."""

    @property
    def copied(self) -> bool:
        """Whether it is a copy of another page."""
        return self.original != self.number

    @property
    def date(self) -> str:
        """The date on it."""
        return f"{2004 + self.key % 20}-{1 + (self.key >> 5) % 12:02}-{1 + (self.key >> 9) % 28:02}"


class Atlas(Keys):
    """Maps numbers to pages and back for one seed and size. The caches only save time, for pages that share a host."""

    def __init__(self, seed: int, pages: int) -> None:
        super().__init__(seed)
        self.pages = pages
        self.blocks = max(1, pages // PAGES_A_BLOCK)
        self._turn = self.key("names", 0)
        self.sizes = lru_cache(maxsize=8192)(self._sizes)
        self.site = lru_cache(maxsize=8192)(self._site)
        self.page = lru_cache(maxsize=32768)(self._page)
        self.url = lru_cache(maxsize=32768)(self._url)

    # Numbers and hosts

    def _start(self, block: int) -> int:
        return block * self.pages // self.blocks

    def _sizes(self, block: int) -> tuple[int, ...]:
        """How the pages of a block are divided among its hosts: small and large ones alternate."""
        return _SHARES[self.key("sizes", block) % SLOTS]

    def _site(self, block: int, slot: int) -> Site:
        start = self._start(block)
        size = self._start(block + 1) - start
        before, through = self.sizes(block)[slot : slot + 2]
        first = start + size * before // _WHOLE
        host, title = self._name(block, slot)
        count = start + size * through // _WHOLE - first
        return Site(block, slot, host, title, first, count, self.key("site", block * SLOTS + slot))

    def _site_of_number(self, number: int) -> Site:
        block = ((number + 1) * self.blocks - 1) // self.pages
        start = self._start(block)
        size = self._start(block + 1) - start
        # The last slot whose first page, start + size * share // _WHOLE, is not beyond the number.
        share = ((number - start + 1) * _WHOLE - 1) // size
        return self.site(block, bisect_right(self.sizes(block), share) - 1)

    def _name(self, block: int, slot: int) -> tuple[str, str]:
        """The host's name and its title."""
        words, seconds = _FIRST_WORDS[slot], _second_words(slot)
        row, column = divmod(block, len(words))
        count, step = divmod(row, len(seconds))
        word = words[(column + self._turn) % len(words)]
        second = seconds[(step + self._shift(slot, column)) % len(seconds)]
        if _shared(slot):
            return f"{word}.{second}-pages{count or ''}{_TAIL}", f"{word} at {second} pages".title()
        return to_ascii(f"{word}-{second}{count or ''}{_TAIL}"), f"{word} {second}".title()

    def _shift(self, slot: int, column: int) -> int:
        # Hosts of a shared domain must keep its name; others vary so that no word is on all hosts of a small web.
        return self._turn if _shared(slot) else self._turn + 5 * slot + 3 * column

    def site_of_host(self, host: str) -> Site | None:
        """The clean site with this host name, in its ASCII or its Unicode form; None if there is none."""
        try:
            spelled = to_ascii(host)
            name = spelled.encode().decode("idna") if "xn--" in spelled else spelled
        except UnicodeError:
            return None
        found = _HOST.fullmatch(name)
        slot = _SLOT_OF_WORD.get(found["word"], -1) if found else -1
        if not found or slot < 0 or found["second"] not in _second_words(slot):
            return None
        words, seconds = _FIRST_WORDS[slot], _second_words(slot)
        column = (words.index(found["word"]) - self._turn) % len(words)
        step = (seconds.index(found["second"]) - self._shift(slot, column)) % len(seconds)
        block = (int(found["count"] or 0) * len(seconds) + step) * len(words) + column
        if block >= self.blocks:
            return None
        site = self.site(block, slot)
        return site if site.host == spelled else None

    # Pages

    def _page(self, number: int) -> DemoPage:
        site = self._site_of_number(number)
        place = number - site.first
        key = self.key("page", number)
        if site.slot < COUNT:
            copy, original = self._copy(site, place, key)
            if copy:
                return DemoPage(number, site, place, copy, self.page(original).subject, original, key)
            kind, subject = _subject_page(site, place, key)
        elif site.slot == PORTAL:
            kind, subject = "portal", NO_SUBJECT
        elif site.slot == TRADE:
            kind, subject = _trade_page(site, place, key)
        elif site.slot == GENERAL:
            kind, subject = _general_page(site, place)
        else:
            kind, subject = _mixed_page(site, place, key)
        return DemoPage(number, site, place, kind, subject, number, key)

    def _copy(self, site: Site, place: int, key: int) -> tuple[str, int]:
        """The kind of copy that the page is, and the page it copies; ("", 0) for originals."""
        wish = _wish(site, place)
        if wish == "print" and not _wish(site, place - 1):
            return wish, site.first + place - 1
        if wish == "twin" and not _wish(site, place - _TWIN):
            return wish, site.first + place - _TWIN
        if wish == "mirror":
            if self.blocks > 1:
                far = self.site((site.block + 1 + key % (self.blocks - 1)) % self.blocks, site.slot)
            else:
                far = self.site(site.block, (site.slot + 1) % COUNT)
            there = 1 + (key >> 24) % (far.size - 1)
            if not _wish(far, there):
                return wish, far.first + there
        return "", 0

    def children(self, page: DemoPage) -> list[int]:
        """The numbers of the pages that this page lists. Every page except the home page is listed by exactly one page.

        An exact duplicate cannot have a list of its own, so its original also lists the duplicate's pages.
        """
        site, places = page.site, [page.place]
        if page.place + _TWIN < site.size and self.page(page.number + _TWIN).kind == "twin":
            places.append(page.place + _TWIN)
        listed = (FANOUT * place + step for place in places for step in range(1, FANOUT + 1))
        return [site.first + place for place in listed if place < site.size]

    # Addresses

    def title_words(self, page: DemoPage) -> tuple[str, str]:
        """The two words from which title and URL are built: words of the subject, or everyday words."""
        source = page if page.original == page.number else self.page(page.original)
        one, two = source.key >> 8, source.key >> 24
        if page.subject == NO_SUBJECT:
            return NOUNS[one % len(NOUNS)], NOUNS[two % len(NOUNS)]
        subject = SUBJECTS[page.subject]
        first = subject.synonyms if source.kind == "synonym" else subject.keywords
        return first[one % len(first)], subject.words[two % len(subject.words)]

    def _url(self, number: int) -> str:
        page = self.page(number)
        place = page.place
        base = f"http://{page.site.host}"
        if place == 0:
            return base + "/"
        slug = f"{'-'.join(self.title_words(page))}-{place}"
        if page.copied:
            return f"{base}/{'archive' if page.kind == 'twin' else page.kind}/{slug}.html"
        if page.kind in GENRE_FOLDERS:
            return f"{base}/{GENRE_FOLDERS[page.kind]}/{slug}.html"
        style = page.site.key % 4
        if style == 0:
            return f"{base}/articles/{slug}.html"
        if style == 1:
            return f"{base}/{2004 + page.key % 20}/{1 + (page.key >> 5) % 12:02}/{slug}/"
        return f"{base}/index.php?id={place}" if style == 2 else f"{base}/pages/{place}.htm"

    def number_of(self, site: Site, target: str) -> int | None:
        """The number of the page that has this path and query on the site, or None."""
        place = 0
        if target != "/":
            found = _LAST_NUMBER.search(target)
            if not found:
                return None
            place = int(found[1])
        if place >= site.size:
            return None
        number = site.first + place
        return number if self.url(number) == f"http://{site.host}{target}" else None


def to_ascii(host: str) -> str:
    """A host name with internationalised labels in their ASCII form. Raises UnicodeError if there is none."""
    return host if host.isascii() else host.encode("idna").decode()


def _shared(slot: int) -> bool:
    """Whether the hosts of this slot share a domain: those of every fourth subject do."""
    return slot % 4 == 3 and slot < COUNT


def _second_words(slot: int) -> tuple[str, ...]:
    return SHARED_DOMAINS if _shared(slot) else SITE_NOUNS


def _wish(site: Site, place: int) -> str:
    """The kind of copy at a place, provided that the page it would copy is not a copy itself."""
    if place >= 2 and (place + site.key) % 25 == 0:
        return "print"
    if place >= 2 and (place + (site.key >> 8)) % 31 == 0:
        return "mirror"
    if place >= 3 and (place + (site.key >> 16)) % 43 == 0:
        return "twin"
    return ""


def _subject_page(site: Site, place: int, key: int) -> tuple[str, int]:
    if place == 0:
        return "home", site.slot
    draw = key % 100
    if draw < 8:
        return "hub", site.slot
    if draw < 14:
        return tuple(GENRE_FOLDERS)[draw % 3], site.slot
    if draw < 24:
        return "synonym", site.slot
    if draw < 33:
        return "general", NO_SUBJECT
    if draw < 40:
        return "article", (site.slot + 2 + (key >> 8) % (COUNT - 3)) % COUNT
    return "article", site.slot


def _trade_page(site: Site, place: int, key: int) -> tuple[str, int]:
    if place == 0:
        return "home", NO_SUBJECT
    return tuple(GENRE_FOLDERS)[key % 3], (place + site.key) % COUNT


def _general_page(site: Site, place: int) -> tuple[str, int]:
    """A page without a subject; some of them list a page with a subject that no other page links to."""
    if _hidden(place) and not _hidden((place - 1) // FANOUT):
        return "tunnel", (place // 6 + site.key) % COUNT
    return ("general" if place else "home"), NO_SUBJECT


def _hidden(place: int) -> bool:
    return place % 6 == 5


def _mixed_page(site: Site, place: int, key: int) -> tuple[str, int]:
    if place == 0:
        return "home", NO_SUBJECT
    if key % 10 < 4:
        return "general", NO_SUBJECT
    return ("synonym" if key % 10 == 4 else "article"), (place + site.key) % COUNT
