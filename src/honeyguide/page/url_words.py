"""The words of a URL."""

from __future__ import annotations

import re
from urllib.parse import unquote

from honeyguide.page.words import find_words

_WORDS = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def url_words(url: str) -> list[str]:
    """Host, path and query of a canonical URL as words; the scheme is left out, case is preserved.

    Percent-decoded, then split at everything but letters and digits, between letters and digits, and at camel case
    (``GraphTheory`` is two words).
    """
    return _words(url.partition("://")[2])


def path_words(url: str) -> list[str]:
    """As `url_words`, without the host."""
    return _words(url.partition("://")[2].partition("/")[2])


def segment_words(segment: str) -> list[str]:
    """The words of a part of a URL after its host, between two slashes. Those of a URL are those of its segments."""
    return _words(segment)


def _words(text: str) -> list[str]:
    if "%" in text:
        text = unquote(text, errors="replace")
    found = _WORDS.findall(text if text.islower() else _CAMEL.sub(" ", text))
    if text.isascii():
        return found
    # As in texts: in scripts without spaces, words are pairs of letters.
    return [part for word in found for part in ([word] if word.isascii() else find_words(word)[0]) if part]
