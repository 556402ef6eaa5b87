"""``honeyguide crawl``: start a crawl, or continue it where it stopped."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli.complete import model_names, strategy_names
from honeyguide.cli.run import run, run_on_cluster, summarise
from honeyguide.cli.train import fit
from honeyguide.crawl.again.revisits import RevisitOptions
from honeyguide.crawl.model_store import ModelPaths, ready_model
from honeyguide.crawl.session import Session
from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.store.connection import TOPIC
from honeyguide.store.folder import CrawlFolder
from honeyguide.store.metrics import metrics_server
from honeyguide.store.shards import FILE as CLUSTER
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
    name: Annotated[str | None, typer.Option(help="Name of the crawl, which is stored in OUT/NAME.")] = None,
    seed: Annotated[
        list[str] | None, typer.Option(help="URL to start from: of a page, a sitemap or a feed; repeatable.")
    ] = None,
    keywords: Annotated[str | None, typer.Option(help="Keywords of the topic, comma-separated.")] = None,
    description: Annotated[str | None, typer.Option(help="Description of the topic, in a sentence.")] = None,
    pages: Annotated[int | None, typer.Option(help="Fetch at most this many pages, in all runs together.")] = None,
    relevant: Annotated[int | None, typer.Option(help="Stop after this many relevant pages, in all runs.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Stop this run after this many minutes.")] = None,
    strategy: Annotated[
        str | None,
        typer.Option(help="Strategy that orders the URLs (see: honeyguide strategies).", autocompletion=strategy_names),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Relevance model that scores pages (see: honeyguide models).", autocompletion=model_names),
    ] = None,
    threshold: Annotated[float | None, typer.Option(help="Lowest score of a relevant page.")] = None,
    contact: Annotated[
        str | None, typer.Option(help="Contact address for site owners, sent with every request.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for crawls.")] = Path("crawls"),
    workers: Annotated[
        int,
        typer.Option(
            help="Processes that parse and score pages; 0 = in the main process, without limits.", min=0, max=64
        ),
    ] = 1,
    watch: Annotated[
        bool, typer.Option("--watch", help="Show the crawl in the browser while it runs (see: honeyguide watch).")
    ] = False,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="PLACE", help="Crawl on several machines with Ray: local:4, auto or ray://HOST:PORT."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Revisit pages that may have changed, and follow their new links.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Do not show progress.")] = False,
    metrics: Annotated[
        str | None,
        typer.Option(metavar="[HOST:]PORT", help="Serve Prometheus metrics; without HOST, on loopback only."),
    ] = None,
) -> None:
    """Crawl a topic, given as a file or by --name, --seed and --keywords. Run it again to continue."""
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
    options = RevisitOptions() if again else None
    if cluster is not None:
        _crawl_on_cluster(
            wanted, out, cluster, options, workers=workers, quiet=quiet, watch=watch, metrics=metrics, path=topic
        )
        return
    folder = out / wanted.name
    if (folder / CLUSTER).is_file():
        _gather(folder, wanted)
    wanted = CrawlFolder(folder, wanted).topic  # refuses a folder that will not do before a model is trained for it
    if again and not (folder / TOPIC).is_file():
        raise InputError("--again", f"there is no crawl in {folder} yet", "run it without --again first")
    places = ModelPaths.beside(topic or folder)
    fitted = _fitted(wanted, folder, places, quiet=quiet)
    session = Session(wanted, folder, model=fitted, workers=workers, examples=places.texts, again=options)
    with metrics_server(folder, metrics) if metrics is not None else nullcontext():
        result = run(session, quiet=quiet, watch=watch)
    summarise(result)


def _crawl_on_cluster(
    wanted: Topic,
    out: Path,
    place: str,
    again: RevisitOptions | None,
    *,
    workers: int,
    quiet: bool,
    watch: bool,
    metrics: str | None,
    path: Path | None,
) -> None:
    from honeyguide.cluster.drive import ClusterSession, Place  # noqa: PLC0415 (for this option only)

    where = Place.parse(place)
    folder = Path(wanted.cluster.storage or out) / wanted.name
    places = ModelPaths.beside(path or folder)
    fitted = _fitted(wanted, folder, places, quiet=quiet)
    session = ClusterSession(wanted, folder, where, model=fitted, workers=workers, examples=places.texts, again=again)
    with metrics_server(folder, metrics) if metrics is not None else nullcontext():
        result = run_on_cluster(session, quiet=quiet, watch=watch)
    summarise(result)


def _fitted(wanted: Topic, folder: Path, places: ModelPaths, *, quiet: bool) -> Relevance | None:
    """The trained model of a topic that needs one."""
    return ready_model(
        wanted,
        folder,
        places,
        lambda examples: fit(examples, quiet=quiet).model,
        run=lambda session: run(session, quiet=quiet),
    )


def _gather(folder: Path, wanted: Topic) -> None:
    """Continue a crawl of several machines on this one."""
    from honeyguide.cluster.move import prepare  # noqa: PLC0415 (for such a crawl only)

    prepare(folder, CrawlFolder(folder, wanted).topic, 0)


def _topic(path: Path | None, subject: dict[str, Any], out: Path) -> Topic:
    """The topic from the file or from the options; if only a name is given, that of the crawl with this name."""
    if path is not None:
        return Topic.load(path)
    if "name" not in subject:
        raise InputError("crawl", "no topic given", "give a topic file, or --name, --seed and --keywords")
    kept = out / subject["name"] / TOPIC
    if "seeds" not in subject and kept.is_file():
        return Topic.load(kept)
    if "seeds" not in subject:
        raise InputError("--seed", "no seeds given", "add --seed URL, once or more")
    return Topic.make(place=_place, **subject)


def _only_given(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _place(key: Key) -> str:
    """The option of the command line that gives a setting."""
    if len(key) == 2 and key[0] == "seeds":
        return f"--seed {int(key[1]) + 1}"
    return _OPTIONS.get(tuple(str(part) for part in key), dotted(key))
