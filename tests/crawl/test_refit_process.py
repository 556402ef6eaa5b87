"""The process that fits models again, when nobody waits for it any more."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

import uvloop

from honeyguide.crawl.refit_process import RefitProcess


def children() -> str:
    return "".join(path.read_text() for path in Path(f"/proc/{os.getpid()}/task").glob("*/children"))


def test_no_process_is_left_if_a_crawl_ends_while_it_starts(tmp_path: Path) -> None:
    async def ended_at_once() -> None:
        process = RefitProcess(tmp_path, tmp_path / "model")
        lesson = asyncio.create_task(process.fit(["honey"]))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        lesson.cancel()
        with suppress(asyncio.CancelledError):
            await lesson
        await process.close()
        assert children() == before

    before = children()
    uvloop.run(ended_at_once())
