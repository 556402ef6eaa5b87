"""Runs the dashboard at an address until it is stopped."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Callable, Sequence
from pathlib import Path

from aiohttp import web

from honeyguide.dashboard.access import Access
from honeyguide.dashboard.server import Dashboard
from honeyguide.errors import InputError
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

LOOPBACK = "127.0.0.1"
_SHUTDOWN = 0.5  # seconds for requests under way: those of events never end by themselves


async def serve(
    folder: Path,
    stop: asyncio.Event,
    ready: Callable[[str], None],
    *,
    host: str = LOOPBACK,
    port: int = 0,
    targets: Sequence[str] = (),
) -> None:
    """Serve the dashboard of a crawl until `stop` is set. `ready` is called with its URL, which has the token.

    Raises `InputError` when there is no crawl, or the address cannot be used.
    """
    topic = _checked(folder)
    access = Access(host)
    dashboard = Dashboard(folder, topic, access, targets)
    runner = web.AppRunner(dashboard.application(), access_log=None, shutdown_timeout=_SHUTDOWN)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            reason = error.strerror or str(error)
            raise InputError("--port", f"{host}, port {port} cannot be used: {reason}", "choose another") from None
        ready(_url(host, runner.addresses[0][1], access.token))
        async with asyncio.TaskGroup() as beside:
            beside.create_task(dashboard.warm_up())
            await stop.wait()
            await runner.cleanup()
    finally:
        await runner.cleanup()


def _checked(folder: Path) -> Topic:
    """The topic of a crawl whose rows are all what a crawl writes."""
    with Crawl.open(folder) as crawl:
        return crawl.topic


def _url(host: str, port: int, token: str) -> str:
    name = LOOPBACK if host == "0.0.0.0" else "[::1]" if host == "::" else f"[{host}]" if ":" in host else host  # noqa: S104
    return f"http://{name}:{port}/?token={token}"


def is_loopback(host: str) -> bool:
    """Whether an address can only be reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
