"""A web that is a function from seed and URL to page. Nothing is stored."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from honeyguide.demo import faulty, scripts
from honeyguide.demo.atlas import NO_SUBJECT, Atlas, DemoPage, Site
from honeyguide.demo.compose import Writer
from honeyguide.demo.faulty.listings import START as WRONG_LISTINGS
from honeyguide.demo.links import CLOSED, MOVED, Link, Linker
from honeyguide.demo.listings import SiteListings
from honeyguide.demo.sitemap import url_set
from honeyguide.demo.subjects import SUBJECTS
from honeyguide.proxy.answer import HTML, NOT_FOUND, Answer, plain

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALLEST = 100
_LISTING_KINDS = frozenset({"home", "portal", "hub"})
_ANCHOR = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_META = '<meta charset="utf-8">\n'


@dataclass(frozen=True)
class DemoWeb:
    """A generated web of `pages` clean pages, and in addition the faulty hosts (see `faults`).

    `locality` is the probability that a link in a text leads to the same or a related subject, `page_kb` the mean
    size of a page. With `faults`, portal pages link to the faulty hosts, and some links in texts are out of date: they
    redirect, lead nowhere, or to what robots.txt closes. With `listings`, pages name the feed of their host, and hosts
    have sitemaps of all kinds, right and wrong ones; otherwise each has a plain one that its robots.txt names.
    The pages of a share of the hosts, `scripted`, are written by scripts. No page links to a share of those that list
    no others, `orphans`: they are found in sitemaps and feeds, or not at all.
    Equal settings give equal answers, in every process and Python version.
    """

    seed: int = 7
    pages: int = 2000
    locality: float = 0.8
    page_kb: float = 6.0
    faults: bool = False
    listings: bool = False
    scripted: float = 0.0
    orphans: float = 0.0
    _atlas: Atlas = field(init=False, repr=False, compare=False)
    _writer: Writer = field(init=False, repr=False, compare=False)
    _listings: SiteListings = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.pages < SMALLEST:
            raise ValueError(f"a demo web has at least {SMALLEST} pages")
        if not 0.0 <= self.locality <= 1.0:
            raise ValueError("locality is a probability")
        if not 0.0 <= self.scripted <= 1.0:
            raise ValueError("scripted is a share")
        if not 0.0 <= self.orphans <= 1.0:
            raise ValueError("orphans is a share")
        if self.page_kb <= 0:
            raise ValueError("pages have a size")
        atlas = Atlas(self.seed, self.pages)
        linker = Linker(atlas, self.locality, density=4 + 0.8 * self.page_kb, worn=self.faults)
        extra = [Link(faulty.INDEX, "Odd corners of the web", "block")]
        if self.listings:
            extra.append(Link(WRONG_LISTINGS, "Sitemaps that are wrong", "block"))
        extra += [Link(fault.url, fault.name, "block") for fault in faulty.faults()]
        object.__setattr__(self, "_atlas", atlas)
        object.__setattr__(self, "_listings", SiteListings(atlas, linker))
        object.__setattr__(self, "_writer", Writer(atlas, linker, self.page_kb, extra if self.faults else ()))

    def __reduce__(self) -> tuple[Any, ...]:
        settings = (self.seed, self.pages, self.locality, self.page_kb, self.faults, self.listings, self.scripted)
        return DemoWeb, (*settings, self.orphans)

    # Answers

    def answer(self, url: str, attempt: int = 1, now: float = 0.0) -> Answer:
        """The answer to a GET of an absolute http URL; 404 if there is no such page.

        `attempt` is the number of this request for the URL, from 1 (it matters only if `counted` is true for the URL);
        `now` is the Unix time, used only for a Retry-After given as a date.
        """
        host, target = _split(url)
        if host in faulty.HOSTS:
            return faulty.answer(host, target, attempt, now)
        site = self._atlas.site_of_host(host)
        if site is None:
            return NOT_FOUND
        if self.listings and target == "/robots.txt":
            return self._listings.robots(site)
        if self.listings and (listing := self._listings.answer(site, target)) is not None:
            return listing
        if target == "/robots.txt":
            return plain(f"User-agent: *\nDisallow: {CLOSED}/\n\nSitemap: http://{site.host}/sitemap.xml\n")
        if target == "/sitemap.xml" and not self.listings:
            urls = (self._atlas.url(number) for number in range(site.first, site.first + site.size))
            return Answer(200, (("Content-Type", "application/xml"),), url_set(urls))
        if target.startswith(f"{MOVED}/") and self._atlas.number_of(site, target.removeprefix(MOVED)) is not None:
            return Answer(301, (("Location", f"http://{site.host}{target.removeprefix(MOVED)}"),))
        is_scripted = self.scripted > 0 and scripts.is_scripted(self.seed, site.host, self.scripted)
        if is_scripted and target == scripts.SCRIPT:
            return scripts.APP
        is_content = is_scripted and target.startswith(f"{scripts.CONTENT}/")
        number = self._atlas.number_of(site, target.removeprefix(scripts.CONTENT) if is_content else target)
        if number is None:
            return NOT_FOUND
        return scripts.SHELL if is_scripted and not is_content else self._render(self._atlas.page(number))

    def counted(self, url: str) -> bool:
        """Whether the answer depends on how often the URL was requested."""
        return faulty.counted(*_split(url))

    def knows(self, host: str) -> bool:
        """Whether the name belongs to a host of this web, clean or faulty."""
        return host in faulty.HOSTS or self._atlas.site_of_host(host) is not None

    def _render(self, page: DemoPage) -> Answer:
        text = self._writer.write(page)
        if self.orphans:
            text = _ANCHOR.sub(self._without_orphans, text)
        if self.listings:
            text = text.replace(_META, _META + self._listings.head(page.site), 1)
        body = text.encode()
        etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        return Answer(200, (("Content-Type", HTML), ("ETag", etag)), body)

    def _without_orphans(self, anchor: re.Match[str]) -> str:
        return anchor[2] if self.is_orphan(anchor[1].replace("&amp;", "&")) else anchor[0]

    # Ground truth

    @property
    def subjects(self) -> tuple[str, ...]:
        """The names of the subjects."""
        return tuple(subject.name for subject in SUBJECTS)

    @property
    def faulty_seed(self) -> str:
        """The URL of a page that links to all faults."""
        return faulty.INDEX

    def keywords(self, subject: str) -> tuple[str, ...]:
        """The words a user would give as the topic."""
        return SUBJECTS[_index(subject)].keywords

    def synonyms(self, subject: str) -> tuple[str, ...]:
        """The words that some pages use for the subject instead of its keywords."""
        return SUBJECTS[_index(subject)].synonyms

    def page_of(self, url: str) -> DemoPage | None:
        """The properties of a clean page (kind, host, place); None for any other URL."""
        host, target = _split(url)
        site = None if host in faulty.HOSTS else self._atlas.site_of_host(host)
        number = self._atlas.number_of(site, target) if site else None
        return None if number is None else self._atlas.page(number)

    def listing_urls(self, host: str) -> tuple[str, ...]:
        """The URLs of the sitemaps and feeds of a clean host, if the web has them."""
        site = self._atlas.site_of_host(host) if self.listings and host not in faulty.HOSTS else None
        return tuple(f"http://{site.host}{path}" for path in self._listings.urls(site)) if site else ()

    def page_numbered(self, number: int) -> DemoPage:
        """The properties of the clean page with a number."""
        return self._atlas.page(number)

    def subject_of(self, url: str) -> str | None:
        """The subject of a page, for a copy that of its original; None if it has none or is not a clean page."""
        page = self.page_of(url)
        return None if page is None or page.subject == NO_SUBJECT else SUBJECTS[page.subject].name

    def original_of(self, url: str) -> str | None:
        """The URL of the page that this one copies; None if it is not a copy."""
        page = self.page_of(url)
        return self._atlas.url(page.original) if page is not None and page.copied else None

    def relevant(self, url: str, subject: str) -> bool:
        """Whether the page is about the subject and not a copy of another."""
        page = self.page_of(url)
        return page is not None and page.subject == _index(subject) and not page.copied

    def links(self, url: str) -> tuple[Link, ...]:
        """The links of a clean page, each with the part of the page it is in; empty for any other URL."""
        page = self.page_of(url)
        if page is None:
            return ()
        links = self._writer.links(self._atlas.page(page.original) if page.kind == "twin" else page)
        return tuple(link for link in links if not self.orphans or not self.is_orphan(link.url))

    def is_orphan(self, url: str) -> bool:
        """Whether no page links to a page, which sitemaps and feeds list all the same."""
        page = self.page_of(url) if self.orphans else None
        if page is None or page.kind in _LISTING_KINDS or 4 * page.place + 1 < page.site.size or page.copied:
            return False
        return (page.key >> 20) % 1000 < 1000 * self.orphans

    def page_urls(self) -> Iterator[str]:
        """The URLs of all clean pages, including copies, in the order of their numbers."""
        return (self._atlas.url(number) for number in range(self.pages))

    def relevant_urls(self, subject: str) -> Iterator[str]:
        """The URLs of all pages for which `relevant` is true; iterates over the whole web."""
        wanted = _index(subject)
        pages = map(self._atlas.page, range(self.pages))
        return (self._atlas.url(page.number) for page in pages if page.subject == wanted and not page.copied)

    def labels(self) -> Iterator[tuple[str, str]]:
        """The URL of every page for which `relevant` is true for some subject, and the label of that subject.

        Labels look like "subject.beekeeping": other labels could be added to a file of them.
        """
        for page in map(self._atlas.page, range(self.pages)):
            if page.subject != NO_SUBJECT and not page.copied:
                yield self._atlas.url(page.number), f"subject.{SUBJECTS[page.subject].name}"

    def seeds(self, subject: str, count: int = 3) -> tuple[str, ...]:
        """Home pages of hosts about the subject, at most `count`; the whole web can be reached from each of them."""
        slot = _index(subject)
        return tuple(self._atlas.url(self._home(block, slot)) for block in range(min(count, self._atlas.blocks)))

    def _home(self, block: int, slot: int) -> int:
        site: Site = self._atlas.site(block, slot)
        return site.first


def _index(subject: str) -> int:
    for index, known in enumerate(SUBJECTS):
        if known.name == subject:
            return index
    raise ValueError(f"no subject {subject!r}: there are {', '.join(known.name for known in SUBJECTS)}")


def _split(url: str) -> tuple[str, str]:
    """Host (lower case, without default port) and path with query of an http URL; ("", "") for anything else."""
    if url[:7].lower() != "http://":
        return "", ""
    rest = url[7:].partition("#")[0]
    cut = next((place for place, letter in enumerate(rest) if letter in "/?"), len(rest))
    host, target = rest[:cut].lower().removesuffix(":80"), rest[cut:]
    return host, target if target.startswith("/") else f"/{target}"
