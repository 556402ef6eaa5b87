"""What waits on other shards counts as what waits here does."""

from __future__ import annotations

from math import inf

from honeyguide.frontier import Elsewhere, Reservation

BETTER = ((0.9, 2),)


def reservation() -> Reservation:
    made = Reservation(0.5)
    made.plan(50, 100, inf)
    made.take(0.8, 0.0)
    return made


def test_better_urls_elsewhere_are_waited_for_as_if_they_were_here() -> None:
    here, there = reservation(), reservation()
    here.waiting.add_points(BETTER)
    there.expect(Elsewhere(BETTER))
    assert here.time_for(0.5, 0.1) == there.time_for(0.5, 0.1) > 0.1
    assert there.points(8) == ()
    there.expect(Elsewhere())
    assert there.time_for(0.5, 0.1) == 0.1
