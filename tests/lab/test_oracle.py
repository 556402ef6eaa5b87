"""The oracle against the best of all orders, on webs small enough to try them all, and its rule step by step."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.lab.oracle import oracle

GRAPHS = 200


@dataclass(frozen=True)
class Web:
    links: list[list[int]]
    seeds: list[int]
    targets: list[int]
    budget: int

    def order(self) -> list[int]:
        indptr = np.cumsum([0, *(len(others) for others in self.links)])
        indices = np.array([other for others in self.links for other in others], dtype=np.int64)
        return oracle(indptr, indices, self.seeds, self.targets, self.budget)


def gained(web: Web, order: list[int]) -> int:
    """The area under target recall times budget times number of targets: so it is a whole number."""
    return sum(web.budget - place for place, page in enumerate(order[: web.budget]) if page in web.targets)


def optimum(web: Web) -> int:
    """The most that any order gains: over all sets of pages that can be the fetched ones, by their size."""
    best: dict[frozenset[int], int] = {frozenset(): 0}
    most = 0
    for place in range(web.budget):
        longer: dict[frozenset[int], int] = {}
        for fetched, gain in best.items():
            for page in known(web, fetched):
                more = gain + (web.budget - place) * (page in web.targets)
                longer[fetched | {page}] = max(more, longer.get(fetched | {page}, 0))
        best = longer
        most = max(most, *best.values(), 0)
    return most


def known(web: Web, fetched: frozenset[int]) -> set[int]:
    return {*web.seeds, *(other for page in fetched for other in web.links[page])} - fetched


def breadth_first(web: Web) -> list[int]:
    order = list(web.seeds)
    for page in order:
        order.extend(other for other in dict.fromkeys(web.links[page]) if other not in order)
    return order


def at_random(web: Web, rng: random.Random) -> list[int]:
    order: list[int] = []
    while pages := known(web, frozenset(order)):
        order.append(rng.choice(sorted(pages)))
    return order


def random_webs(rng: random.Random) -> Iterator[Web]:
    """Webs of 5 to 9 pages from sparse to dense, with one to three seeds, in which a target can be reached."""
    while True:
        pages = range(rng.randint(5, 9))
        density, share = rng.choice([0.12, 0.18, 0.25, 0.35]), rng.choice([0.2, 0.35, 0.5])
        links = [[other for other in pages if other != page and rng.random() < density] for page in pages]
        seeds = rng.sample(pages, rng.randint(1, 3))
        targets = [page for page in pages if page not in seeds and rng.random() < share]
        web = Web(links, seeds, targets, rng.randint(len(pages) // 2, len(pages)))
        if optimum(web):
            yield web


def test_on_200_webs_the_oracle_comes_close_to_the_optimum_and_nothing_beats_that() -> None:
    rng = random.Random(20)
    shares = []
    for _, web in zip(range(GRAPHS), random_webs(rng), strict=False):
        best = optimum(web)
        gain = gained(web, web.order())
        assert 0.95 * best <= gain <= best, web
        assert gained(web, breadth_first(web)) <= best
        assert all(gained(web, at_random(web, rng)) <= best for _ in range(5))
        shares.append(gain / best)
    assert np.mean(shares) > 0.999


def test_the_worst_kind_of_web_known() -> None:
    # 0 leads over 1 and 2 to target 3 and over 4 and 5 to target 6; nothing tells these ways apart, so the oracle takes
    # the one found first: 0 1 2 3. But 6 links to 2 as well, so with a budget of 6 the optimum is 0 4 5 6 2 3.
    # Target 3 or 6 as the fourth of 6 pages gains 6 - 3 = 3, the other one as the last page 1.
    web = Web([[1, 4], [2], [3], [], [5], [6], [2]], seeds=[0], targets=[3, 6], budget=6)
    assert (gained(web, web.order()), optimum(web)) == (3, 4)


def test_a_target_that_can_be_fetched_comes_first_and_nothing_is_fetched_after_the_last() -> None:
    web = Web([[1, 2, 3], [], [], [4], []], seeds=[0], targets=[2, 4], budget=5)
    assert web.order() == [0, 2, 3, 4]


def test_a_longer_way_to_many_targets_beats_a_shorter_way_to_one() -> None:
    # Page 1 opens target 2 (1 for 1 page); 3 and 4 open targets 5, 6, 7 (3 for 2 pages).
    web = Web([[1, 3], [2], [], [4], [5, 6, 7], [], [], []], seeds=[0], targets=[2, 5, 6, 7], budget=8)
    assert web.order() == [0, 3, 4, 5, 6, 7, 1, 2]
    # With room for two pages after the seed only the short way brings a target in time.
    assert Web(web.links, web.seeds, web.targets, budget=3).order() == [0, 1, 2]
    # With room for three both bring one target, and the short way costs less; the rest of the budget brings nothing.
    assert Web(web.links, web.seeds, web.targets, budget=4).order() == [0, 1, 2]


def test_targets_behind_targets_count_for_a_way() -> None:
    # Page 1 links to two targets, page 2 to one, behind which there are two more.
    web = Web([[1, 2], [3, 4], [5], [], [], [6], [7], []], seeds=[0], targets=[3, 4, 5, 6, 7], budget=8)
    assert web.order() == [0, 2, 5, 6, 7, 1, 3, 4]


def test_a_way_may_lead_through_targets() -> None:
    # 1 opens target 2, which links to page 3, which opens targets 4, 5 and 6: 4 targets for 2 pages. 7 opens target 8.
    web = Web([[7, 1], [2], [3], [4, 5, 6], [], [], [], [8], []], seeds=[0], targets=[2, 4, 5, 6, 8], budget=9)
    assert web.order() == [0, 1, 2, 3, 4, 5, 6, 7, 8]


def test_of_equal_ways_the_one_that_shows_more_comes_first() -> None:
    # Both 1 and 2 open target 3, and 2 links to page 4 as well, which opens target 5.
    web = Web([[1, 2], [3], [3, 4], [], [5], []], seeds=[0], targets=[3, 5], budget=6)
    assert web.order() == [0, 2, 3, 4, 5]
    # Now page 4 opens nothing itself, but the way to 6 leads over it.
    web = Web([[1, 2], [3], [3, 4], [], [5], [6], []], seeds=[0], targets=[3, 6], budget=7)
    assert web.order() == [0, 2, 3, 4, 5, 6]
    # Nothing tells them apart: the one found first.
    assert Web([[2, 1], [3], [3], []], seeds=[0], targets=[3], budget=4).order() == [0, 2, 3]


def test_seeds_that_lead_nowhere_and_targets_that_nothing_leads_to_are_left_out() -> None:
    assert Web([[], [2], [], []], seeds=[0, 1], targets=[2, 3], budget=4).order() == [1, 2]


def test_a_seed_may_be_a_target_and_links_may_repeat_or_point_at_their_own_page() -> None:
    assert Web([[0, 1, 1], [1]], seeds=[0, 0], targets=[0, 1, 1], budget=4).order() == [0, 1]


@pytest.mark.parametrize(("seeds", "targets", "budget"), [([], [1], 3), ([0], [], 3), ([0], [1], 0), ([0], [1], 1)])
def test_no_step_is_made_that_brings_nothing(seeds: list[int], targets: list[int], budget: int) -> None:
    assert Web([[1], []], seeds, targets, budget).order() == []


@st.composite
def webs(draw: st.DrawFn) -> Web:
    pages = draw(st.integers(1, 25))
    page = st.integers(0, pages - 1)
    links = draw(st.lists(st.lists(page, max_size=5), min_size=pages, max_size=pages))
    few = st.lists(page, max_size=6, unique=True)
    return Web(links, draw(few), draw(few), draw(st.integers(0, pages)))


@given(webs())
def test_every_page_is_fetched_once_after_a_page_that_links_to_it_and_within_the_budget(web: Web) -> None:
    order = web.order()
    assert len(order) <= web.budget
    assert len(set(order)) == len(order)
    for place, page in enumerate(order):
        assert page in known(web, frozenset(order[:place]))
    assert order == web.order()
    assert not order or order[-1] in web.targets


@given(webs())
def test_with_room_for_the_whole_web_every_target_that_can_be_reached_is_fetched(web: Web) -> None:
    whole = Web(web.links, web.seeds, web.targets, len(web.links))
    assert set(whole.order()) & set(web.targets) == set(breadth_first(web)) & set(web.targets)
