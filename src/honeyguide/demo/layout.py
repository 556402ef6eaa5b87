"""HTML layouts of pages: old-style nested tables, modern divisions and sections, and bare print versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from honeyguide.demo.links import Link


class Frame(NamedTuple):
    """Everything on a page except its text. No part of it contains a character that must be escaped in HTML."""

    title: str
    description: str
    site: str
    date: str
    canonical: str
    navigation: Sequence[Link]
    lists: Sequence[tuple[str, Sequence[Link]]]
    advertisements: Sequence[Link]


class Layout(NamedTuple):
    """One way to lay pages out."""

    around: Callable[[Frame], tuple[str, str]]
    """Returns the HTML before and after the text."""
    heading: str
    paragraph: str
    list_heading: str
    item: str


def anchor(link: Link) -> str:
    """A link in HTML."""
    return f'<a href="{link.url}">{link.anchor}</a>'


def _head(frame: Frame) -> str:
    canonical = f'<link rel="canonical" href="{frame.canonical}">\n' if frame.canonical else ""
    return (
        f'<meta charset="utf-8">\n<title>{frame.title}</title>\n'
        f'<meta name="description" content="{frame.description}">\n{canonical}'
    )


def _divisions(frame: Frame) -> tuple[str, str]:
    navigation = "".join(f"<li>{anchor(link)}</li>" for link in frame.navigation)
    lists = "".join(
        f'<div class="box"><h3>{heading}</h3>\n<ul>\n'
        + "".join(f"<li>{anchor(link)}</li>\n" for link in links)
        + "</ul></div>\n"
        for heading, links in frame.lists
    )
    advertisements = "".join(f'<div class="ad">{anchor(link)}</div>\n' for link in frame.advertisements)
    before = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{_head(frame)}<link rel="stylesheet" href="/style.css">\n</head>\n'
        f'<body>\n<div id="header"><div class="logo">{frame.site}</div>\n<ul id="nav">{navigation}</ul></div>\n'
        f'<div id="wrap"><div id="content">\n<h1>{frame.title}</h1>\n'
    )
    after = (
        f'</div>\n<div id="sidebar">\n{lists}{advertisements}</div></div>\n'
        f'<div id="footer">Last change: {frame.date}</div>\n</body>\n</html>\n'
    )
    return before, after


def _sections(frame: Frame) -> tuple[str, str]:
    navigation = " ".join(anchor(link) for link in frame.navigation)
    lists = "".join(
        f"<section>\n<h2>{heading}</h2>\n<ul>\n"
        + "".join(f"<li>{anchor(link)}</li>\n" for link in links)
        + "</ul>\n</section>\n"
        for heading, links in frame.lists
    )
    sponsored = "".join(f"<p>{anchor(link)}</p>\n" for link in frame.advertisements)
    aside = f'<aside class="sponsored">\n{sponsored}</aside>\n' if sponsored else ""
    before = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{_head(frame)}'
        '<meta name="viewport" content="width=device-width">\n</head>\n'
        f"<body>\n<header><p>{frame.site}</p>\n<nav>{navigation}</nav></header>\n"
        f"<main>\n<article>\n<h1>{frame.title}</h1>\n<p><time>{frame.date}</time></p>\n"
    )
    return before, f"</article>\n{lists}</main>\n{aside}<footer><p>{frame.site}</p></footer>\n</body>\n</html>\n"


def _tables(frame: Frame) -> tuple[str, str]:
    navigation = "".join(
        f'<TR><TD bgcolor="#ccccff"><FONT size="2">{anchor(link)}</FONT></TD></TR>\n' for link in frame.navigation
    )
    lists = "".join(
        f'<TABLE border="0" width="100%"><TR><TD bgcolor="#ffcc66"><B>{heading}</B></TD></TR>\n'
        + "".join(f"<TR><TD>&#149; {anchor(link)}</TD></TR>\n" for link in links)
        + "</TABLE>\n"
        for heading, links in frame.lists
    )
    advertisements = "".join(
        f'<TR><TD bgcolor="#ffff99" align="center">{anchor(link)}</TD></TR>\n' for link in frame.advertisements
    )
    banner = f'<TABLE border="1" align="right">\n{advertisements}</TABLE>\n' if advertisements else ""
    before = (
        '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">\n'
        f'<HTML>\n<HEAD>\n{_head(frame)}</HEAD>\n<BODY bgcolor="#ffffff" text="#000000">\n'
        f'<CENTER><FONT face="Arial" size="5">{frame.site}</FONT></CENTER>\n'
        '<TABLE width="100%" border="0" cellpadding="4">\n<TR>\n<TD width="150" valign="top">'
        f'<TABLE border="0">\n{navigation}</TABLE></TD>\n<TD valign="top">{banner}'
        f'<H1>{frame.title}</H1>\n<TABLE border="0"><TR><TD><FONT face="Verdana" size="2">\n'
    )
    after = (
        f"</FONT></TD></TR></TABLE>\n{lists}</TD>\n</TR>\n</TABLE>\n<HR><I>Updated {frame.date}</I>\n</BODY>\n</HTML>\n"
    )
    return before, after


def _bare(frame: Frame) -> tuple[str, str]:
    lists = "".join(f"<p>{anchor(link)}</p>\n" for _, links in frame.lists for link in links)
    before = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n{_head(frame)}</head>\n<body class="print">\n'
        f"<p>{frame.site}</p>\n<h1>{frame.title}</h1>\n"
    )
    return before, f"{lists}<p>{frame.date}</p>\n</body>\n</html>\n"


BARE = Layout(_bare, "<h2>{}</h2>\n", "<p>{}</p>\n", "<h2>{}</h2>\n", "<p>{} {}</p>\n")
HOUSE_STYLES = (
    Layout(_divisions, "<h2>{}</h2>\n", "<p>{}</p>\n", "<h2>{}</h2>\n", '<div class="item">{}<br>{}</div>\n'),
    Layout(_sections, "<h2>{}</h2>\n", "<p>{}</p>\n", "<h2>{}</h2>\n", "<section><h3>{}</h3><p>{}</p></section>\n"),
    Layout(
        _tables,
        '<P><FONT size="4" color="#990000"><B>{}</B></FONT></P>\n',
        "<P>{}\n",
        "<P><B>{}</B><BR>\n",
        '<TABLE border="0"><TR><TD><B>{}</B></TD><TD>{}</TD></TR></TABLE>\n',
    ),
)
