"""Server-sent events: the changes since the last update, computed once for all viewers."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from aiohttp import web

from honeyguide.errors import HoneyguideError

_log = logging.getLogger("honeyguide.dashboard")

MOST_VIEWERS: Final = 50
_PAUSE = 1.0  # seconds between two looks
_ALIVE = 15  # looks without a change after which a comment keeps the connection open

Look = Callable[[], Awaitable[dict[str, Any]]]
"""Returns what viewers have not seen: values by name; empty if nothing has changed."""


class LiveEvents:
    """Sends what `look` returns to all viewers, once a second, as long as there are viewers."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._viewers: set[asyncio.Queue[bytes]] = set()
        self._task: asyncio.Task[None] | None = None

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Send events to one viewer until it disconnects."""
        if len(self._viewers) >= MOST_VIEWERS:
            raise web.HTTPServiceUnavailable(text="too many viewers")
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        queue: asyncio.Queue[bytes] = asyncio.Queue(maxsize=10)
        self._viewers.add(queue)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch())
        try:
            await response.write(b"retry: 2000\n\n")
            while True:
                await response.write(await queue.get())
        except (ConnectionError, asyncio.CancelledError):
            return response
        finally:
            self._viewers.discard(queue)

    async def close(self) -> None:
        """End the background task."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _watch(self) -> None:
        quiet = 0
        while self._viewers:
            try:
                changed = await self._look()
            except HoneyguideError as error:
                _log.warning("the dashboard cannot be updated: %s", error)
                changed = {}
            quiet = 0 if changed else quiet + 1
            if changed:
                self._send(f"data: {json.dumps(changed)}\n\n".encode())
            elif quiet % _ALIVE == 0:
                self._send(b": still here\n\n")
            await asyncio.sleep(_PAUSE)

    def _send(self, message: bytes) -> None:
        for queue in self._viewers:
            if queue.full():  # a viewer that is too slow misses events; the next one has everything but rows
                queue.get_nowait()
            queue.put_nowait(message)
