"""Sitemaps, as sitemaps.org describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_URLS = 50_000
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def url_set(urls: Iterable[str]) -> bytes:
    """A sitemap of these URLs; the caller must not exceed MOST_URLS."""
    entries = "".join(f"<url><loc>{_escaped(url)}</loc></url>\n" for url in urls)
    return f"{_HEAD}<urlset {_SPACE}>\n{entries}</urlset>\n".encode()


def detailed_url_set(pages: Iterable[tuple[str, str, float]]) -> bytes:
    """A sitemap of these URLs, each with the date of its last change and its priority."""
    entries = "".join(
        f"<url><loc>{_escaped(url)}</loc><lastmod>{day}</lastmod><priority>{priority:.1f}</priority></url>\n"
        for url, day, priority in pages
    )
    return f"{_HEAD}<urlset {_SPACE}>\n{entries}</urlset>\n".encode()


def index(sitemaps: Iterable[str]) -> bytes:
    """A sitemap index: a sitemap of sitemaps."""
    entries = "".join(f"<sitemap><loc>{_escaped(url)}</loc></sitemap>\n" for url in sitemaps)
    return f"{_HEAD}<sitemapindex {_SPACE}>\n{entries}</sitemapindex>\n".encode()


def _escaped(url: str) -> str:
    return url.replace("&", "&amp;")
