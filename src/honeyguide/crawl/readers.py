"""Reading pages: the interface, and its simplest implementation, which reads in the process of the crawl."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from typing_extensions import override

from honeyguide.errors import HoneyguideError, PluginError
from honeyguide.page.unreadable import UnreadableError
from honeyguide.relevance.base import Relevance
from honeyguide.strategy.reading import Document, Reader, ReaderConfig, Reading, UrlSet

if TYPE_CHECKING:
    from honeyguide.topic import Topic

_log = logging.getLogger("honeyguide.crawl")


class ReadError(HoneyguideError):
    """A document could not be read, because it is damaged or because of a fault of honeyguide. Only this page fails."""


class OutOfMemoryError(ReadError):
    """A document could not be read with the available memory."""


def reader_config(topic: Topic, model: Relevance) -> ReaderConfig:
    """The configuration for reading the pages of a topic."""
    from honeyguide.crawl.seeds import starting_examples  # noqa: PLC0415 (a worker needs none of it)

    return ReaderConfig(
        model=model,
        strategy=topic.strategy.name,
        urls=topic.urls,
        scope=topic.scope,
        language=topic.language,
        obeys_robots=topic.fetch.robots,
        agent=topic.fetch.agent,
        examples=topic.example_urls(),
        starting_examples=frozenset(starting_examples(topic)),
        model_name=topic.relevance.model,
    )


class PageReaders(Protocol):
    """Turns documents into readings."""

    async def start(self) -> None:
        """Prepare to read. Called once, first."""
        ...

    async def read(self, document: Document) -> Reading:
        """Read one document. Raises `ReadError` if it cannot be read, `PluginError` if model or strategy fails."""
        ...

    def adopt(self, config: ReaderConfig) -> None:
        """Use another configuration for all later calls of `read`."""
        ...

    async def close(self) -> None:
        """Release all resources. Called once, last."""
        ...


ReadResult = Reading | ReadError | PluginError
"""A reading, or an error: of this document alone, or of the strategy or the model."""


def read_or_error(reader: Reader, document: Document) -> ReadResult:
    """Read a document. Errors are returned, not raised."""
    try:
        return reader.read(document)
    except PluginError as error:
        return error
    except UnreadableError as error:
        return ReadError(str(error))
    except MemoryError:  # not logged: the frames of its traceback may hold all available memory
        return OutOfMemoryError("needs too much memory to read")
    except Exception as error:  # noqa: BLE001 (no content of a page may end a crawl)
        _log.debug(
            "cannot be read: %s", document.url, exc_info=True, extra={"event": "unreadable", "url": document.url}
        )
        return ReadError(f"{type(error).__name__}: {error}")


def checked(result: ReadResult) -> Reading:
    """Return a reading; raise an error."""
    if isinstance(result, Reading):
        return result
    raise result


class InProcessReaders(PageReaders):
    """Reads in the process of the crawl."""

    def __init__(self, config: ReaderConfig, within: UrlSet | None = None) -> None:
        self._within = within
        self.adopt(config)

    @override
    async def start(self) -> None:
        pass

    @override
    async def read(self, document: Document) -> Reading:
        return checked(read_or_error(self._reader, document))

    @override
    def adopt(self, config: ReaderConfig) -> None:
        self._reader = Reader(config, within=self._within)

    @override
    async def close(self) -> None:
        pass
