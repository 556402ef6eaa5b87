"""Comparing strategies from Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from honeyguide.lab.cases import Split
from honeyguide.lab.comparison import Progress, run_comparison
from honeyguide.lab.plan import Plan
from honeyguide.lab.results import ComparisonResult
from honeyguide.settings import AUTO


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
    unlabelled: int = 0,
    repeats: int = 1,
    seed: int = 0,
    model: str = "fields",
    judge: str = "labels",
    connections: int = 1,
    haste: float = 0.5,
    start_at_examples: str = AUTO,
    answers: Iterable[int] = (),
    questions: str | Iterable[str] = "ours",
    wrong: float = 0.0,
    jobs: int = 1,
    out: str | Path | None = None,
    progress: Progress = lambda _what, _done, _all: None,
) -> ComparisonResult:
    """Compare strategies on a recorded web, as `honeyguide compare` does.

    Only finished trials are written, unless `ComparisonResult.write` is called. If a strategy or a model raises an
    exception, `ComparisonResult.failures` has it with its traceback, and the others are still compared.

    Args:
        web: The recorded web: WARC or WACZ files, folders of crawls, ``DIR=http://host/``, ``demo:PAGES`` or
            ``demo-lists:PAGES``; one or several.
        topics: What to look for: labels, prefixes of labels, or topic files; one or several.
        labels: A file with one URL, a tab and a label per line. The demo web needs none: its pages have labels such as
            ``subject.beekeeping``.
        strategies: ``NAME`` or ``NAME:MODEL``, ``oracle`` or ``all``; one or several.
        pages: Pages to fetch per trial: a number, or ``"x2"`` for twice the size of the topic.
        seeds: Number of relevant pages to start from.
        seed_urls: URLs to start from instead.
        examples: Number of relevant pages to train the model with.
        unlabelled: Number of pages to take out of the web for models that learn from positive and unlabelled examples;
            0 to let them learn from the pages of the crawl, as in a live crawl.
        repeats: Number of random samples of seeds and examples.
        seed: Seed of the random number generator.
        model: Relevance model that guides the crawl, for strategies that do not name one.
        judge: What decides which pages are relevant: ``"labels"``, ``"closure"``, or a model such as ``"vsm:0.2"``.
        connections: 1 to fetch strictly by priority; more to fetch as in a live crawl, where hosts take turns.
        haste: With several connections, from 0 (wait for the best pages, wherever they are) to 1 (never wait), as
            ``budget.haste``.
        start_at_examples: Whether crawls also start at the positive examples: ``"always"``, ``"never"``, or ``"auto"``
            for the strategies that do so by default, as ``strategy.start_at_examples``.
        answers: Numbers of questions answered during a crawl by a teacher who knows which pages are relevant. Each
            strategy runs once with each number; 0 is a crawl without a teacher.
        questions: How the questions are chosen: ``"ours"``, ``"uncertain"``, ``"random"``; one or several.
        wrong: The share of wrong answers.
        jobs: Number of processes. With more than one, the call must be guarded by ``if __name__ == "__main__":``.
        out: A folder for finished trials; a later call with the same folder does not run them again.
        progress: Called with what is being done, the number of steps done, and their total.

    Returns:
        The results of all trials that did not fail, and the failures.

    Raises:
        InputError: An argument is wrong, or a file cannot be read.
        PluginError: The model used as judge failed.
    """
    split = Split(seeds, tuple(seed_urls), examples, str(pages), seed, unlabelled)
    plan = Plan(
        _several(web),
        str(labels),
        _several(topics),
        _several(strategies),
        split,
        repeats,
        model,
        judge,
        connections,
        haste,
        start_at_examples,
        answers=tuple(answers),
        questions=_several(questions),
        wrong=wrong,
    )
    folder = None if out is None else Path(out)
    return run_comparison(plan, folder, command="honeyguide.compare(...)", jobs=jobs, progress=progress)


def _several(values: str | Path | Iterable[str | Path]) -> tuple[str, ...]:
    return (str(values),) if isinstance(values, str | Path) else tuple(map(str, values))
