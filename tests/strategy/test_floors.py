"""Floors: how many relevant pages of the demo web each strategy finds. They may be raised, and not lowered silently."""

from __future__ import annotations

import pytest

from honeyguide.demo.web import DemoWeb
from honeyguide.fetch.base import Response
from honeyguide.lab.replay import replay
from honeyguide.lab.webs.demo import DemoPages
from honeyguide.relevance.models import make_model
from honeyguide.strategy.registry import recipes
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of


class Kept(DemoPages):
    """Pages that are made once for all strategies."""

    def __init__(self, web: DemoWeb) -> None:
        super().__init__(web)
        self._made: dict[str, Response | None] = {}

    def response(self, url: str) -> Response | None:
        if url not in self._made:
            self._made[url] = super().response(url)
        return self._made[url]


DEMO = DemoWeb(pages=600)
PAGES = Kept(DEMO)
SUBJECTS = DEMO.subjects[:3]

# Of three subjects together, which have 88 relevant pages, 80 pages fetched for each; 95 % of what was found when the
# floor was set.
FLOORS = {
    "guide": 76,
    "best-first": 69,
    "breadth-first": 60,
    "random": 14,
    "anchor-only": 59,
    "link-context": 67,
    "slc": 70,
    "cbp": 65,
    "cbp-slc": 68,
    "link-context-prediction": 71,
    "text-window": 71,
    "block": 68,
    "page+block": 69,
    "btw": 72,
    "page+btw": 73,
    "genre": 35,
    "vsm": 73,
    "opic": 61,
    "otie": 70,
    "fish-search": 64,
    "shark-search": 73,
    "link-classifier": 73,
    "host-bandit": 73,
    "tres": 73,
    "link-bandit": 75,
}


@pytest.mark.parametrize("strategy", FLOORS)
def test_no_strategy_finds_less_than_it_did(strategy: str) -> None:
    found = 0
    for subject in SUBJECTS:
        topic = Topic.make(
            name="floor",
            seeds=DEMO.seeds(subject),
            keywords=", ".join(DEMO.keywords(subject)),
            budget={"pages": 80},
            strategy={"name": strategy},
            relevance={"model": "vsm"},
            fetch={"connections": 1},
        )
        relevant = set(DEMO.relevant_urls(subject))
        steps = replay(topic, make_model(material_of(topic)), PAGES).steps
        found += sum(step.url in relevant for step in steps)
    assert found >= FLOORS[strategy]


def test_every_strategy_has_a_floor() -> None:
    without = {"seeds-only", "mix", "ssrm", "ssvsm", "genre-svm"}  # no crawl, no choice, or the same with another model
    assert set(FLOORS) == set(recipes()) - without
