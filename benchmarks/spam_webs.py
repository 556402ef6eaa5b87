"""Webs with spam in them: the demo web, a few of whose pages link into a network that was made to catch crawlers.

Each network is a function from URL to page, without end, like the demo web itself. Its texts are spun from pages about
the topic, so that any relevance model likes them; what differs is how the network spreads over names and addresses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from random import Random

from honeyguide.demo import DemoWeb
from honeyguide.fetch.base import Headers, Response
from honeyguide.lab.webs.demo import DemoPages
from honeyguide.page.url import host_of

HTML: Headers = (("Content-Type", "text/html; charset=utf-8"),)
MARK = "spam"
"""The host names of a network begin with it; no host of the demo web does."""
ANYWHERE = ""
LINKS = 12
"""Links of an ordinary page of a network."""
HUB_LINKS = 2000
LIST_LINKS = 135_000
ENTRIES = 6
"""Pages of the demo web that link into the network: the seeds, and a few about the topic."""
_NUMBER = re.compile(r"\d+")
_WORDS = re.compile(r"<[^>]*>|\s+")


@dataclass(frozen=True, slots=True)
class Material:
    """What a spammer has copied: texts about the topic, anchors about the topic, texts about something else."""

    texts: tuple[list[str], ...]
    keywords: tuple[str, ...]
    anchors: tuple[str, ...]
    junk: tuple[list[str], ...]

    @property
    def stuffed(self) -> list[list[str]]:
        """Three of the texts with a keyword after every fourth word."""
        return [
            [one for place, word in enumerate(text) for one in ((word,) if place % 4 else (word, keyword))]
            for text, keyword in zip(self.texts, self.keywords, strict=False)
        ][:3]


Writer = Callable[[Material, str, int], tuple[str, str]]
"""Makes the page of a URL with a number: its HTML and the address it comes from."""


@dataclass(frozen=True, slots=True)
class Network:
    """A way to trap a crawler."""

    about: str
    entry: str
    """URL of an entry, with a place for its number."""
    write: Writer


class SpamWeb:
    """A `lab.web.VirtualWeb`: the demo web with a network in it."""

    def __init__(self, demo: DemoWeb, subject: str, network: str) -> None:
        self._demo = demo
        self._pages = DemoPages(demo)
        self._network = NETWORKS[network]
        self.name = f"{self._pages.name}+{network}"
        self.digest = blake2b(self.name.encode(), digest_size=16).hexdigest()
        self.notes: tuple[str, ...] = ()
        relevant = list(demo.relevant_urls(subject))
        others = [url for url in demo.page_urls() if demo.subject_of(url) not in (None, subject)]
        entries = dict.fromkeys((*demo.seeds(subject), *relevant[1::4]))
        self._entries = {url: number for number, url in enumerate(islice(entries, ENTRIES))}
        self._material = Material(
            tuple(self._text(url) for url in relevant[:40]),
            demo.keywords(subject),
            tuple(" ".join(self._text(url)[:5]) for url in relevant[:40]),
            tuple(self._text(url) for url in others[:40]),
        )

    def _text(self, url: str) -> list[str]:
        html = self._demo.answer(url).body.decode()
        return _WORDS.sub(" ", html[html.find("<title>") :]).split()

    def __len__(self) -> int:
        return len(self._pages)

    def __contains__(self, url: str) -> bool:
        return is_spam(url) or url in self._pages

    def urls(self) -> Iterator[str]:
        """Those of the demo web: the network has no end."""
        return self._pages.urls()

    def response(self, url: str) -> Response | None:
        """The page of the network, or of the demo web."""
        if is_spam(url):
            number = int("".join(_NUMBER.findall(url)) or 0)
            html, address = self._network.write(self._material, url, number)
            return Response(url, 200, "OK", HTML, html.encode(), html.encode(), (), ip=address)
        response = self._pages.response(url)
        if response is not None:
            response.ip = f"192.0.2.{int.from_bytes(_bits('host', host_of(url)), 'big') % 60}"
            if (entry := self._entries.get(url)) is not None:
                link = _link(self._network.entry.format(entry), self._material.anchors[entry])
                response.body = response.raw = response.body.replace(b"</p>", f" {link}</p>".encode(), 1)
        return response


def is_spam(url: str) -> bool:
    """Whether a URL belongs to a network."""
    return host_of(url).startswith(MARK)


def _bits(*about: object) -> bytes:
    return blake2b(" ".join(map(str, about)).encode(), digest_size=4).digest()


def _anywhere(url: str) -> str:
    """An address of its own."""
    return ".".join(map(str, _bits("address", url)))


def _dice(*about: object) -> Random:
    return Random(" ".join(map(str, about)))


def _link(url: str, anchor: str) -> str:
    return f'<a href="{url}">{anchor}</a>'


def _page(title: str, text: str, links: str) -> str:
    return f"<!DOCTYPE html><title>{title}</title><h1>{title}</h1><p>{text}</p>{links}"


def _spun(material: Material, dice: Random) -> str:
    """A text about the topic: runs of two to six words from anywhere, with keywords in between."""
    words: list[str] = []
    while len(words) < 300:
        text = dice.choice(material.texts)
        start = dice.randrange(max(len(text) - 6, 1))
        words += (*text[start : start + dice.randint(2, 6)], dice.choice(material.keywords))
    return " ".join(words)


def _copied(material: Material, dice: Random) -> str:
    """A text of the topic with a word in fifty replaced."""
    words = list(dice.choice(material.stuffed))
    for place in range(0, len(words), 50):
        words[place] = f"word{dice.randrange(10**6)}"
    return " ".join(words)


def _listed(links: list[tuple[str, str]]) -> str:
    return "".join(f"<p>{_link(url, anchor)}</p>" for url, anchor in links)


def _spreading(url: str, address: str, text: Callable[[Material, Random], str]) -> Writer:
    """Pages that link to pages with other numbers, for which `url` has a place."""

    def write(material: Material, own: str, _number: int) -> tuple[str, str]:
        dice = _dice(own)
        links = [(url.format(dice.randrange(10**9)), dice.choice(material.anchors)) for _ in range(LINKS)]
        title = dice.choice(material.anchors)
        return _page(title, text(material, dice), _listed(links)), address or _anywhere(own)

    return write


def _hubs(hub: str, junk: str, junk_hosts: int, share_of_hubs: float) -> Writer:
    """Pages that are links with anchors about the topic, to pages about something else and to more such pages."""

    def write(material: Material, own: str, number: int) -> tuple[str, str]:
        dice = _dice(own)
        if "/junk/" in own:
            links = [(junk.format(dice.randrange(junk_hosts), dice.randrange(10**6)), "more") for _ in range(LINKS)]
            text = " ".join(dice.choice(material.junk)) + f" {number}"
            return _page("Something else", text, _listed(links)), f"198.51.100.{number % 200}"
        links = [
            (
                hub.format(dice.randrange(10**9))
                if dice.random() < share_of_hubs
                else junk.format(dice.randrange(junk_hosts), dice.randrange(10**6)),
                dice.choice(material.anchors),
            )
            for _ in range(HUB_LINKS)
        ]
        return _page("Links", "Links", _listed(links)), f"198.51.100.{number % 200}"

    return write


def _lists(_: Material, own: str, number: int) -> tuple[str, str]:
    links = "".join(f"<a href=/{number}/{place}>{place}</a>" for place in range(LIST_LINKS)) if "/list/" in own else ""
    return f"<title>Index</title>{links}", "198.51.100.1"


NETWORKS: Mapping[str, Network] = {
    "sub-domains": Network(
        "every page on a new sub-domain of one domain, on many addresses; spun text",
        "http://spam{0}.network.example/page/{0}",
        _spreading("http://spam{0}.network.example/page/{0}", ANYWHERE, _spun),
    ),
    "one address": Network(
        "every page on a new registered domain, all on one address; spun text",
        "http://spam{0}.example/page/{0}",
        _spreading("http://spam{0}.example/page/{0}", "198.51.100.1", _spun),
    ),
    "copies": Network(
        "every page on a new registered domain and a new address; copies of three pages, a word in 50 changed",
        "http://spam{0}.example/page/{0}",
        _spreading("http://spam{0}.example/page/{0}", ANYWHERE, _copied),
    ),
    "spun copies": Network(
        "every page on a new registered domain and a new address; spun text",
        "http://spam{0}.example/page/{0}",
        _spreading("http://spam{0}.example/page/{0}", ANYWHERE, _spun),
    ),
    "hubs of junk": Network(
        f"pages of {HUB_LINKS:,} links with anchors about the topic to pages about something else, on 50 domains",
        "http://spamhub{0}.example/hub/{0}",
        _hubs("http://spamhub{0}.example/hub/{0}", "http://spam{0}.example/junk/{1}", 50, 0.0),
    ),
    "hubs of hubs": Network(
        f"pages of {HUB_LINKS:,} links with anchors about the topic to more such pages, on new domains",
        "http://spamhub{0}.example/hub/{0}",
        _hubs("http://spamhub{0}.example/hub/{0}", "http://spam{0}.example/junk/{1}", 50, 1.0),
    ),
    "hubs on one site": Network(
        f"pages of {HUB_LINKS:,} links with anchors about the topic, half to junk and half to hubs, all on one host",
        "http://spam.example/hub/{0}",
        _hubs("http://spam.example/hub/{0}", "http://spam.example/junk/{1}", 1, 0.5),
    ),
    "lists": Network(f"lists of {LIST_LINKS:,} links each, on one host", "http://spam.example/list/{0}", _lists),
}
"""By name."""
