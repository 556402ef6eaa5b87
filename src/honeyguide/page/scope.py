"""Which links may be followed: domains, paths, file types, and limits that keep a crawl out of traps."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from honeyguide.errors import InputError
from honeyguide.page.document import OFFICE_EXTENSIONS, reads_pdf
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules, escaped, has_bad_port, host_of, without_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from honeyguide.page.settings import ScopeSettings

LENGTH: Final = "length"
"""Longer than max_url_length."""
PORT: Final = "port"
"""The port is that of another service than HTTP. Applies to seeds and redirects from them, too."""
DOMAIN: Final = "domain"
"""In deny_domains, or not in allow_domains."""
TYPE: Final = "type"
"""The last segment of the path has one of the extensions in deny_types."""
OFFICE: Final = "office"
"""The last segment has an extension of office documents."""
PDF: Final = "pdf"
"""The last segment ends in .pdf, and the extra that reads PDF is not installed."""
DEPTH: Final = "depth"
"""More path segments than max_path_depth."""
REPEATS: Final = "repeats"
"""Path segments are repeated, as in a trap of wrongly relative links."""
QUERY: Final = "query"
"""More query parameters than max_query_parameters."""
PATH: Final = "path"
"""Matches deny_paths, or nothing in allow_paths."""

REASONS: Final = (LENGTH, PORT, DOMAIN, TYPE, OFFICE, PDF, DEPTH, REPEATS, QUERY, PATH)
"""Why a URL is refused, in the order in which the rules are checked; the first that applies is the reason."""

# Size of the cache of decisions, and the maximum length of its URLs.
_KNOWN: Final = 32_768
_KNOWN_LENGTH: Final = 300


class Scope:
    """The compiled ``[scope]`` settings. Immutable; pickled as its settings.

    Raises `InputError` for an entry that can never match. ``max_depth`` and ``pages_per_host`` depend on the state of
    the crawl and are not checked here.
    """

    __slots__ = ("_allowed_path", "_denied_path", "_denied_types", "_host_refusal", "_known", "settings")

    def __init__(self, settings: ScopeSettings) -> None:
        self.settings = settings
        allowed = _domains("scope.allow_domains", settings.allow_domains)
        denied = _domains("scope.deny_domains", settings.deny_domains)

        @lru_cache(maxsize=65_536)
        def host_refusal(origin: str) -> str:
            if has_bad_port(origin):
                return PORT
            names = name_and_parents(host_of(origin))
            return "" if denied.isdisjoint(names) and not (allowed and allowed.isdisjoint(names)) else DOMAIN

        self._host_refusal = host_refusal
        self._known = _Known(self._refusal)  # the pages of a site have many links in common
        self._denied_types = _types("scope.deny_types", settings.deny_types)
        self._allowed_path = path_matcher("scope.allow_paths", settings.allow_paths)
        self._denied_path = path_matcher("scope.deny_paths", settings.deny_paths)

    def __reduce__(self) -> tuple[type[Scope], tuple[ScopeSettings]]:
        return Scope, (self.settings,)

    def refusal(self, url: str) -> str:
        """Why a canonical URL must not be followed, one of `REASONS`; empty if it may be followed."""
        return self.refusals((url,))[0]

    def refusals(self, urls: Iterable[str]) -> list[str]:
        """Why each of some URLs must not be followed, as `refusal`."""
        if len(self._known) > _KNOWN:
            self._known.clear()
        return list(map(self._known.__getitem__, urls))

    def _refusal(self, url: str) -> str:
        settings = self.settings
        if len(url) > settings.max_url_length:
            return LENGTH
        start = url.find("/", 8)
        if reason := self._host_refusal(url[:start]):
            return reason
        rest = url[start:]
        path, _, query = rest.partition("?")
        kind = _type_of(path)
        if kind in self._denied_types:
            return OFFICE if kind in OFFICE_EXTENSIONS else TYPE
        if kind == "pdf" and not reads_pdf():
            return PDF
        depth = path.count("/")
        if depth > settings.max_repeats or depth > settings.max_path_depth:
            # A trailing slash does not begin a segment, so that /a/ is as deep as /a.
            segments = path.removesuffix("/").split("/")[1:]
            if len(segments) > settings.max_path_depth:
                return DEPTH
            if len(set(segments)) < len(segments) and _repeats(segments, settings.max_repeats):
                return REPEATS
        if query and query.count("&") >= settings.max_query_parameters:
            return QUERY
        if self._denied_path and self._denied_path(rest):
            return PATH
        if self._allowed_path and not self._allowed_path(rest):
            return PATH
        return ""


class _Known(dict[str, str]):
    """URL → why it must not be followed. Filled on demand; long ones are not kept."""

    def __init__(self, refusal: Callable[[str], str]) -> None:
        super().__init__()
        self._refusal = refusal

    def __missing__(self, url: str) -> str:
        reason = self._refusal(url)
        if len(url) <= _KNOWN_LENGTH:
            self[url] = reason
        return reason


def _type_of(path: str) -> str:
    """The text after the last dot, in lower case; it contains a slash, as no file type does, if not an extension."""
    if ";" in path:  # parameters of the last segment are not part of its name
        slash = path.rfind("/")
        path = path[:slash] + path[slash:].partition(";")[0]
    return path.rpartition(".")[2].lower()


def _repeats(segments: list[str], most: int) -> bool:
    """Whether a segment occurs more than `most` times, or two or more segments occur `most` times in a row."""
    if max(Counter(segments).values(), default=0) > most:
        return True
    for period in range(2, len(segments) // most + 1):
        run = 0  # number of segments before this one that equal those one period earlier
        for now, before in zip(segments[period:], segments, strict=False):
            run = run + 1 if now == before else 0
            if run == period * (most - 1):
                return True
    return False


def name_and_parents(host: str) -> set[str]:
    """A host without its port, and every domain that contains it. Parts of an IP address never equal an entry."""
    name = without_port(host)
    names = {name}
    while name := name.partition(".")[2]:
        names.add(name)
    return names


def _domains(place: str, entries: Iterable[str]) -> frozenset[str]:
    """Domain names and hosts as users write them, normalised to the spelling of canonical URLs."""
    return frozenset(domain_name(place, entry) for entry in entries)


def domain_name(place: str, entry: str) -> str:
    """A domain or host as users write it, in the spelling of canonical URLs. Raises `InputError` for anything else."""
    written = entry.strip()
    remedy = "write a name such as example.org; its sub-domains are included"
    url = UrlRules(UrlSettings()).canonical(written if "://" in written else f"http://{written}")
    if url is None or "@" in written or written.startswith(("/", "\\")):
        raise InputError(place, f"{entry!r} is not a domain or host", remedy)
    host = host_of(url)
    if url.partition("://")[2] != f"{host}/":
        remedy = f'write "{host}" here and put the path into {place.replace("domains", "paths")}'
        raise InputError(place, f"{entry!r} is more than a domain or host", remedy)
    if without_port(host) != host:
        raise InputError(place, f"{entry!r} has a port, but domains are matched without ports", "remove the port")
    return host


def _types(place: str, entries: Iterable[str]) -> frozenset[str]:
    types = set()
    for entry in entries:
        name = entry.strip().lower().removeprefix("*").removeprefix(".")
        if not re.fullmatch(r"[a-z0-9_~+\-]+", name):
            remedy = 'write what follows the last dot of a path, such as "pdf"'
            raise InputError(place, f"{entry!r} is not a file type", remedy)
        types.add(name)
    return frozenset(types)


def path_matcher(place: str, patterns: Iterable[str]) -> Callable[[str], object] | None:
    """A function that tells whether any pattern matches the whole path and query; None if there are no patterns."""
    expressions = []
    for pattern in patterns:
        if not pattern.startswith(("/", "*")):
            remedy = 'start it with "/" (the beginning of the path) or "*" (anything)'
            raise InputError(place, f"{pattern!r} can never match: a path starts with a slash", remedy)
        first, *others = map(re.escape, escaped(pattern).split("*"))
        # Text skipped by a star is never reconsidered (the leftmost match is as good as any): otherwise a pattern with
        # many stars could take forever on an unlucky path. Only the last star has to reach the end.
        passed = "".join(f"(?>.*?{text})" for text in others[:-1])
        rest = f".*{others[-1]}" if others else ""
        expressions.append(first + passed + rest)
    return re.compile("|".join(expressions), re.DOTALL).fullmatch if expressions else None
