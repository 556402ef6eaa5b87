"""What models read of a page is in proportion to its words and links, however its links are arranged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.context import nearest as limits
from honeyguide.page.context.nearest import nearest
from honeyguide.page.spans import Spans, spans
from honeyguide.relevance import checked
from honeyguide.relevance.base import Scores
from honeyguide.relevance.checked import checked_model
from honeyguide.relevance.text import Text
from honeyguide.strategy.reading import Document, Reader, ReaderConfig
from honeyguide.strategy.registry import recipes

LINKS, MANY = 400, 20_000


class Words:
    """A model that counts the words that it is asked to read, and the most at a time."""

    threshold = 0.5

    def __init__(self) -> None:
        self.read = self.most = 0

    def score(self, text: Text, spans: Spans) -> Scores:
        lengths = np.maximum(spans[:, 1] - spans[:, 0], 0)
        self.read += int(lengths.sum())
        self.most = max(self.most, int(lengths.sum()))
        scores: Scores = np.minimum(lengths / (len(text) + 1), 1.0)
        return scores


PAGES = {
    "listing": "<pre>" + "".join(f"<a href=f{i}.html>f{i}.html</a> 2020-01-01 12:00 {i}K\n" for i in range(LINKS)),
    "pictures": "<p>" + "".join(f"x{i} y z <a href=f{i}><img alt='honey {i}'></a> " for i in range(LINKS)),
    "twice": "".join(f"<p>x{i} y <a href=f{i}>bee</a>" for i in range(LINKS)) * 2,
    "twice in two paragraphs": ("<p>" + "".join(f"x{i} y <a href=f{i}>bee</a> " for i in range(LINKS))) * 2,
    "nested": "<div>" * 400 + "".join(f"x y z {i} <a href=f{i}>bee</a></div>" for i in range(400)),
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("strategy", sorted(recipes()))
def test_models_read_in_proportion(strategy: str, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MANY_WORDS", MANY)
    monkeypatch.setattr(checked, "_MANY_WORDS", MANY)
    model = Words()
    reading = Reader(ReaderConfig(model, strategy)).read(
        Document("http://a.example/", PAGES[page].encode(), "text/html")
    )
    # Windows of 60 and 20 words for each link, and contexts up to the limit; words × links would be 640,000 or more.
    assert model.read < 10 * reading.words + 200 * LINKS + 5 * MANY
    assert model.most <= reading.words + MANY


def test_equal_spans_are_scored_once_and_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[tuple[int, int]]] = []

    class Noting(Words):
        def score(self, text: Text, spans: Spans) -> Scores:
            asked.append([(first, last) for first, last in spans.tolist()])
            return spans[:, 0] / 10

    model = checked_model(Noting(), "noting")
    text = Text(["word"] * 10)
    found = model.score(text, spans([(3, 5), (0, 10), (3, 5), (1, 4), (0, 10)]))
    assert found.tolist() == [0.3, 0.0, 0.3, 0.1, 0.0]
    assert [sorted(spans) for spans in asked] == [[(0, 10), (1, 4), (3, 5)]]
    asked.clear()
    monkeypatch.setattr(checked, "_MANY_WORDS", 6)
    assert model.score(text, spans([(0, 4), (1, 5), (2, 6), (0, 10)])).tolist() == [0.0, 0.1, 0.2, 0.0]
    assert [span for part in asked for span in part] == [(0, 4), (1, 5), (2, 6), (0, 10)]
    assert len(asked) > 1
    asked.clear()
    assert model.score(text, spans([])).tolist() == []


# ---- contexts ----


def contexts(draw: Any) -> tuple[Spans, Spans]:
    """Spans of some links, and around each a context."""
    count = draw(st.integers(1, 8))
    cuts = [sorted(draw(st.lists(st.integers(0, 60), min_size=4, max_size=4))) for _ in range(count)]
    return spans([(cut[0], cut[3]) for cut in cuts]), spans([(cut[1], cut[2]) for cut in cuts])


@given(st.data(), st.booleans())
def test_contexts_keep_the_words_nearest_to_their_links(data: st.DataObject, each: bool) -> None:
    around, anchors = contexts(data.draw)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "MANY_WORDS", 40)
        patch.setattr(limits, "ENOUGH_WORDS", 7)
        found = nearest(around, anchors, each=each)
    lengths = around[:, 1] - around[:, 0]
    total = lengths.sum() if each else sum(last - first for first, last in set(map(tuple, around.tolist())))
    if total <= 40:
        assert found is around
        return
    most = max(40 // len(around), 7)
    kept = found[:, 1] - found[:, 0]
    assert kept.tolist() == np.minimum(lengths, most).tolist()
    assert (found[:, 0] >= around[:, 0]).all()
    assert (found[:, 1] <= around[:, 1]).all()
    middle = (anchors[:, 0] + anchors[:, 1]) // 2
    inside = (found[:, 0] <= middle) & (middle <= found[:, 1])
    assert inside.all()
