"""What is written down, and read back: rows, changes since the last writing, a frontier restored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier import Frontier, Limit, Merge, Politeness, Row, State

POLITENESS = Politeness(Limit(1, 1.0), Limit(2, 0.5), Limit(4, 0.25), pages_per_host=6)
NAMES = ("a.x.org", "b.x.org", "y.net")

# One step of a crawl: which host, which page, which priority, and what becomes of the URLs taken.
Step = tuple[str, int, float, str]
steps = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.integers(0, 9),
        st.floats(-2, 2),
        st.sampled_from(["none", "done", "failed", "refused", "refuse", "again", "later", "fly", "flush"]),
    ),
    max_size=60,
)


class Written:
    """What a database would hold: rows by number, brought up to date with those that the frontier says are dirty."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}

    def update(self, frontier: Frontier) -> None:
        dirty = frontier.dirty_rows()
        for number, url, priority, state, parent, depth, attempts in dirty.new:
            assert number not in self.rows
            self.rows[number] = (url, priority, state, parent, depth, attempts)
        for priority, state, attempts, number in dirty.changed:
            url, _, _, parent, depth, _ = self.rows[number]
            self.rows[number] = (url, priority, state, parent, depth, attempts)


def row(frontier: Frontier, number: int) -> Row:
    """A URL as it should be written down, from what can be seen of it."""
    see = frontier.urls
    return (
        see.url(number),
        see.priority(number),
        see.state(number),
        see.parent(number),
        see.depth(number),
        see.attempts(number),
    )


def crawl(frontier: Frontier, steps: list[Step], written: Written) -> float:
    """Walk through the steps, a second each. Returns the time at the end."""
    now = 0.0
    ends = {"done": State.DONE, "failed": State.FAILED, "refused": State.REFUSED}
    for name, page, priority, then in steps:
        now += 1.0
        parent = len(frontier) - 1
        frontier.offer(f"https://{name}/{page}", priority, parent, depth=page)
        if then == "flush":
            written.update(frontier)
        if then in ("none", "flush"):
            continue
        for number in frontier.take(now, most=2):
            if then in ends:
                frontier.settle(number, ends[then], now)
            elif then == "refuse":
                frontier.refuse(number, now)
            elif then != "fly":
                frontier.put_back(number, now, not_before=now + 5 if then == "later" else 0.0, attempt=True)
    return now


def drain(frontier: Frontier, now: float) -> list[tuple[float, int]]:
    """Everything that can still be taken, and when."""
    taken = []
    for _ in range(1000):
        for number in frontier.take(now, most=2):
            frontier.settle(number, State.DONE, now)
            taken.append((now, number))
        time = frontier.next_time()
        if time is None:
            break
        now = max(now, time)
    return taken


@given(steps, st.sampled_from(Merge))
def test_what_is_unwritten_brings_the_written_rows_up_to_date(steps: list[Step], merge: Merge) -> None:
    frontier, written = Frontier(POLITENESS, merge), Written()
    crawl(frontier, steps, written)
    written.update(frontier)
    assert written.rows == {number: row(frontier, number) for number in range(len(frontier))}
    dirty = frontier.dirty_rows()
    assert (list(dirty.new), list(dirty.changed)) == ([], [])


@given(steps, st.sampled_from(Merge))
def test_a_restored_frontier_goes_on_as_the_original(steps: list[Step], merge: Merge) -> None:
    original, written = Frontier(POLITENESS, merge), Written()
    now = crawl(original, steps, written)
    numbers = range(len(original))
    for number in [n for n in numbers if original.urls.state(n) is State.IN_FLIGHT]:
        original.put_back(number, now)
    written.update(original)
    restored = Frontier(POLITENESS, merge)
    restored.restore(written.rows.values())

    for state in State:
        assert restored.count(state) == original.count(state)
    assert [row(restored, n) for n in numbers] == [row(original, n) for n in numbers] == list(written.rows.values())
    assert [restored.urls.children(n) for n in numbers] == [original.urls.children(n) for n in numbers]
    dirty = restored.dirty_rows()
    assert (list(dirty.new), list(dirty.changed)) == ([], [])
    assert drain(restored, now + 100) == drain(original, now + 100)  # by then every host has rested


def test_what_was_in_flight_waits_again() -> None:
    frontier = Frontier()
    rows: list[Row] = [
        ("https://a.org/", 0.5, State.DONE, -1, 0, 0),
        ("https://a.org/1", 0.25, State.IN_FLIGHT, 0, 1, 2),
        ("https://a.org/2", 0.75, State.WAITING, 0, 1, 0),
    ]
    frontier.restore(rows)
    assert [frontier.urls.state(number) for number in range(3)] == [State.DONE, State.WAITING, State.WAITING]
    assert [frontier.urls.attempts(number) for number in range(3)] == [0, 2, 0]
    assert frontier.urls.children(0) == [1, 2]
    assert frontier.take(0.0, most=3) == [2]
    assert frontier.offer("https://a.org/1", 0.25) == 1


def test_attempts_are_counted_for_each_url() -> None:
    frontier = Frontier(Politeness(Limit(2, 0.0), Limit(2, 0.0), Limit(2, 0.0)))
    numbers = [frontier.offer(f"http://a.example/{name}", 0.5) for name in "xy"]
    for _ in range(3):
        assert sorted(frontier.take(1.0, 2)) == numbers
        frontier.put_back(numbers[0], 1.0, attempt=True)
        frontier.put_back(numbers[1], 1.0)
    assert [frontier.urls.attempts(number) for number in numbers] == [3, 0]
