"""Crawling from Python: `honeyguide.crawl`.

Imported with the package, so it imports what it needs when it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from honeyguide.crawl.crawling import Crawling
    from honeyguide.crawl.recorder import Fetched
    from honeyguide.crawl.session import Session
    from honeyguide.crawl.trained import Examples
    from honeyguide.fetch.base import Fetcher
    from honeyguide.relevance.base import Relevance
    from honeyguide.topic import Topic


def crawl(
    topic: Topic | str | Path,
    *,
    out: str | Path = "crawls",
    workers: int = 0,
    all_pages: bool = False,
    fetcher: Callable[[], Fetcher] | None = None,
    **settings: Any,
) -> Crawling:
    """Crawl a topic (or a topic file) into ``OUT/NAME``: start, or go on where it stopped.

    `settings` change single settings, as ``budget={"pages": 500}``. The defaults and the errors are those of the
    command line. Wrong input raises `InputError`: here, or with the first page if it shows only then (a proxy that is
    none, seeds that cannot be reached). Nothing of such a crawl stays on disk. A topic with examples is crawled with
    the model that `honeyguide train` left beside its file; without one, the examples are read and learnt from here.
    """
    from honeyguide.crawl.crawling import Crawling  # noqa: PLC0415 (these take a second)
    from honeyguide.crawl.session import Session  # noqa: PLC0415
    from honeyguide.crawl.trained import Places, ready_model  # noqa: PLC0415
    from honeyguide.relevance.saved import FOLDER  # noqa: PLC0415
    from honeyguide.topic import Topic  # noqa: PLC0415

    wanted = topic if isinstance(topic, Topic) else Topic.load(topic)
    if settings:
        wanted = wanted.with_settings(**settings)
    folder = Path(out) / wanted.name
    model = None
    if not (folder / FOLDER).is_dir():  # else it goes on with the model it has
        places = Places.beside(folder if isinstance(topic, Topic) else Path(topic))
        model = ready_model(wanted, places, _fit, fetcher=fetcher)

    def session(on_page: Callable[[Fetched], None]) -> Session:
        return Session(wanted, folder, model=model, workers=workers, fetcher=fetcher, on_page=on_page)

    session(lambda _: None)
    return Crawling(session, all_pages=all_pages)


def _fit(examples: Examples) -> Relevance:
    from honeyguide.relevance.training import train  # noqa: PLC0415 (scikit-learn takes a second)

    return train(examples.material).model
