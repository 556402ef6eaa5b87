"""``honeyguide serve-web``: serve a recorded web as a proxy, for any crawler."""

from __future__ import annotations

import asyncio
import shlex
import signal
from typing import Annotated

import typer

from honeyguide.cli.output import say
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
            help="WARC and WACZ files, folders of crawls, DIR=http://host/prefix/, demo:PAGES, demo-lists:PAGES "
            "or demo-listings:PAGES.",
            show_default=False,
        ),
    ],
    port: Annotated[int, typer.Option(help="Port of the proxy; 0 = any free port.", min=0, max=65535)] = 0,
) -> None:
    """Serve all hosts of a recorded web behind an HTTP proxy on loopback; https pages as http."""
    rules = UrlRules(UrlSettings())
    asyncio.run(_serve(opened(web, rules), rules, port))


async def _serve(web: VirtualWeb, rules: UrlRules, port: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    server = WebServer(web, rules, port=port)
    try:
        await server.start()
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(
            "--port", f"{port} cannot be used: {reason}", "choose another port, or 0 for any free port"
        ) from None
    example = as_http(next(web.urls()))
    say(
        f"serving {len(web):,} URLs of {web.name} behind the HTTP proxy {server.address} (stop with Ctrl-C)", flush=True
    )
    say(f"try it: curl --proxy {server.address} {shlex.quote(example)}", flush=True)
    await stop.wait()
    await server.stop()
