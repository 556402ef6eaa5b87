"""Fish-Search and Shark-Search, worked out on paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from .littleweb import LittleWeb, fetched_of_demo, page

# What counts is whether a page is relevant (from .50 on).
SEA = LittleWeb(
    {
        "": page(90, "a", "b", "c", "d"),
        "a": page(0, "a1", "a2", "a3"),
        "b": page(60, "b1", "a3"),
        "c": page(0, "c1", "b1"),
        "d": page(0, "w"),
        "a1": page(0, "x"),
        "a2": page(70, "y"),
        "a3": page(0, "z"),
        "z": page(0, "zz"),
        "b1": page(0, "b2"),
        **{name: page(0) for name in ("b2", "c1", "w", "x", "y", "zz")},
    }
)


def test_fish_search_worked_out_on_paper() -> None:
    # Width 2, depth 1. home is relevant: 1.5 · 2 = 3 links get 1, d gets 0, each with the full depth of 1.
    # a is not: a1 and a2 get .5, a3 gets 0, with depth 0. b is: b1 gets 1; a3 now has 1, and depth 1. c gives c1 .5,
    # and takes nothing of b1. Then what has 1, as it was met: a3 (z: .5, depth 0), b1 (b2: the same). Then what has
    # .5: a1 has no depth left, x is not followed; a2 has none either but is relevant: y gets 1 and is next. c1, z (zz
    # is not followed), b2, and d last, which has its depth.
    found = SEA.promised("fish-search(width=2, depth=1)", "")
    order = "a 1, b 1, c 1, a3 1, b1 1, a1 .5, a2 .5, y 1, c1 .5, z .5, b2 .5, d 0, w .5".split(", ")
    assert list(found.items())[1:] == [(name, float(score)) for name, score in (each.split() for each in order)]


def test_without_any_depth_only_relevant_pages_are_followed() -> None:
    assert SEA.order("fish-search(width=2, depth=0)", "") == " a b c b1 a3 d"


def test_a_dry_line_ends_and_a_fed_one_goes_on() -> None:
    # From the seed, whose depth is 3: n1 has 2, n2 1, n3 0. If n3 is relevant, n4 has 3, and n7 0.
    dry = {f"n{place}": page(0, f"n{place + 1}") for place in range(1, 9)}
    assert LittleWeb({"": page(0, "n1"), **dry, "n9": page(0)}).order("fish-search", "") == " n1 n2 n3"
    fed = {**dry, "n3": page(50, "n4")}
    assert LittleWeb({"": page(0, "n1"), **fed, "n9": page(0)}).order("fish-search", "") == " n1 n2 n3 n4 n5 n6 n7"


def test_a_redirect_costs_no_depth() -> None:
    web = LittleWeb(
        {
            "": page(0, "n1"),
            "n1": "-> m1",
            "m1": page(0, "n2"),
            "n2": "-> m2",
            "m2": page(0, "n3"),
            "n3": page(0),
        }
    )
    assert web.order("fish-search(depth=1)", "") == " m1"
    assert web.order("fish-search(depth=2)", "") == " m1 m2"


def around(before: str, name: str, anchor: str, after: str) -> str:
    return f'<p>{before} <a href="/{name}">{anchor}</a> {after} and so on</p>'


def test_shark_search_worked_out_on_paper() -> None:
    # delta = .5, beta = .8, gamma = .5, and a word on each side. home .80: what it links to inherits .40.
    #   a: anchor .50, so context 1: .8 · .5 + .2 = .60; .5 · .40 + .5 · .60 = .50
    #   b: anchor 0, window .30: .2 · .3 = .06; .20 + .03 = .23
    #   c: nothing: .20
    # a, next, is worth 0: it passes on .5 · .40 = .20. a1: .10; a2: anchor .90: .92; .10 + .46 = .56, and is next.
    # a2 is worth 0: it passes on .10. a3: .05; c: anchor .30: .44; .05 + .22 = .27, more than before. c still inherits
    # .40 from home, so c1 gets .5 · .5 · .40 = .10, as a1 has, which was met first. b (.23) is before both.
    web = LittleWeb(
        {
            "": "<p>s80 page</p>"
            + around("see", "a", "s50", "too")
            + around("see", "b", "here", "s30")
            + around("see", "c", "here", "too"),
            "a": "<p>s00 page</p>" + around("see", "a1", "here", "too") + around("see", "a2", "s90", "too"),
            "a2": "<p>s00 page</p>" + around("see", "a3", "here", "too") + around("see", "c", "s30", "too"),
            "b": page(10),
            "c": "<p>s00 page</p>" + around("see", "c1", "here", "too"),
            **{name: page(0) for name in ("a1", "a3", "c1")},
        }
    )
    found = web.promised("shark-search(window=2)", "")
    assert list(found) == ["", "a", "a2", "c", "b", "a1", "c1", "a3"]
    assert list(found.values()) == pytest.approx([1.0, 0.5, 0.56, 0.27, 0.23, 0.1, 0.1, 0.05])


def test_what_was_promised_fades_and_passes_redirects() -> None:
    # Nothing but inheritance: .40 by home's .80, then half with each page that is worth nothing; old costs nothing.
    chain = {"": page(80, "a"), "a": page(0, "old"), "old": "-> b", "b": page(0, "c"), "c": page(20, "d"), "d": page(0)}
    found = LittleWeb(chain).promised("shark-search(gamma=1)", "")
    assert found == {"": 1.0, "a": 0.4, "b": 0.2, "c": 0.1, "d": 0.1}


@pytest.mark.parametrize("strategy", ["fish-search(width=3, depth=2)", "shark-search"])
def test_a_crawl_in_pieces_is_the_same(tmp_path: Path, strategy: str) -> None:
    whole = fetched_of_demo(tmp_path / "whole", strategy, 50)
    assert len(whole) > 20
    assert fetched_of_demo(tmp_path / "pieces", strategy, 1, 6, 19, 20, 50) == whole


def test_depth_and_inheritance_are_known_again_in_the_next_piece(tmp_path: Path) -> None:
    # Of the chain behind the first page none has a word of the topic. Fish gives up after three links; Shark goes on,
    # with half the promise each time.
    chain = {f"n{place}": f"<p>stone {place}</p><a href=/n{place + 1}></a>" for place in range(7)}
    web = LittleWeb({"": "<p>honey bee</p><a href=/n0></a>", **chain, "n7": "<p>end</p>"})
    pieces = range(1, 10)
    fish = web.fetched(tmp_path / "fish", "fish-search(depth=2)", "honey, bee", *pieces)
    assert [url.rpartition("/")[2] for url, _ in fish] == ["", "n0", "n1", "n2"]
    shark = web.fetched(tmp_path / "shark", "shark-search(gamma=1)", "honey, bee", *pieces)
    assert [priority for _, priority in shark] == pytest.approx([1.0, *(0.5**place for place in range(1, 9))])
