"""Proposes which terms to replace, from pages of a crawl (paper 002, section 5.2), and says whether that helps.

In the paper people look at the best pages and decide. Here they mark pages, and the proposal is computed: of the
current terms and those most frequent on the pages marked as relevant, the ones that distinguish these pages from the
others. The relevant pages cannot show whether a term belongs to the genre or to the content, since they match both;
pages of the genre about other subjects can: the others that match the current genre terms best.

Whether the changes help is measured on pages that the terms were not made from (`cross_validate`): lists made from the
pages that the present terms liked best would confirm themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.relevance.base import whole
from honeyguide.relevance.genre import Genre
from honeyguide.relevance.phrases import phrases
from honeyguide.relevance.settings import TermSettings
from honeyguide.relevance.text import TokenForm, Tokenizer
from honeyguide.topic.contrast import shares, telling
from honeyguide.topic.examples import Example
from honeyguide.topic.generate import CANDIDATES, MOST, Term, TermTable

FOLDS: Final = 5
"""The parts into which pages are divided for cross-validation. With fewer right pages than that, a single one of them
would decide."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The proposed changes to a list of terms."""

    add: list[Term]
    drop: list[str]
    kept: list[str]

    @property
    def differ(self) -> bool:
        """Whether any term is added or dropped."""
        return bool(self.add or self.drop)

    @property
    def terms(self) -> tuple[str, ...]:
        """The new list: the terms that stay, as they were written, then the new ones."""
        return (*self.kept, *(term.text for term in self.add))


class Validation(NamedTuple):
    """F1 on left-out pages, each at its own best threshold."""

    present: float
    """Of the terms as they are."""
    changed: float
    """Of the terms with the proposed changes."""
    threshold: float
    """The best one with the changes."""

    @property
    def helps(self) -> bool:
        """Whether the changes are an improvement."""
        return self.changed > self.present


def propose_changes(
    terms: TermSettings,
    right: Sequence[Example],
    others: Sequence[Example],
    language: str,
    *,
    most_genre: int = MOST,
    most_content: int = MOST,
) -> tuple[Changes, Changes]:
    """Changes to the genre terms and to the content terms, from right pages and others.

    Of the others, those that match the present genre terms best, as many as there are right pages, are taken as pages
    of the genre about other subjects. A content term is on at least twice the share of the right pages as of these
    (without any, of all others); a genre term on at least twice the share of both as of the rest. Each list has those
    with the largest difference, up to its maximum length. A present term that is not among them is dropped.
    """
    tokenizer = Tokenizer(language, TokenForm.BARE)
    fitting, rest = _fitting(terms, others, len(right), language)
    frequent = {term.text: term for term in TermTable(right, tokenizer).most_frequent(CANDIDATES)}
    sought = _distinct((*terms.genre, *terms.content, *frequent), tokenizer)
    on_right, on_fitting, on_rest = (shares(sought, pages, tokenizer) for pages in (right, fitting, rest))
    kind = len(right) + len(fitting)
    on_kind = {term: (on_right[term] * len(right) + on_fitting[term] * len(fitting)) / kind for term in sought}
    # A term that the user has put into one list does not move to the other.
    content = _without(telling(on_right, on_fitting if fitting else on_rest, terms.content), terms.genre)
    genre = _without(telling(on_kind, on_rest, terms.genre), (*terms.content, *content)) if fitting else []
    return (
        _changes(terms.genre, genre[:most_genre], frequent, can_tell=bool(fitting)),
        _changes(terms.content, content[:most_content], frequent, can_tell=bool(others)),
    )


def _without(terms: Iterable[str], left_out: Iterable[str]) -> list[str]:
    known = frozenset(left_out)
    return [term for term in terms if term not in known]


def _distinct(terms: Iterable[str], tokenizer: Tokenizer) -> list[str]:
    """The terms without those that are found where an earlier one is: the spelling of the user counts."""
    found: dict[object, str] = {}
    for term in terms:
        for one in phrases([term], tokenizer):
            found.setdefault(one, term)
    return list(found.values())


def _changes(present: Sequence[str], chosen: Sequence[str], frequent: dict[str, Term], *, can_tell: bool) -> Changes:
    """From a list to the chosen terms; without pages that could tell which, the present ones stay."""
    if not can_tell:
        return Changes([], [], list(present))
    listed, best = set(present), set(chosen)
    add = [frequent[term] for term in chosen if term not in listed]
    return Changes(add, [term for term in present if term not in best], [term for term in present if term in best])


def _fitting(
    terms: TermSettings, pages: Sequence[Example], most: int, language: str
) -> tuple[list[Example], list[Example]]:
    """The pages with the highest score by genre terms alone, at most `most`, ties in order, and the rest.

    None that scores 0 is among the first.
    """
    if not phrases(terms.genre, Tokenizer(language, TokenForm.BARE)):
        return [], list(pages)
    scores = _scores(replace(terms, content=(), url=()), pages, language)
    order = np.argsort(-scores, kind="stable").tolist()
    fitting = {place for place in order[:most] if scores[place] > 0}
    return (
        [page for place, page in enumerate(pages) if place in fitting],
        [page for place, page in enumerate(pages) if place not in fitting],
    )


# ---- whether it helps ----


def cross_validate(
    terms: TermSettings,
    right: Sequence[Example],
    others: Sequence[Example],
    language: str,
    *,
    most_genre: int = MOST,
    most_content: int = MOST,
) -> Validation | None:
    """How well the present and the proposed terms classify left-out pages; None with fewer than `FOLDS` of either kind.

    The pages are divided into parts; each part is scored by terms that are proposed from the other parts.
    """
    if min(len(right), len(others)) < FOLDS:
        return None
    scored: list[tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]] = []
    for part in range(FOLDS):
        known_right, left_right = _divided(right, part)
        known_others, left_others = _divided(others, part)
        genre, content = propose_changes(
            terms, known_right, known_others, language, most_genre=most_genre, most_content=most_content
        )
        changed = replace(terms, genre=genre.terms, content=content.terms)
        pages = [*left_right, *left_others]
        is_right = np.arange(len(pages)) < len(left_right)
        scored.append((_scores(terms, pages, language), _scores(changed, pages, language), is_right))
    present, changed_scores, truth = (np.concatenate(values) for values in zip(*scored, strict=True))
    f1, threshold = best_f1(changed_scores, truth)
    return Validation(best_f1(present, truth)[0], f1, threshold)


def _divided(pages: Sequence[Example], part: int) -> tuple[list[Example], list[Example]]:
    """The pages outside a part, and those in it."""
    return [page for place, page in enumerate(pages) if place % FOLDS != part], list(pages[part::FOLDS])


def best_f1(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> tuple[float, float]:
    """The highest F1 that a threshold gives, and that threshold. A page that scores 0 is never accepted."""
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    right = truth[order].cumsum()
    f1 = 2 * right / (np.arange(1, len(order) + 1) + truth.sum())
    ends = np.append(ranked[1:] != ranked[:-1], True) & (ranked > 0)  # equal scores are accepted together
    if not ends.any():
        return 0.0, 0.0
    place = int(np.argmax(np.where(ends, f1, -1.0)))
    return float(f1[place]), float(ranked[place])


def _scores(terms: TermSettings, pages: Sequence[Example], language: str) -> NDArray[np.float64]:
    try:
        model = Genre.of(terms, language, 0.0)
    except InputError:  # no terms that could be found on a page
        return np.zeros(len(pages))
    return np.array([float(model.score(page.text, whole(page.text))[0]) for page in pages])
