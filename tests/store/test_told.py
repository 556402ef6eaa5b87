"""What a crawl was told: keywords come and go, and all of it survives as text and as a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.store.told import COPY, Told, read_copy, write_copy
from honeyguide.topic import Topic

WORDS = st.lists(st.sampled_from("honey wax comb hive queen".split()), max_size=4).map(tuple)
TOPIC = Topic.make(name="bees", seeds=["http://a.example/"], keywords="honey, bee")


@given(st.lists(st.tuples(st.booleans(), WORDS), max_size=6))
def test_the_last_word_counts_for_every_keyword(commands: list[tuple[bool, tuple[str, ...]]]) -> None:
    told, added = Told(), set[str]()
    for adds, words in commands:
        own = [word for word in words if word not in TOPIC.keywords]
        told = told.with_keywords(own) if adds else told.without_keywords(own)
        added = added | set(own) if adds else added - set(own)
        applied = told.applied(TOPIC)
        assert set(applied.keywords) == {*TOPIC.keywords, *added}
        assert told.applied(applied).keywords == applied.keywords
        # A topic that has them from before, as after a crash, is the same afterwards.
        assert set(told.applied(Told(keywords=tuple(own)).applied(TOPIC)).keywords) >= set(applied.keywords)
    assert Told.parse(told.text()) == told


def test_a_keyword_that_was_taken_back_leaves_a_topic_that_still_has_it() -> None:
    told = Told().with_keywords(["wax"]).without_keywords(["wax"])
    stored = Told(keywords=("wax",)).applied(TOPIC)
    assert told.applied(stored).keywords == TOPIC.keywords


def test_the_copy_beside_the_database(tmp_path: Path) -> None:
    assert read_copy(tmp_path) == Told()
    told = Told(("b.example",), ("http://a.example/",), ("wax",), ("comb",), {"pages": (10, 20)})
    write_copy(tmp_path, told)
    assert read_copy(tmp_path) == told
    (tmp_path / COPY).write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_copy(tmp_path)
