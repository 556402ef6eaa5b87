"""Networks made to catch crawlers, in small: `benchmarks/spam.py` has the figures for larger crawls."""

from __future__ import annotations

import pytest
from benchmarks.spam_webs import SpamWeb, is_spam

from honeyguide.demo import DemoWeb
from honeyguide.lab.replay import replay
from honeyguide.relevance.models import make_model
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

DEMO = DemoWeb(pages=5000)
SUBJECT = DEMO.subjects[0]
PAGES = 250


@pytest.mark.parametrize(
    ("network", "strategy", "connections"),
    [  # for each network where most was wasted without these defences: more than a third of all pages
        ("sub-domains", "guide", 1),
        ("one address", "guide", 8),
        ("one address", "best-first", 8),
        ("copies", "best-first", 8),
        ("hubs of junk", "guide", 8),
        ("hubs of junk", "best-first", 8),
        ("hubs of hubs", "guide", 1),
        ("hubs on one site", "best-first", 1),
    ],
)
def test_hardly_a_page_is_wasted_on_spam(network: str, strategy: str, connections: int) -> None:
    topic = Topic.make(
        name="spam",
        seeds=DEMO.seeds(SUBJECT),
        keywords=", ".join(DEMO.keywords(SUBJECT)),
        budget={"pages": PAGES},
        strategy={"name": strategy},
        relevance={"model": "vsm"},
        fetch={"connections": connections},
    )
    steps = replay(topic, make_model(material_of(topic)), SpamWeb(DEMO, SUBJECT, network)).steps
    assert len(steps) == PAGES
    assert 0 < sum(is_spam(step.url) for step in steps) <= 0.2 * PAGES
