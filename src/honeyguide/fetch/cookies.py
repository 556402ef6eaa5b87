"""Cookies of a run: none that one site sets for others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import aiohttp
from typing_extensions import override

from honeyguide.page.domains import is_public_suffix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from yarl import URL

# Looked for in the whole header, so that no disagreement about where a cookie begins or ends hides one.
_DOMAINS = re.compile(r'\bdomain\s*=\s*"?\.*([^\s;,"]+)', re.IGNORECASE)


class SiteCookieJar(aiohttp.CookieJar):
    """A cookie jar without cookies for a whole public suffix, such as ``Domain=co.uk`` (RFC 6265, 5.3).

    They would be sent to all sites under it, so that one site could plant them in another, or track us.
    """

    @override
    def update_cookies_from_headers(self, headers: Sequence[str], response_url: URL) -> None:
        own = [header for header in headers if not any(map(is_public_suffix, _DOMAINS.findall(header)))]
        super().update_cookies_from_headers(own, response_url)
