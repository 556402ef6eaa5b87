"""A large cluster on the virtual clock, with delays, losses and deaths, against one machine at the same budget."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.cluster.network import Outcome, SimulatedCluster, SlowFetcher, Weather, alone
from benchmarks.reliability.virtual_time import run_virtually
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Fetcher
from honeyguide.topic import Topic

LATENCY = 0.2
"""Seconds that a response of the web takes."""


@dataclass(frozen=True, slots=True)
class Case:
    """The settings of a simulation."""

    web: int = 1_000_000
    """Pages of the web."""
    budget: int = 20_000
    shards: int = 64
    """0: one machine, without a cluster."""
    lost: float = 0.01
    death_every: float = 60.0
    seed: int = 7
    """The random seed of the web and of the simulation."""
    connections: int = 512
    """Connections of the whole crawl."""

    @property
    def key(self) -> str:
        """The name of the measurement."""
        return "simulation " + " ".join(f"{name}={value}" for name, value in asdict(self).items())


def topic_of(web: DemoWeb, budget: int, connections: int, strategy: str = "guide") -> Topic:
    """A topic of the demo web, with the default politeness."""
    subject = web.subjects[0]
    return Topic.make(
        name="cluster",
        seeds=web.seeds(subject),
        keywords=web.keywords(subject),
        strategy={"name": strategy},
        budget={"pages": budget},
        fetch={"connections": connections},
    )


def simulate(case: Case, folder: Path, show: Callable[[str], None]) -> dict[str, Any]:
    """Run a simulation in an empty folder. Returns its figures."""
    web = DemoWeb(case.seed, case.web)
    topic = topic_of(web, case.budget, max(case.connections // max(case.shards, 1), 2))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began, load = time.process_time(), os.getloadavg()[0]

    def fetcher() -> Fetcher:
        return SlowFetcher(DemoFetcher(web, topic.fetch), LATENCY)

    def step(pages: int) -> None:
        show(f"{case.shards} shards: {pages:,} of {case.budget:,} pages")

    if case.shards:
        cluster = SimulatedCluster(topic, folder, fetcher, case.shards, Weather(lost=case.lost, seed=case.seed))
        outcome = run_virtually(cluster.run(death_every=case.death_every, step=step))
    else:
        outcome = run_virtually(alone(topic, folder, fetcher))
    cpu = time.process_time() - began
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    shutil.rmtree(folder)
    return {**_figures(outcome), "cpu": cpu, "disk": size, "load": load}


def _figures(outcome: Outcome) -> dict[str, Any]:
    volume, pages = outcome.volume, outcome.by_shard
    figures: dict[str, Any] = {
        "pages": outcome.pages,
        "relevant": outcome.relevant,
        "seconds": outcome.seconds,
        "deaths": outcome.deaths,
    }
    if pages:
        figures |= {
            "largest share": max(pages.values()) / max(sum(pages.values()), 1),
            "parcels": volume.parcels,
            "parcel bytes": volume.parcel_bytes,
            "links": volume.links,
            "url bytes": volume.url_bytes,
            "reports": volume.reports,
            "report bytes": volume.report_bytes,
            "lost": volume.lost,
            "pairs": len(volume.pairs),
        }
    return figures


def cases(case: Case) -> list[Case]:
    """A case, and the same crawl on one machine, for comparison."""
    make = partial(Case, case.web, case.budget, seed=case.seed, connections=case.connections)
    return [make(shards=0, lost=0.0, death_every=0.0), case]
