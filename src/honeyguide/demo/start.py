"""Writes the files that a user needs to crawl the demo web, and to judge crawls of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from honeyguide.atomic_write import output_file
from honeyguide.demo.web import DemoWeb

if TYPE_CHECKING:
    from pathlib import Path

_MOST_PAGES = 2000


class StartFiles(NamedTuple):
    """The files for crawling a web."""

    topic: Path
    seeds: Path
    labels: Path


def write_start_files(web: DemoWeb, subject: str, proxy_address: str, folder: Path) -> StartFiles:
    """Write a topic file, its seeds and labels into the folder (created if needed), to crawl the web behind a proxy.

    The budget is a quarter of the web, at most 2,000 pages. The crawl's name is another for another web or subject, so
    that no crawl of one is continued in another. Raises ValueError for a subject that the web does not have.
    """
    files = StartFiles(folder / "demo.toml", folder / "seeds.txt", folder / "labels.tsv")
    keywords = json.dumps(list(web.keywords(subject)))  # a JSON list of plain words is a TOML list too
    write_labels(web, files.labels)
    _write(files.seeds, "".join(f"{url}\n" for url in web.seeds(subject)))
    _write(
        files.topic,
        f"""\
# The demo web's pages about {subject}. No delays: the whole web is one process on this machine.
name = "{_crawl_name(web, subject)}"
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
    return files


def write_labels(web: DemoWeb, path: Path) -> None:
    """Write which page is about which subject, as `honeyguide compare --labels` reads it."""
    with output_file(path, parents=True) as file:
        file.writelines(f"{url}\t{label}\n".encode() for url, label in web.labels())


def _crawl_name(web: DemoWeb, subject: str) -> str:
    seed = f"-{web.seed}" if web.seed != DemoWeb.seed else ""
    scripted = f"-scripted-{web.scripted:g}" if web.scripted else ""
    return f"demo-{subject}-{web.pages}{seed}{'' if web.faults else '-no-faults'}{scripted}"


def _write(path: Path, text: str) -> None:
    with output_file(path, parents=True) as file:
        file.write(text.encode())
