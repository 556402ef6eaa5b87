"""Access control of the dashboard: requests need its token, its own address, and its own pages."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from typing import Final

from aiohttp import web

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every response."""


class Access:
    """The rules for one running dashboard.

    * Every request names this host: an address, ``localhost``, or the name that was given. A name that an attacker has
      made to resolve to this machine (DNS rebinding) is refused.
    * The token in the printed URL is exchanged for a cookie by a redirect, so that it is in no address bar, history
      entry or Referer of the pages. Cookie and form token are derived from it; neither reveals it.
    * A request that changes something comes from a page of this dashboard: by what the browser says of its origin, and
      by the form token, which only those pages contain.
    """

    def __init__(self, host: str = "127.0.0.1", token: str = "") -> None:
        """`host` is the address or name under which the dashboard is reached."""
        self.token = token or secrets.token_urlsafe(24)
        self._names = {"localhost", host.lower().rstrip(".")}
        # Browsers send a cookie to all ports of a host: its name keeps two dashboards apart.
        self.cookie = f"honeyguide-{self._derived('name')[:12]}"
        self._session = self._derived("session")
        self.form_token = self._derived("form")

    def _derived(self, use: str) -> str:
        return hmac.new(self.token.encode(), use.encode(), "sha256").hexdigest()

    def is_host_known(self, host: str) -> bool:
        """Whether a Host header names this dashboard. An address does: nobody can make it resolve elsewhere."""
        name = host.strip().lower()
        if name.startswith("["):
            name = name[1:].partition("]")[0]
        elif name.count(":") == 1:
            name = name.partition(":")[0]
        if name.rstrip(".") in self._names:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def is_token(self, text: str) -> bool:
        """Whether a text is the token."""
        return _equal(text, self.token)

    def is_known(self, request: web.Request) -> bool:
        """Whether a request has the cookie."""
        return _equal(request.cookies.get(self.cookie, ""), self._session)

    def admit(self, response: web.Response) -> None:
        """Give a browser the cookie, until it is closed."""
        response.set_cookie(self.cookie, self._session, httponly=True, samesite="Strict", path="/")

    def is_own(self, request: web.Request, form_token: str) -> bool:
        """Whether a request that changes something comes from a page of this dashboard.

        Browsers that send Sec-Fetch-Site say it there; others in Origin. One of the two is needed: under the policy
        ``no-referrer`` a form sends "null" as its origin, but then browsers send Sec-Fetch-Site, too.
        """
        site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
        if site is not None and site != "same-origin":
            return False
        if origin not in (None, "null") and origin != f"{request.scheme}://{request.headers.get('Host', '')}":
            return False
        if site is None and origin in (None, "null"):
            return False
        return _equal(form_token, self.form_token)


def _equal(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode())
