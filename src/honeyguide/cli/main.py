"""The ``honeyguide`` command: its sub-commands, and how errors reach the user."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from honeyguide.cli.blocks import blocks
from honeyguide.cli.compare import compare
from honeyguide.cli.crawl import crawl
from honeyguide.cli.demo import demo
from honeyguide.cli.export import export
from honeyguide.cli.init import init
from honeyguide.cli.judge import judge
from honeyguide.cli.models import models
from honeyguide.cli.report import report
from honeyguide.cli.serve_web import serve_web
from honeyguide.cli.strategies import strategies
from honeyguide.cli.terms import ManyValues, terms
from honeyguide.cli.train import train
from honeyguide.cli.why import why
from honeyguide.cli.wordnet import wordnet
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.version import VERSION

app = typer.Typer(
    name="honeyguide",
    help="A focused web crawler: tell it a topic and a few seeds, and it brings back the pages about it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for command in (
    *(demo, init, train, crawl, why, report, export, blocks),
    *(wordnet, strategies, models, compare, judge, serve_web),
):
    app.command()(command)
app.command(cls=ManyValues)(terms)


def _version(asked: bool) -> None:
    if asked:
        print(f"honeyguide {VERSION}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which version.")
    ] = False,
) -> None:
    """Options before the command."""


def main() -> None:
    """Run the command line. 0 done, 1 failed, 2 wrong input, 130 stopped by Ctrl-C after a clean save."""
    try:
        app()
    except InputError as error:
        _complain(error, 2)
    except HoneyguideError as error:
        _complain(error, 1)
    except BrokenPipeError:  # the reader of our output has left: nothing more to say
        sys.stderr.close()
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _complain(error: HoneyguideError, code: int) -> None:
    print(f"honeyguide: {error}", file=sys.stderr)
    sys.exit(code)
