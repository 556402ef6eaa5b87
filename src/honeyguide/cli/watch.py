"""``honeyguide watch``: show a crawl in the browser."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.dashboard.serve import LOOPBACK, is_loopback, serve
from honeyguide.dashboard.targets import read_targets


def watch(
    crawl: CrawlFolderArgument,
    port: Annotated[int, typer.Option(help="Port; 0 = any free port.", min=0, max=65535)] = 0,
    host: Annotated[
        str, typer.Option(help="Address to listen on. By default only this machine can reach the dashboard.")
    ] = LOOPBACK,
    labels: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File of labels, as for `compare --labels`, to show recall.",
            show_default=False,
        ),
    ] = None,
    label: Annotated[
        str | None, typer.Option(help="The label of the target pages.", show_default="the crawl's name")
    ] = None,
) -> None:
    """Show a crawl in the browser, live while it runs: harvest, pages, hosts, waiting URLs and a map."""
    targets = read_targets(crawl, labels, label) if labels is not None else ()
    asyncio.run(_serve(crawl, host, port, targets))


async def _serve(folder: Path, host: str, port: int, targets: tuple[str, ...]) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    if not is_loopback(host):
        say(
            f"anyone who can reach {host} and knows the token can read and control this crawl; the connection is "
            "not encrypted",
            file=sys.stderr,
        )
    await serve(folder, stop, _announce, host=host, port=port, targets=targets)


def _announce(url: str) -> None:
    say(f"watching at {url} (stop with Ctrl-C)", flush=True)
