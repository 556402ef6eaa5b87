"""``honeyguide why``: show how the crawl got to a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli.output import say
from honeyguide.crawl.explain import explain_url
from honeyguide.store.crawl import Crawl
from honeyguide.store.why import PathStep, path_to

_TELLING = 0.005  # of a promised score: less is not worth a line


def why(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
    url: Annotated[str, typer.Argument(help="A URL that the crawl has found.")],
) -> None:
    """Show the path from a seed to a page, with all scores, and the evidence for it."""
    with Crawl.open(crawl) as opened:
        for place, step in enumerate(path_to(opened, url)):
            say(f"{_kind(place, step):>10}  promised {step.priority:.3f}  {_result(step)}  {step.url}")
        parts = [(name, part) for name, part in explain_url(opened, url) if abs(part) >= _TELLING]
        if parts:
            say("\nEvidence for it (+) and against it (-), compared with other pages:")
        for name, part in parts:
            say(f"{part:+10.3f}  {name}")


def _kind(place: int, step: PathStep) -> str:
    if place == 0:
        return "seed"
    return "redirect" if step.redirected else "link"


def _result(step: PathStep) -> str:
    if step.relevance is None:
        return f"{step.state.name.lower().replace('_', ' '):<15}"
    return f"relevance {step.relevance:.3f}"
