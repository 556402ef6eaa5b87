"""Sections that are tables: sites, terms, failures, links not followed, seeds."""

from __future__ import annotations

import json
from collections import Counter
from typing import Final

from honeyguide.document import words
from honeyguide.document.page import address, shortened
from honeyguide.page.language_codes import is_among
from honeyguide.page.readable import readable_host
from honeyguide.store.crawl import Crawl
from honeyguide.store.reasons import error_text, refusal_text
from honeyguide.store.report.content import Paragraph, Section, Table, Tone
from honeyguide.store.report.places import failing_hosts, places
from honeyguide.store.report.subject import MainSubject
from honeyguide.store.report.terms import TermSample
from honeyguide.store.seed_results import seed_results

_MOST_PLACES: Final = 100
_MOST_LANGUAGES: Final = 20
_MOST_HOSTS: Final = 3  # that are named for each kind of failure
_LONGEST_REASON: Final = 300


def sites(main: MainSubject) -> Section:
    """Where the pages are from."""
    found = places(main.crawl, main.survey.hosts)
    if found is None:
        return Section("Sites", [])
    ordered = sorted(found.counts.items(), key=lambda item: (-item[1].found, -item[1].pages, item[0]))
    rows = [
        [name, *map(words.count, (one.pages, one.found)), words.share(one.found, one.pages), words.count(one.failed)]
        for name, one in ordered[:_MOST_PLACES]
    ]
    rest: list[str] = []
    if left := [one for _, one in ordered[_MOST_PLACES:]]:
        pages, relevant = sum(one.pages for one in left), sum(one.found for one in left)
        named = f"{words.count(len(left))} other {found.kind.lower()}{'s' * (len(left) > 1)}"
        failed = words.count(sum(one.failed for one in left))
        rest = [named, words.count(pages), words.count(relevant), words.share(relevant, pages), failed]
    return Section(found.title, [Table([found.kind, "Pages", "Relevant", "Share", "Failed"], rows, rest=rest)])


def terms(main: MainSubject) -> Section:
    """The terms of relevant pages and those of the others."""
    chosen = main.selection
    counted = TermSample(main.crawl, main.tokenizer)
    relevant, others = chosen.relevant.numbers, chosen.others.numbers
    if relevant and others:
        counted.read(relevant, others, lambda done, total: main.progress("reading pages", done, total))
    rows = [
        [one.word, f"{one.relevant:.0%}", f"{one.others:.0%}", f"{one.log_odds:+.2f}"] for one in counted.strongest()
    ]
    note = (
        f"How many of {words.count(counted.relevant.pages)} relevant pages have a word, and how many of "
        f"{words.count(counted.others.pages)} others, drawn at random. Log odds: the logarithm of the odds ratio, with "
        "a prior worth ten pages. The most certain come first, those of relevant pages before those of the others."
    )
    heads = ["Term", "Relevant", "Others", "Log odds"]
    return Section("Terms", [Table(heads, rows), Paragraph(note, Tone.QUIET)] if rows else [])


def failed_requests(crawl: Crawl) -> Section:
    """Failed requests by reason, the most frequent first, with the hosts that have most of them."""
    hosts = failing_hosts(crawl)
    rows = []
    for kind, number in Counter(crawl.meta["errors"]).most_common():
        most = hosts.get(kind, Counter[str]()).most_common(_MOST_HOSTS)
        named = ", ".join(f"{readable_host(host)} ({words.count(times)})" for host, times in most)
        rows.append([error_text(kind), words.count(number), words.count(len(hosts.get(kind, ()))), named])
    heads = ["Reason", "Times", "Hosts", "Most often at"]
    return Section("Failed requests", [Table(heads, rows, texts=frozenset((3,)))] if rows else [])


def not_followed(crawl: Crawl) -> Section:
    """Links and URLs that were refused, by reason."""
    rows = [[refusal_text(kind), words.count(number)] for kind, number in Counter(crawl.meta["refused"]).most_common()]
    return Section("Not followed", [Table(["Reason", "Times"], rows)] if rows else [])


def languages(crawl: Crawl) -> Section:
    """The languages of the pages, if there are several, or if some were excluded."""
    counts = [*crawl.query("SELECT language, count(*), sum(relevant) FROM pages GROUP BY language")]
    wanted = crawl.topic.scope.languages
    if len(counts) < 2 and all(is_among(code, wanted) for code, _, _ in counts):
        return Section("Languages", [])
    rows = [
        [code or "unknown", words.count(pages), words.count(relevant)]
        for code, pages, relevant in sorted(counts, key=lambda row: (-row[1], row[0]))[:_MOST_LANGUAGES]
    ]
    only = f"Only pages in {', '.join(wanted)}, and those whose language is unknown, count and are followed."
    notes = [Paragraph(only, Tone.QUIET)] if wanted else []
    return Section("Languages", [Table(["Language", "Pages", "Relevant"], rows), *notes])


def seeds(crawl: Crawl) -> Section:
    """The seeds that gave no page, with the reason, and those that are sitemaps or feeds."""
    sql = "SELECT url, id FROM urls WHERE depth = 0 AND url IN (SELECT value FROM json_each(?))"
    numbers = dict(crawl.query(sql, json.dumps(crawl.topic.seeds)))
    results = seed_results(crawl.query, {url: numbers[url] for url in crawl.topic.seeds if url in numbers})
    rows = [[address(one.url), shortened(one.text, _LONGEST_REASON)] for one in results]
    return Section(
        "Seeds that are not pages", [Table(["Seed", "What happened"], rows, texts=frozenset((1,)))] if rows else []
    )
