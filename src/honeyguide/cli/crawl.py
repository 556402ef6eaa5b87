"""``honeyguide crawl``: start, or go on where it stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli.run import run, summarise
from honeyguide.cli.train import fit
from honeyguide.crawl.session import Session
from honeyguide.crawl.trained import Places, ready_model
from honeyguide.errors import InputError
from honeyguide.relevance.saved import FOLDER
from honeyguide.store.folder import TOPIC
from honeyguide.topic import Key, Topic, dotted

_OPTIONS = {
    ("name",): "--name",
    ("keywords",): "--keywords",
    ("description",): "--description",
    ("seeds",): "--seed",
    ("budget", "pages"): "--pages",
    ("budget", "relevant"): "--relevant",
    ("budget", "minutes"): "--minutes",
    ("strategy", "name"): "--strategy",
    ("relevance", "model"): "--model",
    ("relevance", "threshold"): "--threshold",
    ("fetch", "contact"): "--contact",
}


def crawl(
    topic: Annotated[Path | None, typer.Argument(help="Topic file (see: honeyguide init).", show_default=False)] = None,
    name: Annotated[str | None, typer.Option(help="Name of the crawl; its folder is OUT/NAME.")] = None,
    seed: Annotated[list[str] | None, typer.Option(help="Where to start; may be repeated.")] = None,
    keywords: Annotated[str | None, typer.Option(help="What it is about, comma-separated.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is about, in a sentence.")] = None,
    pages: Annotated[int | None, typer.Option(help="Fetch at most this many pages.")] = None,
    relevant: Annotated[int | None, typer.Option(help="Stop after this many relevant pages.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Stop after this many minutes.")] = None,
    strategy: Annotated[str | None, typer.Option(help="What decides where to go next.")] = None,
    model: Annotated[str | None, typer.Option(help="What scores a page: NAME, or package.module:Model.")] = None,
    threshold: Annotated[float | None, typer.Option(help="Score from which a page is relevant.")] = None,
    contact: Annotated[str | None, typer.Option(help="Address for site owners, sent with every request.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for crawls.")] = Path("crawls"),
    workers: Annotated[int, typer.Option(help="Processes that read pages; 0 = this one.", min=0, max=64)] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Crawl a topic: from a topic file, or from --name, --seed and --keywords. Run again, it goes on."""
    given: dict[str, dict[str, Any]] = {
        "budget": {"pages": pages, "relevant": relevant, "minutes": minutes},
        "strategy": {"name": strategy},
        "relevance": {"model": model, "threshold": threshold},
        "fetch": {"contact": contact},
    }
    tables = {table: chosen for table, values in given.items() if (chosen := _only_given(values))}
    subject = _only_given({"name": name, "seeds": seed, "keywords": keywords, "description": description})
    wanted = _topic(topic, subject, out)
    if tables or subject:
        wanted = wanted.with_settings(place=_place, **subject, **tables)
    folder = out / wanted.name
    fitted = None
    if not (folder / FOLDER).is_dir():  # else it goes on with the model it has
        fitted = ready_model(
            wanted,
            Places.beside(topic or folder),
            lambda examples: fit(examples, quiet=quiet).model,
            run=lambda session: run(session, quiet=quiet),
        )
    summarise(run(Session(wanted, folder, model=fitted, workers=workers), quiet=quiet))


def _topic(path: Path | None, subject: dict[str, Any], out: Path) -> Topic:
    """From the file; or from the options; or, given a name alone, from the crawl that has it."""
    if path is not None:
        return Topic.load(path)
    if "name" not in subject:
        raise InputError("crawl", "no topic", "give a topic file, or --name, --seed and --keywords")
    kept = out / subject["name"] / TOPIC
    if "seeds" not in subject and kept.is_file():
        return Topic.load(kept)
    if "seeds" not in subject:
        raise InputError("--seed", "no seeds", "say where to start: --seed URL, once or more")
    return Topic.make(place=_place, **subject)


def _only_given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _place(key: Key) -> str:
    """Where on the command line a setting stands."""
    if len(key) == 2 and key[0] == "seeds":
        return f"--seed {int(key[1]) + 1}"
    return _OPTIONS.get(tuple(str(part) for part in key), dotted(key))
