"""Waiting for better pages, in whole crawls of hand-made webs: with a budget in pages, and with one in minutes."""

from __future__ import annotations

from typing import Any

from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.lab.visits import RequestTiming
from honeyguide.relevance.models import make_model
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

from .kit import PaperVirtualWeb, page

HUB, GOOD, POOR = "http://hub.org/", "http://good.org/", "http://poor.net/"
TIMING = RequestTiming(latency=0.25, bytes_per_second=1e12, delay=0.0)
COUNT = 30


def web() -> PaperVirtualWeb:
    """A good page with links to good pages of its host, and a poor one with links to poor pages of another."""
    good = [f"{GOOD}{number}" for number in range(COUNT)]
    poor = [f"{POOR}{number}" for number in range(COUNT)]
    pages = {
        f"{GOOD}start": page("honey bee honey bee", *good),
        f"{POOR}start": page("honey stone stone stone stone", *poor),
        **{url: page(f"honey bee {url}") for url in good},
        **{url: page(f"stone {url}") for url in poor},
    }
    return PaperVirtualWeb(pages)


def crawl(haste: float, **budget: Any) -> ReplayResult:
    topic = Topic.make(
        name="t",
        seeds=[f"{GOOD}start", f"{POOR}start"],
        keywords="honey, bee",
        strategy={"name": "best-first"},
        budget={"haste": haste, **budget},
        fetch={"connections": 4},
    )
    return replay(topic, make_model(material_of(topic)), web(), TIMING)


def test_with_a_budget_in_pages_it_waits_for_better_ones() -> None:
    # 12 pages: two seeds, and ten that the crawl chooses. Never waiting, every other one is poor.
    never, patient = crawl(1.0, pages=12), crawl(0.5, pages=12)
    assert sum(step.url.startswith(GOOD) for step in never.steps) == 6
    assert sum(step.url.startswith(GOOD) for step in patient.steps) >= 10
    assert never.steps[-1].seconds < patient.steps[-1].seconds


def test_the_other_limits_count_pages_too() -> None:
    wasted = {}
    for limit in ({"relevant": 10}, {"bytes": 12 * len(page(f"honey bee {GOOD}0"))}):
        for haste in (0.25, 1.0):
            steps = crawl(haste, pages=0, **limit).steps
            wasted[haste] = sum(step.url.startswith(POOR) for step in steps)
        assert wasted[0.25] < wasted[1.0] / 2


def test_with_a_budget_in_minutes_it_does_not_wait() -> None:
    assert crawl(0.0, pages=0, minutes=0.1).steps == crawl(1.0, pages=0, minutes=0.1).steps


def test_without_a_budget_everything_is_fetched() -> None:
    assert len(crawl(0.0, pages=0).steps) == 2 + 2 * COUNT


def test_with_one_connection_order_is_strict_whatever_the_haste() -> None:
    def order(haste: float) -> list[str]:
        topic = Topic.make(
            name="t",
            seeds=[f"{GOOD}start", f"{POOR}start"],
            keywords="honey, bee",
            strategy={"name": "best-first"},
            budget={"haste": haste, "pages": 20},
            fetch={"connections": 1},
        )
        return [step.url for step in replay(topic, make_model(material_of(topic)), web(), TIMING).steps]

    assert order(0.0) == order(1.0)
    assert all(url.startswith(GOOD) for url in order(0.0)[2:])


def test_a_floor_ends_the_crawl() -> None:
    found = crawl(1.0, pages=0, min_promise=0.25)
    assert found.stop.kind == "promise"
    assert {step.url for step in found.steps if step.url.startswith(POOR)} == {f"{POOR}start"}
    assert len(found.steps) == COUNT + 2
