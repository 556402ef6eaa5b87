"""The process that reads pages again for the dashboard: it ends with the dashboard, whenever that is."""

from __future__ import annotations

import asyncio
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Event

import pytest

from honeyguide.dashboard.reader_process import ReaderProcess
from honeyguide.errors import HoneyguideError


def test_it_can_be_closed_while_it_is_being_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    starting, closed = Event(), Event()
    started: list[SpawnProcess] = []
    start = SpawnProcess.start

    def slow_start(process: SpawnProcess) -> None:
        starting.set()
        assert closed.wait(60)
        start(process)
        started.append(process)

    monkeypatch.setattr(SpawnProcess, "start", slow_start)

    async def close_early() -> None:
        reader = ReaderProcess(tmp_path)
        warming = asyncio.create_task(reader.warm_up())
        await asyncio.to_thread(starting.wait)
        closing = asyncio.create_task(reader.close())
        await asyncio.sleep(0)  # it has begun, and waits for the process to start
        closed.set()
        await asyncio.wait_for(asyncio.gather(warming, closing), 60)
        with pytest.raises(HoneyguideError, match="the dashboard has ended"):
            await reader.ask("load", 0)

    asyncio.run(close_early())
    (process,) = started
    with pytest.raises(ValueError, match="closed"):  # it was waited for
        process.is_alive()
