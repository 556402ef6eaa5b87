"""Comparing strategies from Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from honeyguide.lab.cases import Split
from honeyguide.lab.comparison import Progress, run_comparison
from honeyguide.lab.plan import Plan
from honeyguide.lab.results import ComparisonResult


def compare(
    *,
    web: str | Path | Iterable[str | Path],
    topics: str | Iterable[str],
    labels: str | Path = "",
    strategies: str | Iterable[str] = "all",
    pages: str | int = 1000,
    seeds: int = 5,
    seed_urls: Iterable[str] = (),
    examples: int = 30,
    repeats: int = 1,
    seed: int = 0,
    model: str = "fields",
    judge: str = "labels",
    connections: int = 1,
    jobs: int = 1,
    out: str | Path | None = None,
    progress: Progress = lambda _what, _done, _all: None,
) -> ComparisonResult:
    """Replay strategies on a recorded web, as `honeyguide compare` does.

    A strategy or a model that raises fails by itself: `ComparisonResult.failures` has it with its traceback, and the
    other strategies are compared.

    Args:
        web: A recorded web, or several that make one: WARC files, crawl folders, WACZ files, ``DIR=http://host/prefix/``
            or ``demo:PAGES``.
        topics: Labels, prefixes of labels, or topic files.
        labels: A file of lines of URL, tab and label.
        strategies: Names, ``NAME:MODEL``, "oracle" or "all".
        pages: The budget of a crawl; ``"x2"`` is twice the number of the topic's pages.
        seeds: The number of pages of the topic to start from.
        seed_urls: Where to start instead.
        examples: The number of pages of the topic to learn from.
        repeats: The number of random choices of seeds and examples.
        seed: The number that decides all random choices.
        model: The relevance model that steers, for strategies that name none.
        judge: Who says which pages are relevant: "labels", "closure", or a model with or without a threshold.
        connections: 1 to fetch strictly by priority; more to fetch as a live crawl does.
        jobs: The number of processes. With several, the call must stand under ``if __name__ == "__main__":``.
        out: A folder to store finished trials in, for a later call to go on with; None to store nothing.
        progress: Called with what is being done, how much of it is done, and how much there is.

    Returns:
        The results. Nothing else is written unless `ComparisonResult.write` is called.

    Raises:
        InputError: Something that was asked for is wrong.
        PluginError: The judge, being a model, failed.
    """
    split = Split(seeds, tuple(seed_urls), examples, str(pages), seed)
    plan = Plan(
        _several(web), str(labels), _several(topics), _several(strategies), split, repeats, model, judge, connections
    )
    folder = None if out is None else Path(out)
    return run_comparison(plan, folder, command="honeyguide.compare(...)", jobs=jobs, progress=progress)


def _several(values: str | Path | Iterable[str | Path]) -> tuple[str, ...]:
    return (str(values),) if isinstance(values, str | Path) else tuple(map(str, values))
