"""A generated web that changes over time: pages are edited, new ones appear and are linked to, others disappear.

When a page changes is a function of the web's seed and the page's URL, like everything else in it: its first version
is that of the `DemoWeb`, but for links to pages that are not there yet, and at any time there is only one that is
right. How often it changes depends on the kind of the page, on its site and on the page itself.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from html import unescape
from math import exp
from random import Random
from typing import TYPE_CHECKING, Any, Final

from honeyguide.demo.atlas import DemoPage
from honeyguide.demo.keys import Keys
from honeyguide.demo.subjects import SUBJECTS
from honeyguide.demo.vocabulary import NOUNS
from honeyguide.demo.web import DemoWeb
from honeyguide.proxy.answer import HTML, NOT_FOUND, Answer

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY: Final = 86_400.0
DAYS_BETWEEN: Final = {"home": 1.0, "portal": 1.5, "hub": 3.0, "general": 40.0}
"""Days between two changes of a page of a kind, for a typical site; of all other kinds, `_OTHERS`."""

_OTHERS = 25.0
_SPREAD = 1.2  # by how much sites, and the pages of one, differ: the standard deviation of the logarithm of their rates
_SHORTEST = 0.1  # days between two changes of the most active page
_NEW, _GONE = 0.15, 0.05  # shares of the pages without child pages that appear later, and that disappear
_SENTENCES = 4  # added by a change
_GONE_FOR_GOOD = 410
_SITEMAP = b"<?xml"
_LISTED = re.compile(r"<url>.*?<loc>([^<]*)</loc>.*?</url>\s*", re.DOTALL)
_ANCHOR = re.compile(r'<a href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)


@dataclass(frozen=True)
class ChangingWeb:
    """A `DemoWeb` as it is at a time, from `begin` on (Unix time) for `days`, in which new pages appear.

    With `speed`, days pass faster: 1440 makes a day of each minute.
    """

    web: DemoWeb = field(default_factory=DemoWeb)
    begin: float = 0.0
    days: float = 90.0
    speed: float = 1.0
    _keys: Keys = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_keys", Keys(self.web.seed))
        for name in ("_life", "changes"):
            object.__setattr__(self, name, lru_cache(maxsize=65_536)(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        return ChangingWeb, (self.web, self.begin, self.days, self.speed)

    def day(self, now: float) -> float:
        """The day of this web at a Unix time, from 0."""
        return max((now - self.begin) * self.speed / DAY, 0.0)

    # ---- answers ----

    def answer(self, url: str, attempt: int = 1, now: float = 0.0) -> Answer:
        """As `DemoWeb.answer`, at the time `now`."""
        page = self.web.page_of(url)
        day = self.day(now)
        if page is None:
            return self._listed(self.web.answer(url, attempt, now), day)
        if not self.exists(url, day):
            born, _ = self._life(url)
            is_first = day < born
            return NOT_FOUND if is_first or page.key & 1 else Answer(_GONE_FOR_GOOD, (("Content-Type", HTML),))
        body = self._written(url, page, day).encode()
        etag = f'"{blake2b(body, digest_size=8).hexdigest()}"'
        return Answer(200, (("Content-Type", HTML), ("ETag", etag)), body)

    def _listed(self, answer: Answer, day: float) -> Answer:
        """A sitemap, without the pages that have not appeared yet."""
        if not answer.body.startswith(_SITEMAP):
            return answer

        def shown(found: re.Match[str]) -> str:
            return found[0] if self._is_born(unescape(found[1]), day) else ""

        return replace(answer, body=_LISTED.sub(shown, answer.body.decode()).encode())

    def counted(self, url: str) -> bool:
        """Whether the answer depends on how often the URL was requested."""
        return self.web.counted(url)

    def knows(self, host: str) -> bool:
        """Whether the name belongs to a host of this web."""
        return self.web.knows(host)

    def _written(self, url: str, page: DemoPage, day: float) -> str:
        text = self.web.answer(url).body.decode()

        def shown(found: re.Match[str]) -> str:
            return found[0] if self._is_born(found[1].replace("&amp;", "&"), day) else found[2]

        text = _ANCHOR.sub(shown, text)
        edits = bisect_right(self.edits(url), day)
        if not edits:
            return text
        subject = SUBJECTS[page.subject] if page.subject >= 0 else None
        words = (*subject.keywords, *subject.words) if subject is not None else NOUNS
        rng = Random(self._keys.key(f"edit {edits}", page.number))
        news = [
            f"{' '.join(rng.choice(words) for _ in range(rng.randint(5, 12)))}.".capitalize() for _ in range(_SENTENCES)
        ]
        end = text.find("</body>")  # which some pages lack
        end = len(text) if end < 0 else end
        return f"{text[:end]}<p>Edition {edits}: {' '.join(news)}</p>{text[end:]}"

    # ---- ground truth ----

    def exists(self, url: str, day: float) -> bool:
        """Whether a page exists on a day."""
        born, gone = self._life(url)
        return born <= day < gone

    def _is_born(self, url: str, day: float) -> bool:
        """Whether a page has appeared; links to pages that are gone remain."""
        return self._life(url)[0] <= day

    def _life(self, url: str) -> tuple[float, float]:
        """The days on which a page appears and disappears; from the beginning and for ever for most."""
        page = self.web.page_of(url)
        if page is None or page.copied or page.place == 0 or page.kind in DAYS_BETWEEN or self._lists_others(page):
            return 0.0, 2.0**63
        rng = Random(self._keys.key("life", page.number))
        what, when = rng.random(), self.days * rng.random()
        if what < _NEW:
            return when, 2.0**63
        return (0.0, when) if what < _NEW + _GONE else (0.0, 2.0**63)

    def _lists_others(self, page: DemoPage) -> bool:
        return 4 * page.place + 1 < page.site.size or self._is_copied(page)

    def _is_copied(self, page: DemoPage) -> bool:
        """Whether the next pages of its site may be copies of it, which must have something to copy."""
        near = (page.number + step for step in (1, 2) if page.place + step < page.site.size)
        return any(self._page(number).original == page.number for number in near)

    def _page(self, number: int) -> DemoPage:
        return self.web.page_numbered(number)

    def rate(self, url: str) -> float:
        """How often a page is edited, per day."""
        page = self.web.page_of(url)
        if page is None:
            return 0.0
        source = self._page(page.original)
        site = Random(self._keys.key("site rate", source.site.first)).gauss(0.0, _SPREAD / 2)
        own = Random(self._keys.key("rate", source.number)).gauss(0.0, _SPREAD)
        return min(exp(site + own) / DAYS_BETWEEN.get(source.kind, _OTHERS), 1 / _SHORTEST)

    def edits(self, url: str) -> list[float]:
        """The days on which the text of a page is edited, while new pages appear."""
        page = self.web.page_of(url)
        if page is None:
            return []
        rng, rate, days, day = Random(self._keys.key("edits", page.original)), self.rate(url), [], 0.0
        while (day := day + rng.expovariate(rate)) < self.days:
            days.append(day)
        return days

    def changes(self, url: str) -> list[float]:
        """The days on which a page changes in any way: its text, or a new page that it links to, or that it is gone."""
        born, gone = self._life(url)
        shown = (self._life(link.url)[0] for link in self.web.links(url))
        days = sorted({*self.edits(url), *(day for day in shown if day > 0)})
        return [day for day in days if born < day < gone] + ([gone] if gone < self.days else [])

    def page_urls(self) -> Iterator[str]:
        """The URLs of all pages that are there at some time."""
        return self.web.page_urls()
