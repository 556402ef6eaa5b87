"""The queue of requests against the simplest one that keeps its rules."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.scrapy.pending import PendingRequests

_SLOTS = "abc"
_LIMIT = {"a": 1, "b": 2, "c": 3}

_PROMISES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(_SLOTS), st.integers(-1, 1), st.integers(0, 4), _PROMISES),
        st.tuples(st.just("change"), st.integers(0, 4), _PROMISES),
        st.tuples(st.just("load"), st.sampled_from(_SLOTS), st.integers(0, 3)),
        st.tuples(st.just("pop")),
    ),
    max_size=60,
)


@given(_STEPS)
def test_the_best_of_the_slots_with_room_is_next(steps: list[tuple[object, ...]]) -> None:
    queue = PendingRequests(_LIMIT.__getitem__)
    waiting: dict[int, tuple[str, int, int, float]] = {}
    load = dict.fromkeys(_SLOTS, 0)
    for number, (kind, *values) in enumerate(steps):
        match kind, values:
            case "add", [str(slot), int(priority), int(url), float(promise)]:
                queue.add(number, slot, priority, url, promise)
                waiting[number] = slot, priority, url, promise
            case "change", [int(url), float(promise)]:
                queue.change(url, promise)
                waiting |= {one: (*kept[:3], promise) for one, kept in waiting.items() if kept[2] == url}
            case "load", [str(slot), int(count)]:
                queue.set_load(slot, count)
                load[slot] = count
            case _:
                ready = [
                    (-priority, -promise, load[slot], one)
                    for one, (slot, priority, _, promise) in waiting.items()
                    if load[slot] < _LIMIT[slot]
                ]
                best = min(ready)[-1] if ready else None
                assert queue.pop() == best
                waiting.pop(best if best is not None else -1, None)
        assert len(queue) == len(waiting)


def test_heaps_do_not_grow_with_changes() -> None:
    queue = PendingRequests(lambda _: 1)
    for number in range(10):
        queue.add(number, "a", 0, number, 0.5)
    for step in range(2000):
        queue.change(step % 10, step / 2000)
    assert len(queue._slots["a"].heap) < 200
    assert len(queue._heap) < 200
    assert queue.pop() == 9
