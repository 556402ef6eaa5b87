"""The pure half of a strategy: a document becomes a reading, in any process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from honeyguide.fetch.robots import page_robots
from honeyguide.page.decode import decode
from honeyguide.page.parse import NOFOLLOW, Page, parse
from honeyguide.page.scope import Scope
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.fingerprint import signature
from honeyguide.relevance.text import Text, Tokenizer, Tokens
from honeyguide.strategy.registry import strategy_named
from honeyguide.strategy.view import View
from honeyguide.topic import Topic


class Urls(Protocol):
    """The URLs that there are, where not all of them are."""

    def __contains__(self, url: str, /) -> bool:
        """Whether there is such a URL."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """What a reading is made from: an answer's body and what its header says about it."""

    url: str
    body: bytes
    content_type: str = ""
    robots_tag: str = ""
    """X-Robots-Tag."""


@dataclass(slots=True)
class Reading:
    """What a page turned out to be, and what its links promise. Small: it crosses process borders."""

    title: str
    language: str
    canonical: str
    words: int
    signature: bytes
    """Of its text outside links, for near-duplicates."""
    relevance: float
    relevant: bool
    noindex: bool
    """The page asks not to be kept in an index: it is followed, and recorded, but never counts as found."""
    links: list[str]
    """Where it leads: distinct, in scope, without itself, in the order of first appearance."""
    scores: list[float]
    """What each link is worth by itself, as the strategy reads the page."""
    left_out: dict[str, int] = field(default_factory=dict)
    """Links not followed, by reason: the scope's reasons, "nofollow", "outside" of a web that has an end, and
    "strategy" for those that it found not worth following."""
    accepted: dict[str, int] = field(default_factory=dict)
    """Links followed, by the part of the page that spoke for them, where a strategy has several (000, Fig. 14)."""
    evidence: NDArray[np.float32] | None = field(default=None, compare=False)
    """What speaks for each link, a row a link, for strategies that weigh it as they learn."""
    groups: NDArray[np.int32] | None = field(default=None, compare=False)
    """With it, for each link the part of the page it stands in."""
    features: NDArray[np.uint16] | None = field(default=None, compare=False)
    """What is so about each link, a row of numbers a link, for strategies that learn what it means."""
    threshold: float = 0.5
    """The score from which the model that read it calls a page relevant."""
    sample: bytes = b""
    """Its tokens, for a model that learns from the crawl's first pages."""


class Reader:
    """Reads documents for one topic. Built once in each process from the topic and its model; the same in all."""

    def __init__(self, topic: Topic, model: Relevance, *, sampling: bool = False, within: Urls | None = None) -> None:
        """With `sampling` the readings bring what a model can learn from. Links that are not `within` are left out."""
        self._rules = UrlRules(topic.urls)
        self._scope = Scope(topic.scope)
        self._obeys = topic.fetch.robots
        self._agent = topic.fetch.agent
        self._tokenizer = Tokenizer(topic.relevance.language)
        self._model = model
        self._sampling = sampling
        self._within = within
        strategy = strategy_named(topic.strategy.name)
        self._follows = strategy.recipe.follows
        examples = (
            ((name, False) for name in topic.examples.negative),
            ((name, True) for name in topic.examples.positive),
        )
        named = ((self._rules.canonical(name), is_one) for kind in examples for name, is_one in kind if "://" in name)
        self._known = {url: is_one for url, is_one in named if url}
        self._styled = strategy.styled
        self._rule = strategy.rule()

    def read(self, document: Document) -> Reading:
        """Decode, parse, score. Never raises, whatever the bytes are."""
        html = decode(document.body, document.content_type)
        page = parse(html, document.url, self._rules, styled=self._styled)
        text = Text(page.words, page.url, page.title)
        tokens = text.tokens(self._tokenizer)
        relevance = float(self._model.score(text, whole(text))[0])
        noindex = nofollow = False
        if self._obeys and (document.robots_tag or page.robots):
            noindex, nofollow = page_robots(document.robots_tag, page.robots, self._agent)
        links, left_out = self._followed(page, nofollow=nofollow)
        view = View(page, text, links, relevance, self._model, self._tokenizer, self._known)
        scores = self._rule(view)
        dropped = np.isnan(scores)
        if dropped.any():
            left_out["strategy"] = int(dropped.sum())
            links = [link for link, is_dropped in zip(links, dropped.tolist(), strict=True) if not is_dropped]
            scores = scores[~dropped]
        return Reading(
            title=page.title[:500],
            language=page.language,
            canonical=page.canonical,
            words=len(page.words),
            signature=_signature(page, tokens),
            relevance=relevance,
            threshold=self._model.threshold,
            relevant=relevance >= self._model.threshold and not noindex,
            noindex=noindex,
            links=[page.links.url[i] for i in links],
            scores=scores.tolist(),
            left_out=left_out,
            accepted=dict(view.accepted),
            evidence=view.evidence,
            groups=view.groups,
            features=view.features,
            sample=tokens.tobytes() if self._sampling else b"",
        )

    def _followed(self, page: Page, *, nofollow: bool) -> tuple[list[int], dict[str, int]]:
        """The positions of the links to follow, one a URL, and how many others there are by reason."""
        if not self._follows:
            return [], {}
        if nofollow:
            return [], {"nofollow": len(page.links)} if len(page.links) else {}
        seen = {page.url}
        links: list[int] = []
        left_out: Counter[str] = Counter()
        for i, url in enumerate(page.links.url):
            if url in seen:
                continue
            seen.add(url)
            if self._within is not None and url not in self._within:
                left_out["outside"] += 1
            elif self._obeys and page.links.flags[i] & NOFOLLOW:
                left_out["nofollow"] += 1
            elif reason := self._scope.refusal(url):
                left_out[reason] += 1
            else:
                links.append(i)
        return links, dict(left_out)


def _signature(page: Page, tokens: Tokens) -> bytes:
    """Of what the page says itself: navigation and link lists differ between copies, so anchors are left out.

    A page that is nothing but links is told by them.
    """
    rows = page.links.node
    outside = np.ones(len(tokens), np.bool_)
    for first, last in zip(page.nodes.first_word[rows].tolist(), page.nodes.last_word[rows].tolist(), strict=True):
        outside[first:last] = False
    return signature(tokens.compress(outside)) or signature(tokens)
