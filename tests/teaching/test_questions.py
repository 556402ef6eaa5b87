"""Which page is asked about next."""

from __future__ import annotations

import pytest

from honeyguide.errors import InputError
from honeyguide.teaching.questions import Candidate, chooser_named


def page(
    number: int, relevance: float, *, behind: int = 0, host: str = "a.example", threshold: float = 0.5
) -> Candidate:
    return Candidate(number, f"http://{host}/{number}", host, relevance, threshold, behind)


def test_the_chance_is_one_half_at_any_threshold() -> None:
    assert page(0, 0.15, threshold=0.15).chance == pytest.approx(0.5)
    assert page(0, 0.3, threshold=0.15).chance > 0.5 > page(0, 0.1, threshold=0.15).chance
    assert 0 < page(0, 0.0).chance < page(0, 1.0).chance < 1


def test_uncertain_takes_the_page_next_to_the_threshold() -> None:
    pages = [page(0, 0.9), page(1, 0.45), page(2, 0.2)]
    assert chooser_named("uncertain").choose(pages, {}) is pages[1]


def test_ours_prefers_pages_that_much_was_found_on_and_other_hosts() -> None:
    chooser = chooser_named("ours")
    pages = [page(0, 0.5), page(1, 0.52, behind=40), page(2, 0.5, host="b.example")]
    assert chooser.choose(pages, {}) is pages[1]
    assert chooser.choose([pages[0], pages[2]], {"a.example": 3}) is pages[2]
    assert chooser.choose([page(0, 0.99, behind=40), pages[0]], {}) is pages[0]


def test_chance_depends_on_the_seed_alone() -> None:
    pages = [page(number, 0.5) for number in range(50)]
    chosen = [chooser_named("random", seed).choose(pages, {}).number for seed in (1, 1, 2, 3, 4)]
    assert chosen[0] == chosen[1]
    assert len(set(chosen)) > 2


def test_an_unknown_way_is_refused() -> None:
    with pytest.raises(InputError, match="magic"):
        chooser_named("magic")
