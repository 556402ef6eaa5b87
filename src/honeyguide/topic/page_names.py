"""Names of pages as users give them on a command line: also a folder of pages, or a list of URLs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from honeyguide.errors import InputError
from honeyguide.warc.packing import WARC_SUFFIXES

_PAGES = (".html", ".htm", ".xhtml", ".txt")
_LONGEST_LIST = 5_000_000  # bytes of a list of URLs


def expanded_names(names: Iterable[str]) -> list[str]:
    """The names of single pages, patterns and WARC files, as `read_examples` takes them.

    A folder stands for all pages in it, at any depth, in alphabetical order. A text file whose lines are all URLs
    stands for these; blank lines and those that begin with "#" are skipped. Raises `InputError` for a folder without
    pages.
    """
    found: list[str] = []
    for name in names:
        path = Path(name)
        if "://" not in name and path.is_dir():
            pages = sorted(str(file) for file in path.rglob("*") if _is_page(file))
            if not pages:
                raise InputError(name, "there are no pages in this folder", "name one with HTML, text or WARC files")
            found += pages
        else:
            found += _listed(path) or [name]
    return found


def _is_page(file: Path) -> bool:
    name = file.name.lower()
    return (name.removesuffix(".gz").endswith(_PAGES) or name.endswith(WARC_SUFFIXES)) and file.is_file()


def _listed(path: Path) -> list[str]:
    """The URLs in a text file; none if it is something else."""
    if path.suffix.lower() != ".txt" or not path.is_file() or path.stat().st_size > _LONGEST_LIST:
        return []
    lines = [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]
    urls = [line for line in lines if line and not line.startswith("#")]
    return urls if all(url.lower().startswith(("http://", "https://")) for url in urls) else []
