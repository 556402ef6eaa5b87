"""What the best pages of a crawl say about its terms: which to add, which to drop (paper 002, section 5.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from honeyguide.relevance.base import whole
from honeyguide.relevance.genre import Genre
from honeyguide.relevance.phrases import Finder, Phrase, phrases
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import Form, Tokenizer
from honeyguide.topic.examples import Example
from honeyguide.topic.generate import MOST, Term, TermTable


@dataclass(frozen=True, slots=True)
class Changes:
    """What becomes of a list of terms."""

    add: list[Term]
    drop: list[str]
    kept: list[str]

    @property
    def differ(self) -> bool:
        """Whether anything is to be added or dropped."""
        return bool(self.add or self.drop)

    @property
    def terms(self) -> tuple[str, ...]:
        """The new list: what stays, as it was written, then what is new."""
        return (*self.kept, *(term.text for term in self.add))


def propose_changes(
    terms: TermSettings,
    best: Sequence[Example],
    pool: Sequence[Example],
    language: str,
    *,
    most_genre: int = MOST,
    most_content: int = MOST,
) -> tuple[Changes, Changes]:
    """Changes of the genre terms and of the content terms, from the best pages of a crawl.

    A present term goes when none of the `best` pages has it. New ones fill each list up to its length, as
    `generate_terms` finds them: content terms on the best pages; genre terms on those of a wider `pool` that the
    present genre terms fit best whatever they are about, and none where there are no genre terms to tell by.
    """
    tokenizer = Tokenizer(language, Form.BARE)
    listed = phrases((*terms.genre, *terms.content), tokenizer)
    found = _found(listed, best, tokenizer)
    of_genre = TermTable(_of_genre(terms, pool, len(best), language), tokenizer)
    genre = _changes(terms.genre, found, of_genre, most_genre, listed, tokenizer)
    listed += phrases((term.text for term in genre.add), tokenizer)
    return genre, _changes(terms.content, found, TermTable(best, tokenizer), most_content, listed, tokenizer)


def _changes(
    present: Iterable[str],
    found: frozenset[Phrase],
    table: TermTable,
    most: int,
    listed: Sequence[Phrase],
    tokenizer: Tokenizer,
) -> Changes:
    kept: list[str] = []
    drop: list[str] = []
    for term in present:
        (kept if found.issuperset(phrases([term], tokenizer)) else drop).append(term)
    return Changes(table.most_frequent(max(most - len(kept), 0), listed), drop, kept)


def _found(sought: Sequence[Phrase], pages: Iterable[Example], tokenizer: Tokenizer) -> frozenset[Phrase]:
    """Those that stand on any page."""
    finder = Finder(sought)
    tokens = (page.text.tokens(tokenizer) for page in pages)
    numbers = {number for one in tokens for places in finder.find(one) for number in places.number.tolist()}
    return frozenset(one for one, number in finder.numbers.items() if number in numbers)


def _of_genre(terms: TermSettings, pool: Sequence[Example], most: int, language: str) -> list[Example]:
    """The pages that the genre terms alone fit best, of equals the earlier."""
    if not phrases(terms.genre, Tokenizer(language, Form.BARE)):
        return []
    model = Genre.of(replace(terms, content=(), url=()), language, 0.0)
    scores = [float(model.score(page.text, whole(page.text))[0]) for page in pool]
    order = sorted(range(len(pool)), key=lambda place: -scores[place])
    return [pool[place] for place in order[:most] if scores[place] > 0]
