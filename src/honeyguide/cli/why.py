"""``honeyguide why``: explain what happened to a URL, and why."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Annotated

import typer

from honeyguide.cli.bar import Bar
from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.crawl.explain import explain_url, importance_of, restored_frontier
from honeyguide.crawl.left_out import LeftOut, find_mention, left_out_of, scope_refusal
from honeyguide.crawl.listings import UNPROVEN
from honeyguide.crawl.waiting import Rank, waiting_of
from honeyguide.document.words import count, moment, size
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.frontier import Frontier, State
from honeyguide.page.readable import readable_host
from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl
from honeyguide.store.reasons import refusal_text
from honeyguide.store.renderings import rendering_of
from honeyguide.store.stored_page import StoredPage
from honeyguide.store.url_events import LISTING, REDIRECT, last_redirect
from honeyguide.store.why import PathStep, canonical_urls, find_url, listed_by, named_by, path_of, similar_urls

_OPEN = (State.WAITING, State.IN_FLIGHT)
_TELLING = 0.005  # of a promised score: less is not worth a line
_MAX_SHOWN = 3  # links shown per reason, unless all are requested
_MAX_SEARCHED = 5000  # pages that are searched for a URL, unless all are requested: some ten seconds


def why(
    crawl: CrawlFolderArgument,
    url: Annotated[str, typer.Argument(help="Any URL, with or without https://.")],
    everything: Annotated[
        bool,
        typer.Option("--all", help="List all links that were not followed; search all pages for an unknown URL."),
    ] = False,
) -> None:
    """Explain what happened to a URL: the path to it, the evidence for it, its links that were not followed."""
    with Crawl.open(crawl) as opened:
        urls = canonical_urls(opened, url)
        number = find_url(opened, urls)
        if number is None:
            _explain_unknown(opened, url, urls, everything=everything)
            return
        steps = path_of(opened, number)
        _show_path(opened, steps)
        step = steps[-1]
        page = opened.page(step.url)
        frontier = restored_frontier(opened) if step.state in _OPEN else None
        say()
        for line in _became_of(opened, step, page, frontier):
            say(line)
        if (importance := importance_of(opened, step.url, frontier)) is not None:
            say(f"importance by links {importance:.4f} (of all pages together: 1)")
        _show_evidence(opened, step, frontier)
        if page is not None:
            _show_links(opened, page, everything=everything)


# ---- the path ----


def _show_path(crawl: Crawl, steps: list[PathStep]) -> None:
    listing, form = listed_by(crawl, steps[0].number)
    if listing:
        say(f"{form:>10}  {listing}")
    is_example = steps[0].url not in crawl.topic.seeds and crawl.topic.example_urls().get(steps[0].url)
    start = "listed" if listing else "example" if is_example else "seed"
    for place, step in enumerate(steps):
        kind = "redirect" if step.redirected else "link" if place else start
        if place and _is_listing(steps[place - 1]) and not step.redirected:
            kind = "listed"
        promise = f"promised {step.priority:.3f}" if step.priority != UNPROVEN else f"{'waits':<14}"
        say(f"{kind:>10}  {promise}  {_result(step)}  {step.url}")
    if len(steps) > 1 and (event := steps[-2].last_event) is not None and event.kind == LISTING:
        source = steps[-2].url
        host = named_by(crawl, steps[-2].number)[0] or host_of(source)
        say(f"\nfrom the {event.get('form')} {source} of {readable_host(host)}")


def _is_listing(step: PathStep) -> bool:
    return step.last_event is not None and step.last_event.kind == LISTING


def _result(step: PathStep) -> str:
    if step.relevance is not None:
        return f"relevance {step.relevance:.3f}"
    state = step.state.name.lower().replace("_", " ")
    return f"{step.last_event.kind if step.last_event is not None and step.state is State.DONE else state:<15}"


# ---- what became of it ----


def _became_of(crawl: Crawl, step: PathStep, page: StoredPage | None, frontier: Frontier | None) -> Iterator[str]:
    state = "answered" if step.state is State.DONE else step.state.name.lower()
    if page is not None:
        yield from _about_page(crawl, page)
    elif frontier is not None:
        yield from _about_waiting(crawl, step, frontier)
    elif step.last_event is None:  # only if somebody else has changed the database
        yield f"{state}; when and why is not recorded"
    else:
        yield f"{state} on {moment(step.last_event.time)}: {step.last_event.text}"
        if step.last_event.kind == REDIRECT:
            yield from _about_target(crawl, step)


def _about_page(crawl: Crawl, page: StoredPage) -> Iterator[str]:
    row = page.row
    what = f"status {row.status}, {row.content_type.partition(';')[0] or 'no content type'}, {size(row.size)}"
    yield f"fetched on {moment(row.fetched)} ({what}): {'relevant' if row.relevant else 'not relevant'}"
    if rendered := rendering_of(crawl, row.id):
        yield rendered
    if page.duplicate_of:
        how = "has exactly the same content as" if row.same_as is not None else "is a near-duplicate of"
        yield f"a duplicate, which is not counted: it {how} {page.duplicate_of}"
    if row.truncated:
        yield f"its body is incomplete ({row.truncated})"


def _about_target(crawl: Crawl, step: PathStep) -> Iterator[str]:
    end, is_circle = last_redirect(crawl.query, step.number)
    if is_circle:
        yield "it is part of a redirect loop, so there is no page"
    else:
        target = path_of(crawl, end)[-1]
        said = f": {target.last_event.text}" if target.last_event is not None and target.relevance is None else ""
        yield f"there, {target.url} is {target.state.name.lower().replace('_', ' ')}{said}"


def _about_waiting(crawl: Crawl, step: PathStep, frontier: Frontier) -> Iterator[str]:
    waiting = waiting_of(crawl, step, frontier, time.time())
    host, by = named_by(crawl, step.number)
    if host:
        yield f"a sitemap or feed of {readable_host(host)}, named by its {by}"
    if step.priority == UNPROVEN:
        yield "waiting to be read until enough pages of its site are relevant, or nothing better is waiting"
    else:
        yield f"waiting to be fetched, with a promise of {step.priority:.3f}"
    yield f"{_place(waiting.overall)} of all waiting URLs, {_place(waiting.on_host)} on its host"
    for reason in waiting.reasons:
        yield f"held back: {reason}"
    if not waiting.reasons:
        yield "nothing else holds it back: URLs with a higher promise come first, and each host gets one at a time"


def _place(rank: Rank) -> str:
    return f"number {rank.place:,} of {rank.of:,}"


def _show_evidence(crawl: Crawl, step: PathStep, frontier: Frontier | None) -> None:
    parts = [(name, part) for name, part in explain_url(crawl, step.url, frontier) if abs(part) >= _TELLING]
    if parts:
        say("\nEvidence for it (+) and against it (-), compared with other pages:")
    for name, part in parts:
        say(f"{part:+10.3f}  {name}")


# ---- its links ----


def _show_links(crawl: Crawl, page: StoredPage, *, everything: bool) -> None:
    try:
        left_out = left_out_of(crawl, page)
    except HoneyguideError as error:  # the archive has lost it, or its model or strategy is not there
        say(f"\nIt cannot be determined which of its links were not followed: {error}")
        return
    if left_out.noindex:
        say("\nIt is marked noindex, so it does not count as relevant.")
    if left_out.foreign:
        wanted = ", ".join(crawl.topic.scope.languages)
        say(f"\nIts language is {page.language}, and only pages in {wanted} count as relevant (scope.languages).")
    _show_left_out(page, left_out, everything=everything)


def _show_left_out(page: StoredPage, left_out: LeftOut, *, everything: bool) -> None:
    number = sum(left_out.counts.values())
    if not number and not left_out.has_changed:
        return
    say(f"\n{count(page.row.links)} of its links were followed, {count(number)} were not:")
    for reason in sorted(left_out.counts, key=lambda one: (-left_out.counts[one], one)):
        say(f"{left_out.counts[reason]:>10,}  {refusal_text(reason)}")
        urls = left_out.urls.get(reason, ())
        shown = urls if everything else urls[:_MAX_SHOWN]
        for url in shown:
            say(f"{'':>12}{url}")
        if len(shown) < len(urls):
            say(f"{'':>12}and {len(urls) - len(shown):,} more; --all lists them")
    if left_out.has_changed:
        say("The scope, or the model, has changed since: these are the links that would be dropped now.")


# ---- URLs that are none of the crawl's ----


def _explain_unknown(crawl: Crawl, text: str, urls: list[str], *, everything: bool) -> None:
    """Print where a URL that was not followed was found. Raises `InputError` if it was not found."""
    with Bar(quiet=not sys.stderr.isatty()) as bar:
        most = None if everything else _MAX_SEARCHED
        found, searched, pages = find_mention(crawl, urls, most, lambda done, of: bar.show("pages read", done, of))
    refusals = [reason for url in urls if (reason := scope_refusal(crawl, url))]
    if found is None:
        raise InputError(text, *_not_met(crawl, urls, refusals, searched, pages))
    how = "redirects to it" if found.redirects else "links to it"
    reason = found.reason or next(iter(refusals), "")
    say(f"found, but not followed: {refusal_text(reason) if reason else 'by settings that have changed since'}")
    say(f"{found.page} {how}")
    say(f"for more about that page, run: honeyguide why {crawl.path} '{found.page}'")


def _not_met(crawl: Crawl, urls: list[str], refusals: list[str], searched: int, pages: int) -> tuple[str, str]:
    """Problem and remedy for a URL that the crawl does not know."""
    problem = f"was not found in {crawl.path}"
    if pages:
        problem += f", nor among the links not followed on {count(searched)} pages"
    if refusals:
        problem += f"; it would not be followed: {refusal_text(refusals[0])}"
    if similar := similar_urls(crawl, urls):
        return problem, f"did you mean {similar[0]}?"
    if searched < pages:
        return problem, f"--all searches all {count(pages)} pages"
    return problem, "check its spelling, or continue the crawl"
