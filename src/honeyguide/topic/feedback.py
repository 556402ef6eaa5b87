"""What the best pages of a crawl say about its terms: which to add, which to drop (paper 002, section 5.2).

In the paper people look at the best pages and decide. Here the pages propose: present terms that none of them has go,
and what they say most comes in. Whether a new term is one of the genre or of the content, the best pages cannot tell,
since they are of both; pages of the genre that are about other things can.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from honeyguide.relevance.base import whole
from honeyguide.relevance.genre import Genre
from honeyguide.relevance.phrases import Finder, Phrase, phrases
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import TokenForm, Tokenizer
from honeyguide.topic.examples import Example
from honeyguide.topic.generate import MOST, Term, TermTable

_LOOKED_AT = 5  # times as many frequent terms as there is room for, so that both lists can be filled


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
    others: Sequence[Example],
    language: str,
    *,
    most_genre: int = MOST,
    most_content: int = MOST,
) -> tuple[Changes, Changes]:
    """Changes of the genre terms and of the content terms, from the best pages of a crawl.

    A present term goes when none of the `best` pages has it. New ones fill each list up to its length, the most
    frequent on these pages first. A new term is one of the genre when its share of the `others` (pages that are not
    relevant) that the present genre terms fit best is at least half its share of the best; without genre terms to
    tell by, it is one of the content.
    """
    tokenizer = Tokenizer(language, TokenForm.BARE)
    listed = phrases((*terms.genre, *terms.content), tokenizer)
    present = _on_pages(listed, best, tokenizer)
    stay = [[term for term in names if _is_on(present, term, tokenizer)] for names in (terms.genre, terms.content)]
    room = [max(most - len(kept), 0) for most, kept in zip((most_genre, most_content), stay, strict=True)]
    frequent = TermTable(best, tokenizer).most_frequent(_LOOKED_AT * sum(room), listed)
    of_genre = _of_genre(frequent, len(best), _fitting(terms, others, len(best), language), tokenizer)
    new = [term for term in frequent if term in of_genre], [term for term in frequent if term not in of_genre]
    return (
        Changes(new[0][: room[0]], [term for term in terms.genre if term not in stay[0]], stay[0]),
        Changes(new[1][: room[1]], [term for term in terms.content if term not in stay[1]], stay[1]),
    )


def _is_on(present: Counter[Phrase], term: str, tokenizer: Tokenizer) -> bool:
    """Whether a term is on any page. One without a word that counts is on none."""
    return any(present[one] for one in phrases([term], tokenizer))


def _of_genre(frequent: Sequence[Term], best: int, fitting: Sequence[Example], tokenizer: Tokenizer) -> frozenset[Term]:
    """The terms that are nearly as common on pages of the genre about other things as on the best ones."""
    if not fitting:
        return frozenset()
    made = {term: phrases([term.text], tokenizer)[0] for term in frequent}
    on_pages = _on_pages(made.values(), fitting, tokenizer)
    return frozenset(term for term, one in made.items() if on_pages[one] / len(fitting) >= term.pages / best / 2)


def _on_pages(sought: Iterable[Phrase], pages: Iterable[Example], tokenizer: Tokenizer) -> Counter[Phrase]:
    """On how many pages each stands."""
    finder = Finder(sought)
    counts: Counter[int] = Counter()
    for page in pages:
        found = finder.find(page.text.tokens(tokenizer))
        counts.update({number for places in found for number in places.number.tolist()})
    return Counter({one: counts[number] for one, number in finder.numbers.items()})


def _fitting(terms: TermSettings, pages: Sequence[Example], most: int, language: str) -> list[Example]:
    """The pages that the genre terms alone fit best, of equals the earlier; none where they have no such term."""
    if not phrases(terms.genre, Tokenizer(language, TokenForm.BARE)):
        return []
    model = Genre.of(replace(terms, content=(), url=()), language, 0.0)
    scores = [float(model.score(page.text, whole(page.text))[0]) for page in pages]
    order = sorted(range(len(pages)), key=lambda place: -scores[place])
    return [pages[place] for place in order[:most] if scores[place] > 0]
