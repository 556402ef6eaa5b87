"""The ``honeyguide`` command: its sub-commands, and how errors reach the user."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from honeyguide.errors import HoneyguideError, InputError, PluginError
from honeyguide.version import VERSION

COMMANDS = {
    "demo": "Crawl the built-in web over HTTP on loopback and write a report; or serve it. No network needed.",
    "init": "Write a topic file with every setting explained.",
    "train": (
        "Fit the relevance model to the examples, cross-validate it, show what it learnt, and keep it for `crawl`."
    ),
    "crawl": "Crawl a topic: from a topic file, or from --name, --seed and --keywords. Run again, it goes on.",
    "why": "Show the way from a seed to a page, with every score on it, and what spoke for it.",
    "report": "Write report.html into a crawl's folder: curves, hosts, the best pages.",
    "export": "Write the relevant pages of a crawl to one file.",
    "blocks": "Write a page's text with its blocks boxed and each link's context on hover.",
    "wordnet": "Find WordNet, or fetch it without root, and make it ready for the models that use it.",
    "strategies": "List the strategies with their sources, parts and parameters.",
    "models": "List the relevance models, those of other packages included.",
    "compare": (
        "Replay strategies on a recorded web under the same conditions; say which is better, and whether it is luck."
    ),
    "judge": "Compute the same figures as `compare` from a plain list of fetched URLs, and print them as JSON.",
    "serve-web": "Serve a recorded web, all of its hosts, as an HTTP proxy on loopback. https pages answer under http.",
    "terms": (
        "Propose genre and content terms from pages: URLs, HTML files, texts, patterns, WARC files; or from a crawl."
    ),
}
"""Each command with its first sentence: enough for ``--help``, which would take a second if it imported them all."""


class Commands(TyperGroup):
    """Imports a command when it is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is asked for, itself, where all others are known by their names alone."""
        name, known, rest = super().resolve_command(ctx, args)
        return name, known and load_command(str(name)), rest


def load_command(name: str) -> Any:
    """The command of a name, with its options: the function of that name in its module.

    A command that reads its arguments in a way of its own names its class as ``COMMAND_CLASS``.
    """
    identifier = name.replace("-", "_")
    module = import_module(f"honeyguide.cli.{identifier}")
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name, cls=getattr(module, "COMMAND_CLASS", None))(getattr(module, identifier))
    return typer.main.get_command(alone)


app = typer.Typer(
    name="honeyguide",
    cls=Commands,
    help="A focused web crawler: tell it a topic and a few seeds, and it brings back the pages about it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(lambda: None)


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
    if isinstance(error, PluginError) and error.log is None:  # it failed before there was a place for a log
        print(error.traceback, file=sys.stderr)
    print(f"honeyguide: {error}", file=sys.stderr)
    sys.exit(code)
