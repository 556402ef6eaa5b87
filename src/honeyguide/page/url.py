"""One spelling for every URL: the canonical form, joining, and the parts of a canonical URL.

A canonical URL is an absolute http or https URL that can be fetched, spelled so that spellings of one page are equal
strings. It is the result of the WHATWG rules (ada), followed by these:

- scheme and host in lower case; an internationalised host in its ASCII form (``xn--``); the host's trailing dot, a
  default port, user name and password dropped; IPv4 dotted, IPv6 in brackets;
- dot segments resolved, an empty path is ``/``, the fragment dropped;
- percent-encoding: hex digits in upper case, unreserved characters decoded, everything that RFC 3986 does not allow raw
  encoded as UTF-8, a ``%`` that does not start an escape is ``%25``; reserved characters stay as they are written;
- the query unchanged, or sorted by name, then value (a setting); empty parameters and an empty query dropped;
- tracking parameters and session ids dropped (settings), in the path too: ``;jsessionid=…`` and ``/(S(…))/``.

Canonicalisation is idempotent: the canonical form of a canonical URL is itself. It never has more than `MAX_LENGTH`
characters, and its host is valid in DNS: labels of 1 to 63 letters, digits, ``-`` and ``_``, 253 characters at most.

A page has some sixty links and parsing a URL with ada takes several microseconds, so most links bypass it: if a link
consists of plain characters only, its canonical form is a concatenation (the fast path). Anything unusual takes the
slow path. The fast path must give the same result as the slow path; the tests compare them on generated links.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ada_url import join_url, normalize_url

from honeyguide.errors import InputError
from honeyguide.kernel import twin
from honeyguide.page.known_links import KnownLinks

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.page.settings import UrlSettings

MAX_LENGTH: Final = 65_536
"""Longer URLs have no canonical form: no server accepts them, and the work per link stays bounded."""

TRACKING: Final = (
    "utm_*", "mtm_*", "matomo_*", "piwik_*", "pk_campaign", "pk_cid", "pk_content", "pk_keyword", "pk_kwd", "pk_medium",
    "pk_source", "_ga", "_gl", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "srsltid", "fbclid", "fb_action_ids",
    "fb_action_types", "fb_source", "igsh", "igshid", "twclid", "ttclid", "li_fat_id", "epik", "msclkid", "yclid",
    "ysclid", "_openstat", "mc_cid", "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hsfp", "__hssc", "__hstc",
    "hsctatracking", "oly_anon_id", "oly_enc_id", "vero_conv", "vero_id", "wickedid", "_branch_match_id",
)  # fmt: skip
"""Query parameters that say where a visitor came from. A trailing ``*`` matches any rest."""

SESSIONS: Final = (
    "phpsessid", "jsessionid", "sid", "sessid", "session_id", "sessionid", "aspsessionid*", "asp.net_sessionid", "cfid",
    "cftoken", "oscsid", "xtcsid", "zenid",
)  # fmt: skip
"""Parameters that identify a session; they are in the query or, after a ``;``, in the path."""

BAD_PORTS: Final = frozenset((
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109,
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
    532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060,
    5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
))  # fmt: skip
"""Ports of other services (mail, IRC, printers), on which no browser speaks HTTP: the list of the Fetch standard.

A link to one of them could make a crawler talk to such a service on a stranger's behalf.
"""

# The fast path is for short links only: even if each of their characters became an escape they would stay far below
# MAX_LENGTH, so that only the slow path has to check the length.
_FAST_LENGTH = 4096
_FAST_BASE_LENGTH = 32_768
# Number of ../ levels prepared for a page; links that climb higher take the slow path.
_PARENTS = 8
# Limit of the search for the first slash after the scheme and the host: scheme + 253 + port.
_ORIGIN_LENGTH = 270

_PLAIN = re.compile(r"[A-Za-z0-9\-._~!$&'*+,=:@/]*+").fullmatch
"""A path that is canonical unless a segment begins with a dot: no escape, parameter, bracket, query or fragment."""

_REST = re.compile(
    r"""([A-Za-z0-9\-._~!$&'()*+,=:@/%]*+)  # path
        (?:\?([A-Za-z0-9\-._~!$&()*+,;=:@/?%]*+))?  # query; WHATWG rules encode ' in it, so it is not plain there
        (?:\#.*)?""",
    re.VERBOSE | re.DOTALL,
).fullmatch

_ORIGIN = re.compile(r"https?://[A-Za-z0-9._\-]+(?::[0-9]+)?").fullmatch

_PARTS = re.compile(
    r"""(https?://)
        (?:[^/?\#@]*@)?
        ([a-z0-9_\-]{1,63}(?:\.[a-z0-9_\-]{1,63})*|\[[0-9a-f:]+\])
        \.?
        (:(?!0+/)[0-9]+)?  # port 0 cannot be connected to
        (/[^?\#]*)
        (?:\?([^\#]*))?
        \#?""",
    re.VERBOSE,
).fullmatch
"""The parts of a URL returned by ada. No match: another scheme, or a host or port that cannot be reached."""

_PERHAPS_SCHEME = re.compile(r"[^/?#:]*+:").match
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+.\-]*+:", re.IGNORECASE).match

_ESCAPABLE = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?]")
_UNRESERVED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

_PATH_PARAMETER = re.compile(r";([^/;=]*)(?:=[^/;]*)?")
_ASP_SESSION = re.compile(r"/\((?:[AFX]\([\w\-]*\))*S\([\w\-]+\)(?:[AFX]\([\w\-]*\))*\)(?=/|\Z)", re.ASCII)


def escaped(text: str) -> str:
    """Path or query text with canonical percent-encoding. Idempotent."""
    return _ESCAPABLE.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    return _escape_of(found[0])


@lru_cache(maxsize=2048)
def _escape_of(text: str) -> str:
    """The canonical spelling of one escape (``%7e``) or of one character that must be escaped."""
    if len(text) == 3:
        character = chr(int(text[1:], 16))
        return character if character in _UNRESERVED else text.upper()
    return "".join(f"%{byte:02X}" for byte in text.encode(errors="replace"))


def _among(names: tuple[str, ...], but_not: tuple[str, ...]) -> Callable[[str], bool]:
    """A case-insensitive test for names; a trailing ``*`` in a listed name matches any rest."""
    exact, beginnings = _listed(names)
    exact_not, beginnings_not = _listed(but_not)

    def among(name: str) -> bool:
        name = name.lower()
        if name not in exact and not name.startswith(beginnings):
            return False
        return name not in exact_not and not name.startswith(beginnings_not)

    return among


def _listed(names: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    lower = [escaped(name).lower() for name in names]
    exact = frozenset(name for name in lower if not name.endswith("*"))
    return exact, tuple(name[:-1] for name in lower if name.endswith("*"))


class UrlRules:
    """The rules for when two spellings are one page. Immutable; pickled as its settings.

    Raises `InputError` for a parameter name in the settings that no query can contain.
    """

    __slots__ = ("_dropped", "_in_path_dropped", "_joined", "settings")

    def __init__(self, settings: UrlSettings) -> None:
        for field in ("drop_parameters", "keep_parameters"):
            for name in getattr(settings, field):
                if not name or not set("&=#?").isdisjoint(name):
                    problem = f"{name!r} is not the name of a query parameter"
                    raise InputError(f"urls.{field}", problem, 'write only the name, such as "ref" or "ref_*"')
        self.settings = settings
        sessions = SESSIONS if settings.drop_sessions else ()
        tracking = TRACKING if settings.drop_tracking else ()
        self._dropped = _among(sessions + tracking + settings.drop_parameters, settings.keep_parameters)
        self._in_path_dropped = _among(sessions, settings.keep_parameters)
        self._joined = KnownLinks()

    def __reduce__(self) -> tuple[type[UrlRules], tuple[UrlSettings]]:
        return UrlRules, (self.settings,)

    def canonical(self, url: str) -> str | None:
        """The canonical form of an absolute URL; None if it cannot be parsed or fetched. Never raises."""
        if len(url) <= _FAST_LENGTH:
            slash = url.find("/", 8, _ORIGIN_LENGTH)
            if slash > 0:
                if origin := _plain_origin(url[:slash]):
                    rest = url[slash:]
                    if "/." not in rest and _PLAIN(rest):
                        return origin + rest
                    return self._appended(origin, rest) or self._parsed(url, None)
            elif len(url) < _ORIGIN_LENGTH and (origin := _plain_origin(url)):
                return origin + "/"
        return self._parsed(url, None)

    def join(self, base: str, href: str) -> str | None:
        """The canonical form of an `href` on the page `base`. For many links of one page, use `joiner`."""
        return self.joiner(base)(href)

    def joiner(self, base: str) -> Callable[[str], str | None]:
        """A function that joins hrefs, as found in HTML, to `base`; it returns None when `canonical` does.

        An href that is empty or only a fragment gives the base itself. If the base has no canonical form, only absolute
        hrefs have a result.
        """
        page = self.canonical(base)
        if page is None:
            return self.canonical
        if len(page) > _FAST_BASE_LENGTH:
            return lambda href: self._parsed(href, page)
        return self._fast_joiner(page)

    def _fast_joiner(self, page: str) -> Callable[[str], str | None]:
        origin = origin_of(page)
        scheme = origin.partition("//")[0]
        path = page.partition("?")[0]
        climbs = _climbs(path, len(origin))
        directory = climbs["./"]
        plain, canonical, appended, parsed = _PLAIN, self.canonical, self._appended, self._parsed

        def join_new(href: str) -> str | None:
            if len(href) > _FAST_LENGTH:
                return parsed(href, page)
            first = href[:1]
            if first == "/":
                if href[:2] == "//":
                    return canonical(scheme + href)
                start, rest = origin, href
            elif first == ".":
                rest = href.lstrip("./")
                start = climbs.get(href[: len(href) - len(rest)], "")
                if not start:
                    return parsed(href, page)
            elif first == "h" and href.startswith(("http://", "https://")):
                slash = href.find("/", 8, _ORIGIN_LENGTH)
                start = _plain_origin(href[:slash]) if slash > 0 else ""
                if not start:
                    return canonical(href)
                rest = href[slash:]
            elif first in {"#", ""}:
                return page
            elif first == "?":
                start, rest = path, href
            elif ":" in href and _PERHAPS_SCHEME(href):
                return parsed(href, page)
            else:
                start, rest = directory, href
            if "/." not in rest and plain(rest):
                return start + rest
            return appended(start, rest) or parsed(href, page)

        known, keep = self._joined.on(directory), self._joined.keep

        def join(href: str) -> str | None:
            url = _plain_join(origin, directory, href, _plain_origin)
            if url is None and (url := known.get(href, "")) == "":  # None is an answer
                url = join_new(href)
                keep(known, href, url)
            return url

        return join

    def _appended(self, start: str, rest: str) -> str | None:
        """A canonical start (ending at a segment) plus path, query and fragment; None if not plain enough."""
        parts = _REST(rest)
        if parts is None:
            return None
        path: str
        query: str | None
        path, query = parts.groups()
        if "/." in path or "/(" in path or path[:1] == "(":  # possibly a dot segment or a session
            return None
        if "%" in path:
            if "%2e" in path or "%2E" in path:  # escaped dots
                return None
            path = escaped(path)
        if query and (query := self._query(escaped(query) if "%" in query else query)):
            return f"{start}{path}?{query}"
        return start + path

    def _parsed(self, url: str, base: str | None) -> str | None:
        """The slow path, which defines the correct result: ada, then the rules of the canonical form."""
        if _OTHER_SCHEME(url):
            return None
        # The fragment is removed first, whatever it contains, but its # stays: otherwise white space before it would be
        # trailing white space, which WHATWG rules strip.
        url = url[: url.find("#") + 1] or url
        if len(url) > MAX_LENGTH:
            return None
        try:
            href = normalize_url(url) if base is None else join_url(base, url)
        except ValueError:
            return None
        parts = _PARTS(href)
        if parts is None:
            return None
        scheme, host, port, path, query = parts.groups("")
        if len(host) > 253:
            return None
        query = self._query(escaped(query))
        result = f"{scheme}{host}{port}{self._path(path)}{'?' if query else ''}{query}"
        return result if len(result) <= MAX_LENGTH else None

    def _path(self, path: str) -> str:
        path = escaped(path)
        if not self.settings.drop_sessions:
            return path
        without = _PATH_PARAMETER.sub(self._without_session, path) if ";" in path else path
        without = _ASP_SESSION.sub("", without) or "/"
        if without != path and "/." in without:
            # /..;jsessionid=1/ becomes a dot segment.
            return normalize_url("http://x" + without)[len("http://x") :]
        return without

    def _without_session(self, parameter: re.Match[str]) -> str:
        return "" if self._in_path_dropped(parameter[1]) else parameter[0]

    def _query(self, query: str) -> str:
        dropped = self._dropped
        pieces = [piece for piece in query.split("&") if piece and not dropped(piece.partition("=")[0])]
        if self.settings.sort_query:
            pieces.sort(key=_name_and_value)
        return "&".join(pieces)


def _name_and_value(piece: str) -> tuple[str, str]:
    name, _, value = piece.partition("=")
    return name, value


def _climbs(path: str, root: int) -> dict[str, str]:
    """Prefixes of relative hrefs, ``./``, ``../``, ``../../`` and so on, and the URL that each stands for on a page.

    At most `_PARENTS` levels, and not above the root of the site. `path` is the page's URL without its query.
    """
    at = path.rfind("/")
    found = {"./": path[: at + 1]}
    climb = ""
    while at > root and len(found) <= _PARENTS:
        at = path.rfind("/", 0, at)
        climb += "../"
        found[climb] = path[: at + 1]
    return found


@twin("urls")
def _plain_join(origin: str, directory: str, href: str, origins: Callable[[str], str]) -> str | None:
    """The URL of an href that is a plain path, or an absolute URL with one; None for any other.

    Args:
        origin: That of the page.
        directory: The URL of the page up to the last slash of its path.
        href: As found in HTML.
        origins: Gives the canonical form of another origin, as `_plain_origin`.
    """
    start, rest = directory, href
    if href[:1] == "/":
        start = "" if href[:2] == "//" else origin
    elif href.startswith(("http://", "https://")):
        slash = href.find("/", 8, _ORIGIN_LENGTH)
        start, rest = origins(href[:slash]) if slash > 0 else "", href[slash:]
    elif href[:1] == "." or _PERHAPS_SCHEME(href):
        start = ""
    if not start or not 0 < len(href) <= _FAST_LENGTH or "/." in rest or not _PLAIN(rest):
        return None
    return start + rest


@lru_cache(maxsize=16_384)
def _plain_origin(text: str) -> str:
    """The canonical form of the part before the path; empty if it is not plain, or cannot be fetched."""
    if not _ORIGIN(text):
        return ""
    try:
        parts = _PARTS(normalize_url(text))
    except ValueError:
        return ""
    if parts is None or len(parts[2]) > 253:
        return ""
    return parts[1] + parts[2] + (parts[3] or "")


def origin_of(url: str) -> str:
    """Scheme, host and port (if it is not the default) of a canonical URL: ``https://example.org:8443``."""
    return url[: url.find("/", 8)]


def host_of(url: str) -> str:
    """Host and port (if it is not the default) of a canonical URL: ``example.org:8443``. The unit of politeness."""
    return url.split("/", 3)[2]


def without_port(host: str) -> str:
    """The name or address without the port, of a host as returned by `host_of`."""
    name, colon, _ = host.rpartition(":")
    return name if colon and not host.endswith("]") else host


def has_bad_port(url: str) -> bool:
    """Whether a canonical URL, or an origin, has one of the `BAD_PORTS`."""
    host = url.split("/", 3)[2]
    name = without_port(host)
    return name is not host and int(host[len(name) + 1 :]) in BAD_PORTS
