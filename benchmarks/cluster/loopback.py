"""Harvest at equal budgets, several shards against one machine, on a web that another process serves on loopback.

A recorded web may be one registered domain, all of which belongs to one shard. So that it can be divided at all, each
of its hosts is moved to its own domain: ``www.ics.uci.edu`` becomes ``www-ics-uci-edu.example``, in the addresses of
pages and in all links. Relevance is determined by labels, and not by the crawl's own model.

The server can be run separately: ``python -m benchmarks.cluster.loopback WEB``.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.cluster.local import LocalCluster
from honeyguide.cluster.drive import ClusterSession, Place
from honeyguide.crawl.session import Session
from honeyguide.fetch.base import Response
from honeyguide.fetch.registry import fetcher_named
from honeyguide.lab.server import WebServer, as_http
from honeyguide.lab.web import LabelledWeb, VirtualWeb, open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules, host_of
from honeyguide.store.shards import read_layout, shard_folder
from honeyguide.topic import Topic

_RULES = UrlRules(UrlSettings())
_HOST = re.compile(rb"//([\w.-]+)")
_SEEDS = 5


@dataclass(frozen=True, slots=True)
class Case:
    """The settings of a crawl."""

    web: str
    """As for `honeyguide serve-web`."""
    topic: str
    """A label: words with hyphens, which are also the keywords."""
    budget: int
    shards: int
    """0: one machine, without a cluster."""
    delay: float
    """Seconds between two requests to a host."""
    seed: int
    """The random seed for choosing seeds among the pages of the topic."""
    ray: int = 0
    """1: on Ray; else shards are tasks of one process."""

    @property
    def key(self) -> str:
        """The name of the measurement."""
        about = {**asdict(self), "web": Path(self.web).name.removesuffix(".gz").removesuffix(".warc")}
        return "loopback " + " ".join(f"{name}={value}" for name, value in about.items())


class MovedWeb:
    """A virtual web in which each host has its own domain."""

    def __init__(self, web: VirtualWeb) -> None:
        self._web = web
        hosts = dict.fromkeys(host_of(url) for url in web.urls())
        self._moved = {host: f"{re.sub('[.:]', '-', host)}.example" for host in hosts}
        self._hosts = {moved: host for host, moved in self._moved.items()}
        self.name, self.digest, self.notes = web.name, web.digest, web.notes

    def __len__(self) -> int:
        return len(self._web)

    def __contains__(self, url: str) -> bool:
        return (found := self._back(url)) is not None and found in self._web

    def urls(self) -> Iterator[str]:
        """All URLs."""
        return map(self.moved, self._web.urls())

    def response(self, url: str) -> Response | None:
        """The response, with links to the new hosts."""
        found = self._back(url)
        response = None if found is None else self._web.response(found)
        if response is None:
            return None
        headers = tuple((name, self.moved(value)) if name.lower() == "location" else (name, value)
                        for name, value in response.headers)  # fmt: skip
        return replace(response, url=url, headers=headers, body=_HOST.sub(self._link, response.body))

    def moved(self, url: str) -> str:
        """The new address of a URL."""
        scheme, separator, rest = url.partition("://")
        host, slash, path = rest.partition("/")
        return f"{scheme}{separator}{self._moved.get(host.lower(), host)}{slash}{path}" if separator else url

    def _back(self, url: str) -> str | None:
        host = self._hosts.get(host_of(url))
        return None if host is None else url.replace(host_of(url), host, 1)

    def _link(self, match: re.Match[bytes]) -> bytes:
        host = match[1].decode("ascii", "replace").lower()
        return f"//{self._moved[host]}".encode() if host in self._moved else match[0]


def opened(source: str) -> tuple[VirtualWeb, Callable[[str], str]]:
    """Open a web. Returns it with a function from its URLs to their served addresses."""
    web = open_web([source], _RULES)
    if isinstance(web, LabelledWeb):  # the demo web has a domain for each site
        return web, as_http
    moved = MovedWeb(web)
    return moved, lambda url: as_http(moved.moved(url))


def labelled(source: str, labels: Path | None, topic: str) -> list[str]:
    """The served addresses of the pages about a topic."""
    web, place = opened(source)
    if isinstance(web, LabelledWeb):
        rows = list(web.labels())
    else:
        assert labels is not None, "a recorded web needs --labels"
        rows = [(line.split("\t")[0], line.split("\t")[1]) for line in labels.read_text(encoding="utf-8").splitlines()]
    found = {place(_RULES.canonical(url) or url) for url, label in rows if label == topic}
    return sorted(found)


@contextmanager
def served(source: str) -> Iterator[str]:
    """Serve a web in a separate process. Yields the address of the proxy."""
    command = [sys.executable, "-m", "benchmarks.cluster.loopback", source]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def measure(case: Case, labels: Path | None, folder: Path, show: Callable[[str], None]) -> dict[str, Any]:
    """Crawl once, in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    good = labelled(case.web, labels, case.topic)
    show(f"{case.key}: {len(good):,} pages of the topic")
    with served(case.web) as proxy:
        topic = _topic(case, proxy, Random(case.seed).sample(good, _SEEDS))
        _crawl(case, topic, folder / "crawl")
    found = {name: _pages(place) for name, place in _places(folder / "crawl").items()}
    pages = [url for several in found.values() for url in several]
    assert len(set(pages)) == len(pages), "a page was fetched twice"
    shutil.rmtree(folder)
    figures = {"pages": len(pages), "relevant": len({*pages} & {*good}), "of": len(good)}
    return {**figures, "largest share": max(map(len, found.values())) / len(pages), "load": os.getloadavg()[0]}


def _topic(case: Case, proxy: str, seeds: list[str]) -> Topic:
    connections = 64 // max(case.shards, 1)
    delays = {"delay": case.delay, "domain_delay": case.delay, "ip_delay": 0.0}
    return Topic.make(
        name="cluster",
        seeds=seeds,
        keywords=[case.topic.removeprefix("subject.").replace("-", " ")],
        relevance={"model": "vsm"},
        budget={"pages": case.budget},
        fetch={"proxy": proxy, "connections": connections, "contact": "mailto:benchmark@example.org", **delays},
    )


def _crawl(case: Case, topic: Topic, folder: Path) -> None:
    if not case.shards:
        asyncio.run(Session(topic, folder, workers=0).run())
    elif case.ray:
        asyncio.run(ClusterSession(topic, folder, Place("", case.shards), workers=0).run())
    else:
        make = fetcher_named(topic.fetch.fetcher).make
        asyncio.run(LocalCluster(topic, folder, lambda: make(topic.fetch), case.shards).run())


def _places(folder: Path) -> dict[str, Path]:
    return {name: shard_folder(folder, name) for name in read_layout(folder).shards or ("",)}


def _pages(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "crawl.sqlite")) as connection:
        return [url for (url,) in connection.execute("SELECT url FROM pages JOIN urls USING (id)")]


async def _serve(source: str) -> None:
    server = WebServer(opened(source)[0], _RULES)
    await server.start()
    print(server.address, flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1]))
