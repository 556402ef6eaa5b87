"""Assembles a report and writes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from honeyguide.atomic_write import output_file
from honeyguide.document import words
from honeyguide.document.chart import Series
from honeyguide.document.markup import Html, element, html, lines
from honeyguide.document.page import address, document, link, section, shortened, table
from honeyguide.errors import HoneyguideError
from honeyguide.frontier import State
from honeyguide.page.readable import readable, readable_host
from honeyguide.relevance.text import Tokenizer
from honeyguide.store.crawl import Crawl, StoredPage
from honeyguide.store.reasons import error_text, explain, refusal_text
from honeyguide.store.report.chart import histogram, line_chart
from honeyguide.store.report.snippet import snippet, topic_terms
from honeyguide.store.report.statistics import RECENT, CrawlStatistics, HostCount, Truth, folders, survey
from honeyguide.store.seed_results import seed_results
from honeyguide.store.tally import Tally
from honeyguide.version import VERSION

FILE = "report.html"
_BEST_PAGES = 30
_TOP_HOSTS = 10
_FEW_HOSTS = 5
_LONGEST_TITLE = 200
_LONGEST_REASON = 300


@dataclass(frozen=True, slots=True)
class _Subject:
    """A crawl and its statistics, with its name in legends."""

    name: str
    crawl: Crawl
    survey: CrawlStatistics

    @property
    def seconds(self) -> float:
        return float(self.crawl.meta.get("seconds", 0.0))

    @property
    def size(self) -> int:
        return int(self.crawl.meta.get("size", 0))


def write_report(
    crawl: Crawl, truth: Truth | None = None, path: Path | None = None, *, compare: Sequence[tuple[str, Crawl]] = ()
) -> Path:
    """Write the report of a crawl, by default as ``report.html`` into its folder, and return its path.

    With a `truth`, the report shows recall, which cannot be known otherwise. The crawls in `compare` are drawn in the
    same charts, under the given names. The crawl may be running, or have fetched nothing. If the archive no longer
    contains a page, the report says so in place of its text. Raises `InputError` when `path` cannot be written.
    """
    is_ours, path = path is None, path or crawl.path / FILE
    with crawl.snapshot():
        main = _Subject(crawl.topic.strategy.name, crawl, survey(crawl, truth))
        others = [_Subject(name, other, survey(other, truth)) for name, other in compare]
        text = _document(main, others, truth)
    with output_file(path, streams=not is_ours) as file:
        file.write(text.encode("utf-8", "replace"))
    return path


def _document(main: _Subject, others: Sequence[_Subject], truth: Truth | None) -> str:
    beside, below = _places(main), _troubles(main.crawl)
    if len(main.survey.hosts) < _FEW_HOSTS:  # a short table: what would stand below fills the hole beside the chart
        beside, below = beside + below, []
    content = (
        _head(main),
        _figures(main, truth),
        _comparison(main, others, truth),
        element("div", *_charts(main, others, truth), class_="pair charts"),
        element("div", _scores(main), *([element("div", *beside)] if beside else []), class_="pair"),
        _best(main.crawl),
        _seeds(main.crawl),
        element("div", *below, class_="pair") if below else Html(),
        element("footer", f"Made by honeyguide {VERSION}."),
    )
    folder = files(__package__)
    return document(
        f"{main.crawl.topic.name}: crawl report",
        content,
        style=(folder / "style.css").read_text(encoding="utf-8"),
        script=(folder / "hover.js").read_text(encoding="utf-8"),
    )


# ---- summary and charts ----


def _head(main: _Subject) -> Html:
    crawl, topic = main.crawl, main.crawl.topic
    about = ", ".join(topic.keywords) or topic.description
    explanation = _explanation(main)
    return element(
        "header",
        element("p", "Crawl report", class_="kicker"),
        element("h1", topic.name),
        element("p", about, class_="about"),
        element("p", _course(crawl), class_="quiet"),
        element("p", _ending(crawl)),
        element("p", words.sentence(explanation), class_="notice") if explanation else Html(),
    )


def _course(crawl: Crawl) -> str:
    """Strategy, time and length."""
    ((began, ended, runs),) = crawl.query("SELECT min(time), max(time), sum(kind = 'start') FROM events")
    parts = [f"Strategy {crawl.topic.strategy.name}"]
    if began is not None:
        parts.append(words.period(began, ended))
    length = f"{words.duration(crawl.meta.get('seconds', 0.0))} of crawling"
    parts.append(f"{length} in {words.count(runs)} runs" if runs and runs > 1 else length)
    return " · ".join(parts)


def _ending(crawl: Crawl) -> str:
    reason = crawl.meta.get("stop_text", "")
    if not reason:
        return "Not ended: the crawl is running, or was interrupted. Run the same command again to continue it."
    return f"Ended: {reason}."


def _explanation(main: _Subject) -> str:
    """Why nothing relevant was found, in the words that the crawl itself uses."""
    meta, done = main.crawl.meta, main.survey
    tally = Tally(
        pages=done.pages,
        relevant=done.found,
        best=meta.get("best", 0.0),
        errors=Counter(meta["errors"]),
        refused=Counter(meta["refused"]),
    )
    return explain(tally, main.crawl.model.threshold)


def _figures(main: _Subject, truth: Truth | None) -> Html:
    done, states = main.survey, main.crawl.states
    shown = [
        ("pages fetched", words.count(done.pages)),
        ("relevant", words.count(done.found)),
        ("harvest rate", words.share(done.found, done.pages)),
        ("duplicates left out", words.count(done.duplicates)),
        ("received", words.size(main.size)),
        ("received per relevant page", _per_relevant(main)),
        ("pages per second", _speed(main)),
        ("URLs waiting", words.count(states[State.WAITING] + states[State.IN_FLIGHT])),
        ("URLs failed", words.count(states[State.FAILED])),
    ]
    if truth is not None:
        shown.insert(3, ("recall", words.share(done.true, truth.total)))
    return element(
        "dl",
        lines(element("div", element("dt", name), element("dd", value)) for name, value in shown),
        class_="figures",
    )


def _per_relevant(subject: _Subject) -> str:
    return words.size(subject.size / subject.survey.found) if subject.survey.found else words.NO_NUMBER


def _speed(subject: _Subject) -> str:
    return words.speed(subject.survey.pages / subject.seconds) if subject.seconds > 0 else words.NO_NUMBER


def _charts(main: _Subject, others: Sequence[_Subject], truth: Truth | None) -> list[Html]:
    looks = [(main, "main"), *((other, f"other-{1 + number % 3}") for number, other in enumerate(others))]
    overall = main.name if others else "all pages so far"
    harvest = [
        Series(
            overall if subject is main else subject.name,
            look,
            [(point.pages, point.found / point.pages) for point in subject.survey.curve],
        )
        for subject, look in looks
    ]
    recent = [(point.pages, point.recent / RECENT) for point in main.survey.curve if point.recent is not None]
    last = f"{main.name}, last {RECENT}" if others else f"last {RECENT} pages"
    harvest.insert(1, Series(last, "recent", recent))
    return [
        line_chart("Harvest over pages", "pages fetched", "share that is relevant", harvest, percent=True),
        _recall(looks, truth),
    ]


def _recall(looks: Sequence[tuple[_Subject, str]], truth: Truth | None) -> Html:
    if truth is None:
        found = [
            Series(subject.name, look, [(point.pages, point.found) for point in subject.survey.curve])
            for subject, look in looks
        ]
        return line_chart("Relevant pages found", "pages fetched", "relevant pages", found, percent=False)
    total = max(truth.total, 1)
    recall = [
        Series(subject.name, look, [(point.pages, point.true / total) for point in subject.survey.curve])
        for subject, look in looks
    ]
    up = f"share of the web's {words.count(truth.total)} relevant pages"
    return line_chart("Recall over pages", "pages fetched", up, recall, percent=True)


def _scores(main: _Subject) -> Html:
    done = main.survey
    if done.zeros:
        note = f"Not shown: {words.pages(done.zeros)} with score 0, without any of the topic's words."
    else:
        note = "Every page contains some of the topic's words." if done.pages else "No page was fetched."
    return histogram("Relevance of the pages", done.scores, main.crawl.model.threshold, note)


def _comparison(main: _Subject, others: Sequence[_Subject], truth: Truth | None) -> Html:
    if not others:
        return Html()
    rows = []
    for subject in (main, *others):
        done = subject.survey
        cells = [words.count(done.pages), words.count(done.found), words.share(done.found, done.pages)]
        if truth is not None:
            cells.append(words.share(done.true, truth.total))
        rows.append([subject.name, *cells, _per_relevant(subject), _speed(subject)])
    heads = ["Crawl", "Pages", "Relevant", "Harvest", *(["Recall"] if truth else []), "Bytes per relevant", "Pages/s"]
    return section("Side by side", table(heads, rows))


# ---- tables ----


def _places(main: _Subject) -> list[Html]:
    """Where the pages are from: the hosts or, of a single host, which would only repeat the totals, the folders."""
    hosts = main.survey.hosts
    if len(hosts) > 1:
        return [_counts("Top hosts", "Host", {readable_host(name): counts for name, counts in hosts.items()})]
    for host in hosts:
        found = folders(main.crawl)
        if len(found) > 1:
            return [_counts(f"Top folders of {readable_host(host)}", "Folder", found)]
    return []


def _counts(title: str, head: str, counts: Mapping[str, HostCount]) -> Html:
    ordered = sorted(counts.items(), key=lambda item: (-item[1].found, -item[1].pages, item[0]))
    rows = [
        [name, words.count(host.pages), words.count(host.found), words.share(host.found, host.pages)]
        for name, host in ordered[:_TOP_HOSTS]
    ]
    rest = [host for _, host in ordered[_TOP_HOSTS:]]
    if rest:
        pages, found = sum(host.pages for host in rest), sum(host.found for host in rest)
        named = f"{words.count(len(rest))} other {head.lower()}{'s' * (len(rest) > 1)}"
        rows.append([named, words.count(pages), words.count(found), words.share(found, pages)])
    return section(title, table([head, "Pages", "Relevant", "Share"], rows))


def _seeds(crawl: Crawl) -> Html:
    """The seeds that gave no page, with the reason, and those that are sitemaps or feeds."""
    sql = "SELECT url, id FROM urls WHERE depth = 0 AND url IN (SELECT value FROM json_each(?))"
    numbers = dict(crawl.query(sql, json.dumps(crawl.topic.seeds)))
    results = seed_results(crawl.query, {url: numbers[url] for url in crawl.topic.seeds if url in numbers})
    items = [
        element(
            "li",
            element("span", address(one.url), class_="address"),
            html(f": {shortened(one.text, _LONGEST_REASON)}"),
        )
        for one in results
    ]
    return section("Seeds that are no pages", element("ul", lines(items))) if items else Html()


def _troubles(crawl: Crawl) -> list[Html]:
    """Errors and refusals by reason, the most frequent first."""
    tables = []
    for title, counts, said in (
        ("Failed requests", crawl.meta["errors"], error_text),
        ("Not followed", crawl.meta["refused"], refusal_text),
    ):
        rows = [[said(kind), words.count(number)] for kind, number in Counter(counts).most_common()]
        if rows:
            tables.append(section(title, table(["Reason", "Times"], rows)))
    return tables


# ---- pages ----


def _best(crawl: Crawl) -> Html:
    tokenizer = Tokenizer(crawl.topic.relevance.language)
    terms = topic_terms(crawl.topic, tokenizer)
    pages = crawl.pages(best_first=True, most=_BEST_PAGES)
    items = [_item(page, _excerpt(page, terms, tokenizer)) for page in pages]
    return section("Best pages", element("ol", lines(items), class_="best")) if items else Html()


def _item(page: StoredPage, excerpt: Html) -> Html:
    shown = address(readable(page.url))
    title = shortened(page.title, _LONGEST_TITLE) or shown
    links = f"{page.depth} link{'s' if page.depth > 1 else ''}"
    depth = f"{links} from a starting page" if page.depth else "starting page"
    return element(
        "li",
        element("span", f"{page.relevance:.3f}", class_="score"),
        element("h3", link(page.url, element("bdi", title))),
        element("p", element("span", shown, class_="address"), html(f" · {depth}"), class_="quiet"),
        excerpt,
    )


def _excerpt(page: StoredPage, terms: frozenset[int], tokenizer: Tokenizer) -> Html:
    try:
        pieces = snippet(page.text, terms, tokenizer)
    except HoneyguideError as error:
        return element("p", f"Its text is missing: {error}", class_="notice")
    marked = (element("mark", piece.text) if piece.marked else piece.text for piece in pieces)
    return element("p", html(*marked), class_="excerpt", dir="auto")
