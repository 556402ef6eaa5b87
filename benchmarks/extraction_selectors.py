"""Main content as the selectors say that the authors of @postlight/parser wrote for a site, in JavaScript."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

_TOKEN = re.compile(r"""[\[\]]|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`|//[^\n]*|/\*.*?\*/""", re.DOTALL)


def marked_by(rules: str, html: str) -> list[str]:
    """The HTML of what the first selectors find that find anything, without what is to be removed; maybe nothing."""
    _, _, content = rules.partition("content: {")
    tree = LexborHTMLParser(html)
    for selector in (one for group in _listed(content, "clean: ") for one in group):
        for node in _found(tree, selector):
            node.decompose()
    for group in _listed(content, "selectors: "):
        nodes = [node for selector in group for node in _found(tree, selector)]
        if any(node.text().strip() for node in nodes):
            return [node.html or "" for node in nodes]
    return []


def _found(tree: LexborHTMLParser, selector: str) -> list[LexborNode]:
    try:
        return tree.css(selector)
    except SelectolaxError:  # some are of jQuery's own language
        return []


def _listed(source: str, name: str) -> list[list[str]]:
    """The strings of a literal list in JavaScript; those of a list in it belong together."""
    _, found, rest = source.partition(f"{name}[")
    groups: list[list[str]] = []
    depth = 1
    for token in _TOKEN.finditer(rest if found else "]"):
        if token[0] == "[":
            depth += 1
            groups.append([])
        elif token[0] == "]":
            depth -= 1
            if not depth:
                break
        elif token[0][0] != "/":
            string = token[1] or token[2] or token[3] or ""
            if depth == 1:
                groups.append([string])
            else:
                groups[-1].append(string)
    return groups
