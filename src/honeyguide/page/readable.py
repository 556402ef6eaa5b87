"""Readable URLs, with internationalised host names in their own letters."""

from __future__ import annotations

import unicodedata

_ENCODED = "xn--"
_EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "LATIN"))  # used together
_MARKS = frozenset(("Mn", "Mc"))


def readable(url: str) -> str:
    """A URL with its host in its own letters: ``http://bücher.example/`` for ``http://xn--bcher-kva.example/``.

    It is for display only, and still leads to the same page when it is typed in. Any other text is returned as it is.
    """
    scheme, mark, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{readable_host(host)}{slash}{path}"


def readable_host(host: str) -> str:
    """A host in its own letters. A part that mixes scripts stays as it is: it may be made to look like another one."""
    if _ENCODED not in host:
        return host
    name, colon, port = host.partition(":")
    labels = (_decoded(label) if label.startswith(_ENCODED) else label for label in name.split("."))
    return ".".join(labels) + colon + port


def _decoded(label: str) -> str:
    try:
        decoded = label.removeprefix(_ENCODED).encode().decode("punycode")
    except UnicodeError:
        return label
    return decoded if _is_plain(decoded) else label


def _is_plain(label: str) -> bool:
    """Whether a label consists of letters of one script, digits and hyphens."""
    scripts = {unicodedata.name(letter, "UNKNOWN").split()[0] for letter in label if letter.isalpha()}
    is_name = all(letter.isalnum() or letter == "-" or unicodedata.category(letter) in _MARKS for letter in label)
    return bool(label) and is_name and (len(scripts) == 1 or scripts <= _EAST_ASIAN)
