"""Hosts that are weighed: how their URLs compete with those of other hosts, against a plain list."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from honeyguide.frontier import Frontier, Limit, Politeness, State

FREE = Limit(100, 0.0)
LEAST = 5e-324  # the least number there is: as a factor it makes different priorities equal

NAMES = ("a.x.org", "b.x.org", "y.org")
hosts = st.integers(0, len(NAMES) - 1)
priorities = st.sampled_from([-1.0, 0.0, 0.25, 0.5, 1.0, 2.0])
steps = st.lists(
    st.one_of(
        st.tuples(st.just("offer"), hosts, priorities),
        st.tuples(st.just("change"), st.integers(0, 9), priorities),
        st.tuples(st.just("weigh"), hosts, st.sampled_from([LEAST, 0.5, 1.0, 3.0])),
        st.tuples(st.just("take"), st.just(0), st.just(0.0)),
    ),
    max_size=30,
)


def taken_from_list(urls: dict[int, tuple[int, float]], factors: list[float]) -> int:
    """The best of each host by its priority, of these the best by what that is after the factor."""
    best: dict[int, int] = {}
    for number in sorted(urls, key=lambda number: (-urls[number][1], number)):
        best.setdefault(urls[number][0], number)
    return min(best.values(), key=lambda number: (-urls[number][1] * factors[urls[number][0]], number))


@given(steps)
@example([("offer", 0, 0.25), ("offer", 1, 1.0), ("weigh", 0, 3.0), ("offer", 0, 0.5), ("take", 0, 0.0)])
@example([("offer", 0, 0.5), ("offer", 0, 0.5), ("offer", 1, 1.0), ("weigh", 0, 3.0), ("take", 0, 0.0)])
# Of equals the first offered is first, also where it becomes its host's best because another gets worse.
@example(
    [
        ("weigh", 0, LEAST),
        ("offer", 0, 0.25),
        ("offer", 1, 0.0),
        ("offer", 1, 0.0),
        ("offer", 0, 0.5),
        ("take", 0, 0.0),
        ("change", 3, 0.0),
    ]
)
@settings(deadline=None)
def test_the_best_of_each_host_competes_by_its_weight(steps: list[tuple[str, int, float]]) -> None:
    frontier = Frontier(Politeness(FREE, FREE, FREE))
    urls: dict[int, tuple[int, float]] = {}
    factors = [1.0, 1.0, 1.0]
    for kind, which, value in [*steps, *[("take", 0, 0.0)] * len(steps)]:
        if kind == "offer":
            urls[frontier.offer(f"https://{NAMES[which]}/{len(frontier)}", value)] = (which, value)
        elif kind == "change" and which in urls:
            frontier.change(which, value)
            urls[which] = (urls[which][0], value)
        elif kind == "weigh":
            frontier.weigh(frontier.host_number(NAMES[which]), value)
            factors[which] = value
        elif kind == "take":
            expected = [taken_from_list(urls, factors)] if urls else []
            assert frontier.take(0.0) == expected
            for number in expected:
                frontier.settle(number, State.DONE, 0.0)
                del urls[number]


def test_priorities_and_the_order_on_the_host_stay_as_they_are() -> None:
    frontier = Frontier(Politeness(FREE, FREE, FREE))
    numbers = [frontier.offer(f"https://a.org/{page}", priority) for page, priority in enumerate((0.2, 0.9, 0.5))]
    frontier.weigh(frontier.urls.host(numbers[0]), 1e-9)
    assert [frontier.urls.priority(number) for number in numbers] == [0.2, 0.9, 0.5]
    assert frontier.take(0.0, most=3) == [1, 2, 0]
