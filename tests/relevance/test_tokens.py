"""Words as tokens, and texts as signatures."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.page.url_words import path_words, segment_words
from honeyguide.page.words import find_words
from honeyguide.relevance import text as text_module
from honeyguide.relevance.fingerprint import BINS, FEWEST_TOKENS, NO_SIGNATURE, signature, similarity
from honeyguide.relevance.text import NOTHING, TokenForm, Tokenizer, Tokens, counted
from honeyguide.relevance.token_cache import TokenCache

# ---- tokens ----


def test_a_token_is_a_function_of_the_stem_alone() -> None:
    tokenizer = Tokenizer("english")
    # Written out, since other processes, other machines and later versions must agree.
    assert tokenizer(["Bees", "bee", "walking", "the"]).tolist() == [crc32(b"bee")] * 2 + [crc32(b"walk"), NOTHING]
    assert Tokenizer("german")(["Wälder", "der"]).tolist() == [crc32(b"wald"), NOTHING]


def test_tokens_do_not_depend_on_what_was_met_before() -> None:
    words = ["honey", "Bees", "the", "σοφία", "蜂", "x" * 500]
    used = Tokenizer("english")
    used([f"word{number}" for number in range(1000)])
    assert used(words).tolist() == Tokenizer("english")(words).tolist()
    assert used(words).dtype == np.uint32


def test_the_memory_for_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "_MEMO_SIZE", 100)
    tokenizer = Tokenizer("english")
    expected = Tokenizer("english")(["honey"]).tolist()
    for batch in range(50):
        tokenizer([f"word{batch}x{number}" for number in range(20)])
        assert len(tokenizer._memo) <= 120
    assert tokenizer(["honey"]).tolist() == expected


WORDS = st.sampled_from(
    ["The", "the", "Bees", "bees", "walking", "é", "Жук", "x" * 16, "x" * 17, "日", "ho\0ney", "\xad"]
)


@settings(deadline=None)
@given(st.lists(st.lists(WORDS | st.text(), max_size=30), max_size=3), st.sampled_from(list(TokenForm)))
def test_words_that_are_not_strings_have_the_same_tokens(texts: list[list[str]], form: TokenForm) -> None:
    tokenizer = Tokenizer("english", form)
    for text in texts:
        for _ in range(2):  # words that are unknown, and known
            found = find_words(" ".join(text * 10))[0]
            tokens = tokenizer(found)
            assert tokens.tolist() == tokenizer(list(found)).tolist()
            assert tokens.dtype == np.uint32
            assert not tokens.flags.writeable


def test_long_words_are_not_kept() -> None:
    tokenizer = Tokenizer("english")
    tokenizer(["y" * 500, "honey"])
    assert "honey" in tokenizer._memo
    assert "y" * 500 not in tokenizer._memo


def test_a_cache_knows_the_words_met_last() -> None:
    cache = TokenCache()
    keys = np.array([1 << 63, (1 << 63) + 1, 5 << 50, 7, 0], np.uint64)  # the first two share a place
    assert cache.find(keys)[1].tolist() == [0, 1, 2, 3, 4]
    cache.add(keys, np.array([1, 2, 3, 4, 5], np.uint32))
    tokens, unknown = cache.find(keys)
    assert tokens[[1, 2]].tolist() == [2, 3]
    assert set(unknown.tolist()) >= {0, 4}
    cache.add(keys[:1], np.array([9], np.uint32))
    assert cache.find(keys[:2])[1].tolist() == [1]


def test_each_thread_has_its_own_cache() -> None:
    text = " ".join(f"word{number}" for number in range(500))
    expected = Tokenizer("english")(text.split()).tolist()
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda _: Tokenizer("english")(find_words(text)[0]).tolist(), range(40))
        assert all(tokens == expected for tokens in found)


SEGMENTS = st.text("aBc1%20FfeE9_-.?=&+é", max_size=8)


@settings(deadline=None)
@given(st.lists(st.lists(SEGMENTS, min_size=1, max_size=4).map(lambda parts: "http://a.example/" + "/".join(parts))))
def test_the_tokens_of_addresses_are_those_of_their_words(urls: list[str]) -> None:
    tokenizer = Tokenizer("english")
    tokens, lengths = tokenizer.of_addresses(urls)
    expected = [tokenizer(path_words(url)).tolist() for url in urls]
    assert lengths.tolist() == [len(each) for each in expected]
    assert tokens.tolist() == [token for each in expected for token in each]
    assert tokens.dtype == np.uint32


@settings(deadline=None)
@given(st.text())
def test_the_words_of_an_address_are_those_of_its_segments(path: str) -> None:
    segments = [segment_words(segment) for segment in path.split("/")]
    assert path_words(f"http://a.example/{path}") == [word for words in segments for word in words]


def test_the_memory_for_addresses_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "_MEMO_SIZE", 100)
    tokenizer = Tokenizer("english")
    for batch in range(50):
        tokenizer.of_addresses([f"http://a.example/{batch}/{number}" for number in range(20)])
        tokenizer.of_addresses([f"http://a.example/{batch}{'x' * 60_000}" for number in range(20)])
        assert len(tokenizer._addresses) <= 200
        assert max(map(len, tokenizer._addresses)) <= 200


def test_a_copy_in_another_process_is_as_good() -> None:
    tokenizer = pickle.loads(pickle.dumps(Tokenizer("english")))
    assert tokenizer(["bees"]).tolist() == [crc32(b"bee")]


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(InputError, match=r"no stemmer for 'klingon'; use one of .*english"):
        Tokenizer("klingon")


@given(st.lists(st.sampled_from([NOTHING, 1, 2, 0xFFFFFFFF]), max_size=20))
def test_counted(values: list[int]) -> None:
    terms, counts = counted(np.array(values, np.uint32))
    expected = sorted(set(values) - {NOTHING})
    assert terms.tolist() == expected
    assert counts.tolist() == [values.count(term) for term in expected]


# ---- signatures ----


def random_text(seed: int, length: int = 300) -> Tokens:
    draw = random.Random(seed)
    return np.array([draw.randrange(1, 2**32) for _ in range(length)], np.uint32)


def changed(text: Tokens, places: int, seed: int) -> Tokens:
    """A copy with some words exchanged."""
    draw = random.Random(seed)
    copy = text.copy()
    for place in draw.sample(range(len(text)), places):
        copy[place] = draw.randrange(1, 2**32)
    return copy


def test_nearly_the_same_texts_have_nearly_the_same_signature() -> None:
    for seed in range(20):
        text = random_text(seed)
        # Four words of three hundred lie in at most twelve of 298 runs: a Jaccard similarity of at least 0.92.
        assert similarity(signature(text), signature(changed(text, 4, seed))) >= 0.75


def test_different_texts_have_different_signatures() -> None:
    for seed in range(20):
        assert similarity(signature(random_text(seed)), signature(random_text(seed + 1000))) <= 0.1


def test_similarity_estimates_how_many_runs_are_shared() -> None:
    estimates, truths = [], []
    for seed in range(60):
        one = random_text(seed)
        other = changed(one, 30, seed)
        runs = [{tuple(text[place : place + 3].tolist()) for place in range(len(text) - 2)} for text in (one, other)]
        truths.append(len(runs[0] & runs[1]) / len(runs[0] | runs[1]))
        estimates.append(similarity(signature(one), signature(other)))
    # The mean of sixty estimates of 32 values each strays by about 0.01.
    assert np.mean(estimates) == pytest.approx(np.mean(truths), abs=0.05)


def test_words_that_say_nothing_do_not_matter() -> None:
    text = random_text(1)
    assert signature(np.insert(text, [5, 50, 100], NOTHING)) == signature(text)


def test_short_texts_have_no_signature_and_are_like_no_other() -> None:
    short, long = random_text(1, FEWEST_TOKENS - 1), random_text(1, FEWEST_TOKENS)
    assert signature(short) == NO_SIGNATURE
    assert len(signature(long)) == 2 * BINS
    assert similarity(NO_SIGNATURE, NO_SIGNATURE) == similarity(NO_SIGNATURE, signature(long)) == 0.0


@given(st.lists(st.integers(0, 2**32 - 1), max_size=60), st.lists(st.integers(0, 2**32 - 1), max_size=60))
def test_similarity_is_a_similarity(one: list[int], other: list[int]) -> None:
    first, second = (signature(np.array(values, np.uint32)) for values in (one, other))
    assert first == signature(np.array(one, np.uint32))
    assert similarity(first, first) == (1.0 if first else 0.0)
    assert 0.0 <= similarity(first, second) == similarity(second, first) <= 1.0
