"""Which page comes next, on a little web whose orders can be worked out on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher

from .kit import PaperWeb, html, rows, run, topic

SEED = "http://seed.example/"


def web() -> PaperWeb:
    """Every page on a host of its own, so that no host has to wait.

    The topic is (honey 1, bee 1); a page's relevance is the cosine of its words, those of its links included.

    seed  honey             links dull, good            (1, 0) → 1 / √2 = 0.71
    dull  stone stone honey links dullchild             (1, 0 | 2) → 1 / (√2 · √5) = 0.32
    good  honey bee         links best, shared          (1, 1) → 1
    best  honey bee         links bestchild             (1, 1) → 1
    shared, dullchild, bestchild: no links
    """
    return PaperWeb(
        {
            SEED: page("honey", "dull", "good"),
            "http://dull.example/": page("stone stone honey", "dullchild", "shared"),
            "http://good.example/": page("honey bee", "best", "shared"),
            "http://best.example/": page("honey bee", "bestchild"),
            "http://shared.example/": page("stone"),
            "http://dullchild.example/": page("stone"),
            "http://bestchild.example/": page("stone"),
        }
    )


def page(words: str, *links: str) -> str:
    """A page whose links have no words, so that they do not count."""
    anchors = "".join(f'<a href="http://{link}.example/"></a>' for link in links)
    return f"<p>{words}</p>{anchors}"


def order(folder: Path, strategy: str, **fetch: Any) -> list[str]:
    """The names of the hosts in the order they were asked for a page."""
    paper = web()
    run(topic([SEED], strategy={"name": strategy}, fetch=fetch), folder, lambda: paper)
    return [url.removeprefix("http://").partition(".")[0] for url in paper.asked_pages]


def test_breadth_first_takes_links_in_the_order_they_were_met(tmp_path: Path) -> None:
    assert order(tmp_path, "breadth-first") == ["seed", "dull", "good", "dullchild", "shared", "best", "bestchild"]


def test_best_first_takes_the_links_of_the_best_page(tmp_path: Path) -> None:
    # seed gives dull and good 0.71 each: dull was met first. It gives its links 0.32, so good (0.71) is next, whose
    # links get 1: shared, met earlier on dull, has the higher of 0.32 and 1, and the lower number: it is before best.
    # best gives bestchild 1; dullchild (0.32) is last.
    assert order(tmp_path, "best-first") == ["seed", "dull", "good", "shared", "best", "bestchild", "dullchild"]


def test_what_a_page_promised_and_kept_is_recorded(tmp_path: Path) -> None:
    order(tmp_path, "best-first")
    sql = "SELECT url, pages.priority, relevance, depth FROM pages JOIN urls USING (id) WHERE seq BETWEEN 1 AND 3"
    assert [tuple(row) for row in rows(tmp_path, sql + " ORDER BY seq")] == [
        ("http://dull.example/", pytest.approx(0.7071068), pytest.approx(0.3162278), 1),
        ("http://good.example/", pytest.approx(0.7071068), pytest.approx(1.0), 1),
        ("http://shared.example/", pytest.approx(1.0), 0.0, 2),
    ]


def test_the_same_crawl_twice_is_the_same_in_order_and_in_every_value(tmp_path: Path) -> None:
    demo = DemoWeb(pages=150, page_kb=2.0)
    subject = demo.subjects[2]
    wanted = topic(demo.seeds(subject), ", ".join(demo.keywords(subject)), budget={"pages": 100})
    columns = "seq, url, pages.priority, relevance, relevant, duplicate_of, digest, signature, words, links"
    found = []
    for name in ("one", "two"):
        run(wanted, tmp_path / name, lambda: DemoFetcher(demo))
        found.append(rows(tmp_path / name, f"SELECT {columns} FROM pages JOIN urls USING (id) ORDER BY seq"))
    assert len(found[0]) == 100
    assert found[0] == found[1]


def test_a_crawl_in_pieces_takes_the_same_pages_in_the_same_order(tmp_path: Path) -> None:
    demo = DemoWeb(pages=150, page_kb=2.0)
    subject = demo.subjects[2]
    fetched = "SELECT url FROM pages JOIN urls USING (id) ORDER BY seq"
    for name, budgets in (("whole", [60]), ("pieces", [1, 7, 20, 21, 60])):
        for pages in budgets:
            wanted = topic(demo.seeds(subject), ", ".join(demo.keywords(subject)), budget={"pages": pages})
            run(wanted, tmp_path / name, lambda: DemoFetcher(demo))
    assert rows(tmp_path / "whole", fetched) == rows(tmp_path / "pieces", fetched)


def test_no_deeper_than_allowed(tmp_path: Path) -> None:
    chain = PaperWeb({f"http://a.example/{place}": html("honey", f"/{place + 1}") for place in range(9)})
    outcome = run(topic(["http://a.example/0"], scope={"max_depth": 3}), tmp_path, lambda: chain)
    assert outcome.tally.pages == 4
    assert rows(tmp_path, "SELECT max(depth) FROM urls") == [(3,)]
