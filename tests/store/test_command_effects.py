"""The persistent effects of commands: keywords come and go, and everything survives as text and as a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.store.command_effects import COPY, CommandEffects, read_copy, write_copy
from honeyguide.topic import Topic

WORDS = st.lists(st.sampled_from("honey wax comb hive queen".split()), max_size=4).map(tuple)
TOPIC = Topic.make(name="bees", seeds=["http://a.example/"], keywords="honey, bee")


@given(st.lists(st.tuples(st.booleans(), WORDS), max_size=6))
def test_the_last_word_counts_for_every_keyword(commands: list[tuple[bool, tuple[str, ...]]]) -> None:
    effects, added = CommandEffects(), set[str]()
    for adds, words in commands:
        own = [word for word in words if word not in TOPIC.keywords]
        effects = effects.with_keywords(own) if adds else effects.without_keywords(own)
        added = added | set(own) if adds else added - set(own)
        applied = effects.applied(TOPIC)
        assert set(applied.keywords) == {*TOPIC.keywords, *added}
        assert effects.applied(applied).keywords == applied.keywords
        # A topic that has them from before, as after a crash, is the same afterwards.
        stored = CommandEffects(keywords=tuple(own)).applied(TOPIC)
        assert set(effects.applied(stored).keywords) >= set(applied.keywords)
    assert CommandEffects.parse(effects.text()) == effects


def test_a_keyword_that_was_taken_back_leaves_a_topic_that_still_has_it() -> None:
    effects = CommandEffects().with_keywords(["wax"]).without_keywords(["wax"])
    stored = CommandEffects(keywords=("wax",)).applied(TOPIC)
    assert effects.applied(stored).keywords == TOPIC.keywords


def test_the_copy_beside_the_database(tmp_path: Path) -> None:
    assert read_copy(tmp_path) == CommandEffects()
    effects = CommandEffects(("b.example",), ("http://a.example/",), ("wax",), ("comb",), {"pages": (10, 20)})
    write_copy(tmp_path, effects)
    assert read_copy(tmp_path) == effects
    (tmp_path / COPY).write_bytes(b"\xff")
    with pytest.raises(InputError, match="not UTF-8 text"):
        read_copy(tmp_path)
