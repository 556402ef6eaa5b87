from __future__ import annotations

import pickle
import unicodedata
from collections.abc import Set as AbstractSet

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.page.words import SEAM, Words, find_words, split_words

SPACELESS = (
    "THAI ",
    "LAO ",
    "MYANMAR ",
    "KHMER ",
    "HIRAGANA ",
    "KATAKANA",
    "HALFWIDTH KATAKANA",
    "HENTAIGANA",
    "CJK ",
    "IDEOGRAPHIC ",
)


def words(text: str, *apart: int) -> list[str]:
    return split_words(text, set(apart))[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("  \n\t ", []),
        ("The honeyguide, a bird: it leads!", ["The", "honeyguide", "a", "bird", "it", "leads"]),
        ("don't e-mail 3.5 km² C3PO", ["don", "t", "e", "mail", "3", "5", "km²", "C3PO"]),
        ("snake_case", ["snake", "case"]),
        ("naïve Ægir Straße", ["naïve", "Ægir", "Straße"]),
        ("Миру—мир", ["Миру", "мир"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("a\u00a0b\u2009c\u3000d", ["a", "b", "c", "d"]),
        ("x\x1fy\x85z", ["x", "y", "z"]),
    ],
)
def test_words_are_runs_of_letters_and_digits(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("cafe\u0301 noir", ["cafe\u0301", "noir"]),
        ("\u0301 a \u0301\u0302b", ["a", "b"]),  # marks on nothing
        ("I \u2764\ufe0f bees", ["I", "bees"]),  # an emoji's variation selector
        ("👩\u200d🔬 Ann", ["Ann"]),
        ("\u0645\u06cc\u200c\u062e\u0648", ["\u0645\u06cc\u200c\u062e\u0648"]),
        ("hon\xadey\xad guide \xad", ["honey", "guide"]),
    ],
)
def test_marks_belong_to_the_letter_before_them(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("日", ["日"]),
        ("日本語", ["日本", "本語", ""]),
        ("日本語abc漢字", ["日本", "本語", "", "abc", "漢字", ""]),
        ("一二三 2024年", ["一二", "二三", "", "2024", "年"]),
        ("蜂の巣", ["蜂", "の", "巣"]),  # three scripts, or two that take turns
        ("ひらがなカナ", ["ひら", "らが", "がな", "", "カナ", ""]),
        ("か\u3099く", ["か\u3099く", ""]),  # with its mark
        ("葛\U000e0100飾", ["葛\U000e0100飾", ""]),
        ("๑๒๓", ["๑๒๓"]),  # digits stay together
        ("ไทย", ["ไท", "ทย", ""]),
        ("\U00020000\U0002a6d6", ["\U00020000\U0002a6d6", ""]),
    ],
)
def test_pairs_of_letters_of_scripts_without_spaces_are_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_characters_beyond_the_first_plane() -> None:
    assert words("\U0001d4d7oney 😀 guide 🐝🐝") == ["\U0001d4d7oney", "guide"]


def test_lone_surrogates_stand_between_words() -> None:
    assert words("a\ud800b \udc00c \ud83d\ude00d 😀") == ["a", "b", "c", "d"]


def test_words_go_on_across_seams_unless_told_apart() -> None:
    text = f"hon{SEAM}ey gui{SEAM}de"
    assert words(text) == ["honey", "guide"]
    assert words(text, 1) == ["hon", "ey", "guide"]
    assert words(text, 2) == ["honey", "gui", "de"]
    assert words(f"a{SEAM}b{SEAM}c{SEAM}d") == ["abcd"]
    assert words(f"a{SEAM} b") == ["a", "b"]
    assert words(f"e{SEAM}\u0301") == ["e\u0301"]
    assert words(f"e{SEAM}\u0301", 1) == ["e"]
    assert words(f"日{SEAM}本{SEAM}abc") == ["日本", "", "abc"]
    assert words(f"日{SEAM}本{SEAM}abc", 1) == ["日", "本", "abc"]
    assert words(f"so\xad{SEAM}ft") == ["soft"]
    assert words(f"a{SEAM}{SEAM}b") == ["a", "b"]


def test_a_word_belongs_to_the_piece_it_begins_in() -> None:
    assert split_words(f"hon{SEAM}ey gui{SEAM}de")[1].tolist() == [0, 1, 2, 2]
    assert split_words(f"hon{SEAM}ey gui{SEAM}de", {1})[1].tolist() == [0, 1, 3, 3]
    assert split_words(f" . {SEAM} x")[1].tolist() == [0, 0, 1]
    assert split_words("")[1].tolist() == [0, 0]
    assert split_words(f"{SEAM}a{SEAM}")[1].tolist() == [0, 0, 1, 1]


def naive_kind(letter: str) -> str:
    if letter in "\u200c\u200d\xad" or "\U000e0100" <= letter <= "\U000e01ef":
        return "mark"
    category = unicodedata.category(letter)[0]
    if category == "L" and unicodedata.name(letter, "").startswith(SPACELESS):
        return "alone"
    return {"L": "letter", "N": "letter", "M": "mark"}.get(category, "between")


def naive_split(text: str, apart: AbstractSet[int]) -> tuple[list[str], list[int]]:
    """One character at a time."""
    found: list[str] = []
    follows: list[bool] = []  # on a letter of the same script without spaces
    before = [0]
    state = "between"  # what the last character was to words
    for place, letter in enumerate(text):
        if letter == SEAM:
            before.append(len(found))
            if len(before) - 1 in apart or SEAM in text[max(0, place - 1) : place] + text[place + 1 : place + 2]:
                state = "between"
            continue
        kind = naive_kind(letter)
        if kind == "between":
            state = kind
        elif kind == "mark":
            if state != "between" and letter != "\xad":
                found[-1] += letter
        else:
            if kind == "alone" or state != "letter":
                follows.append(kind == state == "alone" and naive_script(found[-1]) == naive_script(letter))
                found.append("")
            found[-1] += letter
            state = kind
    pairs = zip(found, [*found[1:], ""], follows, [*follows[1:], False], strict=False)
    paired = [word + after if goes_on else "" if follows else word for word, after, follows, goes_on in pairs]
    return paired, [*before, len(found)]


def naive_script(letters: str) -> str:
    """The script of a word's first letter, if it is Japanese."""
    name = unicodedata.name(letters[0], "").removeprefix("HALFWIDTH ")
    if letters[0] in "\u30fb\u30fc\uff70":  # they go with katakana
        return "KATAKANA"
    return next((script for script in ("HIRAGANA", "KATAKANA") if name.startswith(script)), "")


LETTERS = st.sampled_from(
    "ab1 -.éßЖ中日\u0301\u0302\xad\u200d\u093fनकไ์😀\U0001d4d7\U00020000\ud800\ufe0f\x1f\n"
) | st.characters(max_codepoint=0x1FFFF, exclude_characters=SEAM)  # beyond, the tables of older Pythons miss letters
PIECES = st.lists(st.text(LETTERS, min_size=1, max_size=6), max_size=12)


@given(PIECES, st.sets(st.integers(1, 12)))
def test_like_one_character_at_a_time(pieces: list[str], apart: set[int]) -> None:
    text = SEAM.join(pieces)
    found, before = split_words(text, apart)
    assert (found, before.tolist()) == naive_split(text, apart)


def test_every_letter_there_is() -> None:
    # Surrogates have their own test; planes 2 and 3 are ideographs that the tables of older Pythons miss in part.
    text = " ".join(f"b{chr(point)}b" for point in range(1, 0x20000) if not 0xD800 <= point < 0xE000)
    assert split_words(text)[0] == naive_split(text, frozenset())[0]


@given(st.text(st.sampled_from("ab- \0é中\u0301")), st.sets(st.integers(1, 12)))
def test_seams_anywhere(text: str, apart: set[int]) -> None:
    found, before = split_words(text, apart)
    assert (found, before.tolist()) == naive_split(text, apart)


@given(st.text(st.characters()))
def test_any_text_gives_words_without_anything_between(text: str) -> None:
    found, before = split_words(text)
    assert before[-1] == len(found)
    assert len(before) == text.count(SEAM) + 2
    assert all(naive_kind(word[0]) != "between" for word in found if word and word.isascii())
    if "" not in found:
        again, _ = split_words(" ".join(found))
        assert again == found


# ---- words that are not strings yet ----

FEW_LETTERS = st.text("ab \0é\xadЖ日\u0301\U0001d4d7", max_size=12)
LONG_WORDS = st.builds(
    "{0}{1}{2}".format, FEW_LETTERS, st.sampled_from(["", "x", "Ж"]).map(lambda one: one * 17), FEW_LETTERS
)


def test_found_words_are_like_a_list() -> None:
    found = find_words(f"One two th{SEAM}ree")[0]
    assert (len(found), found[0], found[-1], found[1:], found[5:]) == (3, "One", "three", ["two", "three"], [])
    assert list(found) == found == ["One", "two", "three"]
    assert "two" in found
    assert "One two" not in found
    assert found == find_words("One two three")[0]
    assert found != ["One", "two"]
    assert found != ["One", "two", "four"]
    assert found != ("One", "two", "three")
    assert repr(found) == "['One', 'two', 'three']"
    assert found.keys.tolist().count(0) == 1
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found
    assert "keys" not in vars(pickle.loads(pickle.dumps(found)))  # other processes have others
    assert not Words.none()
    with pytest.raises(IndexError):
        found[3]
    with pytest.raises(TypeError):
        hash(found)


def keys_of(*texts: str) -> dict[str, int]:
    """The keys of some words, each of which has the same in all texts that have it, or 0."""
    known: dict[str, int] = {}
    for text in texts:
        found = find_words(text)[0]
        for word, key in zip(found, found.keys.tolist(), strict=True):
            assert key == 0 or known.setdefault(word, key) == key
    return known


@settings(deadline=None)
@given(st.lists(FEW_LETTERS | LONG_WORDS, max_size=8))
def test_different_words_have_different_keys(texts: list[str]) -> None:
    by_width: dict[int, list[str]] = {}
    for text in texts:
        by_width.setdefault(find_words(text)[0]._units.itemsize, []).append(text)
    known = [keys_of(*some) for some in by_width.values()]
    keys = {key: word for some in known for word, key in some.items()}
    assert all(keys[key] == word for some in known for word, key in some.items())


@pytest.mark.parametrize(("letter", "other"), [("a", "é"), ("Ж", "я"), ("\U0001d4d7", "\U0001d4d8")])
def test_keys_depend_on_every_character_and_on_the_length(letter: str, other: str) -> None:
    words = [letter * length for length in range(1, 17)]
    for word in list(words):
        words += [f"{word[:place]}{other}{word[place + 1 :]}" for place in range(len(word))]
    known = keys_of(" ".join(words))
    assert set(known) == set(words)
    assert len(set(known.values())) == len(known)
    assert keys_of(letter * 17) == {}


def test_words_have_the_same_key_in_any_text() -> None:
    plain = keys_of("honey bee", "the bee's honey", "é honey", "honey “bee” … x", "honey Ж bee " + "x " * 30)
    assert set(plain) == {"honey", "bee", "the", "s", "é", "x"}


@pytest.mark.parametrize("word", ["x" * 16, "Ж" * 16, f"x{SEAM}y", "é" * 9])
def test_words_at_the_ends_of_a_text(word: str) -> None:
    for text in (word, f" {word}", f"{word} ", f"{word} a {word}"):
        assert set(split_words(text)[0]) == {word.replace(SEAM, "")} | ({"a"} if "a" in text else set())
        found = find_words(text)[0]
        assert len(set(found.keys[[0, -1]].tolist())) == 1


def test_characters_of_two_bytes_are_not_two_of_one() -> None:
    """U+6161 is twice the byte of an a."""
    assert keys_of("aa")["aa"] != keys_of("\u6161")["\u6161"]


def test_a_few_foreign_letters_next_to_soft_hyphens() -> None:
    plain = "and many more words that are plain"
    assert words(f"hon\xadey Жук {plain}") == ["honey", "Жук", *plain.split()]


def test_some_of_the_words() -> None:
    found = find_words(f"One two th{SEAM}ree")[0]
    assert found.some(np.array([2, 0])) == ["three", "One"]
    assert found.some(np.zeros(0, np.intp)) == []
