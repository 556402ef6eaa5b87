"""The words of a URL."""

from __future__ import annotations

import re
from urllib.parse import unquote

_WORDS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def url_words(url: str) -> list[str]:
    """Host, path and query of a canonical URL as words; the scheme is left out, case is preserved.

    Percent-decoded, then split at everything but letters and digits, between letters and digits, and at camel case
    (``GraphTheory`` is two words).
    """
    text = unquote(url.partition("://")[2], errors="replace")
    return _WORDS.findall(_CAMEL.sub(" ", text))


def path_words(url: str) -> list[str]:
    """As `url_words`, without the host."""
    return url_words("://" + url.partition("://")[2].partition("/")[2])
