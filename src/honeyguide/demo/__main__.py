"""Serves the demo web: prints its address as the first line, then answers requests until it is terminated."""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import ExitStack
from pathlib import Path

from honeyguide.demo.process import VisitFile
from honeyguide.demo.server import DemoServer
from honeyguide.demo.web import DemoWeb


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m honeyguide.demo", description=__doc__)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--locality", type=float, default=0.8)
    parser.add_argument("--page-kb", type=float, default=6.0)
    parser.add_argument("--faults", action="store_true", help="link the portals to the faulty hosts")
    parser.add_argument("--listings", action="store_true", help="sitemaps and feeds of all kinds")
    parser.add_argument("--scripted", type=float, default=0.0, help="share of the hosts whose pages scripts write")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, help="write every visit to this file, as JSON lines")
    parser.add_argument("--with-parent", action="store_true", help="end when standard input is closed")
    return parser.parse_args()


async def _serve(given: argparse.Namespace) -> None:
    web = DemoWeb(given.seed, given.pages, given.locality, given.page_kb, given.faults, given.listings, given.scripted)
    over = asyncio.Event()
    if given.with_parent:
        asyncio.get_running_loop().add_reader(sys.stdin.fileno(), over.set)
    with ExitStack() as stack:
        log = VisitFile(stack.enter_context(given.log.open("a", encoding="utf-8"))) if given.log else None
        server = DemoServer(web, given.host, given.port, log)
        await server.start()
        print(server.address, flush=True)
        await over.wait()
        await server.stop()


if __name__ == "__main__":
    try:
        asyncio.run(_serve(_arguments()))
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, ValueError) as error:
        sys.exit(f"the demo web cannot be served: {error}")
