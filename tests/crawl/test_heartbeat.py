"""Stalls of the event loop: noticed whenever they happen, and no delay of a host runs during one."""

from __future__ import annotations

import asyncio

import pytest
from benchmarks.reliability.virtual_time import LoopClock, run_virtually

from honeyguide.crawl.heartbeat import EVERY, LEAST, Heartbeat


@pytest.mark.parametrize("seconds", [0.0, LEAST / 2, 0.3, 5.0])
def test_a_stall_is_noticed_within_the_same_iteration_and_counted_once(seconds: float) -> None:
    clock = LoopClock()

    async def main() -> list[float]:
        heartbeat = Heartbeat(clock.now, lambda: True)
        heartbeat.start()
        await asyncio.sleep(10 * EVERY)
        clock.ahead += seconds  # the loop is held up: nothing else runs
        found = [heartbeat.stall()]
        await asyncio.sleep(10 * EVERY)
        return [*found, heartbeat.stall()]

    found = run_virtually(main())
    # The beat was due up to EVERY seconds after the stall began; what is left of a shorter stall is seen by the beat.
    assert seconds - EVERY - LEAST <= sum(found) <= seconds + 1e-6
    if seconds > EVERY + LEAST:
        assert found[0] >= seconds - EVERY - 1e-6
        assert found[1] == 0.0


def test_a_stall_between_two_calls_is_noticed_by_the_beat() -> None:
    clock = LoopClock()

    async def main() -> float:
        heartbeat = Heartbeat(clock.now, lambda: True)
        heartbeat.start()
        for _ in range(3):
            asyncio.get_running_loop().call_later(0.2, lambda: setattr(clock, "ahead", clock.ahead + 1.0))
            await asyncio.sleep(1.0)
        return heartbeat.stall()

    assert run_virtually(main()) == pytest.approx(3.0, abs=3 * EVERY)


def test_it_beats_only_while_it_is_needed() -> None:
    clock = LoopClock()

    async def main() -> float:
        heartbeat = Heartbeat(clock.now, lambda: False)
        heartbeat.start()
        await asyncio.sleep(1.0)
        clock.ahead += 100.0
        return heartbeat.stall()

    assert run_virtually(main()) == 0.0
