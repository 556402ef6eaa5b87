"""Reasons in words: why a fetch failed, why a URL was not followed, why nothing relevant was found."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from honeyguide.store.tally import Tally

# For each kind of failed fetch: a short text for a line of counts, and a longer one for the report.
_ERRORS = {
    "dns": ("name does not resolve", "the host's name does not resolve"),
    "address": ("address is not public", "the address is not public, or its port belongs to another service"),
    "connect": ("no connection", "no connection, or connection lost before a response"),
    "tls": ("no trusted TLS connection", "no trusted TLS connection"),
    "timeout": ("timed out", "no response in time"),
    "protocol": ("not valid HTTP", "the response is not HTTP, or broken"),
    "reader": ("unreadable", "the page could not be read"),
    "internal": ("internal error", "honeyguide itself failed; the traceback is in errors.log"),
    "robots": ("robots.txt cannot be read", "robots.txt cannot be fetched, so its host is not crawled"),
}

_REFUSALS = {
    "robots": "disallowed by robots.txt",
    "nofollow": "marked nofollow by the page",
    "language": "on a page in another language (scope.languages)",
    "type": "not a page, by its file type (scope.deny_types) or its content type (fetch.types)",
    "office": "an office document (Word, Excel, PowerPoint, OpenDocument), which is not read",
    "pdf": "a PDF, which is not read without the extra honeyguide[pdf]",
    "redirects": "too many redirects in a row (fetch.redirects)",
    "port": "the port belongs to a service other than the web",
    "domain": "outside the domains of the scope (scope.allow_domains, deny_domains)",
    "path": "outside the paths of the scope (scope.allow_paths, deny_paths)",
    "depth": "too many path segments (scope.max_path_depth)",
    "query": "too many query parameters (scope.max_query_parameters)",
    "length": "the URL is too long (scope.max_url_length)",
    "max_depth": "too many links from a seed (scope.max_depth)",
    "strategy": "dropped by the strategy",
    "listings": "more sitemaps than are read",
    "listed": "not among the best of a sitemap or feed that lists more than are followed",
    "host": "listed by a sitemap of another host, which its own robots.txt does not name",
    "full": "the frontier is full, and these are no better than most (scope.max_waiting)",
    "blocked": "blocked by a user of the crawl (honeyguide tell CRAWL unblock ...)",
    "repeats": "repeated path segments, as in a crawler trap (scope.max_repeats)",
}

_KINDS = {
    "page": "read as a page",
    "redirect": "redirects to another URL",
    "listing": "a sitemap or feed",
}


def error_text(kind: str) -> str:
    """Why a fetch failed: for a kind of `fetch.base.KINDS`, one of the crawl's own kinds, or a status."""
    if kind in _ERRORS:
        return _ERRORS[kind][1]
    try:
        status = HTTPStatus(int(kind))
    except ValueError:
        return f"status {kind}"
    return f"status {kind} {status.phrase}{', without a usable target' if 300 <= status < 400 else ''}"


def refusal_text(reason: str) -> str:
    """Why a URL was not followed."""
    return _REFUSALS.get(reason, reason)


def reason_text(reason: str) -> str:
    """What a reason in a list of URLs means: why a URL failed or was not followed, or what it is."""
    return _KINDS.get(reason) or (refusal_text(reason) if reason in _REFUSALS else error_text(reason))


def describe(errors: Mapping[str, int]) -> str:
    """Failed fetches by kind on one line, most frequent first; "" when there are none."""
    ordered = sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(
        f"{_ERRORS[kind][0] if kind in _ERRORS else f'status {kind}'} ({count})" for kind, count in ordered
    )


def explain(tally: Tally, threshold: float) -> str:
    """Why a crawl found nothing relevant; "" when it found something."""
    if tally.relevant:
        return ""
    reasons = ["no page could be read"]
    if tally.pages:
        wanted = f"relevance {threshold:g} (best: {tally.best:.3f})"
        remedy = "lower relevance.threshold, or choose keywords that relevant pages use"
        reasons = [f"none of {tally.pages:,} pages reached {wanted}: {remedy}"]
    if tally.refused["language"]:
        reasons.append("pages in other languages than those of scope.languages do not count")
    if tally.errors:
        reasons.append(f"failed fetches: {describe(tally.errors)}")
    if tally.refused:
        counts = ", ".join(f"{reason} ({count})" for reason, count in tally.refused.most_common())
        reasons.append(f"not followed: {counts}")
    return "; ".join(reasons)
