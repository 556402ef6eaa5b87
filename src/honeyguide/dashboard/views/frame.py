"""What all pages of the dashboard share: the frame, links, scores, and small parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from honeyguide.document import words
from honeyguide.document.markup import Html, element, html, lines, void_element
from honeyguide.document.page import link, shortened
from honeyguide.page.readable import readable, readable_host
from honeyguide.version import VERSION

_PARTS = (
    ("/", "Overview"),
    ("/pages", "Pages"),
    ("/hosts", "Hosts"),
    ("/waiting", "Waiting"),
    ("/seeds", "Seeds"),
    ("/map", "Map"),
)
LONGEST_TITLE = 150
LONGEST_ADDRESS = 120
_LONGEST_LINK = 4000


def frame(name: str, title: str, content: Sequence[str], *, path: str = "", live: str = "", search: str = "") -> str:
    """A complete page. `path` is that of the part that it belongs to; `live` the address of events that change it."""
    head = (
        void_element("meta", charset="utf-8"),
        void_element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void_element("meta", name="color-scheme", content="light dark"),
        element("title", f"{shortened(title, LONGEST_TITLE)} · {name}"),
        void_element("link", rel="icon", href="data:,"),
        void_element("link", rel="stylesheet", href="/static/dashboard.css"),
        element("script", src="/static/dashboard.js", defer=""),
    )
    body = element(
        "body",
        element("a", "Skip to the content", class_="skip", href="#content"),
        element("header", _brand(name), _nav(path), _search(search), class_="top"),
        element("main", lines(content), id="content", tabindex="-1"),
        element(
            "footer",
            f"honeyguide {VERSION} · keys: / search, j and k next and previous, g and a letter: go to",
            class_="foot",
        ),
        **({"data_live": live} if live else {}),
    )
    return f"<!DOCTYPE html>\n{element('html', element('head', lines(head)), body, lang='en')}\n"


def _brand(name: str) -> Html:
    return element("a", shortened(name, 60), href="/", class_="brand")


def _nav(path: str) -> Html:
    items = [
        element("a", title, href=to, data_key=title[0].lower(), **({"aria_current": "page"} if to == path else {}))
        for to, title in _PARTS
    ]
    return element("nav", *items, aria_label="Parts of the dashboard")


def _search(text: str) -> Html:
    field = void_element(
        "input",
        type="search",
        name="q",
        value=shortened(text, 200),
        placeholder="Search titles and URLs",
        aria_label="Search titles and URLs",
    )
    return element("form", field, action="/pages", method="get", role="search")


def message(name: str, title: str, text: str) -> str:
    """A page with a single message, such as an error."""
    return frame(name, title, [element("h1", title), element("p", text)])


def query(path: str, values: Mapping[str, object]) -> str:
    """An address of the dashboard; values that are empty are left out."""
    chosen = {key: value for key, value in values.items() if value not in ("", None, 0)}
    return f"{path}?{urlencode(chosen)}" if chosen else path


def page_link(number: int, title: str, url: str) -> Html:
    """A link to the view of a page, by its title or, without one, by its URL."""
    return element("a", shortened(name_of(title, url), LONGEST_TITLE), href=f"/page/{number}")


def name_of(title: str, url: str) -> str:
    """The title of a page, with white space folded, or else its URL; neither is endless."""
    return " ".join(title[:_LONGEST_LINK].split()) or readable(url[:_LONGEST_LINK])


def outside_link(url: str, text: str = "") -> Html:
    """A URL as a link to the web page itself, which learns nothing of where it was followed; or as mere text."""
    shown = shortened(text or readable(url[:_LONGEST_LINK]), LONGEST_ADDRESS)
    return link(url, shown) if len(url) <= _LONGEST_LINK else html(shown)


def host_link(number: int, name: str) -> Html:
    """A link to the view of a host."""
    return element("a", shortened(readable_host(name), 80), href=f"/host/{number}")


def score(value: float | None) -> Html:
    """A score from 0 to 1, with a bar."""
    if value is None:
        return element("span", words.NO_NUMBER, class_="score none")
    wide = max(0.0, min(value, 1.0))
    bar = element(
        "svg",
        element("rect", width="100%", height="100%", class_="back"),
        element("rect", width=f"{100 * wide:.0f}%", height="100%", class_="fill"),
        class_="bar",
        aria_hidden="true",
    )
    return element("span", bar, f"{value:.2f}", class_="score")


def figures(shown: Sequence[tuple[str, str]]) -> Html:
    """Numbers with their names."""
    return element(
        "dl",
        lines(element("div", element("dt", name), element("dd", value)) for name, value in shown),
        class_="figures",
    )


def more_link(address: str, text: str = "Next") -> Html:
    """The link to the next part of a list."""
    return element("p", element("a", text, href=address, rel="next", class_="more"), class_="pager")


def choices(name: str, options: Sequence[tuple[str, str, bool]]) -> Html:
    """Links of which one is chosen: address, text, whether it is this one."""
    items = (
        element("a", text, href=to, **({"aria_current": "true"} if chosen else {})) for to, text, chosen in options
    )
    return element("p", element("span", name), *items, class_="choices", role="group", aria_label=name)
