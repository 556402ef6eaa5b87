"""A folder of HTML files as the pages under an address."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from urllib.parse import quote

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Response
from honeyguide.fetch.body import whole_body
from honeyguide.fetch.settings import FetchSettings
from honeyguide.page.url import UrlRules

_HTML = (".html", ".htm", ".xhtml")
_INDEX = ("index.html", "index.htm", "index.xhtml")
_TYPE = ("Content-Type", "text/html")
_MAX_BODY = FetchSettings().max_body


class FolderWeb:
    """Each ``.html``, ``.htm`` and ``.xhtml`` file is a page; a folder with an index page redirects to it.

    The folder is listed when the web is opened; files are read on demand. The digest covers the names, sizes and
    modification times of the files.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, folder: Path, prefix: str, rules: UrlRules) -> None:
        """Raises `InputError` when the folder is missing or has no pages, or the address is invalid."""
        base = rules.canonical(prefix)
        if base is None or "?" in base:
            raise InputError(prefix, "is not a valid URL prefix for pages", "write it like http://host/prefix/")
        if not folder.is_dir():
            raise InputError(str(folder), "there is no such folder", "check its name")
        base = base if base.endswith("/") else f"{base}/"
        self.name = f"{folder.name} as {base}"
        self._pages: dict[str, Path] = {}
        self._redirects: dict[str, str] = {}
        content = blake2b(base.encode(), digest_size=16)
        for path in _html_files(folder):
            place = path.relative_to(folder).as_posix()
            url = rules.canonical(base + quote(os.fsencode(place)))
            if url is None or url in self._pages:  # sessions and tracking dropped, two names may be one
                continue
            self._pages[url] = path
            about = path.stat()
            content.update(f"{url} {about.st_size} {about.st_mtime_ns}\n".encode())
            if path.name.lower() in _INDEX:
                self._redirects.setdefault(url[: url.rfind("/") + 1], url)
        if not self._pages:
            raise InputError(str(folder), "holds no HTML file", f"files of pages end in {', '.join(_HTML)}")
        self.digest = content.hexdigest()

    def __len__(self) -> int:
        return len(self._pages) + len(self._redirects)

    def __contains__(self, url: str) -> bool:
        return url in self._pages or url in self._redirects

    def urls(self) -> Iterator[str]:
        """In the order of the files' names, then the folders with an index page."""
        yield from self._pages
        yield from self._redirects

    def response(self, url: str) -> Response | None:
        """A page, or the redirect of a folder to its index page. Raises `HoneyguideError` for a file that is gone."""
        if target := self._redirects.get(url):
            return Response(url, 301, "Moved Permanently", (("Location", target),), b"", b"", ())
        path = self._pages.get(url)
        if path is None:
            return None
        try:
            raw = path.read_bytes()
        except OSError as error:
            raise HoneyguideError(f"{path}: cannot be read: {error.strerror or error}") from None
        body = whole_body(raw, "", _MAX_BODY, text=True)
        headers = (_TYPE, ("Content-Length", str(len(raw))))
        return Response(url, 200, "OK", headers, body.body, body.raw, (), truncated=body.truncated)


def _html_files(folder: Path) -> Iterator[Path]:
    """The files, sorted by name, folder by folder. Links to folders are not followed, since they may form cycles."""
    for top, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(top, name)
            if name.lower().endswith(_HTML) and path.is_file():
                yield path
