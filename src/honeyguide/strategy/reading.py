"""The pure half of a strategy: reads documents, in any process."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError, plugin_errors
from honeyguide.fetch.base import Response
from honeyguide.fetch.robots import page_robots
from honeyguide.frontier import Admission
from honeyguide.page.context.directories import is_directory, outside_links
from honeyguide.page.document import as_html
from honeyguide.page.language import language_of
from honeyguide.page.language_codes import is_among, language_name
from honeyguide.page.listing import FEED, SITEMAP, Listing, read_listing
from honeyguide.page.listing_page import listing_page
from honeyguide.page.parse import NOFOLLOW, Page, parse
from honeyguide.page.scope import Scope
from honeyguide.page.settings import ScopeSettings, UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Relevance, in_language, is_likeness
from honeyguide.relevance.checked import CheckedModel, checked_model, model_name
from honeyguide.relevance.fingerprint import signature
from honeyguide.relevance.short_texts import ShortTextScores
from honeyguide.relevance.text import Text, Tokenizer, Tokens
from honeyguide.strategy.directories import directory_relevance
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.listed import OF_LISTINGS, best_first, read_entries
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.page_words import page_words
from honeyguide.strategy.registry import strategy_named
from honeyguide.strategy.rules import ACCEPTED_BY


class UrlSet(Protocol):
    """A set of URLs, such as those of a recorded web."""

    def __contains__(self, url: str, /) -> bool:
        """Whether the URL is in the set."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """A document to read: the body of a response and its relevant headers."""

    url: str
    body: bytes
    content_type: str = ""
    robots_tag: str = ""
    """The header X-Robots-Tag."""
    listing: bool = False
    """Whether it is a sitemap or a feed, of which only the listed links are read, rather than a page."""
    worth: float = -1.0
    """For a sitemap: the mean relevance of the pages of its host so far; negative if unknown."""

    @classmethod
    def of(cls, response: Response, *, listing: bool = False, worth: float = -1.0) -> Document:
        """The document in a response."""
        tags = "\n".join(value for name, value in response.headers if name.lower() == "x-robots-tag")
        return cls(response.url, response.body, response.header("content-type"), tags, listing, worth)


@dataclass(slots=True)
class Reading:
    """The result of reading a page: its relevance and its links. It is small, since it is sent between processes."""

    title: str
    language: str
    """The language that the page declares, unless its text contradicts: "en"; "" if unknown."""
    words: int
    signature: bytes
    """The fingerprint of its text outside links, for finding near-duplicates."""
    relevance: float
    relevant: bool
    noindex: bool
    """Whether the page asks not to be indexed: it is recorded and followed, but never counts as found."""
    links: LinkTable
    """Its links to follow: distinct URLs in scope, without its own."""
    links_elsewhere: int = 0
    """The number of further links, which belong to other shards of the crawl."""
    left_out: dict[str, int] = field(default_factory=dict)
    """The number of links not followed, by reason: the scope's reasons, "nofollow", "language" for all links of a page
    in an excluded language, "outside" of a recorded web, "strategy" for those that the strategy's rule dropped,
    "max_depth" for those too far from a seed, and "full" for those that the frontier had no space for."""
    accepted: dict[str, int] = field(default_factory=dict)
    """The number of links followed to new URLs, by the part of the page that decided it, if the strategy has several
    (000, Fig. 14). Set by `leave_out`."""
    directory: bool = False
    """Whether the page consists almost entirely of links."""
    foreign: bool = False
    """Whether the page is in a language that the scope excludes: it is recorded, but its links are not followed, and it
    never counts as found. Its relevance is 0."""
    threshold: float = 0.5
    """The score from which its model considers a page relevant."""
    likeness: bool = False
    """Whether the relevance is a likeness to the topic, such as a cosine, rather than a probability: which values are
    high is known only from the other pages of the crawl."""
    sample: bytes = b""
    """Its tokens, for a model that learns from the first pages of the crawl."""
    page_words: bytes = b""
    """Its distinct words with their counts, for a strategy that learns from them: see `strategy.page_words`."""
    listings: list[str] = field(default_factory=list)
    """The sitemaps and feeds that it refers to, in scope."""
    form: str = ""
    """The kind of listing: "sitemap", "sitemap index" or "feed"; "" for a page."""
    listed: int = 0
    """The number of addresses in the listing."""


def leave_out(reading: Reading, admission: Admission, *, too_deep: bool = False) -> None:
    """Drop the links of a page for which the frontier has no space, before the queue of the strategy sees them.

    If the links are `too_deep`, new ones are only counted, and not dropped, since no queue offers them. Otherwise, this
    also sets `Reading.accepted`.
    """
    links = reading.links
    if too_deep:
        if new := int(np.count_nonzero(admission.are_new(links.urls))):
            reading.left_out["max_depth"] = new
        return
    is_accepted = admission.accepted(links.urls, links.scores)
    if is_accepted is not None and not is_accepted.all():
        reading.links = links.where(is_accepted)
        reading.left_out["full"] = len(links) - len(reading.links)
    if ACCEPTED_BY in links.columns:
        parts = reading.links[ACCEPTED_BY][admission.are_new(reading.links.urls)]
        reading.accepted = dict(Counter(parts.tolist()))


@dataclass(frozen=True, slots=True)
class ReaderConfig:
    """Everything that determines how documents are read. It is sent to worker processes."""

    model: Relevance
    strategy: str
    """The spec of the strategy, as in the topic file."""
    urls: UrlSettings = field(default_factory=UrlSettings)
    scope: ScopeSettings = field(default_factory=ScopeSettings)
    language: str = "english"
    """The language of the topic."""
    obeys_robots: bool = True
    """Whether noindex and nofollow are obeyed."""
    agent: str = ""
    """The crawler's name in robots rules."""
    examples: Mapping[str, bool] = field(default_factory=dict)
    """Canonical URLs of the topic's example pages: whether each is about the topic."""
    starting_examples: frozenset[str] = frozenset()
    """The examples that the crawl starts at, besides its seeds."""
    sampling: bool = False
    """Whether readings include the page's tokens, for a model that learns from the first pages of the crawl."""
    model_name: str = ""
    """The name of the model in the topic file, for messages; "" or "auto" for the name of its class."""


@dataclass(frozen=True, slots=True)
class _Scoring:
    """How texts in a language are scored."""

    model: CheckedModel
    tokenizer: Tokenizer
    short_texts: ShortTextScores


class Reader:
    """Reads documents for one topic. Built once per process from its configuration, with the same results in all."""

    def __init__(self, config: ReaderConfig, *, within: UrlSet | None = None) -> None:
        """Links to URLs that are not `within` are left out."""
        self._config = config
        self._rules = UrlRules(config.urls)
        self._scope = Scope(config.scope)
        self._default_scoring = self._scoring(config.model, config.language)
        self._scorings: dict[str, _Scoring] = {}  # by language
        self._within = within
        strategy = strategy_named(config.strategy)
        self._follows, self._reads_words = strategy.recipe.follows, strategy.recipe.reads_words
        with plugin_errors("strategy", config.strategy, occasion="to start", passing=(InputError,)):
            self._styled = strategy.styled
            self._rule = strategy.rule()

    def read(self, document: Document) -> Reading:
        """Decode, parse, score: nothing in the bytes of HTML or plain text makes this raise.

        Raises `UnreadableError` for other documents that cannot be read, and `PluginError` when the model or the
        strategy fails on the page.
        """
        return self._read_listing(document) if document.listing else self._read(document)[0]

    def explain(self, document: Document) -> tuple[Reading, Mapping[str, Sequence[str]]]:
        """Like `read`, and also return the links that are left out: URLs by reason."""
        return self._read(document)

    def _read(self, document: Document) -> tuple[Reading, dict[str, list[str]]]:
        config, own = self._config, self._default_scoring
        html = as_html(document.body, document.content_type)
        page = parse(html, document.url, self._rules, styled=self._styled)
        text = Text(page.words, page.url, page.title)
        tokens = text.tokens(own.tokenizer)
        language = self._language(page, tokens)
        if (scoring := self._in_language(language)) is not own:
            tokens = text.tokens(scoring.tokenizer)
        model = scoring.model
        outside = outside_links(page)
        directory = is_directory(page, outside)
        foreign = not is_among(language, config.scope.languages)
        if foreign:
            relevance = 0.0
        else:
            relevance = directory_relevance(model, text, outside) if directory else model.relevance(text)
        noindex = nofollow = False
        if config.obeys_robots and (document.robots_tag or page.robots):
            noindex, nofollow = page_robots(document.robots_tag, page.robots, config.agent)
        links, left_out = self._followed(page, "language" if foreign else "nofollow" if nofollow else "")
        view = PageView(
            page, text, links, relevance, model, scoring.tokenizer, config.examples, scoring.short_texts,
            is_example=page.url in config.starting_examples,
        )  # fmt: skip
        with plugin_errors("strategy", config.strategy, document.url):
            table = _complete(self._rule(view), len(links))
        followed = table.where(~np.isnan(table.scores))
        if len(followed) < len(table):
            left_out["strategy"] = [url for url, score in table.rows() if score != score]  # noqa: PLR0124 (NaN)
        reading = Reading(
            title=page.title[:500],
            language=language,
            words=len(page.words),
            signature=_signature(tokens, outside),
            relevance=relevance,
            threshold=model.threshold,
            likeness=is_likeness(model),
            relevant=relevance >= model.threshold and not noindex and not foreign,
            noindex=noindex,
            foreign=foreign,
            directory=directory,
            links=followed,
            left_out={reason: len(urls) for reason, urls in left_out.items()},
            sample=text.tokens(own.tokenizer).tobytes() if config.sampling else b"",
            page_words=page_words(tokens) if self._reads_words else b"",
            listings=[] if nofollow or foreign else self._named_listings(page),
        )
        return reading, left_out

    def _read_listing(self, document: Document) -> Reading:
        """Read a sitemap or feed as a page of links."""
        config = self._config
        listing = read_listing(document.body, document.content_type, as_text=True) or Listing(SITEMAP)
        addresses = self._default_scoring.short_texts.addresses
        entries, left_out = read_entries(listing, document.url, self._rules, self._refusal, addresses)
        page = listing_page(document.url, listing.title, entries, self._rules, styled=self._styled)
        text = Text(page.words, page.url, page.title)
        is_feed = listing.form == FEED
        language = self._language(page, text.tokens(self._default_scoring.tokenizer)) if is_feed else ""
        scoring = self._in_language(language)
        model = scoring.model
        # A mere list of addresses has no text of its own to judge.
        is_judged = document.worth < 0 or is_feed
        relevance = model.relevance(text) if is_judged else document.worth
        by_address = {entry.address: entry for entry in entries}
        places = {url: place for place, url in reversed(list(enumerate(page.links.url))) if url in by_address}
        links = sorted(places.values())
        view = PageView(
            page, text, links, relevance, model, scoring.tokenizer, config.examples, scoring.short_texts
        )  # fmt: skip
        with plugin_errors("strategy", config.strategy, document.url):
            table = _complete(self._rule(view), len(links))
        return Reading(
            title=page.title[:500],
            language=language,
            words=len(page.words),
            signature=b"",
            relevance=relevance,
            threshold=model.threshold,
            likeness=is_likeness(model),
            relevant=relevance >= model.threshold,
            noindex=False,
            links=best_first(table, [by_address[url] for url in view.urls], left_out),
            left_out=dict(left_out),
            form=listing.form,
            listed=len(listing.entries),
        )

    def _named_listings(self, page: Page) -> list[str]:
        """The sitemaps and feeds that a page refers to and that may be read."""
        if not page.listings or not self._follows:
            return []
        within, refusal = self._within, self._scope.refusal
        named = dict.fromkeys(url for url in page.listings if refusal(url) not in OF_LISTINGS)
        return [url for url in named if within is None or url in within]

    def _refusal(self, url: str) -> str:
        return "outside" if self._within is not None and url not in self._within else self._scope.refusal(url)

    def _language(self, page: Page, tokens: Tokens) -> str:
        """The language of a page. Stop words quickly confirm the topic's own language, which most pages are in."""
        own = self._default_scoring.tokenizer.recognized(tokens)
        return own if own and page.language in ("", own) else language_of(page.source, page.language)

    def _scoring(self, model: Relevance, language: str) -> _Scoring:
        named = checked_model(model, model_name(self._config.model_name, self._config.model))
        tokenizer = Tokenizer(language)
        return _Scoring(named, tokenizer, ShortTextScores(named, tokenizer))

    def _in_language(self, code: str) -> _Scoring:
        """How texts in a language are scored: in the default way, unless the model has a variant for the language."""
        name = language_name(code)
        if name in {"", self._config.language}:
            return self._default_scoring
        found = self._scorings.get(name)
        if found is None:
            model = in_language(self._config.model, name)
            found = self._default_scoring if model is self._config.model else self._scoring(model, name)
            self._scorings[name] = found
        return found

    def _followed(self, page: Page, refused: str) -> tuple[list[int], dict[str, list[str]]]:
        """Return the positions of the links to follow, one per URL, and the other URLs by reason.

        If `refused` is not empty, no link is followed, for that reason.
        """
        if not self._follows:
            return [], {}
        if refused:
            urls = [url for url in dict.fromkeys(page.links.url) if url != page.url]
            return [], {refused: urls} if urls else {}
        urls, within = page.links.url, self._within
        first = dict(zip(reversed(urls), range(len(urls) - 1, -1, -1), strict=True))  # the first link to each URL
        first.pop(page.url, None)
        links = sorted(first.values())
        reasons = self._scope.refusals([urls[link] for link in links])
        flags = page.links.flags if self._config.obeys_robots else ()
        if within is None and not any(flags) and not any(reasons):
            return links, {}
        followed: list[int] = []
        left_out: defaultdict[str, list[str]] = defaultdict(list)
        for link, reason in zip(links, reasons, strict=True):
            url = urls[link]
            if within is not None and url not in within:
                left_out["outside"].append(url)
            elif flags and flags[link] & NOFOLLOW:
                left_out["nofollow"].append(url)
            elif reason:
                left_out[reason].append(url)
            else:
                followed.append(link)
        return followed, left_out


def _complete(table: LinkTable, links: int) -> LinkTable:
    """Return the table of a rule. Raises `TypeError` or `ValueError` unless it is one with a row per link."""
    if not isinstance(table, LinkTable):
        raise TypeError(f"returned {type(table).__name__} instead of a LinkTable")
    if len(table) != links:
        raise ValueError(f"returned {len(table)} rows for {links} links")
    return table


def _signature(tokens: Tokens, outside: NDArray[np.bool_]) -> bytes:
    """The fingerprint of the text outside links, since navigation and link lists differ between copies of a page.

    For a page that consists only of links, the fingerprint of these.
    """
    return signature(tokens, outside) or signature(tokens)
