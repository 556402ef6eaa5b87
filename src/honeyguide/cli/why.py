"""``honeyguide why``: the way to a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.crawl.reasons import reasons
from honeyguide.store.crawl import Crawl
from honeyguide.store.why import Step, way_to

_TELLING = 0.005  # of a promise: less is not worth a line


def why(
    crawl: Annotated[Path, typer.Argument(help="Folder of a crawl, like crawls/NAME.")],
    url: Annotated[str, typer.Argument(help="A URL that the crawl has met.")],
) -> None:
    """Show the way from a seed to a page, with every score on it, and what spoke for it."""
    with Crawl.open(crawl) as opened:
        for place, step in enumerate(way_to(opened, url)):
            print(f"{_led_here(place, step):>10}  promised {step.priority:.3f}  {_came_to(step)}  {step.url}")
        parts = [(name, part) for name, part in reasons(opened, url) if abs(part) >= _TELLING]
        if parts:
            print("\nWhat spoke for it (+) and against it (-), compared with other pages:")
        for name, part in parts:
            print(f"{part:+10.3f}  {name}")


def _led_here(place: int, step: Step) -> str:
    if place == 0:
        return "seed"
    return "redirect" if step.redirected else "link"


def _came_to(step: Step) -> str:
    if step.relevance is None:
        return f"{step.state.name.lower().replace('_', ' '):<15}"
    return f"relevance {step.relevance:.3f}"
