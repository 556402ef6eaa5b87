"""Users who choose terms, and change them when they have seen a crawl's best pages (002, section 5.2, tables 9 and 10).

There are no users here. In the place of each stands what a few example pages show, seen by no other user and not by the
expert: terms are `chosen` from them by the same rule as the expert's. A user who has looked at the best pages of a
crawl has these as examples too, judged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.papers.genre_scores import Floats, Shelf, genre_model
from benchmarks.papers.genre_terms import Dealt, chosen
from benchmarks.papers.replays import Stage
from honeyguide.topic import Topic
from honeyguide.topic.examples import Example

USERS = 3
SEEN = 20
"""The best pages of a crawl that a user looks at."""

_TOPICS = Path(__file__).parents[2] / "examples" / "topics"
_IN_PAPER = {"course": "databases-syllabi", "kind.course": "databases-syllabi", "kind.job": "computing-jobs"}
_IN_PAPER["kind.product"] = "computer-sales"


def papers_genre(topic: str) -> tuple[str, ...]:
    """The genre terms of the paper's own expert (table 2), for genres that the paper has too; else none."""
    name = _IN_PAPER.get(topic.partition("+")[0])
    return Topic.load(_TOPICS / f"{name}.toml").terms.genre if name else ()


def shared(user: Sequence[str], expert: Sequence[str]) -> float:
    """The share of a user's terms that the expert has too.

    The paper does not define its percentage; this fits its numbers (a user's 53.9 % and, after a change, 61.6 % are 7
    and 8 of 13 terms).
    """
    return len(set(user) & set(expert)) / max(len(set(user)), 1)


def parts(hand: Dealt) -> tuple[Dealt, list[Dealt]]:
    """What the expert has seen, half of the example pages, and what each user has: a third of the rest."""
    expert = replace(hand, relevant=hand.relevant[::2], genre=hand.genre[::2])
    users = [
        replace(hand, relevant=hand.relevant[1::2][user::USERS], genre=hand.genre[1::2][user::USERS])
        for user in range(USERS)
    ]
    return expert, users


def best_pages(hand: Dealt, scores: Floats, number: Mapping[str, int], most: int) -> list[str]:
    """The pages of the pool with the highest scores, the best first."""
    places = np.array([number[url] for url in hand.pool])
    order = np.argsort(-scores[places], kind="stable")[:most]
    return [hand.pool[place] for place in order]


def adjusted(stage: Stage, user: Dealt, seen: Sequence[str], genre: frozenset[str]) -> Dealt:
    """The user with these pages as further examples: relevant, of the genre only, and others."""

    def pages(urls: Sequence[str]) -> tuple[Example, ...]:
        return tuple(stage.example(url) for url in urls)

    relevant = [url for url in seen if url in user.case.targets]
    only_genre = [url for url in seen if url in genre and url not in user.case.targets]
    rest = [url for url in seen if url not in genre]
    return replace(
        user,
        relevant=user.relevant + pages(relevant),
        genre=user.genre + pages(only_genre),
        others=user.others + pages(rest),
    )


def agreement(stage: Stage, hand: Dealt, shelf: Shelf, genre: frozenset[str]) -> list[dict[str, float | None]]:
    """For each user: which share of the terms is the expert's, before and after; and P@20 with the first terms.

    Where the paper has the genre too, also the share of genre terms that its expert had; else None.
    """
    expert, users = parts(hand)
    theirs, human = chosen(expert), papers_genre(hand.case.topic)
    found: list[dict[str, float | None]] = []
    for user in users:
        first = chosen(user)._replace(url=())
        seen = best_pages(hand, shelf.scored(genre_model(first)), stage.fixture.graph.number, SEEN)
        later = chosen(adjusted(stage, user, seen, genre))
        found.append(
            {
                "genre": shared(first.genre, theirs.genre),
                "content": shared(first.content, theirs.content),
                "genre later": shared(later.genre, theirs.genre),
                "content later": shared(later.content, theirs.content),
                "paper's": shared(first.genre, human) if human else None,
                "P@20": precision(seen, hand),
            }
        )
    return found


def precision(best: Sequence[str], hand: Dealt) -> float:
    """The share of targets among the best pages, of as many as there could be."""
    possible = min(len(best), len(hand.case.targets))
    return sum(url in hand.case.targets for url in best[:possible]) / max(possible, 1)
