"""Style sheets: the rules of ``<style>`` elements, as far as a layout is estimated from them.

This is a scanner of our own instead of tinycss2, which makes an object of every token (1.3 MB/s: a sheet of 50 kB takes
longer than twenty pages) and raises on numbers of 4,300 digits; cssselect2 needs an ElementTree, which pages are not.
What is left out is small: a rule applies if its selector is made of tags, classes and ids, joined by white space or
">"; any other selector (attributes, pseudo-classes, siblings, escapes) matches nothing. Of at-rules, only ``@media`` is
read; imported sheets are not fetched.

Every step is linear in the length of a sheet, whatever is in it, and never raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from honeyguide.page import tags
from honeyguide.page.blocks.declarations import FONT_SIZE, NOTHING, StyleText, read_style
from honeyguide.page.limits import MAX_SELECTOR_PARTS, MAX_STYLE_RULES

SCREEN_WIDTH = 1000.0
"""The width, in pixels, of the screen that media queries ask about."""

# Comments; and strings and addresses, in which braces and semicolons mean nothing. Each alternative takes what it began
# even if it is never closed, so that no character is looked at twice.
_OPAQUE = re.compile(
    r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+"
    r"|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"?+"
    r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?+"
    r"|url\([^()'\"]*+\)?+",
    re.IGNORECASE | re.DOTALL,
)
_INERT = str.maketrans("", "", "{};!")
_MARK = re.compile(r"[{};]")
_LISTING = re.compile(r"[(),]")
_COMPOUND = re.compile(r"(\*|[a-z][\w-]*+)?+((?:[.#]-?+[^\W\d][\w-]*+)*+)", re.IGNORECASE).fullmatch
_SIMPLE = re.compile(r"[.#][\w-]++")
_QUERY = re.compile(r"(?:only\s++)?+(?:(all|screen)\b)?+").match
_FEATURE = re.compile(
    r"\s*+(?:and\b)?+\s*+\(\s*+(min|max)-width\s*+:\s*+(\d{1,6}(?:\.\d{1,6})?+)(px|em|rem)\s*+\)"
).match


class Compound(NamedTuple):
    """Simple selectors that one element must match together."""

    tag: int | None
    """The number of a tag; None for any."""
    names: frozenset[str]
    """Ids and classes, with their sign: ``#main``, ``.menu``."""
    is_child: bool
    """Whether the element that the part before it matches must be the parent, rather than any ancestor."""


class Selector(NamedTuple):
    """The compounds of a selector from the outermost to the element itself, and how specific they are together."""

    compounds: tuple[Compound, ...]
    specificity: tuple[int, int, int]


class SheetRule(NamedTuple):
    """One selector with its declarations."""

    selector: Selector
    style: StyleText


@lru_cache(maxsize=64)  # the pages of a site share their style sheets
def read_sheet(text: str) -> tuple[SheetRule, ...]:
    """The rules of a style sheet that can matter to a layout on a screen, in order; `MAX_STYLE_RULES` at most."""
    rules: list[SheetRule] = []
    for selectors, block in _blocks(_OPAQUE.sub(_without_marks, text)):
        style = read_style(block)
        if style.normal is NOTHING and style.important is NOTHING:
            continue
        for written in _listed(selectors):
            selector = _selector(written)
            if selector is not None:
                rules.append(SheetRule(selector, style))
        if len(rules) >= MAX_STYLE_RULES:
            del rules[MAX_STYLE_RULES:]
            break
    return tuple(rules)


def is_for_screens(media: str) -> bool:
    """Whether a list of media queries applies to a screen that is `SCREEN_WIDTH` wide.

    Other features than the width of the screen are unknown: a query that asks for one does not apply.
    """
    return not media.strip() or any(map(_applies, media.lower().split(",")))


def _applies(query: str) -> bool:
    query = query.strip()
    kind = _QUERY(query)
    place = kind.end() if kind else 0
    while feature := _FEATURE(query, place):
        bound = float(feature[2]) * (1.0 if feature[3] == "px" else FONT_SIZE)
        if (bound > SCREEN_WIDTH) if feature[1] == "min" else (bound < SCREEN_WIDTH):
            return False
        place = feature.end()
    return bool(query) and place == len(query)


def _without_marks(opaque: re.Match[str]) -> str:
    text = opaque[0]
    return " " if text.startswith("/*") else text.translate(_INERT)


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """The selectors and the declarations of each rule; those inside of other rules are left out."""
    start = depth = 0
    skipped = rule = 0  # the depth at which a block began that is skipped, or a rule; 0 for none
    selectors, body = "", 0
    for mark in _MARK.finditer(text):
        place = mark.start()
        match text[place]:
            case "{":
                depth += 1
                if not skipped and not rule:
                    prelude = text[start:place].strip()
                    if prelude.startswith("@"):
                        if not (prelude[:6].lower() == "@media" and is_for_screens(prelude[6:])):
                            skipped = depth
                    else:
                        rule, selectors, body = depth, prelude, place + 1
                elif rule and not skipped:  # a rule inside a rule: what comes before it is read
                    yield selectors, text[body:place].rpartition(";")[0]
                    skipped = depth
            case "}":
                if skipped == depth:
                    skipped = 0
                    body = place + 1
                elif rule == depth and not skipped:
                    yield selectors, text[body:place]
                    rule = 0
                depth = max(depth - 1, 0)
            case _:
                pass
        start = place + 1
    if rule and not skipped:
        yield selectors, text[body:]  # a sheet may end anywhere


def _listed(selectors: str) -> list[str]:
    """The selectors of a list; a comma in parentheses does not separate any."""
    if "(" not in selectors:
        return selectors.split(",")
    depth, start, found = 0, 0, []
    for mark in _LISTING.finditer(selectors):
        if mark[0] == "(":
            depth += 1
        elif mark[0] == ")":
            depth -= 1
        elif not depth:
            found.append(selectors[start : mark.start()])
            start = mark.end()
    return [*found, selectors[start:]]


def _selector(text: str) -> Selector | None:
    """A selector made of tags, classes and ids; None for any other."""
    compounds: list[Compound] = []
    is_child = False
    ids = classes = names_of_tags = 0
    for part in text.replace("<!--", " ").replace("-->", " ").replace(">", " > ").split():
        if part == ">":
            if is_child or not compounds:
                return None
            is_child = True
            continue
        found = _COMPOUND(part)
        if not found or len(compounds) == MAX_SELECTOR_PARTS:
            return None
        tag = None
        if found[1] and found[1] != "*":
            tag = tags.NAMED.get(found[1].lower())
            if tag is None:
                return None  # our nodes do not tell unknown tags apart
            names_of_tags += 1
        simple = _SIMPLE.findall(found[2])
        ids += sum(name[0] == "#" for name in simple)
        classes += sum(name[0] == "." for name in simple)
        compounds.append(Compound(tag, frozenset(simple), is_child))
        is_child = False
    if is_child or not compounds:
        return None
    return Selector(tuple(compounds), (ids, classes, names_of_tags))
