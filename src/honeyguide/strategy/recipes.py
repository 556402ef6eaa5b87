"""The named strategies: each says what a link is worth, and how the frontier merges what several pages say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from honeyguide.errors import InputError
from honeyguide.frontier import Merge
from honeyguide.page.parse import Page
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.text import Text


class LinkScorer(Protocol):
    """The rule of a strategy: scores for the links of a page, given by their positions in `page.links`. Pure."""

    def __call__(
        self, page: Page, text: Text, links: Sequence[int], relevance: float, model: Relevance, /
    ) -> list[float]:
        """One score a link."""
        ...


@dataclass(frozen=True, slots=True)
class Recipe:
    """One choice of each part."""

    name: str
    source: str
    score_links: LinkScorer
    merge: Merge
    follows: bool = True
    """Whether any link is followed at all."""


def breadth_first(_page: Page, _text: Text, links: Sequence[int], _relevance: float, _model: Relevance) -> list[float]:
    """All links are worth the same; equal priorities leave the frontier first in, first out."""
    return [0.0] * len(links)


def best_first(_page: Page, _text: Text, links: Sequence[int], relevance: float, _model: Relevance) -> list[float]:
    """Naive best-first: every link is worth what its page is (spec, section 6)."""
    return [relevance] * len(links)


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("best-first", "every link gets its page's relevance; the best of several", best_first, Merge.MAX),
        Recipe("breadth-first", "in the order of discovery", breadth_first, Merge.MAX),
        Recipe("seeds-only", "the seeds, and no link", breadth_first, Merge.MAX, follows=False),
    )
}


def recipe_named(name: str) -> Recipe:
    """The strategy of that name."""
    try:
        return RECIPES[name]
    except KeyError:
        raise InputError("strategy.name", f"no strategy {name!r}", f"use one of {', '.join(RECIPES)}") from None
