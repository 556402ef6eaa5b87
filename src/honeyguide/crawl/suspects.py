"""Reads pages in the process of the crawl, and records on disk which page is being read, in case that kills it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from typing_extensions import override

from honeyguide.crawl.readers import PageReaders, ReadError, checked
from honeyguide.crawl.worker_process import ReadingLimits
from honeyguide.crawl.worker_readers import WorkerReaders, read_alone
from honeyguide.errors import HoneyguideError, PluginError
from honeyguide.page.document import is_pdf
from honeyguide.strategy.reading import Document, ReaderConfig, Reading

FILE = ".reading"
"""In the folder of a crawl: the URLs of the page that is being read, and of pages during which the crawl died."""

_MOST_BYTES = 1 << 20
_SUSPECT, _CURRENT = b"suspect ", b"reading "


class CautiousReaders(PageReaders):
    """Reads in the process of the crawl, except pages that were being read when an earlier run died.

    Such a page may have killed it, and would do so again in every run. It is read in a separate process instead, with
    limits: if it is to blame, only it fails; if not, nothing is lost.

    PDFs are never read here either, because the native code that reads them may crash or hang: they are read by a
    worker process, which is started with the first PDF.
    """

    def __init__(self, here: PageReaders, config: ReaderConfig, folder: Path, limits: ReadingLimits) -> None:
        self._here = here
        self._config = config
        self._limits = limits
        self._note = _Note(folder / FILE)
        self._elsewhere: WorkerReaders | None = None

    @override
    async def start(self) -> None:
        await self._here.start()

    @override
    async def read(self, document: Document) -> Reading:
        if document.url in self._note.suspects:
            return await self._read_alone(document)
        if is_pdf(document.body, document.content_type):
            return await self._read_elsewhere(document)
        self._note.begin(document.url)
        try:
            return await self._here.read(document)
        finally:
            self._note.end()

    async def _read_alone(self, document: Document) -> Reading:
        try:
            result = await read_alone(self._config, document, self._limits)
        except HoneyguideError as error:  # for example if the model cannot be imported by another process
            raise ReadError("the crawl died while reading it, and no other process can read it") from error
        return checked(result)

    async def _read_elsewhere(self, document: Document) -> Reading:
        if self._elsewhere is None:
            self._elsewhere = WorkerReaders(self._config, 1, self._limits)
            await self._elsewhere.start()
        try:
            return await self._elsewhere.read(document)
        except (ReadError, PluginError):
            raise
        except HoneyguideError as error:  # as above
            raise ReadError(f"a PDF, which no other process can read: {error}") from error

    @override
    def adopt(self, config: ReaderConfig) -> None:
        self._config = config
        self._here.adopt(config)
        if self._elsewhere is not None:
            self._elsewhere.adopt(config)

    @override
    async def close(self) -> None:
        await self._here.close()
        if self._elsewhere is not None:
            await self._elsewhere.close()
        self._note.close()


class _Note:
    """The file with the suspects. It is not flushed to disk, since it matters if this process dies, not the system."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.suspects = _read(path)
        """The pages that were being read when a run died."""
        self._file = -1
        self._end = 0  # end of the lines of earlier suspects

    def begin(self, url: str) -> None:
        """Record that a page is being read. Raises `HoneyguideError` if the file cannot be written."""
        line = _CURRENT + url.encode("utf-8", "replace") + b"\n"
        try:
            if self._file < 0:
                self._open()
            # The rest of a longer previous line follows this one, and is ignored.
            os.pwrite(self._file, line, self._end)
        except OSError as error:
            raise HoneyguideError(f"{self._path}: cannot be written: {error.strerror}") from error

    def end(self) -> None:
        """Record that the page has been read, by invalidating its line."""
        with suppress(OSError):
            os.pwrite(self._file, b"-", self._end)

    def _open(self) -> None:
        """Rewrite the file, without following links."""
        lines = b"".join(_SUSPECT + url.encode("utf-8", "replace") + b"\n" for url in sorted(self.suspects))
        draft = self._path.with_name(f"{FILE}.{os.getpid()}")
        draft.unlink(missing_ok=True)
        self._file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.pwrite(self._file, lines, 0)
        draft.replace(self._path)
        self._end = len(lines)

    def close(self) -> None:
        """Remove this run's page at its regular end: only the suspects of earlier runs stay in the file."""
        if self._file >= 0:
            with suppress(OSError):
                os.truncate(self._file, self._end)
                if not self._end:
                    self._path.unlink()
            os.close(self._file)
            self._file = -1


def _read(path: Path) -> frozenset[str]:
    """The URLs in the file: the suspects, and the page that was being read. None if there is no file."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return frozenset()
    with os.fdopen(file, "rb") as stream:
        content = stream.read(_MOST_BYTES) or b""
    urls = set()
    for line in content.split(b"\n")[:-1]:
        kind, url = line[: len(_CURRENT)], line[len(_CURRENT) :]
        if kind in {_SUSPECT, _CURRENT}:
            urls.add(url.decode("utf-8", "replace"))
        if kind != _SUSPECT:
            break
    return frozenset(urls)
