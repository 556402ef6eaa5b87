"""Crawling from Python: `honeyguide.crawl`.

Imported with the package, so it imports what it needs when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from honeyguide.crawl.crawling import Crawling
    from honeyguide.fetch.base import Fetcher
    from honeyguide.relevance.base import Relevance
    from honeyguide.relevance.spec import ModelSpec
    from honeyguide.topic import Topic


def crawl(
    topic: Topic | str | Path,
    *,
    out: str | Path = "crawls",
    workers: int = 0,
    all_pages: bool = False,
    model: str | ModelSpec | type | Relevance | None = None,
    fetcher: Callable[[], Fetcher] | None = None,
    **settings: Any,
) -> Crawling:
    """Crawl a topic (or a topic file) into ``OUT/NAME``: start, or go on where it stopped.

    `settings` change single settings, as ``budget={"pages": 500}``. The defaults and the errors are those of the
    command line. Wrong input raises `InputError`: here, or with the first page if it shows only then (a proxy that is
    none, seeds that cannot be reached). Nothing of such a crawl stays on disk. A topic with examples is crawled with
    the model that `honeyguide train` left beside its file; without one, the examples are read and learnt from here.

    `model` scores the pages in place of what the topic says: the name or the path of a model, which is the same as
    ``relevance={"model": ...}``; a `ModelSpec`, or a class with a class method ``fit(material, threshold)``, which is
    fitted here; or a model that is fitted. A crawl that goes on keeps the model that it began with.
    """
    from honeyguide.crawl.crawling import start  # noqa: PLC0415 (takes a second)

    return start(topic, Path(out), settings, workers=workers, all_pages=all_pages, model=model, fetcher=fetcher)
