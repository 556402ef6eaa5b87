"""Crawling from Python: `honeyguide.crawl`.

This module is imported with the package, so it defers its own imports until it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from honeyguide.crawl.crawling import Crawling
    from honeyguide.crawl.pacing import MakePacing
    from honeyguide.fetch.base import Fetcher
    from honeyguide.relevance.base import Relevance
    from honeyguide.relevance.spec import ModelSpec
    from honeyguide.topic import Topic


def crawl(
    topic: Topic | str | Path,
    *,
    out: str | Path = "crawls",
    workers: int = 1,
    all_pages: bool = False,
    again: bool = False,
    model: str | ModelSpec | type | Relevance | None = None,
    fetcher: Callable[[], Fetcher] | None = None,
    pacing: MakePacing | None = None,
    **settings: Any,
) -> Crawling:
    """Crawl a topic into the folder ``OUT/NAME``: start, or continue where the last run stopped.

    Nothing is fetched before the first page is requested from the result. The defaults are those of the command line.
    If the input is wrong, nothing is left on disk.

    Args:
        topic: The topic, or the path of a topic file.
        out: The folder that contains the folders of crawls.
        workers: Number of processes that parse and score pages, so that no page can harm the crawl: one that crashes
            its process, takes longer than 10 s or needs more than 1 GiB only fails itself. 0 to read in this
            process, without these limits.
        all_pages: Yield all pages, instead of only the relevant ones without duplicates.
        again: Revisit pages that may have changed, as ``honeyguide crawl --again`` does. Changed pages are yielded
            like new ones.
        model: The model to use instead of the one named in the topic: the name or the path of a model, as for
            ``relevance={"model": ...}``; a `ModelSpec`, or a class with a class method ``fit(material, threshold)``,
            which is trained here; or a trained model. By default, a topic with examples is crawled with the model that
            `honeyguide train` stored next to its file; if there is none, a model is trained here. A crawl that is
            continued with another trained model, or with other settings of the model, first rescores its stored
            pages, without fetching anything. A class or a `ModelSpec` is not trained again if these settings are
            the same.
        fetcher: Called inside the event loop to create the `Fetcher`; by default, pages are fetched from the live web.
        pacing: Creates the object that decides when hosts may be contacted again: a class like
            `honeyguide.crawl.pacing.StandardPacing`, which is the default.
        **settings: Settings to change, as for `Topic.with_settings`: ``budget={"pages": 500}``.

    Returns:
        The crawl, to be iterated over with ``for`` or ``async for``.

    Raises:
        InputError: The input is wrong. Errors that only fetching can reveal (seeds that cannot be reached) are raised
            when the first page is requested.
    """
    from honeyguide.crawl.crawling import start  # noqa: PLC0415 (takes a second)

    return start(
        topic,
        Path(out),
        settings,
        workers=workers,
        all_pages=all_pages,
        again=again,
        model=model,
        fetcher=fetcher,
        pacing=pacing,
    )
