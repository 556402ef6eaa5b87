"""Comparing strategies from Python."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from honeyguide.lab.cases import Split
from honeyguide.lab.comparison import ComparisonResult, Progress
from honeyguide.lab.comparison import compare as run
from honeyguide.lab.plan import Plan


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
    """Replay strategies on a recorded web: what `honeyguide compare` does, with the same meanings and the same errors.

    With `out` the finished trials are kept there, and a second call goes on with them; nothing else is written unless
    `ComparisonResult.write` is called. With several `jobs` the call must stand under ``if __name__ == "__main__":``.
    """
    split = Split(seeds, tuple(seed_urls), examples, str(pages), seed)
    plan = Plan(
        _several(web), str(labels), _several(topics), _several(strategies), split, repeats, model, judge, connections
    )
    if out is not None:
        return run(plan, Path(out), command="honeyguide.compare(...)", jobs=jobs, progress=progress)
    with TemporaryDirectory() as folder:
        return run(plan, Path(folder), command="honeyguide.compare(...)", jobs=jobs, progress=progress)


def _several(values: str | Path | Iterable[str | Path]) -> tuple[str, ...]:
    return (str(values),) if isinstance(values, str | Path) else tuple(map(str, values))
