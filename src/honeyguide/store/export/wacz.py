"""Pages of a crawl as WACZ: a WARC file with an index of its records and a list of pages, for replay."""

from __future__ import annotations

import io
import json
import shutil
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from honeyguide.errors import HoneyguideError, one_line
from honeyguide.store.export.selection import ExportSelection
from honeyguide.store.export.warc import write_warc

_NAMED_OTHERWISE = frozenset({"url", "title", "fetched"})


def write_wacz(selection: ExportSelection, out: BinaryIO) -> int:
    """Write one WACZ file, with the WARC file of `write_warc`. Returns the number of pages.

    The file is put together by the package wacz, in a folder beside, which needs the space of two such files.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its requirements warn of themselves
        create: Any = import_module("wacz.main").main
    total = selection.count()
    with selection.scratch() as folder:
        warc, pages, made = folder / "pages.warc.gz", folder / "pages.jsonl", folder / "made.wacz"
        archiving = replace(selection, progress=lambda done, of: selection.progress(total * done // of, 2 * total))
        with warc.open("wb") as file:
            written = write_warc(archiving, file)
        listing = replace(selection, progress=lambda done, _: selection.progress(total + done, 2 * total))
        _write_pages(listing, pages)
        arguments = ["create", f"--output={made}", f"--title={selection.crawl.topic.name}"]
        _run(create, [*arguments, f"--pages={pages}", "--copy-pages", str(warc)])
        warc.unlink()
        with made.open("rb") as file:
            shutil.copyfileobj(file, out)
    return written


def _run(command: Callable[[list[str]], int], arguments: list[str]) -> None:
    """Run a command of the package, which prints what it does, and why it fails."""
    said = io.StringIO()
    try:
        with redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            failed = command(arguments)
    except (RuntimeError, ValueError) as error:  # of zipfile, for an index of more than 2 GiB
        raise HoneyguideError(f"wacz: {one_line(error)}; export fewer pages, or several files with --shard") from error
    if failed:
        raise HoneyguideError(f"wacz: {said.getvalue().strip().rpartition(chr(10))[2]}")


def _write_pages(selection: ExportSelection, path: Path) -> None:
    """Write the list of pages: JSON lines with what the format asks for, and the other fields of the export."""
    has_text = "text" in selection.options.fields
    with path.open("wb") as file:
        head = {"format": "json-pages-1.0", "id": "pages", "title": "Pages", "hasText": has_text}
        file.write(json.dumps(head).encode() + b"\n")
        needed = tuple(dict.fromkeys((*("url", "title", "fetched"), *selection.options.fields)))
        listed = replace(selection, options=replace(selection.options, fields=needed))
        for number, record in enumerate(listed.records()):
            page = {"id": f"{number}", "url": record["url"], "ts": record["fetched"], "title": record["title"]}
            page |= {name: record[name] for name in selection.options.fields if name not in _NAMED_OTHERWISE}
            file.write(json.dumps(page, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
