"""Lists of pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from honeyguide.dashboard.page_list import BEST, MOST_SORTED, NEWEST, ListedPage, PageFilter, PagePart
from honeyguide.dashboard.schema import DUPLICATE, FOUND
from honeyguide.dashboard.views.frame import choices, more_link, outside_link, page_link, query, score
from honeyguide.dashboard.views.marks import key_hint, mark_buttons
from honeyguide.document import words
from honeyguide.document.markup import Html, element, html, lines
from honeyguide.document.page import shortened
from honeyguide.page.readable import readable_host
from honeyguide.page.url import host_of

_SHOWN = (("all", "all"), ("relevant", "relevant"), ("other", "not relevant"), ("duplicates", "duplicates"))
_ORDERS = ((NEWEST, "newest first"), (BEST, "most relevant first"))
_LOOKS = {FOUND: "found", DUPLICATE: "duplicate"}
_BADGES = {FOUND: "relevant", DUPLICATE: "duplicate"}


def page_list(found: PagePart, chosen: PageFilter, within: str, name: str, marks: Mapping[str, str]) -> list[Html]:
    """A list of pages with its filters. `within` is the kind of place that it is limited to, and `name` its name."""
    place = {within: name} if within else {}
    given = {"q": chosen.words, "show": chosen.show, "order": chosen.order, **place}
    title = f"Pages of {readable_host(shortened(name, 80))}" if name else "Pages"
    parts = [
        element("h1", title),
        choices("Show", [(query("/pages", {**given, "show": key}), text, key == chosen.show) for key, text in _SHOWN]),
        choices(
            "Order", [(query("/pages", {**given, "order": key}), text, key == chosen.order) for key, text in _ORDERS]
        ),
    ]
    if found.is_capped:
        note = f"More than {MOST_SORTED:,} pages match: the newest {MOST_SORTED:,} of them are put in order."
        parts.append(element("p", note, class_="quiet"))
    parts.append(rows(found.pages, marks) if found.pages else element("p", _nothing(chosen), class_="empty"))
    if found.next is not None and found.next.after is not None:
        relevance, seq = found.next.after
        parts.append(more_link(query("/pages", {**given, "after": f"{relevance!r},{seq}"})))
    return parts


def rows(pages: Sequence[ListedPage], marks: Mapping[str, str], name: str = "") -> Html:
    """A list of pages with buttons to mark them; `marks` has the current marks, by URL."""
    listed = lines(row(page, marks.get(page.url)) for page in pages)
    return html(key_hint(is_list=True), element("ol", listed, class_="rows", **({"id": name} if name else {})))


def row(page: ListedPage, mark: str | None) -> Html:
    """A page in a list, with its mark."""
    name = f"title-{page.id}"
    badge = element("span", _BADGES[page.kind], class_="badge") if page.kind in _BADGES else Html()
    about = html(
        element("span", outside_link(page.url), class_="address"),
        " · ",
        element("span", f"page {page.seq + 1:,}"),
        " · ",
        element("span", words.clock(page.fetched)),
    )
    return element(
        "li",
        score(page.relevance),
        element("div", element("span", page_link(page.id, page.title, page.url), id=name), badge, class_="title"),
        element("div", about, class_="about-row"),
        mark_buttons(page.url, mark, name),
        class_=f"markable {_LOOKS.get(page.kind, 'other')}",
        data_seq=page.seq,
        data_id=page.id,
        data_host=shortened(host_of(page.url), 100) if page.url.count("/") >= 2 else "",
    )


def _nothing(chosen: PageFilter) -> str:
    if chosen.words:
        return f"No page has all of these words in its title or URL: {shortened(chosen.words, 100)}"
    return "No page is of this kind." if chosen.show != "all" else "No page has been fetched yet."
