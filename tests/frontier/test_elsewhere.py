"""What waits on other shards counts as what waits here does."""

from __future__ import annotations

from math import inf

import pytest

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


def test_what_others_have_probably_taken_since_is_not_waited_for() -> None:
    """All shards take a page every 0.1 s: 0.35 s later these are 3.5, of which this one took one, so 2.5 of the others.

    Those promise 0.9, 0.9 and 0.7: what is taken of them exceeds 0.5 by 0.4 + 0.4 + 0.5 * 0.2.
    """
    known = Elsewhere(((0.9, 2), (0.7, 2), (0.4, 9)), interval=0.1, since=10.0)
    assert known.taken_meanwhile(0.5, 10.35, 1) == pytest.approx(0.9)
    assert known.taken_meanwhile(0.5, 99.0, 1) == pytest.approx(1.2)  # all that are better
    assert known.taken_meanwhile(0.5, 10.05, 1) == 0.0
    there = reservation()
    there.expect(Elsewhere(BETTER, interval=0.1, last_taken=10.0, since=10.0))
    assert there.time_for(0.5, 10.0) > 10.0
    assert there.time_for(0.5, 10.2) == 10.2
