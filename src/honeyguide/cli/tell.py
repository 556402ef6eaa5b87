"""``honeyguide tell``: tell a crawl what to do, while it runs or before it is started again."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.complete import CrawlFolderArgument
from honeyguide.cli.output import say
from honeyguide.cli.sender import sender
from honeyguide.errors import InputError
from honeyguide.store.commands import COMMANDS, Command
from honeyguide.store.connection import TOPIC
from honeyguide.store.folder import is_running
from honeyguide.store.inbox import Result, result_of, send
from honeyguide.store.whole import refresh

_LOOK_EVERY = 0.05


def tell(
    crawl: CrawlFolderArgument,
    command: Annotated[str, typer.Argument(help=f"One of {', '.join(COMMANDS)}.")],
    arguments: Annotated[
        list[str] | None, typer.Argument(help="Arguments of the command: limits, hosts, URLs or keywords.")
    ] = None,
    wait: Annotated[float, typer.Option(help="Seconds to wait for the result.", min=0)] = 5.0,
) -> None:
    """Control a running crawl: pause, resume or stop it, block hosts, change its budget, seeds or keywords."""
    wanted = Command(command, tuple(arguments or ()))
    spec = COMMANDS.get(command)
    if spec is not None and spec.is_for_run and (crawl / TOPIC).is_file() and not is_running(crawl):
        raise InputError(str(crawl), f"is not running, so it cannot {command}", "start it first")
    number = send(crawl, wanted, by=sender("tell"))
    try:
        result = _result(crawl, number, wait)
    except KeyboardInterrupt:
        say("sent, without waiting for the result", file=sys.stderr)
        raise
    if result is None:
        later = (
            "the crawl has not responded yet" if is_running(crawl) else "will be applied when the crawl is next started"
        )
        say(f"sent: {later}")
    elif result.ok:
        say(result.text)
    else:
        say(f"honeyguide: {result.text}", file=sys.stderr)
        raise typer.Exit(1)


def _result(crawl: Path, number: str, wait: float) -> Result | None:
    """The result from the crawl; None if it does not run, or does not respond within the time limit."""
    until = time.monotonic() + wait
    while True:
        runs = is_running(crawl)
        refresh(crawl, priorities=False)
        result = result_of(crawl, number)  # after: the last commit of a run may be the one that has it
        if result is not None or not runs or time.monotonic() >= until:
            return result
        time.sleep(_LOOK_EVERY)
