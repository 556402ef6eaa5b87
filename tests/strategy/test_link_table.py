"""A page's links as one table: rows stay together, whatever is dropped or added."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.readers import reader_config
from honeyguide.frontier import Frontier
from honeyguide.relevance.base import AcceptAll
from honeyguide.strategy.link_table import LinkTable, link_table
from honeyguide.strategy.link_words import WORDS, LinkWords
from honeyguide.strategy.page_view import PageView
from honeyguide.strategy.queues.link_classifier import LinkClassifierQueue
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.strategy.recipe import Recipe
from honeyguide.topic import Topic

from .littleweb import LittleWeb, page

HOME = "http://a.example/"


def table(scores: list[float]) -> LinkTable:
    """Links numbered from 0; each column tells the number of its row."""
    numbers = np.arange(len(scores))
    return link_table(
        {f"{HOME}{number}": score for number, score in enumerate(scores)},
        number=numbers,
        matrix=np.stack([numbers, -numbers], axis=1),
    )


@given(st.lists(st.floats(0, 1), max_size=8), st.data())
def test_rows_stay_together(scores: list[float], data: st.DataObject) -> None:
    is_kept = np.array(data.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores))), np.bool_)
    kept = table(scores).where(is_kept).with_columns(more=np.ones(int(is_kept.sum())))
    assert len(kept) == is_kept.sum()
    for (url, score), number, row in zip(kept.rows(), kept["number"].tolist(), kept["matrix"].tolist(), strict=True):
        assert url == f"{HOME}{number}"
        assert score == scores[number]
        assert row == [number, -number]
    assert pickle.loads(pickle.dumps(kept)) == kept
    assert kept["number"].tolist() == np.flatnonzero(is_kept).tolist()


def test_equal_tables() -> None:
    nan = float("nan")
    assert table([0.5, nan]) == table([0.5, nan])
    assert table([0.5, nan]) != table([0.5, 0.0])
    assert table([0.5]) != table([0.5]).with_columns(number=np.array([7]))
    assert table([0.5]) != table([0.5]).with_columns(more=np.array([7]))
    assert table([0.5]) != 0.5


def test_a_column_of_another_length_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'more' has 3 rows for 2 links"):
        table([0.1, 0.2]).with_columns(more=np.zeros(3))
    with pytest.raises(ValueError, match="'scores' has 1 rows for 2 links"):
        LinkTable([HOME, f"{HOME}b"], np.zeros(1))


def test_a_missing_column_is_named() -> None:
    with pytest.raises(KeyError, match=r"no column 'words' \(columns: number, matrix\)"):
        table([0.1])["words"]


# ---- rules of one's own ----


def _every_second(view: PageView) -> LinkTable:
    """Drops every second link, and says which those are."""
    numbers = np.arange(len(view.links))
    return view.table(np.where(numbers % 2, np.nan, 1.0), number=numbers)


def _all_links(view: PageView) -> LinkTable:
    return view.table(np.ones(len(view.links)))


EVERY = Recipe("every", "test", "", lambda _: LinkWords(_all_links, 4))
SECOND = Recipe("second", "test", "", lambda _: LinkWords(_every_second, 4), lambda _: LinkClassifierQueue(1.0, 1))


def _read(strategy: str) -> Reading:
    topic = Topic.make(name="t", seeds=[HOME], keywords="bee", strategy={"name": strategy})
    html = "".join(f'<p><a href="/{number}">word{number}</a></p>' for number in range(5))
    return Reader(reader_config(topic, AcceptAll())).read(Document(HOME, html.encode(), "text/html"))


def test_words_over_a_rule_that_drops_links() -> None:
    every, second = _read(f"{__name__}:EVERY"), _read(f"{__name__}:SECOND")
    assert second.links.urls == [f"{HOME}0", f"{HOME}2", f"{HOME}4"]
    assert second.left_out == {"strategy": 2}
    assert second.links["number"].tolist() == [0, 2, 4]
    assert second.links[WORDS].tolist() == every.links[WORDS][::2].tolist()


def test_a_crawl_with_such_a_rule() -> None:
    names = [f"p{number}" for number in range(6)]
    web = LittleWeb({"home": page(60, *names), **{name: page(60) for name in names}})
    steps = web.crawl(f"{__name__}:SECOND", "home").steps
    assert [step.url for step in steps] == [f"{HOME}{name}" for name in ("home", "p0", "p2", "p4")]


def test_a_queue_that_needs_a_column_its_rule_does_not_give() -> None:
    frontier, queue = Frontier(), LinkClassifierQueue(1.0, 1)
    home = frontier.offer(HOME, 1.0)
    with pytest.raises(KeyError, match=r"no column 'words' \(columns: none\)"):
        queue.page(frontier, home, _read("best-first"), 0)
