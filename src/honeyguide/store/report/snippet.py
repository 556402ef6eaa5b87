"""The part of a text with the most words of a topic."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from honeyguide.page.words import find_words, split_words
from honeyguide.relevance.text import NOTHING, Tokenizer
from honeyguide.topic import Topic

LENGTH = 40
ELLIPSIS = "…"
_LONGEST_WORD = 60
_LONGEST_GAP = 12
_NO_PART_OF_WORDS = {0: None, 0xAD: None}  # they may be inside words, which would then not be found in the text


class Piece(NamedTuple):
    """A piece of a snippet's text."""

    text: str
    marked: bool
    """Whether it is one of the topic's words, in any inflected form."""


def topic_terms(topic: Topic, tokenizer: Tokenizer) -> frozenset[int]:
    """The tokens to look for: those of the keywords, or those of the description if the keywords have none."""
    for text in (" ".join(topic.keywords), topic.description):
        tokens = tokenizer(split_words(text)[0])
        terms = frozenset(tokens[tokens != NOTHING].tolist())
        if terms:
            return terms
    return frozenset()


class Snippets:
    """Makes snippets for a topic, with its words as they are in the language of each text."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        self._tokenizer = Tokenizer(topic.language)
        self._terms: dict[str, frozenset[int]] = {}  # by language

    def of(self, text: str, language: str) -> list[Piece]:
        """The snippet of a text in a language, by its code; "" if it is unknown."""
        tokenizer = self._tokenizer.in_language(language)
        terms = self._terms.get(tokenizer.language)
        if terms is None:
            terms = self._terms[tokenizer.language] = topic_terms(self._topic, tokenizer)
        return snippet(text, terms, tokenizer)


def snippet(text: str, terms: AbstractSet[int], tokenizer: Tokenizer, length: int = LENGTH) -> list[Piece]:
    """The window of `length` words of `text` with the most distinct terms, then the most terms; the first of equals.

    Ellipses mark where the text continues. For a text without any term it is the beginning; for one without words it
    is empty. Overlong words and runs of symbols are cut, so that the size of a snippet is bounded for any text.
    """
    text = text.translate(_NO_PART_OF_WORDS)
    words, _ = find_words(text)
    hits = [token if token in terms else NOTHING for token in tokenizer(words).tolist()]
    first = _best_window(hits, length)
    last = min(first + length, len(words))
    pieces = [Piece(f"{ELLIPSIS} ", marked=False)] if first else []
    starts = [*words.starts.tolist(), len(text)]
    position = marked_to = 0
    for number, word in enumerate(words[:last]):
        start = starts[number]
        if number > first:
            pieces.append(Piece(_between(text[position:start]), marked=False))
        # In scripts without spaces, words overlap, and the last letter of several has an empty one.
        end = start + len(word)
        if hits[number] != NOTHING:
            marked_to = end
        position = min(end, starts[number + 1]) if word else max(start, _end_before(words, starts, number))
        if number >= first:
            pieces.append(Piece(_cut(text[start:position]), start < marked_to))
    if last < len(words):
        pieces.append(Piece(f" {ELLIPSIS}", marked=False))
    elif words:
        pieces.append(Piece(text[position:][:_LONGEST_GAP].split("\n")[0].rstrip(), marked=False))
    return _merged(pieces)


def _end_before(words: Sequence[str], starts: Sequence[int], number: int) -> int:
    """Where the word before another one ends."""
    return starts[number - 1] + len(words[number - 1]) if number else 0


def _best_window(hits: Sequence[int], length: int) -> int:
    """Where the best window starts. Of adjacent windows that are equally good the middle one, to centre the terms."""
    counts: Counter[int] = Counter()
    total = 0
    best, first, last = (0, 0), 0, 0
    for end, entering in enumerate(hits, 1):
        if entering:
            counts[entering] += 1
            total += 1
        start = end - length
        if start > 0 and (leaving := hits[start - 1]):
            counts[leaving] -= 1
            total -= 1
            if not counts[leaving]:
                del counts[leaving]
        if start >= 0:
            worth = (len(counts), total)
            if worth > best:
                best, first, last = worth, start, start
            elif worth == best and total and start == last + 1:
                last = start
    return (first + last) // 2


def _between(gap: str) -> str:
    """The text between two words, in one line: with a dot where a block ends without punctuation."""
    if len(gap) > _LONGEST_GAP:
        return f" {ELLIPSIS} "
    before, broken, after = gap.partition("\n")
    if not broken:
        return gap
    before = before.rstrip()
    return f"{before}{' ' if before.endswith(('.', '!', '?', ':', ';', ',')) else ' · '}{after.lstrip()}"


def _cut(word: str) -> str:
    return word if len(word) <= _LONGEST_WORD else f"{word[:_LONGEST_WORD]}{ELLIPSIS}"


def _merged(pieces: Sequence[Piece]) -> list[Piece]:
    merged: list[Piece] = []
    for piece in pieces:
        if merged and merged[-1].marked == piece.marked:
            merged[-1] = Piece(merged[-1].text + piece.text, piece.marked)
        elif piece.text:
            merged.append(piece)
    return merged
