"""A virtual web over HTTP, for any crawler that can use a proxy."""

from __future__ import annotations

import re

from honeyguide.fetch.base import Headers, Response
from honeyguide.lab.web import VirtualWeb
from honeyguide.page.url import UrlRules
from honeyguide.proxy import Answer, ProxyRequest, ProxyServer, RequestLog
from honeyguide.proxy.answer import NOT_FOUND
from honeyguide.warc.record import HTML

# An address in markup follows a quote or an equals sign (as in url=https://… of a refresh), unlike one in text.
_SECURE = re.compile(rb"""(["'=]\s*)https://""", re.IGNORECASE)

# Headers about the connection or the encoding of the body, and those that would redirect a client to https.
_LEFT_OUT = frozenset(
    "alt-svc connection content-encoding content-length content-md5 content-security-policy date digest keep-alive "
    "proxy-connection strict-transport-security transfer-encoding".split()
)


class WebServer(ProxyServer):
    """Answers for all hosts of a virtual web, as an HTTP proxy on this machine.

    It supports only http. So that all of the web can be reached, pages recorded under https are served under http, and
    links and redirects to https are rewritten to http. Bodies are sent uncompressed. Whatever is not in the web, such
    as a robots.txt that was not recorded, is not found (404).
    """

    def __init__(
        self, web: VirtualWeb, rules: UrlRules, host: str = "127.0.0.1", port: int = 0, log: RequestLog | None = None
    ) -> None:
        super().__init__(self._answer, host, port, log)
        self._web = web
        self._rules = rules

    def _answer(self, request: ProxyRequest) -> Answer:
        response = self._find(request.url)
        if response is None:
            return NOT_FOUND
        body = response.body
        if _media_type(response) in HTML:
            body = _SECURE.sub(rb"\1http://", body)
        return Answer(response.status, _headers(response), body)

    def _find(self, url: str) -> Response | None:
        """The response recorded under http, or the one under https if there is none or it only redirects there."""
        address = url.partition("://")[2]
        plain = self._rules.canonical(f"http://{address}")
        response = self._web.response(plain) if plain else None
        if response is not None and not self._leads_to(response, plain):
            return response
        secure = self._rules.canonical(f"https://{address}")
        return self._web.response(secure) if secure else None

    def _leads_to(self, response: Response, plain: str | None) -> bool:
        """Whether a redirect, with https rewritten to http, would lead back to its source."""
        location = response.header("location")
        target = self._rules.join(response.url, location) if location and 300 <= response.status < 400 else None
        return target is not None and as_http(target) == plain


def as_http(url: str) -> str:
    """The URL under which the server serves a URL of the web."""
    return f"http://{url[8:]}" if url[:8].lower() == "https://" else url


def _headers(response: Response) -> Headers:
    kept = []
    for name, value in response.headers:
        lower = name.lower()
        if lower not in _LEFT_OUT:
            text = as_http(value) if lower in {"location", "content-location"} else value
            kept.append((name, text.encode("utf-8", "replace").decode("latin-1")))  # as it goes over the wire
    return tuple(kept)


def _media_type(response: Response) -> str:
    return response.header("content-type").partition(";")[0].partition(",")[0].strip().lower()
