"""Reasons as people read them: why a fetch failed, why a URL was not followed."""

from __future__ import annotations

from http import HTTPStatus

_ERRORS = {
    "dns": "the host's name does not resolve",
    "address": "the address is not public",
    "connect": "no connection, or lost before an answer",
    "tls": "no trusted TLS connection",
    "timeout": "no answer in time",
    "protocol": "the answer is not HTTP, or broken",
    "reader": "the page could not be read",
    "robots": "robots.txt cannot be had, so its host is left alone",
}

_REFUSALS = {
    "robots": "robots.txt does not allow it",
    "nofollow": "the page asks not to follow it (nofollow)",
    "type": "neither HTML nor another type that is read",
    "redirects": "too many redirects in a row (fetch.redirects)",
    "domain": "outside the domains of the scope",
    "path": "outside the paths of the scope",
    "depth": "too many path segments (scope.max_path_depth)",
    "query": "too many query parameters (scope.max_query_parameters)",
    "length": "the URL is too long (scope.max_url_length)",
    "repeats": "path segments repeat as in a trap (scope.max_repeats)",
}


def error(kind: str) -> str:
    """What a failed fetch failed of: a kind of `fetch.base.KINDS`, one of the crawl's own, or a status."""
    if kind in _ERRORS:
        return _ERRORS[kind]
    try:
        status = HTTPStatus(int(kind))
    except ValueError:
        return f"status {kind}"
    return f"status {kind} {status.phrase}{', to nowhere' if 300 <= status < 400 else ''}"


def refusal(reason: str) -> str:
    """Why a URL was not followed."""
    return _REFUSALS.get(reason, reason)
