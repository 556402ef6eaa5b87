"""The map of a crawl as a drawing, with a table of the same."""

from __future__ import annotations

from honeyguide.dashboard.site_map import HEIGHT, WIDTH, MapRoad, MapSite, SiteMap, labelled
from honeyguide.dashboard.views.frame import query
from honeyguide.document import words
from honeyguide.document.markup import Html, element, lines
from honeyguide.document.page import section, shortened, table
from honeyguide.page.readable import readable_host

_LEVELS = 5  # of success, each with a colour
_LONGEST_NAME = 28


def map_view(found: SiteMap) -> list[Html]:
    """The map of a crawl."""
    if not found.sites:
        return [element("h1", "Map"), element("p", "No page has been fetched yet.", class_="empty")]
    shown, of = len(found.sites), found.all_sites
    about = (
        f"{'All' if shown == of else f'The top {shown} of'} {words.count(of)} sites. The larger a circle, the more "
        "relevant pages; the stronger its colour, the larger their share of its pages. A line: pages of one site that "
        "were first found on the other."
    )
    named = labelled(found.sites, _LONGEST_NAME)
    drawing = element(
        "svg",
        lines([_road(found, road) for road in reversed(found.roads)]),
        lines(map(_site, found.sites)),
        # After all circles, so that none covers a label. The others show their names when pointed at, and in the table.
        lines([_label(site) for number, site in enumerate(found.sites) if number in named]),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        class_="map",
        role="group",
        aria_label="Map of the sites; the table below has the same figures",
    )
    heads = ("Site", "Pages", "Relevant", "Success")
    rows = [
        [
            element("a", _name(site), href=_pages_of(site)),
            words.count(site.pages),
            words.count(site.found),
            words.share(site.found, site.pages),
        ]
        for site in found.sites
    ]
    return [
        element("h1", "Map"),
        element("p", about, class_="about"),
        _legend(),
        element("div", drawing, class_="map-frame"),
        section("Sites", table(heads, rows)),
    ]


def _name(site: MapSite) -> str:
    return shortened(readable_host(site.name), 60)


def _pages_of(site: MapSite) -> str:
    return query("/pages", {"site": site.name})


def _level(site: MapSite) -> int:
    return min(int(_LEVELS * site.found / site.pages), _LEVELS - 1) if site.pages else 0


def _legend() -> Html:
    steps = (
        element(
            "span",
            element("i", class_=f"key level-{level}"),
            f"{100 * level // _LEVELS}-{100 * (level + 1) // _LEVELS} %",
            class_="entry",
        )
        for level in range(_LEVELS)
    )
    return element("p", "Share that is relevant: ", *steps, class_="legend")


def _road(found: SiteMap, road: MapRoad) -> Html:
    begin, end = found.sites[road.source], found.sites[road.target]
    wide = min(1.0 + road.pages**0.5 / 3, 8.0)
    return element("line", x1=begin.x, y1=begin.y, x2=end.x, y2=end.y, stroke_width=f"{wide:.1f}", class_="road")


def _site(site: MapSite) -> Html:
    said = f"{_name(site)}: {words.pages(site.pages)}, {words.count(site.found)} relevant"
    circle = element("circle", cx=site.x, cy=site.y, r=f"{site.radius:.1f}", class_=f"level-{_level(site)}")
    return element("a", element("title", said), circle, href=_pages_of(site), aria_label=said)


def _label(site: MapSite) -> Html:
    name = shortened(readable_host(site.name), _LONGEST_NAME)
    below = f"{site.y + site.radius + 15:.1f}"
    return element("text", name, x=site.x, y=below, text_anchor="middle", aria_hidden="true")
