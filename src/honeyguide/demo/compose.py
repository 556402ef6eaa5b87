"""Writes the pages: their text, links and layout."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from honeyguide.demo.atlas import NO_SUBJECT, DemoPage
from honeyguide.demo.layout import BARE, HOUSE_STYLES, Frame, Layout, anchor
from honeyguide.demo.links import Link, Linker, section_name
from honeyguide.demo.subjects import SUBJECTS
from honeyguide.demo.text import Language, pick, window
from honeyguide.demo.vocabulary import BLANK_ANCHORS, GENRES, LEADS, NOUNS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.demo.atlas import Atlas

_BLANK: Final = frozenset(BLANK_ANCHORS)
_GENRE_FACTS: Final = {
    "course": ("Enrolment until 15 September", "Credits: 5", "Lecture: Monday, 10:15", "Exam: written, 90 minutes"),
    "job": ("Position: full time", "Salary: by agreement", "Applicants write before 1 March", "Contract: two years"),
    "product": ("Price: 24.90", "Delivery in three days", "In stock: 12", "Warranty: two years"),
}


class Writer:
    """Writes any page of one web. Some of the `extra` links are on every portal page."""

    def __init__(self, atlas: Atlas, linker: Linker, page_kb: float, extra: Sequence[Link]) -> None:
        self._atlas = atlas
        self._linker = linker
        self._language = Language(atlas)
        self._bytes = page_kb * 1024
        self._extra = extra

    def links(self, page: DemoPage) -> list[Link]:
        """All links of the page, by part."""
        source, lists = self._source(page), [link for _, links in self._lists(page) for link in links]
        if page.kind == "print":
            return [*self._linker.content(source), *lists]
        blocks = [link for _, links in self._blocks(page) for link in links]
        text = [] if blocks else self._linker.content(source)
        return [*self._linker.navigation(page.site), *blocks, *text, *lists, *self._linker.advertisements(page)]

    def write(self, page: DemoPage) -> str:
        """The page in HTML. An exact duplicate is identical to its original."""
        if page.kind == "twin":
            page = self._atlas.page(page.original)
        source = self._source(page)
        layout = _layout(page)
        before, after = layout.around(self._frame(page))
        # The text must be as long as that of the original, or it would differ.
        frame = before + after if page is source else "".join(_layout(source).around(self._frame(source)))
        wanted = self._bytes * (0.65 + 0.7 * (source.key >> 32 & 255) / 255)
        room = max(400, int(wanted) - len(frame))
        rng = Random(self._atlas.key("text", source.number))
        if page.kind == "portal":
            text = self._portal_text(page, layout, rng, room)
        elif source.kind == "hub":
            text = self._hub_text(source, layout, rng, room)
        else:
            text = self._running_text(page, layout, rng, room)
        return before + text + after

    def _source(self, page: DemoPage) -> DemoPage:
        return self._atlas.page(page.original) if page.copied else page

    def _frame(self, page: DemoPage) -> Frame:
        one, two = self._atlas.title_words(page)
        source = self._source(page)
        printed = page.kind == "print"
        # One host in three declares the canonical URL: there even a print version can be recognised.
        canonical = self._atlas.url(source.number) if page.site.key % 3 == 1 and page.kind != "mirror" else ""
        return Frame(
            title=self._linker.title(page),
            description=f"About {one} and {two}",
            site=page.site.title,
            date=page.date,
            canonical=canonical,
            navigation=() if printed else self._linker.navigation(page.site),
            lists=self._lists(page),
            advertisements=self._linker.advertisements(page),
        )

    def _lists(self, page: DemoPage) -> list[tuple[str, list[Link]]]:
        linker = self._linker
        if page.kind == "print":
            back = Link(self._atlas.url(page.original), "Back to the page", "print")
            named = [("", [back]), ("", linker.section(page))]
        else:
            named = [
                ("In this section", linker.section(page) + linker.printed(page)),
                ("Other sites", linker.ring(page)),
                ("Odd corners", self._odd(page)),
            ]
        return [(heading, links) for heading, links in named if links]

    def _odd(self, page: DemoPage) -> list[Link]:
        """On a portal page: the first of the extra links, and three of the others, which rotate between pages."""
        if page.kind != "portal" or not self._extra:
            return []
        first, *others = self._extra
        return [first, *(others[(3 * page.place + step) % len(others)] for step in range(3))]

    def _blocks(self, page: DemoPage) -> list[tuple[int, list[Link]]]:
        return self._linker.blocks(page) if page.kind == "portal" else []

    # The text

    def _portal_text(self, page: DemoPage, layout: Layout, rng: Random, room: int) -> str:
        """Blocks of different subjects, each with a few sentences and its links."""
        blocks = self._blocks(page)
        share = room // len(blocks)
        parts = []
        for subject, links in blocks:
            listed = "".join(layout.item.format(anchor(link), "") for link in links)
            phrases = self._language.phrases(subject, "article")
            sentences = self._language.sentences(rng, phrases, max(300, share - len(listed) - 60))
            heading = f"{pick(rng, SUBJECTS[subject].keywords)} and {pick(rng, NOUNS)}".capitalize()
            parts += [layout.heading.format(heading), layout.paragraph.format(" ".join(sentences)), listed]
        return "".join(parts)

    def _hub_text(self, page: DemoPage, layout: Layout, rng: Random, room: int) -> str:
        """A list of links with a sentence or two about each."""
        links = self._linker.content(page)
        phrases = self._language.phrases(page.subject, page.kind)
        share = max(60, room // len(links) - 130)
        items = (
            layout.item.format(anchor(link), " ".join(self._language.sentences(rng, phrases, share))) for link in links
        )
        return layout.list_heading.format(section_name(page.key)) + "".join(items)

    def _running_text(self, page: DemoPage, layout: Layout, rng: Random, room: int) -> str:
        source = self._source(page)
        links = self._linker.content(source)
        facts = [layout.paragraph.format(fact) for fact in _GENRE_FACTS.get(source.kind, ())]
        room -= sum(len(link.url) + len(link.anchor) + 32 for link in links)
        paragraphs = self._paragraphs(source, rng, max(300, room))
        if page.kind == "mirror":
            _retouch(paragraphs, page)
        for number, link in enumerate(links):
            paragraphs[number % len(paragraphs)].insert(1 + number % 2, _mention(rng, link))
        written = [layout.paragraph.format(" ".join(sentences)) for sentences in paragraphs]
        for place in range(4, len(written), 6):
            written[place] = layout.heading.format(section_name(source.key >> place % 40)) + written[place]
        return "".join(facts + written)

    def _paragraphs(self, source: DemoPage, rng: Random, room: int) -> list[list[str]]:
        """Paragraphs on the page's subject, with digressions that have no subject."""
        language = self._language
        everyday = language.phrases(NO_SUBJECT, "general")
        kind = source.kind if source.kind in GENRES or source.kind == "synonym" else "article"
        main = language.phrases(source.subject, kind) if source.subject != NO_SUBJECT else everyday
        if source.kind == "synonym":
            # The everyday table mentions keywords in passing; this page must not.
            everyday = main
        digression = 0.1 + 0.2 * rng.random()
        sentences = [
            *language.sentences(rng, main, round(room * 0.25)),
            *language.sentences(rng, window(main, source.key >> 3), round(room * (0.75 - digression))),
        ]
        aside = language.sentences(rng, window(everyday, source.key >> 5), round(room * digression))
        return _grouped(sentences, 5) + _grouped(aside, 4)


def _retouch(paragraphs: list[list[str]], page: DemoPage) -> None:
    """Replace a few words of a copy, so that it differs from the original."""
    for place in (0, len(paragraphs) // 2, -1):
        words = paragraphs[place][0].split(" ")
        words[len(words) // 2] = NOUNS[(page.key >> (8 * place % 40)) % len(NOUNS)]
        paragraphs[place][0] = " ".join(words)


def _layout(page: DemoPage) -> Layout:
    return BARE if page.kind == "print" else HOUSE_STYLES[(page.site.key >> 4) % len(HOUSE_STYLES)]


def _grouped(sentences: list[str], size: int) -> list[list[str]]:
    return [sentences[start : start + size] for start in range(0, len(sentences), size)]


def _mention(rng: Random, link: Link) -> str:
    if link.anchor in _BLANK:
        return f"For the rest of it {anchor(link)}."
    return f"{pick(rng, LEADS)} {anchor(link)}."
