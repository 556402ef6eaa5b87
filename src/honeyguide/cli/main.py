"""The ``honeyguide`` command: its subcommands, and how errors reach the user."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from honeyguide.cli.log import LogFile, LogOptions, Verbose, logged
from honeyguide.cli.output import say
from honeyguide.errors import HoneyguideError, InputError, PluginError
from honeyguide.version import VERSION

COMMANDS = {
    "demo": "Crawl the built-in web and write a report, or serve it. Needs no network.",
    "init": "Write a topic file with every setting explained.",
    "train": "Train the relevance model with the examples, cross-validate it, show its terms and store it for `crawl`.",
    "crawl": "Crawl a topic, given as a file or by --name, --seed and --keywords. Run it again to continue.",
    "watch": "Show a crawl in the browser, live while it runs: harvest, pages, hosts, waiting URLs and a map.",
    "tell": "Control a running crawl: pause, resume or stop it, block hosts, change its budget, seeds or keywords.",
    "label": "Label pages of a crawl as relevant or not, most informative ones first; every answer is saved at once.",
    "status": "Show whether a crawl is running, and its progress: pages, harvest, speed, failures, remaining budget.",
    "why": "Explain what happened to a URL: the path to it, the evidence for it, its links that were not followed.",
    "urls": "List the URLs of a crawl by state, each with the reason; without --state, count them.",
    "report": "Write report.html to the folder of a crawl: curves, sites, terms, pages to check, how to repeat it.",
    "export": "Write the relevant pages of a crawl to a file, or to several in a folder.",
    "changes": "List the pages of a crawl that are new, changed or deleted.",
    "repair": "Rebuild a damaged or lost crawl.sqlite from the archive of a crawl. Nothing is deleted.",
    "doctor": "Show what is installed, including extras; or check the integrity of a crawl.",
    "blocks": "Show the blocks of a page: write an HTML file with each block boxed and link contexts on hover.",
    "wordnet": "Find WordNet or download it (without root), and prepare it for the models that use it.",
    "strategies": "List the strategies with their sources, parts and parameters.",
    "models": "List the relevance models, including those of other packages.",
    "compare": "Compare strategies on a recorded web: which finds more, and whether that may be due to chance.",
    "judge": "Compute the metrics of `compare` for a list of fetched URLs, and print them as JSON.",
    "serve-web": "Serve all hosts of a recorded web behind an HTTP proxy on loopback; https pages as http.",
    "terms": "Propose genre and content terms from pages (URLs, files, folders, patterns, lists) or from a crawl.",
}
"""Each command with its first sentence: enough for ``--help``, which would take a second if it imported them all."""


class Commands(TyperGroup):
    """Imports a command when it is run."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is run, imported; the others are known by their names alone."""
        name, known, rest = super().resolve_command(ctx, args)
        return name, known and load_command(str(name)), rest


def load_command(name: str) -> Any:
    """The command with a name: the function of that name in its module.

    A command that reads its arguments in a way of its own names its class as ``COMMAND_CLASS``.
    """
    identifier = name.replace("-", "_")
    module = import_module(f"honeyguide.cli.{identifier}")
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    alone.command(name, cls=getattr(module, "COMMAND_CLASS", None))(logged(getattr(module, identifier)))
    return typer.main.get_command(alone)


app = typer.Typer(
    name="honeyguide",
    cls=Commands,
    help="A focused web crawler: give it a topic and a few seeds, and it finds the pages about that topic.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for _name, _help in COMMANDS.items():
    app.command(_name, help=_help)(lambda: None)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"honeyguide {VERSION}")
        raise typer.Exit


@app.callback()
def options(
    ctx: typer.Context,
    verbose: Verbose = 0,
    log_file: LogFile = None,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Options before the command."""
    ctx.obj = LogOptions(verbose, log_file)


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 failed, 2 wrong input, 130 stopped by Ctrl-C after a clean save."""
    try:
        app()
    except InputError as error:
        _fail(error, 2)
    except HoneyguideError as error:
        _fail(error, 1)
    except BrokenPipeError:  # the reader of our output has gone: nothing can be reported
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:  # a file or folder of the user's; --log-file has the traceback
        place = f"{error.filename}: " if error.filename else ""
        _fail(HoneyguideError(f"{place}{error.strerror or error}"), 1)
    except KeyboardInterrupt:
        sys.exit(130)


def _fail(error: HoneyguideError, code: int) -> None:
    if isinstance(error, PluginError) and error.log is None:  # it failed before there was a place for a log
        say(error.traceback, file=sys.stderr)
    say(f"honeyguide: {error}".replace("\n", " "), file=sys.stderr)
    sys.exit(code)
