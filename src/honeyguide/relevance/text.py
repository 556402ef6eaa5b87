"""Words to tokens: lower case, no stop words, stems; each token is a number that is the same in every process."""

from __future__ import annotations

import sys
import threading
import unicodedata
import zlib
from collections.abc import Callable, Hashable, Sequence
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

import numpy as np
import Stemmer
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.page.language_codes import CODES, language_name
from honeyguide.page.url_words import path_words, segment_words
from honeyguide.page.words import Words, find_words
from honeyguide.relevance.stopwords import STOP_WORDS
from honeyguide.relevance.token_cache import TokenCache

Tokens = NDArray[np.uint32]
"""One token per word, in the order of the words; `NOTHING` for words that do not count. Read-only."""

AUTO = "auto"
"""Stands for the language in which pages are wanted."""

NOTHING = 0
_MEMO_SIZE = 300_000
_TOKEN_BYTES = 4
_SHORT = 100  # texts with fewer words are faster as strings
_LONG_WORD = 100  # characters
_LONG_PART = 200  # characters of an address
_FEW_WORDS = 20
_OWN_SHARE = (
    0.3  # of stop words: running text has 0.35 to 0.5 in its language, and 0.29 at most in one of the others ...
)
_KNOWN_BY_STOP_WORDS = frozenset(("english", "french", "german", "spanish"))  # ... of these
_JOINED_AT_ONCE = 1 << 16  # while bytes are being joined, each piece takes 80 bytes


@cache
def languages() -> tuple[str, ...]:
    """The languages with a stemmer or a script of their own."""
    return tuple(sorted({*Stemmer.algorithms(), *CODES}))


def check_language(language: str) -> None:
    """Raise `InputError` unless the value is "auto" or one of `languages`."""
    if language != AUTO:
        Tokenizer(language)


def _no_stemmer(language: str) -> InputError:
    problem, name = f"there is no stemmer for {language!r}", language_name(language.strip().lower())
    remedy = f'write "{name}"' if name else f"use one of {', '.join(languages())}"
    return InputError("relevance.language", problem, remedy)


def topic_language(language: str, wanted: Sequence[str]) -> str:
    """The language of a topic's words: as it is set; for "auto" the first of the wanted ones, otherwise English."""
    if language != AUTO:
        return language
    return next((name for code in wanted if (name := language_name(code)) in languages()), "english")


class TokenForm(StrEnum):
    """Which words are the same token. All forms are in lower case, without stop words."""

    STEM = "stem"
    WORD = "word"
    BARE = "bare"
    """The word without its accents, also when it is compared with stop words."""


class Tokenizer:
    """Turns words into tokens. The same word gives the same token, in any process and any run.

    A token is the CRC-32 of the word's form: no table of words has to be stored, shared or saved, and two forms collide
    about once in a corpus of 90,000 distinct ones.
    """

    def __init__(self, language: str, form: TokenForm = TokenForm.STEM) -> None:
        if language not in languages():
            raise _no_stemmer(language)
        self.language = language
        self.form = form
        self._memo = _memo(language, form)
        self._addresses = _address_memo(language, form)

    def in_language(self, code: str) -> Tokenizer:
        """The tokenizer of the same form for a text in a language, by its code; this one if there is none for it."""
        name = language_name(code)
        return self if name in {"", self.language} else Tokenizer(name, self.form)

    def __call__(self, words: Sequence[str]) -> Tokens:
        """One token per word."""
        if isinstance(words, Words) and len(words) > _SHORT:
            return self._of_found(words)
        return self._of_strings(words)

    def _of_found(self, words: Words) -> Tokens:
        """The tokens of words most of which need not become strings."""
        cache = _caches.of(self.language, self.form)
        keys = words.keys
        tokens, unknown = cache.find(keys)
        if len(unknown):
            tokens[unknown] = new = self._of_strings(words.some(unknown))
            cache.add(keys[unknown], new)
        tokens.flags.writeable = False
        return tokens

    def _of_strings(self, words: Sequence[str]) -> Tokens:
        if len(self._memo) > _MEMO_SIZE:  # a crawl finds new words all the time
            self._memo.clear()
        token = self._memo.__getitem__
        # Bytes are joined and viewed as numbers: numpy converts Python integers one by one, in twice the time.
        if len(words) <= _JOINED_AT_ONCE:
            return np.frombuffer(b"".join(map(token, words)), np.uint32)
        parts = (words[first : first + _JOINED_AT_ONCE] for first in range(0, len(words), _JOINED_AT_ONCE))
        return np.frombuffer(b"".join([b"".join(map(token, part)) for part in parts]), np.uint32)

    def of_addresses(self, urls: Sequence[str]) -> tuple[Tokens, NDArray[np.int64]]:
        """The tokens of the `path_words` of canonical URLs, one after another, and how many each URL has."""
        if len(self._addresses) > _MEMO_SIZE:
            self._addresses.clear()
        token = self._addresses.__getitem__
        # The pages of a site have few directories, so what comes before the last slash is mostly known.
        parts = [token(url[: (slash := url.rfind("/") + 1)]) + token(url[slash:]) for url in urls]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts)) // _TOKEN_BYTES
        return np.frombuffer(b"".join(parts), np.uint32), lengths

    def recognized(self, tokens: Tokens) -> str:
        """The code of the tokenizer's language ("en"), if a text has as many of its stop words as one in it; or ""."""
        if self.language not in _KNOWN_BY_STOP_WORDS:
            return ""
        own = len(tokens) - np.count_nonzero(tokens)
        return CODES[self.language] if len(tokens) >= _FEW_WORDS and own >= _OWN_SHARE * len(tokens) else ""

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[str, TokenForm]]:
        return Tokenizer, (self.language, self.form)


class _Memo(dict[str, bytes]):
    """Word as written → its token's bytes. Filled on demand; long words are not kept."""

    def __init__(self, language: str, form: TokenForm) -> None:
        super().__init__()
        self._folded = bare if form is TokenForm.BARE else str.lower
        is_stemmed = form is TokenForm.STEM and language in Stemmer.algorithms()
        self._formed: Callable[[str], str] = Stemmer.Stemmer(language, 0).stemWord if is_stemmed else str
        self._stop = frozenset(map(self._folded, stop_words(language)))

    def __missing__(self, word: str) -> bytes:
        folded = self._folded(word)
        token = NOTHING if folded in self._stop else zlib.crc32(self._formed(folded).encode("utf-8", "replace"))
        written = token.to_bytes(_TOKEN_BYTES, sys.byteorder)
        if len(word) <= _LONG_WORD:
            self[word] = written
        return written


class _AddressMemo(dict[str, bytes]):
    """Part of an address → the bytes of its tokens. Filled on demand.

    A part is either a URL up to and with a slash, or what comes after its last slash. Long ones are not kept.
    """

    def __init__(self, memo: _Memo) -> None:
        super().__init__()
        self._memo = memo

    def __missing__(self, part: str) -> bytes:
        words = path_words(part) if "/" in part else segment_words(part)
        written = b"".join([self._memo[word] for word in words])
        if len(part) <= _LONG_PART:
            self[part] = written
        return written


@cache
def _memo(language: str, form: TokenForm) -> _Memo:
    """One memo for all tokenizers of a kind: a word's token does not depend on the caller."""
    return _Memo(language, form)


class _Caches(threading.local):
    """One cache for all tokenizers of a kind in each thread."""

    def __init__(self) -> None:
        self._caches: dict[tuple[str, TokenForm], TokenCache] = {}

    def of(self, language: str, form: TokenForm) -> TokenCache:
        found = self._caches.get((language, form))
        if found is None:
            found = self._caches[language, form] = TokenCache()
        return found


_caches = _Caches()


@cache
def _address_memo(language: str, form: TokenForm) -> _AddressMemo:
    return _AddressMemo(_memo(language, form))


def bare(word: str) -> str:
    """A word in lower case, without accents: ``Élan`` is ``elan``."""
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))


Derived = TypeVar("Derived")


class Text:
    """What models score: the words of a page, in order, its address and its title.

    Tokens are computed once per tokenizer.
    """

    def __init__(self, words: Sequence[str], url: str = "", title: str = "") -> None:
        self.words = words
        self.url = url
        """"" for a text that stands at no address, such as a topic's description."""
        self.title = title
        self._tokens: dict[tuple[str, TokenForm], Tokens] = {}
        self._derived: dict[Hashable, Any] = {}

    @classmethod
    def of(cls, *texts: str) -> Text:
        """The words of some texts, concatenated."""
        return cls(find_words(" ".join(texts))[0])

    @classmethod
    def tokenized(cls, tokens: Tokens, tokenizer: Tokenizer) -> Text:
        """A text of which only the tokens are known: models that need other tokens see no words in it."""
        text = cls([""] * len(tokens))
        text.set_tokens(tokenizer, tokens)
        return text

    def set_tokens(self, tokenizer: Tokenizer, tokens: Tokens) -> None:
        """Set the tokens of the words, which the caller has computed in another way."""
        self._tokens[tokenizer.language, tokenizer.form] = tokens

    def without_names(self) -> Text:
        """The same words without address and title. Tokens already computed are reused."""
        text = Text(self.words)
        text._tokens, text._derived = self._tokens, self._derived
        return text

    def tokens(self, tokenizer: Tokenizer) -> Tokens:
        """One token per word."""
        key = tokenizer.language, tokenizer.form
        found = self._tokens.get(key)
        if found is None:
            found = self._tokens[key] = tokenizer(self.words)
        return found

    def derived(self, key: Hashable, make: Callable[[], Derived]) -> Derived:
        """What follows from the words, computed once: the result of `make`, or what it was the first time.

        Args:
            key: Says what it is, and who asks for it.
            make: Computes it.
        """
        found: Derived | None = self._derived.get(key)
        if found is None:
            found = self._derived[key] = make()
        return found

    def __len__(self) -> int:
        return len(self.words)


def counted(tokens: Tokens) -> tuple[Tokens, NDArray[np.int64]]:
    """The distinct tokens, in order, without `NOTHING`, and how often each occurs."""
    ordered = np.sort(tokens)
    begins = np.ones(len(ordered) + 1, np.bool_)  # at each place, and after the last: a new token begins
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:-1])
    if len(ordered):
        begins[0] = ordered[0] != NOTHING
    places = begins.nonzero()[0]
    return ordered[places[:-1]], np.diff(places)


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that are not specific to any topic; empty for languages without a list."""
    return frozenset(STOP_WORDS.get(language, "").split())
