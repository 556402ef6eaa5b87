"""The fetchers by name: the built-in one, and those provided by other packages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from honeyguide.fetch.base import Fetcher
from honeyguide.fetch.settings import FetchSettings
from honeyguide.plugins import Registry
from honeyguide.version import VERSION

GROUP = "honeyguide.fetchers"
"""Entry points of this group refer to one `FetcherSpec`, or to several."""


@dataclass(frozen=True, slots=True)
class FetcherSpec:
    """A fetcher that can be named by `fetch.fetcher` in a topic file."""

    name: str
    summary: str
    """What it does, in a few words."""
    make: Callable[[FetchSettings], Fetcher]
    """Creates a fetcher for one run of a crawl; called inside the event loop."""


def _http(settings: FetchSettings) -> Fetcher:
    from honeyguide.fetch.http import HttpFetcher  # noqa: PLC0415 (aiohttp takes a third of a second)

    return HttpFetcher(settings, VERSION)


OWN = (FetcherSpec("http", "the live web, over HTTP/1.1", _http),)


def _read_fetchers(found: object, _name: str) -> Sequence[FetcherSpec]:
    several = tuple(found) if isinstance(found, Iterable) else (found,)
    return several if all(isinstance(one, FetcherSpec) for one in several) else ()


REGISTRY = Registry("fetcher", GROUP, OWN, _read_fetchers, "a FetcherSpec")


def fetcher_named(name: str, place: str = "fetch.fetcher") -> FetcherSpec:
    """The fetcher with a name, or at a path.

    Args:
        name: The name of a fetcher, or a path such as ``package.module:SPEC``.
        place: Where the name was found, for messages.

    Returns:
        The specification of the fetcher.

    Raises:
        InputError: There is no such fetcher, or its package cannot be imported.
    """
    return REGISTRY.named(name, place)
