from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.page.words import split_words
from honeyguide.relevance.text import Tokenizer
from honeyguide.store.report.snippet import snippet, topic_terms
from honeyguide.topic import Topic

TOKENIZER = Tokenizer("english")


def terms(*words: str) -> frozenset[int]:
    return frozenset(TOKENIZER(words).tolist())


def cut(text: str, words: frozenset[int], length: int = 40) -> str:
    """The snippet with its marks as brackets."""
    pieces = snippet(text, words, TOKENIZER, length)
    return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in pieces)


def test_words_are_marked_by_stem_in_any_case() -> None:
    assert cut("Bees make HONEY. A beekeeper keeps a bee.", terms("bee", "honey")) == (
        "[Bees] make [HONEY]. A beekeeper keeps a [bee]."
    )


def test_a_whole_short_text_has_no_ellipses() -> None:
    assert cut("No such word here", terms("honey")) == "No such word here"


def test_the_window_with_most_distinct_words_wins_over_one_with_more_words() -> None:
    text = "honey honey honey honey a b c d e f g h honey near bee i j k l"
    assert cut(text, terms("honey", "bee"), 5) == "… h [honey] near [bee] i …"


def test_of_equal_windows_the_first_is_taken_with_the_word_in_its_middle() -> None:
    text = "a1 a2 a3 a4 a5 a6 honey a7 a8 a9 b1 b2 b3 b4 b5 honey b6 b7 b8"
    assert cut(text, terms("honey"), 5) == "… a5 a6 [honey] a7 a8 …"


def test_a_text_without_the_words_gives_its_beginning() -> None:
    assert cut("one two three four five", terms("honey"), 3) == "one two three …"


def test_words_at_the_end_are_reached() -> None:
    assert cut("one two three four honey!", terms("honey"), 2) == "… four [honey]!"


def test_block_ends_become_dots_unless_a_sentence_ends_there() -> None:
    assert cut("Home\nNews\nAll of it.\nMore: here", terms("honey")) == "Home · News · All of it. More: here"


def test_soft_hyphens_do_not_hide_a_word() -> None:
    assert cut("some ho\xadney", terms("honey")) == "some [honey]"


def test_scripts_without_spaces() -> None:
    assert cut("新蜂蜜很好", terms("蜂蜜")) == "新[蜂蜜]很好"
    assert cut("很好的新蜂蜜", terms("蜂蜜")) == "很好的新[蜂蜜]"
    assert cut("蜂の巣", terms("蜂")) == "[蜂]の巣"


def test_nothing_gives_nothing() -> None:
    assert snippet("", terms("honey"), TOKENIZER) == []
    assert snippet("...", terms("honey"), TOKENIZER) == []


def test_monsters_are_cut() -> None:
    text = "honey " + "x" * 100_000 + "!" * 100_000 + "bee"
    result = cut(text, terms("honey", "bee"))
    assert len(result) < 200
    assert result.startswith("[honey] xxx")
    assert result.endswith(" … [bee]")


def test_terms_are_those_of_the_keywords_and_else_of_the_description() -> None:
    def made(keywords: list[str], description: str) -> frozenset[int]:
        topic = Topic.make(name="t", seeds=["http://a.example/"], keywords=keywords, description=description)
        return topic_terms(topic, TOKENIZER)

    assert made(["the honey bees"], "wax") == terms("honey", "bee")
    assert made([], "the wax") == terms("wax")
    assert made(["the"], "wax") == terms("wax")


WORDS = st.sampled_from(["bee", "bees", "honey", "of", "x", "蜜", "é", "word"])
GAPS = st.sampled_from([" ", "\n", ". ", " - ", "\xad", "\0", "!" * 30])


@given(st.lists(st.tuples(WORDS, GAPS), max_size=60), st.integers(1, 12))
def test_no_window_has_more_distinct_words(parts: list[tuple[str, str]], length: int) -> None:
    text = "".join(word + gap for word, gap in parts)
    wanted = terms("bee", "honey", "蜜")
    words, _ = split_words(text.replace("\xad", "").replace("\0", ""))
    tokens = TOKENIZER(words).tolist()
    windows = [tokens[start : start + length] for start in range(max(1, len(tokens) - length + 1))]
    most = max(len(wanted & set(window)) for window in windows)
    shown = snippet(text, wanted, TOKENIZER, length)
    marked = [word for piece in shown if piece.marked for word in split_words(piece.text)[0]]
    assert len(set(TOKENIZER(marked).tolist())) == most


@given(st.text(max_size=300), st.integers(1, 10))
def test_any_text_gives_a_bounded_snippet(text: str, length: int) -> None:
    shown = snippet(text, terms("bee"), TOKENIZER, length)
    assert sum(len(piece.text) for piece in shown) <= 80 * (length + 1)
    assert all(one.marked != other.marked for one, other in pairwise(shown))
    assert all(piece.text and "\n" not in piece.text for piece in shown)
