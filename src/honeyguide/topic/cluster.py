"""Crawling with several machines."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class ClusterSettings:
    """The ``[cluster]`` table: for ``honeyguide crawl --cluster`` only."""

    shards: int = setting(0, "shards that a crawl is divided into; 0 = one for each machine", minimum=0, maximum=900)
    storage: str = setting("", "folder for crawls that all machines reach under this name; empty = that of --out")
