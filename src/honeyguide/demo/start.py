"""Writes the files that a user needs to crawl the served demo web."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from honeyguide.atomic_write import output_file

if TYPE_CHECKING:
    from pathlib import Path

    from honeyguide.demo.web import DemoWeb

_MOST_PAGES = 2000


def write_start_files(web: DemoWeb, subject: str, proxy_address: str, folder: Path) -> tuple[Path, Path]:
    """Write ``demo.toml`` and ``seeds.txt`` into the folder (created if needed), to crawl the web behind the proxy.

    The budget is a quarter of the web, at most 2,000 pages. Raises ValueError for a subject that the web does not have.
    """
    topic, seeds = folder / "demo.toml", folder / "seeds.txt"
    keywords = json.dumps(list(web.keywords(subject)))  # a JSON list of plain words is a TOML list too
    _write(seeds, "".join(f"{url}\n" for url in web.seeds(subject)))
    _write(
        topic,
        f"""\
# The demo web's pages about {subject}. No delays: the whole web is one process on this machine.
name = "demo"
keywords = {keywords}
seeds = "seeds.txt"

[budget]
pages = {min(_MOST_PAGES, web.pages // 4)}

[fetch]
proxy = "{proxy_address}"
delay = 0.0
domain_delay = 0.0
ip_delay = 0.0
""",
    )
    return topic, seeds


def _write(path: Path, text: str) -> None:
    with output_file(path, parents=True) as file:
        file.write(text.encode())
