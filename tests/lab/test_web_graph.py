"""What a web is like as a whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from honeyguide.lab.web_graph import read_graph
from honeyguide.page.settings import UrlSettings

from .kit import PaperVirtualWeb, page

A = "http://a.example/"
TWIN = page("the same words on both")
WEB = {
    A: page("home", f"{A}1", f"{A}old", f"{A}1", A, "http://out.example/"),
    f"{A}1": page("one", f"{A}2", A),
    f"{A}2": TWIN,
    f"{A}old": f"-> {A}older",
    f"{A}older": "-> /3",
    f"{A}3": TWIN,
    f"{A}loop": f"-> {A}loop",
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "honeyguide"


def test_pages_links_copies_and_redirects() -> None:
    found = read_graph(PaperVirtualWeb(WEB), UrlSettings())
    assert list(found.urls) == [A, f"{A}1", f"{A}2", f"{A}3"]
    links = [found.indices[first:last].tolist() for first, last in zip(found.indptr, found.indptr[1:], strict=False)]
    assert links == [[1, 3], [2, 0], [], []]  # the link to /old is one to /3
    assert found.copies.tolist() == [0, 1, 2, 2]
    assert found.page(f"{A}old") == found.page(f"{A}3") == 3
    assert found.page(f"{A}loop") is None
    assert found.page("http://out.example/") is None
    assert found.landing(f"{A}old") == found.landing(f"{A}3") == f"{A}3"
    assert found.landing(f"{A}loop") is found.landing("http://out.example/") is None


def test_pages_by_number_and_numbers_by_page() -> None:
    found = read_graph(PaperVirtualWeb(WEB), UrlSettings())
    assert (len(found.urls), found.urls[3], found.urls[-1], found.urls[1:3]) == (
        4,
        f"{A}3",
        f"{A}3",
        [f"{A}1", f"{A}2"],
    )
    assert dict(found.number) == {A: 0, f"{A}1": 1, f"{A}2": 2, f"{A}3": 3}
    assert f"{A}old" not in found.number  # a redirect is no page
    with pytest.raises(IndexError):
        found.urls[4]


def test_a_closure_ends_at_its_depth() -> None:
    found = read_graph(PaperVirtualWeb(WEB), UrlSettings())
    assert found.closure([0], 0) == {0}
    assert found.closure([0], 1) == {0, 1, 3}
    assert found.closure([0], 2) == found.closure([0], 9) == {0, 1, 2, 3}


def test_a_web_is_read_once(cache: Path) -> None:
    first = PaperVirtualWeb(WEB)
    told: list[tuple[int, int]] = []
    one = read_graph(first, UrlSettings(), lambda done, every: told.append((done, every)))
    assert told[0] == (0, 7)
    second = PaperVirtualWeb(WEB)
    other = read_graph(second, UrlSettings())
    assert not second.asked
    for name in ("places", "landings", "indptr", "indices", "copies"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert list(one.urls) == list(other.urls)
    assert isinstance(other.table.text, np.memmap)  # a web of millions of pages is opened without reading them


@pytest.mark.parametrize("name", ["about.json", "text.npy", "places.npy"])
def test_a_damaged_graph_is_made_again(cache: Path, name: str) -> None:
    web = PaperVirtualWeb(WEB)
    urls = list(read_graph(web, UrlSettings()).urls)
    web.asked.clear()
    (kept,) = cache.glob("webs/graph-*")
    (kept / name).write_bytes(b"damaged")
    assert list(read_graph(web, UrlSettings()).urls) == urls
    assert web.asked


def test_another_web_has_another_graph() -> None:
    read_graph(PaperVirtualWeb(WEB), UrlSettings())
    changed = PaperVirtualWeb({**WEB, f"{A}new": page("new")})
    assert len(read_graph(changed, UrlSettings()).urls) == 5
