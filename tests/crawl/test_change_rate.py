"""How often pages change, from visits that only tell whether they have."""

from __future__ import annotations

from math import exp, inf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.again.change_model import ChangeModel, PageKind, kind_of
from honeyguide.crawl.again.change_rate import ChangeRate, Observations, posterior

PRIOR = ChangeRate(0.5, 5.0)


def seen(rate: float, every: float, visits: int, seed: int = 1) -> Observations:
    """What so many visits tell of a page that changes at a rate."""
    rng, observed = Random(seed), Observations()
    for _ in range(visits):
        if rng.random() < 1 - exp(-rate * every):
            observed.change(every)
        else:
            observed.same(every)
    return observed


@pytest.mark.parametrize(("rate", "every"), [(0.02, 5.0), (0.2, 1.0), (0.2, 5.0), (1.0, 1.0), (1.0, 2.0)])
def test_the_rate_is_found_also_if_pages_change_more_often_than_they_are_visited(rate: float, every: float) -> None:
    estimates = [posterior(PRIOR, seen(rate, every, 400, seed)).mean for seed in range(5)]
    assert sum(estimates) / 5 == pytest.approx(rate, rel=0.12)
    # The changes seen, divided by the time, are far fewer where there are several between two visits.
    naive = (1 - exp(-rate * every)) / every
    assert abs(sum(estimates) / 5 - rate) < max(abs(naive - rate), 0.12 * rate)


def test_a_page_that_has_changed_at_every_visit_has_a_finite_rate() -> None:
    rates = [posterior(PRIOR, seen(1e9, 1.0, visits)).mean for visits in (1, 10, 100)]
    assert rates == sorted(rates)
    assert rates[-1] < 10


def test_a_change_of_which_the_time_is_known_is_worth_more() -> None:
    known, unknown = Observations(), Observations()
    for _ in range(10):
        known.change_at(0.1)
        unknown.change(10.0)
    assert posterior(PRIOR, known).mean > posterior(PRIOR, unknown).mean
    assert posterior(PRIOR, known) == ChangeRate(10.5, 6.0)


rates = st.builds(ChangeRate, st.floats(0.01, 100), st.floats(1e-4, 1e5))


@given(rates, st.floats(0, 1e4), st.floats(0, 1e4))
def test_chance_and_gain_only_grow(rate: ChangeRate, one: float, other: float) -> None:
    first, second = sorted((one, other))
    assert 0 <= rate.chance(first) <= rate.chance(second) <= 1
    assert -1e-9 <= rate.gain(first) <= rate.gain(second) * (1 + 1e-6) + 1e-9
    assert rate.gain(second) <= second * rate.chance(second) + 1e-6 * (1 + second)


@given(rates, st.floats(0.001, 0.99))
def test_after_as_many_days_the_chance_is_as_high(rate: ChangeRate, chance: float) -> None:
    days = rate.days_until(chance)
    if days < 1e12:
        assert rate.chance(days) == pytest.approx(chance, rel=1e-6)
    assert rate.days_until(1.0) == inf


@given(st.lists(st.tuples(st.booleans(), st.floats(1e-4, 1e3)), max_size=30))
def test_whatever_is_seen_there_is_an_estimate_between_reason_and_reason(visits: list[tuple[bool, float]]) -> None:
    observed = Observations()
    for changed, days in visits:
        (observed.change if changed else observed.same)(days)
    found = posterior(PRIOR, observed)
    assert 0 < found.mean < 1e7
    assert found.shape >= PRIOR.shape
    more = Observations(observed.quiet + 10.0, observed.exact, dict(observed.changed))
    assert posterior(PRIOR, more).mean < found.mean  # a page that stays the same changes less often


def test_a_page_is_thought_of_like_its_site_and_kind_until_it_is_known() -> None:
    model = ChangeModel()
    kind = PageKind.ARTICLE
    fresh = model.rate(1, "a.example", kind).mean
    for page in range(2, 12):
        for _ in range(5):
            model.changed(page, "lively.example", kind, 1.0)
            model.same(page + 100, "quiet.example", kind, 30.0)
    lively, quiet = (model.rate(1, site, kind).mean for site in ("lively.example", "quiet.example"))
    assert quiet < model.rate(1, "a.example", kind).mean < lively
    assert lively > 5 * fresh
    for _ in range(10):
        model.same(1, "lively.example", kind, 20.0)
    assert model.rate(1, "lively.example", kind).mean < lively / 10


def test_kinds_of_pages() -> None:
    assert kind_of("http://a.example/", 5000, 3) is PageKind.FRONT
    assert kind_of("http://a.example/index.html", 5000, 3) is PageKind.FRONT
    assert kind_of("http://a.example/links", 200, 40) is PageKind.HUB
    assert kind_of("http://a.example/text", 2000, 40) is PageKind.ARTICLE
    assert kind_of("http://a.example/short", 10, 3) is PageKind.ARTICLE
