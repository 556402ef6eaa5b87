"""A replay: the live crawl's loop, strictly by priority or by host's turn, on a clock that only waiting moves."""

from __future__ import annotations

from typing import Any

import pytest

from honeyguide.demo.web import DemoWeb
from honeyguide.lab.replay import ReplayResult, replay
from honeyguide.lab.visits import RequestTiming
from honeyguide.lab.webs.demo import DemoPages
from honeyguide.relevance.models import make_model
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

from .kit import PaperVirtualWeb, page

A, B = "http://a.example/", "http://b.example/"
QUICK = RequestTiming(latency=1.0, bytes_per_second=1e12, delay=0.0)


def run(web: Any, *seeds: str, timing: RequestTiming = QUICK, **tables: Any) -> ReplayResult:
    tables = {"fetch": {"connections": 1}, "strategy": {"name": "best-first"}, **tables}
    topic = Topic.make(name="t", seeds=seeds, keywords="honey, bee", **tables)
    return replay(topic, make_model(material_of(topic)), web, timing)


def order(found: ReplayResult) -> list[str]:
    return [step.url.removeprefix("http://") for step in found.steps]


def test_strictly_by_priority() -> None:
    # The seed links to a poor page first and to a rich one then; what each links to inherits its page's relevance. So
    # both children wait with the seed's score (first in, first out), then the rich one's child comes before the poor's.
    web = PaperVirtualWeb(
        {
            A: page("honey bee stone", f"{A}poor", f"{B}rich"),
            f"{A}poor": page("stone", f"{A}under-poor"),
            f"{B}rich": page("honey bee honey bee", f"{B}under-rich"),
            f"{A}under-poor": page("honey"),
            f"{B}under-rich": page("stone"),
        }
    )
    found = run(web, A)
    assert order(found) == [
        "a.example/",
        "a.example/poor",
        "b.example/rich",
        "b.example/under-rich",
        "a.example/under-poor",
    ]
    assert [step.hops for step in found.steps] == [0, 1, 1, 2, 2]
    assert found.steps[3].promised == found.steps[2].relevance
    assert found.stop.kind == "exhausted"


def test_links_out_of_the_web_are_not_there() -> None:
    web = PaperVirtualWeb({A: page("honey", f"{A}in", f"{A}out", "http://elsewhere.example/"), f"{A}in": page("bee")})
    found = run(web, A)
    assert order(found) == ["a.example/", "a.example/in"]
    assert found.tally.refused == {"outside": 2}
    assert set(web.asked) == {A, f"{A}in"}


def test_redirects_are_followed_and_are_no_pages() -> None:
    web = PaperVirtualWeb({A: page("honey", f"{A}old"), f"{A}old": f"-> {B}", B: page("bee")})
    found = run(web, A)
    assert order(found) == ["a.example/", "b.example/"]


def test_who_piles_onto_one_host_pays_for_it() -> None:
    # Two seeds. Each answer takes 1 s, and a host rests 10 s. On one host: 1, then 11 + 1 = 12. On two: 1 and 2.
    timing = RequestTiming(latency=1.0, bytes_per_second=1e12, delay=10.0)
    one = run(PaperVirtualWeb({A: page("x"), f"{A}2": page("y")}), A, f"{A}2", timing=timing)
    two = run(PaperVirtualWeb({A: page("x"), B: page("y")}), A, B, timing=timing)
    assert [round(step.seconds, 6) for step in one.steps] == [1.0, 12.0]
    assert [round(step.seconds, 6) for step in two.steps] == [1.0, 2.0]


def test_who_piles_onto_one_domain_pays_for_it_if_domains_rest() -> None:
    # Two hosts of a domain that rests 5 s: 1, then 6 + 1 = 7. Of another domain: 1 and 2.
    timing = RequestTiming(latency=1.0, bytes_per_second=1e12, delay=0.0, domain_delay=5.0)
    first, second, other = "http://a.one.org/", "http://b.one.org/", "http://b.two.org/"
    one = run(PaperVirtualWeb({first: page("x"), second: page("y")}), first, second, timing=timing)
    two = run(PaperVirtualWeb({first: page("x"), other: page("y")}), first, other, timing=timing)
    assert [round(step.seconds, 6) for step in one.steps] == [1.0, 7.0]
    assert [round(step.seconds, 6) for step in two.steps] == [1.0, 2.0]


def test_bytes_take_time() -> None:
    web = PaperVirtualWeb({A: page("honey")})
    (step,) = run(web, A, timing=RequestTiming(latency=0.5, bytes_per_second=100.0)).steps
    assert step.seconds == pytest.approx(0.5 + step.size / 100)
    assert step.size == len(web.pages[A])


def test_with_more_connections_it_is_the_turn_of_hosts() -> None:
    # a's host rests two seconds after each answer, and b's page is worse: strictly it comes last, live it comes while
    # a rests.
    web = PaperVirtualWeb(
        {
            A: page("honey bee", f"{A}1", f"{A}2"),
            f"{A}1": page("honey bee one"),
            f"{A}2": page("honey bee two"),
            B: page("stone", f"{B}1"),
            f"{B}1": page("stone"),
        }
    )
    strict = run(web, A, B)
    assert order(strict) == ["a.example/", "b.example/", "a.example/1", "a.example/2", "b.example/1"]
    live = run(web, A, B, fetch={"connections": 4, "delay": 2.0})
    assert order(live)[-1] == "a.example/2"
    assert sorted(order(live)) == sorted(order(strict))


def test_copies_are_marked() -> None:
    twin = page("honey bee")
    web = PaperVirtualWeb({A: twin, B: twin})
    assert [step.is_duplicate for step in run(web, A, B).steps] == [False, True]


def test_the_budget_ends_it() -> None:
    web = PaperVirtualWeb({A: page("honey", f"{A}1", f"{A}2"), f"{A}1": page("x"), f"{A}2": page("y")})
    found = run(web, A, budget={"pages": 2})
    assert len(found.steps) == 2
    assert found.stop.kind == "pages"


@pytest.mark.parametrize("connections", [1, 6])
def test_always_the_same(connections: int) -> None:
    demo = DemoWeb(pages=150, page_kb=1.0)
    web = DemoPages(demo)
    seeds = demo.seeds(demo.subjects[0])
    found = [run(web, *seeds, fetch={"connections": connections}, budget={"pages": 80}) for _ in range(2)]
    assert found[0].steps == found[1].steps
    assert len(found[0].steps) == 80
