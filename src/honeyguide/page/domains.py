"""Registered domains and public suffixes of hosts, by the public suffix list.

The list is the one that is bundled with tldextract; nothing is downloaded or written. It is read without importing
tldextract, whose HTTP client would take a quarter of the time in which a crawl starts. The tests compare the two.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from honeyguide.page.url import without_port

_RULE = re.compile(r"^[.*!]*\w\S*", re.MULTILINE)
_PRIVATE: Final = "// ===BEGIN PRIVATE DOMAINS==="

Rules = dict[str, bool]
"""Every end of every rule, such as ``uk`` and ``co.uk``, and whether it is a rule itself."""


class _Lists(NamedTuple):
    registries: Rules
    with_private: Rules


@lru_cache(maxsize=65_536)
def registered_domain(host: str) -> str:
    """The registered domain: ``bbc.co.uk`` for ``news.bbc.co.uk:8080``. `host` is as returned by `url.host_of`.

    An IP address, a single label and a public suffix are returned unchanged; under a top-level domain that is not in
    the public suffix list (``.example``, ``.internal``) the last two labels count. Privately run suffixes (github.io)
    are ordinary domains here.
    """
    name = without_port(host)
    if name.startswith("[") or "." not in name or name.rpartition(".")[2].isdigit():
        return name
    labels = name.split(".")
    first = _suffix_start(labels, _lists().registries)
    if first == len(labels):
        return ".".join(labels[-2:])
    return ".".join(labels[max(first - 1, 0) :])


@lru_cache(maxsize=65_536)
def is_public_suffix(name: str) -> bool:
    """Whether names under a name belong to strangers: ``co.uk``, ``com``, any single label, and ``github.io``.

    Unlike for `registered_domain`, privately run suffixes are suffixes here.
    """
    name = name.strip(".").lower()
    if "." not in name:
        return True
    return _suffix_start(name.split("."), _lists().with_private) == 0


def _suffix_start(labels: list[str], rules: Rules) -> int:
    """The index of the first label of the public suffix of a name; the number of labels if it has none."""
    start = at = len(labels)
    above = ""  # what comes after the label
    for label in reversed(labels):
        name = f"{_decoded(label)}{above}"
        if name in rules:
            at -= 1
            if rules[name]:
                start = at
        elif f"*{above}" in rules:
            return at if f"!{name}" in rules else at - 1
        else:
            break
        above = f".{name}"
    return start


def _decoded(label: str) -> str:
    """A label as it is written in the list: not in its ASCII form."""
    if label.startswith("xn--"):
        import idna  # noqa: PLC0415 (needed by few names)

        try:
            return idna.decode(label)
        except (UnicodeError, IndexError):
            pass
    return label


@cache
def _lists() -> _Lists:
    found = find_spec("tldextract")
    assert found is not None
    assert found.origin is not None
    text = Path(found.origin).with_name(".tld_set_snapshot").read_text(encoding="utf-8")
    registries, _, private = text.partition(_PRIVATE)
    rules: Rules = {}
    _add_rules(rules, registries)
    with_private = rules.copy()
    _add_rules(with_private, private)
    return _Lists(rules, with_private)


def _add_rules(rules: Rules, text: str) -> None:
    for rule in _RULE.findall(text):
        rules[rule] = True
        rest = rule.partition(".")[2]
        while rest:
            rules.setdefault(rest, False)
            rest = rest.partition(".")[2]
