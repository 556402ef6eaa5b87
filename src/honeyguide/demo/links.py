"""Chooses which page links to which, and the anchor texts."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from honeyguide.demo.atlas import COPIES, GENERAL, MIXED, NO_SUBJECT, PORTAL, SLOTS, TRADE, DemoPage, Site
from honeyguide.demo.subjects import COUNT, SUBJECTS, related
from honeyguide.demo.text import pick
from honeyguide.demo.vocabulary import ADJECTIVES, ADVERTS, BLANK_ANCHORS, NOUNS, SECTIONS

if TYPE_CHECKING:
    from honeyguide.demo.atlas import Atlas

_TRIES = 8
_MOVED, _GONE, _CLOSED = 0.03, 0.015, 0.015  # shares of the links in texts that are worn
MOVED, GONE, CLOSED = "/moved", "/gone", "/cgi-bin"
"""Where worn links lead on any host: a redirect to the page, nothing, and what robots.txt closes."""
_UNLINKED = COPIES | {"tunnel"}


class Link(NamedTuple):
    """A link on a page."""

    url: str
    anchor: str
    part: str
    """Where it is: "content", "section" (the list of child pages), "block" (of a portal), "ring" (other sites of
    the same kind), "navigation", "advertisement" or "print"."""


class Linker:
    """Chooses the links of a page. Each part has its own random bits, so each part can be requested separately.

    In a `worn` web, a few of the links in texts lead to an address that the page has moved away from, or was removed
    from, or to one that robots.txt closes. Everything can still be reached by other links.
    """

    def __init__(self, atlas: Atlas, locality: float, density: float, *, worn: bool = False) -> None:
        self._atlas = atlas
        self._worn = worn
        self._locality = locality
        self._density = density

    # Titles and anchors

    def title(self, page: DemoPage) -> str:
        """The title of a page, the same on the page itself and in the anchors of links to it."""
        if page.copied:
            page = self._atlas.page(page.original)
        one, two = self._atlas.title_words(page)
        if page.place == 0:
            return page.site.title
        if page.kind in ("course", "job", "product"):
            return f"{page.kind}: {one} and {two}".capitalize()
        if page.kind == "portal":
            return f"Topics of the day: {one} and {two}"
        if page.kind == "hub":
            return f"Links about {one} and {two}"
        bits = page.key >> 40
        adjective = ADJECTIVES[bits % len(ADJECTIVES)]
        patterns = (
            f"The {adjective} {one} and the {two}",
            f"Notes on {one} and {two}",
            f"How the {two} changed our {one}",
            f"{one} for {adjective} visitors, with some {two}",
            f"A {one} beside the {two}",
        )
        title = patterns[(bits >> 8) % len(patterns)]
        return title[0].upper() + title[1:]

    def _anchor(self, rng: Random, source: DemoPage, target: DemoPage, url: str) -> str:
        draw = rng.random()
        if draw < 0.15:
            return pick(rng, BLANK_ANCHORS)
        if source.kind == "synonym" and target.subject == source.subject:
            # Such a page never contains a keyword, not even in its links.
            subject = SUBJECTS[source.subject]
            return f"{pick(rng, subject.synonyms)} and {pick(rng, subject.words)}"
        if draw < 0.22 and source.kind != "synonym":
            return url.removeprefix("http://")
        if draw < 0.85:
            return self.title(target)
        return f"the {pick(rng, ADJECTIVES)} {self._atlas.title_words(target)[1]}"

    def _link(self, rng: Random, source: DemoPage, target: DemoPage, part: str) -> Link:
        url = self._atlas.url(target.number)
        return Link(url, self._anchor(rng, source, target, url), part)

    # The parts of a page

    def content(self, page: DemoPage) -> list[Link]:
        """Links in the text (on a hub: in the list), each target once."""
        rng = Random(self._atlas.key("content links", page.number))
        count = int(self._density * (0.7 + 0.6 * rng.random()) * (2.5 if page.kind == "hub" else 1)) + 1
        seen = {page.number}
        links = []
        for _ in range(count):
            local = rng.random() < self._locality
            for _ in range(_TRIES):  # a repeated target is replaced by one of the same kind, to preserve the locality
                target = self._target(rng, page, local=local)
                if target.number not in seen:
                    seen.add(target.number)
                    links.append(self._link(rng, page, target, "content"))
                    break
        return [self._wear(page, link) for link in links] if self._worn else links

    def _wear(self, page: DemoPage, link: Link) -> Link:
        draw = self._atlas.key(f"worn {link.url}", page.number) / 2**64
        for share, folder in ((_MOVED, MOVED), (_GONE, GONE), (_CLOSED, CLOSED)):
            if draw < share:
                host, _, path = link.url.removeprefix("http://").partition("/")
                return link._replace(url=f"http://{host}{folder}/{path}")
            draw -= share
        return link

    def section(self, page: DemoPage) -> list[Link]:
        """Links to the child pages on the same host, so that every page can be reached."""
        rng = Random(self._atlas.key("section links", page.number))
        below = [self._atlas.page(number) for number in self._atlas.children(page)]
        if page.copied:  # its lists must not make it differ from its original
            return [Link(self._atlas.url(target.number), BLANK_ANCHORS[0], "section") for target in below]
        return [self._link(rng, page, target, "section") for target in below]

    def printed(self, page: DemoPage) -> list[Link]:
        """The link to the print version, if the page has one."""
        following = page.number + 1
        if page.place + 1 >= page.site.size or self._atlas.page(following).kind != "print":
            return []
        return [Link(self._atlas.url(following), "Print version", "print")]

    def blocks(self, page: DemoPage) -> list[tuple[int, list[Link]]]:
        """The blocks of a portal page: different subjects, each with links to its pages."""
        rng = Random(self._atlas.key("block links", page.number))
        first, count = int(rng.random() * COUNT), 4 + int(rng.random() * 3)
        size = max(3, round(self._density / 2))
        blocks = []
        for step in range(count):
            subject = (first + 5 * step) % COUNT
            targets = {self._topical(rng, page, subject) for _ in range(size)}
            in_order = sorted(targets, key=lambda target: target.number)
            blocks.append((subject, [self._link(rng, page, target, "block") for target in in_order]))
        return blocks

    def ring(self, page: DemoPage) -> list[Link]:
        """On a home page: sites of the same kind in other blocks; on that of a portal also all sites of its block.

        These connect the whole web: blocks form a tree along each slot, and each host links to the portal of its block.
        """
        site, atlas = page.site, self._atlas
        if page.place:
            return []
        blocks = [*range(3 * site.block + 1, min(atlas.blocks, 3 * site.block + 4))]
        if site.block:
            blocks.append((site.block - 1) // 3)
        sites = [atlas.site(block, site.slot) for block in blocks]
        if site.slot == PORTAL:
            sites += [atlas.site(site.block, slot) for slot in range(SLOTS) if slot != PORTAL]
        return [Link(atlas.url(other.first), other.title, "ring") for other in sites]

    def navigation(self, site: Site) -> list[Link]:
        """The same on every page of a host. Its labels belong to no subject."""
        atlas = self._atlas
        places = range(1, min(5, site.size))
        inner = (
            Link(atlas.url(site.first + place), label, "navigation")
            for place, label in zip(places, SECTIONS, strict=False)
        )
        portal = atlas.site(site.block, PORTAL)
        return [
            Link(atlas.url(site.first), "Home", "navigation"),
            *inner,
            Link(atlas.url(portal.first), "Directory", "navigation"),
        ]

    def advertisements(self, page: DemoPage) -> list[Link]:
        """A few links to the trade hosts, on two of three hosts, but not on copies."""
        if page.site.key % 3 == 0 or page.copied:
            return []
        rng = Random(self._atlas.key("advertisements", page.number))
        links = []
        for _ in range(2 + int(rng.random() * 2)):
            shop = self._atlas.site(int(rng.random() * self._atlas.blocks), TRADE)
            number = shop.first + int(rng.random() * shop.size)
            links.append(Link(self._atlas.url(number), pick(rng, ADVERTS), "advertisement"))
        return links

    # Link targets

    def _target(self, rng: Random, page: DemoPage, *, local: bool) -> DemoPage:
        if page.subject == NO_SUBJECT:
            return self._everyday(rng, page) if local else self._elsewhere(rng, page, ())
        near = related(page.subject)
        if not local:
            return self._elsewhere(rng, page, (page.subject, *near))
        draw = rng.random()
        return self._topical(rng, page, page.subject if draw < 0.85 else near[draw < 0.925])

    def _topical(self, rng: Random, page: DemoPage, subject: int) -> DemoPage:
        """A page of a subject: on the same host, in a nearby block, or anywhere; early pages of a host more often."""
        atlas = self._atlas
        for _ in range(_TRIES):
            if page.site.slot == subject and rng.random() < 0.4:
                site = page.site
            else:
                draw = rng.random()
                site = atlas.site(self._block(rng, page), subject if draw < 0.8 else TRADE if draw < 0.9 else MIXED)
            place = int(site.size * rng.random() * rng.random())
            if site.slot >= COUNT:
                # On these hosts the subjects take turns.
                place += (subject - site.key - place) % COUNT
            if place < site.size:
                target = atlas.page(site.first + place)
                if target.subject == subject and target.kind not in _UNLINKED:
                    return target
        return atlas.page(atlas.site(page.site.block, subject).first)

    def _block(self, rng: Random, page: DemoPage) -> int:
        draw = rng.random()
        if draw < 0.5:
            return int(draw * 2 * self._atlas.blocks)
        return (page.site.block + int((draw - 0.5) * 6) - 1) % self._atlas.blocks

    def _everyday(self, rng: Random, page: DemoPage) -> DemoPage:
        """A page without a subject."""
        for _ in range(_TRIES):
            site = self._atlas.site(self._block(rng, page), GENERAL)
            target = self._atlas.page(site.first + int(site.size * rng.random() * rng.random()))
            if target.subject == NO_SUBJECT:
                return target
        return self._atlas.page(self._atlas.site(page.site.block, GENERAL).first)

    def _elsewhere(self, rng: Random, page: DemoPage, avoided: tuple[int, ...]) -> DemoPage:
        """Any page whose subject is not among the avoided ones."""
        for _ in range(_TRIES):
            target = self._atlas.page(int(rng.random() * self._atlas.pages))
            if target.subject not in avoided and target.kind not in _UNLINKED:
                return target
        return self._atlas.page(self._atlas.site(page.site.block, GENERAL).first)


def section_name(bits: int) -> str:
    """A heading that belongs to no subject."""
    return f"The {ADJECTIVES[bits % len(ADJECTIVES)]} {NOUNS[(bits >> 8) % len(NOUNS)]}"
