"""A sitemap or a feed as a page: a list of links, each with its metadata in the listing.

Whatever reads the words in and around links reads those of a listing, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from honeyguide.page.listing import Entry
from honeyguide.page.parse import Page, parse
from honeyguide.page.url import UrlRules
from honeyguide.page.url_words import path_words


def listing_page(url: str, title: str, entries: Iterable[Entry], rules: UrlRules, *, styled: bool = False) -> Page:
    """The page that a listing would be.

    Args:
        url: The listing's own URL.
        title: Its title.
        entries: What it lists, with canonical URLs as addresses.
        rules: What makes URLs canonical.
        styled: As for `parse`.

    Returns:
        A page with one link per entry, in their order. The words of a link are the title of its entry, or else those of
        its address; the description follows.
    """
    items = "".join(_item(entry) for entry in entries)
    head = f"<title>{escape(title)}</title>"
    heading = f"<h1>{escape(title)}</h1>" if title else ""
    return parse(f"<!DOCTYPE html>{head}{heading}<ul>{items}</ul>", url, rules, styled=styled)


def _item(entry: Entry) -> str:
    title = entry.title or " ".join(path_words(entry.address))
    text = f"<p>{escape(entry.text)}</p>" if entry.text else ""
    return f'<li><a href="{escape(entry.address)}">{escape(title)}</a>{text}</li>\n'
