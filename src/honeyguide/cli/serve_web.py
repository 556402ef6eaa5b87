"""``honeyguide serve-web``: a virtual web behind a proxy, for any crawler."""

from __future__ import annotations

import asyncio
import shlex
import signal
from typing import Annotated

import typer

from honeyguide.cli.webs import opened
from honeyguide.errors import InputError
from honeyguide.lab.server import WebServer, as_http
from honeyguide.lab.web import VirtualWeb
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules


def serve_web(
    web: Annotated[
        list[str],
        typer.Argument(
            help="WARC files, crawl folders, WACZ files, DIR=http://host/prefix/ or demo:PAGES.", show_default=False
        ),
    ],
    port: Annotated[int, typer.Option(help="Port to serve on; 0 = any.", min=0, max=65535)] = 0,
) -> None:
    """Serve a recorded web, all of its hosts, as an HTTP proxy on loopback. https pages answer under http."""
    rules = UrlRules(UrlSettings())
    asyncio.run(_serve(opened(web, rules), rules, port))


async def _serve(web: VirtualWeb, rules: UrlRules, port: int) -> None:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, over.set)
    server = WebServer(web, rules, port=port)
    try:
        await server.start()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("--port", f"{port} cannot be used: {reason}", "choose another, or 0 for any") from None
    example = as_http(next(web.urls()))
    print(f"{web.name}: {len(web):,} URLs answer behind the HTTP proxy {server.address} (Ctrl-C ends it)", flush=True)
    print(f"try it: curl --proxy {server.address} {shlex.quote(example)}", flush=True)
    await over.wait()
    await server.stop()
