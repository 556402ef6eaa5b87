"""The views of hosts: the list, and one host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from honeyguide.dashboard.host_list import ORDERS, HostKey, HostTrouble, ListedHost
from honeyguide.dashboard.page_list import ListedPage
from honeyguide.dashboard.views.frame import choices, figures, host_link, more_link, outside_link, query
from honeyguide.dashboard.views.pages import rows
from honeyguide.document import words
from honeyguide.document.markup import Html, element, html, lines
from honeyguide.document.page import section, shortened, table
from honeyguide.page.readable import readable_host
from honeyguide.store.reasons import describe
from honeyguide.store.url_events import UrlEvent, parse_detail

_HEADS = ("Host", "Pages", "Relevant", "Success", "Received", "Waiting", "Best promise", "Delay", "Failed", "Rests")
_LONGEST_REASON = 200


def host_list(hosts: Sequence[ListedHost], order: str, following: HostKey | None) -> list[Html]:
    """A list of hosts."""
    options = [(query("/hosts", {"order": key}), text, key == order) for key, text in ORDERS.items()]
    parts = [element("h1", "Hosts"), choices("Most", options), host_table(hosts)]
    if following is not None:
        parts.append(more_link(query("/hosts", {"order": order, "after": ",".join(map(str, following))})))
    return parts


def host_table(hosts: Sequence[ListedHost]) -> Html:
    """Hosts as a table."""
    if not hosts:
        return element("p", "No host has been contacted yet.", class_="empty")
    return table(_HEADS, [_cells(host) for host in hosts], look="hosts")


def _cells(host: ListedHost) -> list[str]:
    row = host.row
    return [
        host_link(row.id, row.name),
        words.count(row.pages),
        words.count(row.found),
        words.share(row.found, row.pages),
        words.size(row.size),
        words.count(row.waiting),
        f"{row.promise:.3f}" if row.waiting else words.NO_NUMBER,
        f"{host.delay:g} s",
        _failed(host),
        f"until {words.clock(host.rests_until)}: {shortened(row.rest, 60)}" if host.rests_until else words.NO_NUMBER,
    ]


def _failed(host: ListedHost) -> str:
    return words.count(host.row.failed) + (f": {describe(_top(host.errors))}" if host.errors else "")


def _top(errors: Mapping[str, int], most: int = 2) -> dict[str, int]:
    return dict(sorted(errors.items(), key=lambda item: -item[1])[:most])


def host_view(
    host: ListedHost,
    pages: Sequence[ListedPage],
    marks: Mapping[str, str],
    troubles: Sequence[HostTrouble],
    controls: Html,
) -> list[Html]:
    """The view of one host; `marks` has what its pages are marked with, by URL."""
    row = host.row
    shown = [
        ("pages", words.count(row.pages)),
        ("relevant", words.count(row.found)),
        ("success", words.share(row.found, row.pages)),
        ("duplicates", words.count(row.duplicates)),
        ("received", words.size(row.size)),
        ("URLs waiting", words.count(row.waiting)),
        ("best promise", f"{row.promise:.3f}" if row.waiting else words.NO_NUMBER),
        ("between requests", f"{host.delay:g} s"),
        ("URLs failed", words.count(row.failed)),
        ("URLs refused", words.count(row.refused)),
    ]
    parts = [element("h1", shortened(readable_host(row.name), 200)), figures(shown)]
    if host.rests_until:
        reason = f": {shortened(row.rest, _LONGEST_REASON)}" if row.rest else ""
        parts.append(element("p", f"Not contacted before {words.moment(host.rests_until)}{reason}.", class_="notice"))
    elif row.rest:
        parts.append(
            element("p", f"Last suspended because of: {shortened(row.rest, _LONGEST_REASON)}.", class_="quiet")
        )
    parts.append(controls)
    if host.errors:
        parts.append(section("Failed requests by reason", element("p", describe(host.errors))))
    if pages:
        every = element("a", "All pages of this host", href=query("/pages", {"host": row.name}))
        parts.append(section("Latest pages", rows(pages, marks), element("p", every)))
    if troubles:
        parts.append(section("What went wrong last", element("ul", lines(map(_trouble, troubles)), class_="plain")))
    return parts


def _trouble(trouble: HostTrouble) -> Html:
    event = UrlEvent(trouble.time, trouble.kind, parse_detail(trouble.detail))
    said = shortened(event.text, _LONGEST_REASON)
    return element(
        "li",
        element("span", words.clock(trouble.time), class_="quiet"),
        " ",
        html(outside_link(trouble.url)),
        f": {said}",
    )
