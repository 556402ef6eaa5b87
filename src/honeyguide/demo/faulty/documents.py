"""Documents that are malformed HTML or not HTML at all, and unusual links."""

from __future__ import annotations

from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, FaultRequest, marker, page, site
from honeyguide.proxy.answer import HTML, NOT_FOUND, Answer, html

_HOST = "documents.example"
_BASE = f"http://{_HOST}"
_LINKS = "http://links.example"
_DEPTH = 10_000

_PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154"
    "08d763f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504)
_ZIP = b"PK\x05\x06" + bytes(18)
_BROKEN = (
    f"<html><title>broken</title><h1>broken<p>{marker('broken')}<div><b><i>never closed <a href=/found-unquoted>one"
    "<p><a href='/found-half-quoted>two</a> <a href=\"/found-in-quotes\" title='it\"s'>three</a>"
    "<table><tr><td>cell<a href=/found-in-table>four</table></b></i> & &nosuch; <3 </p></p></div></div></body>"
    "<p>after the end"
)
_WHOLE_LINKS = ("found-unquoted", "found-in-table")


def _file(kind: str, body: bytes) -> Answer:
    return Answer(200, (("Content-Type", kind),), body)


def _found(request: FaultRequest) -> Answer:
    return page(request.target[1:]) if request.target.startswith("/found-") else NOT_FOUND


_DOCUMENTS = site(
    {
        "/deep": html(
            f"<!DOCTYPE html><title>deep</title>{'<div>' * _DEPTH}<p>{marker('deep')}</p>"
            f'<a href="/found-deep">on</a>{"</div>" * _DEPTH}'
        ),
        "/broken": html(_BROKEN),
        "/report": _file("application/msword", _WORD),
        "/picture": _file("image/png", _PNG),
        "/archive": _file("application/zip", _ZIP),
        "/binary": Answer(200, (("Content-Type", HTML),), bytes(range(256)) * 40),
    },
    _found,
)

_LONG = f"{_LINKS}/{'long-' * 600}way"
_ODD = (
    '<p><a href="#top">up</a> <a href="/found-fragment#part-2">part 2</a> '
    '<a href="/found-fragment#part-3">part 3</a></p>\n'
    '<p><a href="javascript:history.back()">back</a> <a href="mailto:someone@links.example">write</a> '
    '<a href="data:text/html,hello">data</a> <a href="tel:+123456">call</a> <a href="">self</a> <a>none</a></p>'
)
_SPELLED = (
    '<p><a href="HTTP://LINKS.EXAMPLE:80/found-spelled">loud</a> '
    '<a href="http://links.example/x/../found-spelled">dots</a> '
    '<a href="//links.example/found-spelled?utm_source=letter&amp;utm_medium=mail&amp;fbclid=abc">tracked</a></p>'
)


_FOREIGN = "bücher.example"
_FOREIGN_ASCII = "xn--bcher-kva.example"


def _linked(request: FaultRequest) -> Answer:
    plain_target = request.target.partition("?")[0]
    if plain_target.startswith(("/found-", "/based/found-")):
        return page(plain_target.rpartition("/")[2])
    return page("long") if f"{_LINKS}{request.target}" == _LONG else NOT_FOUND


_LINK_PAGES = site(
    {
        "/odd": page("odd-links", _ODD),
        "/spelled": page("spelled-links", _SPELLED),
        "/base": page("base-link", '<p><a href="found-based">on</a></p>', head='<base href="/based/">'),
        "/foreign": page("foreign-host", f'<p><a href="http://{_FOREIGN}/found-foreign">Bücher</a></p>'),
        "/long": page("long-link", f'<p><a href="{_LONG}">a long way</a></p>'),
    },
    _linked,
)


def _document(name: str, why: str, *found: str) -> Fault:
    return Fault(
        name,
        f"{_BASE}/{name}",
        FaultOutcome.PAGE,
        why,
        marker=marker(name),
        leads_to=tuple(f"{_BASE}/{path}" for path in found),
    )


def _links(name: str, path: str, why: str, *found: str, forbidden: tuple[str, ...] = ()) -> Fault:
    leads_to = tuple(f"{_LINKS}/{path}" for path in found)
    return Fault(
        name, f"{_LINKS}/{path}", FaultOutcome.PAGE, why, marker=marker(name), leads_to=leads_to, forbidden=forbidden
    )


def _skipped(name: str, why: str) -> Fault:
    return Fault(name, f"{_BASE}/{name}", FaultOutcome.SKIPPED, why)


CORNER = Corner(
    faults=(
        _document("deep", "elements nested 10,000 deep", "found-deep"),
        _document("broken", "unclosed tags, stray quotes", *_WHOLE_LINKS),
        _skipped("report", "an office document"),
        _skipped("picture", "a PNG"),
        _skipped("archive", "a ZIP"),
        Fault("binary", f"{_BASE}/binary", FaultOutcome.PAGE, "bytes without meaning that are called text/html"),
        _links("odd-links", "odd", "fragments, javascript:, mailto:, data:, tel:, empty", "found-fragment"),
        _links("spelled-links", "spelled", "one page under many spellings", "found-spelled"),
        _links("base-link", "base", "a base element moves relative links", "based/found-based"),
        Fault(
            "foreign-host",
            f"{_LINKS}/foreign",
            FaultOutcome.PAGE,
            "a host name with letters beyond ASCII",
            marker=marker("foreign-host"),
            leads_to=(f"http://{_FOREIGN_ASCII}/found-foreign",),
        ),
        _links("long-link", "long", "a link of 3,000 characters", forbidden=(_LONG,)),
    ),
    hosts={_HOST: _DOCUMENTS, "links.example": _LINK_PAGES, _FOREIGN_ASCII: site({}, _found)},
)
