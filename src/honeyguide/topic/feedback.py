"""Proposes which terms to add and which to drop, from the best pages of a crawl (paper 002, section 5.2).

In the paper people look at the best pages and decide. Here the proposal is computed: current terms that none of these
pages contains are dropped, and their most frequent terms are added. The best pages cannot show whether a new term
belongs to the genre or to the content, since they match both; pages of the genre about other subjects can.
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

_CANDIDATES = 5  # frequent terms considered per free place, so that both lists can be filled


@dataclass(frozen=True, slots=True)
class Changes:
    """The proposed changes to a list of terms."""

    add: list[Term]
    drop: list[str]
    kept: list[str]

    @property
    def differ(self) -> bool:
        """Whether anything is to be added or dropped."""
        return bool(self.add or self.drop)

    @property
    def terms(self) -> tuple[str, ...]:
        """The new list: the terms that stay, as they were written, then the new ones."""
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
    """Changes to the genre terms and to the content terms, from the best pages of a crawl.

    A current term is dropped if none of the `best` pages contains it. New ones fill each list up to its maximum length,
    those most frequent on these pages first. Consider those of the `others` (pages that are not relevant) that match
    the current genre terms best: if the share of them that contain a new term is at least half its share among the
    best pages, it is a genre term. Otherwise, or if there are no current genre terms, it is a content term.
    """
    tokenizer = Tokenizer(language, TokenForm.BARE)
    listed = phrases((*terms.genre, *terms.content), tokenizer)
    present = _on_pages(listed, best, tokenizer)
    stay = [[term for term in names if _is_on(present, term, tokenizer)] for names in (terms.genre, terms.content)]
    room = [max(most - len(kept), 0) for most, kept in zip((most_genre, most_content), stay, strict=True)]
    frequent = TermTable(best, tokenizer).most_frequent(_CANDIDATES * sum(room), listed)
    of_genre = _of_genre(frequent, len(best), _fitting(terms, others, len(best), language), tokenizer)
    new = [term for term in frequent if term in of_genre], [term for term in frequent if term not in of_genre]
    return (
        Changes(new[0][: room[0]], [term for term in terms.genre if term not in stay[0]], stay[0]),
        Changes(new[1][: room[1]], [term for term in terms.content if term not in stay[1]], stay[1]),
    )


def _is_on(present: Counter[Phrase], term: str, tokenizer: Tokenizer) -> bool:
    """Whether a term is on any page; False for a term of stop words only."""
    return any(present[one] for one in phrases([term], tokenizer))


def _of_genre(frequent: Sequence[Term], best: int, fitting: Sequence[Example], tokenizer: Tokenizer) -> frozenset[Term]:
    """The terms that are nearly as common on pages of the genre about other subjects as on the best pages."""
    if not fitting:
        return frozenset()
    made = {term: phrases([term.text], tokenizer)[0] for term in frequent}
    on_pages = _on_pages(made.values(), fitting, tokenizer)
    return frozenset(term for term, one in made.items() if on_pages[one] / len(fitting) >= term.pages / best / 2)


def _on_pages(sought: Iterable[Phrase], pages: Iterable[Example], tokenizer: Tokenizer) -> Counter[Phrase]:
    """The number of pages that contain each phrase."""
    finder = Finder(sought)
    counts: Counter[int] = Counter()
    for page in pages:
        found = finder.find(page.text.tokens(tokenizer))
        counts.update({number for places in found for number in places.number.tolist()})
    return Counter({one: counts[number] for one, number in finder.numbers.items()})


def _fitting(terms: TermSettings, pages: Sequence[Example], most: int, language: str) -> list[Example]:
    """The pages with the highest score by genre terms alone, at most `most`, ties in order; none that scores 0."""
    if not phrases(terms.genre, Tokenizer(language, TokenForm.BARE)):
        return []
    model = Genre.of(replace(terms, content=(), url=()), language, 0.0)
    scores = [float(model.score(page.text, whole(page.text))[0]) for page in pages]
    order = sorted(range(len(pages)), key=lambda place: -scores[place])
    return [pages[place] for place in order[:most] if scores[place] > 0]
