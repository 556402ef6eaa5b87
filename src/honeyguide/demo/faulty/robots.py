"""Good and faulty robots.txt files, robots rules in pages and headers, and sitemaps."""

from __future__ import annotations

from functools import lru_cache

from honeyguide.demo import sitemap
from honeyguide.demo.faulty.base import Corner, Fault, FaultOutcome, FaultRequest, Handler, marker, page, site
from honeyguide.proxy.answer import NOT_FOUND, Answer, Behaviour, html, plain

_RULES = "User-agent: *\nDisallow: /private/\n"
_HUGE = 1 << 20
_SITEMAP_PAGES = 120_000


def _host(name: str, robots: Answer) -> Handler:
    return site({"/robots.txt": robots, "/open": page(name), "/private/page": page(f"{name}: private")})


def _open(name: str, why: str) -> Fault:
    return Fault(name, f"http://{name}.example/open", FaultOutcome.PAGE, why, marker=marker(name))


def _closed(name: str, path: str, why: str) -> Fault:
    url = f"http://{name}.example{path}"
    return Fault(f"{name}-refused", url, FaultOutcome.REFUSED, why, forbidden=(url,))


_FILES: dict[str, Answer] = {
    "robots-disallow": plain(_RULES),
    "robots-delay": plain("User-agent: *\nCrawl-delay: 1\n"),
    "robots-missing": NOT_FOUND,
    "robots-broken": html("<!DOCTYPE html><title>500</title><p>Broken.</p>", status=500),
    "robots-hanging": Answer(200, behaviour=Behaviour.HANG),
    "robots-redirect": plain("", ("Location", "http://robots-disallow.example/robots.txt"), status=301),
    "robots-huge": plain(_RULES + "# nothing but noise\n" * (_HUGE // 20)),
}

_FILE_FAULTS = (
    _open("robots-disallow", "robots.txt closes another folder"),
    _closed("robots-disallow", "/private/page", "robots.txt closes the folder"),
    _open("robots-delay", "Crawl-delay: 1"),
    _open("robots-missing", "robots.txt is 404: everything is allowed"),
    _closed("robots-broken", "/open", "robots.txt is 500: nothing is allowed"),
    _closed("robots-hanging", "/open", "robots.txt never answers: nothing is allowed"),
    _open("robots-redirect", "robots.txt is a redirect to another host's file"),
    _closed("robots-redirect", "/private/page", "the file redirected to closes the folder"),
    _open("robots-huge", "robots.txt of a megabyte"),
    _closed("robots-huge", "/private/page", "its first rule counts"),
)

_RULED = "http://robots-page.example"


def _ruled(name: str, outcome: FaultOutcome, why: str, *, followed: bool) -> Fault:
    beyond = f"{_RULED}/beyond-{name}"
    return Fault(
        name, f"{_RULED}/{name}", outcome, why, marker=marker(name),
        leads_to=(beyond,) if followed else (), forbidden=() if followed else (beyond,),
    )  # fmt: skip


def _rule_pages() -> dict[str, Answer]:
    def way(name: str, attributes: str = "") -> str:
        return f'<p><a href="/beyond-{name}"{attributes}>beyond</a></p>'

    def meta(rule: str) -> str:
        return f'<meta name="robots" content="{rule}">'

    pages = {
        "/meta-noindex": page("meta-noindex", way("meta-noindex"), head=meta("noindex")),
        "/meta-nofollow": page("meta-nofollow", way("meta-nofollow"), head=meta("nofollow")),
        "/rel-nofollow": page("rel-nofollow", way("rel-nofollow", ' rel="nofollow"')),
        "/header-noindex": page("header-noindex", way("header-noindex"), ("X-Robots-Tag", "noindex")),
        "/header-nofollow": page("header-nofollow", way("header-nofollow"), ("X-Robots-Tag", "nofollow")),
    }
    return pages | {f"/beyond-{path[1:]}": page(f"beyond-{path[1:]}") for path in pages}


_RULE_FAULTS = (
    _ruled("meta-noindex", FaultOutcome.UNKEPT, "meta robots noindex; its links are followed", followed=True),
    _ruled("meta-nofollow", FaultOutcome.PAGE, "meta robots nofollow", followed=False),
    _ruled("rel-nofollow", FaultOutcome.PAGE, "a link with rel=nofollow", followed=False),
    _ruled("header-noindex", FaultOutcome.UNKEPT, "X-Robots-Tag: noindex; its links are followed", followed=True),
    _ruled("header-nofollow", FaultOutcome.PAGE, "X-Robots-Tag: nofollow", followed=False),
)

_MAPPED = "http://sitemaps.example"


@lru_cache(maxsize=4)
def _map(part: int) -> Answer:
    numbers = range(part * sitemap.MOST_URLS, min(_SITEMAP_PAGES, (part + 1) * sitemap.MOST_URLS))
    return _xml(sitemap.url_set(f"{_MAPPED}/page/{number}?a=1&b=2" for number in numbers))


def _xml(body: bytes) -> Answer:
    return Answer(200, (("Content-Type", "application/xml"),), body)


def _mapped(request: FaultRequest) -> Answer:
    parts = -(-_SITEMAP_PAGES // sitemap.MOST_URLS)
    if request.target == "/robots.txt":
        return plain(f"User-agent: *\nDisallow:\n\nSitemap: {_MAPPED}/sitemap-index.xml\n")
    if request.target == "/sitemap-index.xml":
        return _xml(sitemap.index(f"{_MAPPED}/sitemap-{part}.xml" for part in range(parts)))
    for part in range(parts):
        if request.target == f"/sitemap-{part}.xml":
            return _map(part)
    number = request.target.removeprefix("/page/").removesuffix("?a=1&b=2")
    if number.isdecimal() and int(number) < _SITEMAP_PAGES and request.target == f"/page/{int(number)}?a=1&b=2":
        return page(f"sitemap page {int(number)}")
    return page("sitemap") if request.target == "/" else NOT_FOUND


CORNER = Corner(
    faults=(
        *_FILE_FAULTS,
        *_RULE_FAULTS,
        Fault(
            "sitemap", f"{_MAPPED}/", FaultOutcome.PAGE,
            "robots.txt names a sitemap index of 120,000 URLs in three files",
            marker=marker("sitemap"),
        ),
    ),
    hosts={
        **{f"{name}.example": _host(name, answer) for name, answer in _FILES.items()},
        "robots-page.example": site(_rule_pages()),
        "sitemaps.example": _mapped,
    },
)  # fmt: skip
