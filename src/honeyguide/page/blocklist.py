"""Hosts and pages that a user has blocked, although the scope allows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from honeyguide.errors import InputError
from honeyguide.page.scope import domain_name, name_and_parents, path_matcher
from honeyguide.page.url import host_of

BLOCKED: Final = "blocked"
"""The reason for which such URLs are refused."""

_Matches = Callable[[str], object]
_REMEDY = "write a host such as example.org, a path such as /print/*, or both: example.org/forum/*"


class Blocklist:
    """Compiled entries, each of them a host with its subdomains, a pattern of paths on all hosts, or both together.

    Immutable. Entries are expected as `block_entry` returns them.
    """

    __slots__ = ("_of_host", "_paths", "entries")

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self.entries = tuple(dict.fromkeys(entries))
        patterns: dict[str, list[str]] = defaultdict(list)
        for entry in self.entries:
            host, pattern = _parts(entry)
            patterns[host].append(pattern)
        self._paths = path_matcher("block", patterns.pop("", ()))

        @lru_cache(maxsize=65_536)
        def of_host(host: str) -> _Matches | None:
            """The pattern of blocked paths of a host; None if there is none."""
            return path_matcher("block", [p or "*" for name in name_and_parents(host) for p in patterns.get(name, ())])

        self._of_host = of_host

    def __bool__(self) -> bool:
        return bool(self.entries)

    def blocks(self, url: str) -> bool:
        """Whether a canonical URL must not be requested."""
        if not self.entries:
            return False
        path = url[url.find("/", 8) :]
        if self._paths is not None and self._paths(path):
            return True
        found = self._of_host(host_of(url))
        return found is not None and bool(found(path))


def block_entry(text: str) -> str:
    """An entry of the blocklist in its canonical spelling. Raises `InputError` if it could never match."""
    written = text.strip()
    host, pattern = _parts(written.partition("://")[2] if "://" in written else written)
    if not host and not pattern:
        raise InputError("block", f"{text!r} is neither a host nor a path", _REMEDY)
    if host:
        try:
            host = domain_name("block", host)
        except InputError as error:
            raise InputError("block", error.problem, _REMEDY) from None
    path_matcher("block", [pattern] if pattern else [])
    return host + pattern


def _parts(entry: str) -> tuple[str, str]:
    """The host and the pattern of paths of an entry; "" for a missing part."""
    if entry.startswith(("/", "*")):
        return "", entry
    host, slash, path = entry.partition("/")
    return host, slash + path if path else ""
