"""The driver of a crawl on a cluster: starts or joins Ray, divides the crawl into shards, and supervises the run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from honeyguide.atomic_write import atomic_write
from honeyguide.cluster.move import prepare
from honeyguide.cluster.ray_edge import RayCluster, ray_module
from honeyguide.crawl.again.budget import AgainBudget
from honeyguide.crawl.again.revisits import RevisitOptions
from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.errors import InputError
from honeyguide.fetch.base import Fetcher
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.models import make_model
from honeyguide.store.connection import TOPIC
from honeyguide.store.crawl import Crawl
from honeyguide.store.folder import CrawlFolder
from honeyguide.store.reasons import explain
from honeyguide.store.seed_results import seed_results
from honeyguide.store.shards import read_layout, shard_folder
from honeyguide.store.tally import Tally
from honeyguide.store.url_list import count_urls
from honeyguide.store.why import find_url
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.teaching.example_texts import FILE as EXAMPLES
from honeyguide.topic import Topic
from honeyguide.topic.material import has_examples, material_of

_LOCAL = re.compile(r"local:([1-9][0-9]{0,2})").fullmatch
_REMOTE = re.compile(r"ray://[^\s/]+:[0-9]+").fullmatch
_OBJECT_STORE: Final = 100_000_000  # bytes of shared memory: messages are small
_INTERRUPTED = "interrupted by the user; run the same command again to continue"


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a cluster: the value of the option ``--cluster``."""

    address: str
    """The address of Ray; "" to start it on this machine."""
    shards: int = 0
    """The number of shards; 0 if the option does not give it."""

    @classmethod
    def parse(cls, text: str) -> Place:
        """Parse the value of the option. Raises `InputError` if it is invalid."""
        if found := _LOCAL(text):
            return cls("", int(found[1]))
        if text == "auto" or _REMOTE(text):
            return cls(text)
        remedy = "write local:4 for four shards on this machine, auto, or ray://HOST:PORT"
        raise InputError("--cluster", f"{text!r} is not the address of a cluster", remedy)


@contextmanager
def started(place: Place) -> Iterator[Any]:
    """Start Ray, or join a Ray cluster, for the duration of a run. Yields the package `ray`.

    Raises `InputError` if Ray is not installed or there is no cluster at the address.
    """
    ray = ray_module()
    own: dict[str, Any] = {
        "num_cpus": max(place.shards, 1),
        "object_store_memory": _OBJECT_STORE,
        "include_dashboard": False,
        "_system_config": {"worker_niceness": 0},  # by default, Ray starts workers with low priority
    }
    namespace = f"honeyguide-{uuid4().hex}"
    try:
        ray.init(
            place.address or "local",
            namespace=namespace,
            log_to_driver=False,
            logging_level="warning",
            **({} if place.address else own),
        )
    except (ConnectionError, ValueError, TimeoutError) as error:
        if place.address == "auto":
            remedy = "start one with `ray start --head`, or write local:4 for four shards on this machine"
            raise InputError("--cluster", "this machine belongs to no Ray cluster", remedy) from None
        raise InputError("--cluster", f"there is no cluster at {place.address} ({error})", "start Ray there") from None
    try:
        yield ray
    finally:
        ray.shutdown()


class ClusterSession:
    """A crawl to be run on a cluster. The constructor validates the input, and writes nothing."""

    def __init__(
        self,
        topic: Topic,
        folder: Path,
        place: Place,
        *,
        model: Relevance | None = None,
        workers: int = 1,
        fetcher: Callable[[], Fetcher] | None = None,
        examples: Path | None = None,
        again: RevisitOptions | None = None,
    ) -> None:
        """The arguments are those of `Session`. `folder` must have the same path on all machines."""
        ray_module()
        self.folder = folder.absolute()
        if again is not None and not (self.folder / TOPIC).is_file():
            raise InputError("--again", f"there is no crawl in {folder} yet", "run it without --again first")
        self._again = again
        self._shown = folder
        self.tally = Tally()
        """The counts of the whole crawl, about a second old."""
        self.begun = asyncio.Event()
        self._place = place
        self._model = model
        self._workers = workers
        self._fetcher = fetcher
        self._examples = examples
        self._stop_requests = 0
        self._cluster: RayCluster | None = None
        self._topic = CrawlFolder(self.folder, topic).topic
        if not CheckedQueue(self._topic.strategy.name).can_share:
            problem = f"{self._topic.strategy.name} works on one machine only"
            raise InputError("strategy.name", problem, "use guide or best-first, or crawl without --cluster")
        self._check_model()

    def _check_model(self) -> None:
        """Raise `InputError` if the model or its threshold has changed since the last run."""
        layout = read_layout(self.folder)
        for name in layout.shards or ("",):
            place = shard_folder(self.folder, name)
            if (place / "crawl.sqlite").exists() and Session(self._topic, place, model=self._model).changed:
                problem = "the model or its threshold has changed, so that all pages have to be judged again"
                raise InputError(str(self.folder), problem, "do that on one machine: crawl without --cluster once")

    def request_stop(self) -> None:
        """Stop after the visits in progress; a second call stops immediately. Nothing recorded is lost."""
        self._stop_requests += 1
        if self._cluster is not None:
            asyncio.get_running_loop().create_task(self._forward_stop(self._cluster))

    async def _forward_stop(self, cluster: RayCluster) -> None:
        await cluster.request_stop(_INTERRUPTED, at_once=self._stop_requests > 1)

    async def run(self) -> CrawlResult:
        """Start the crawl, or resume it where the last run stopped."""
        with started(self._place) as ray:
            layout = await asyncio.to_thread(self._settle_in, self._count(ray))
            self._cluster = RayCluster(
                self.folder,
                self._topic,
                layout,
                model=self._model,
                workers=self._workers,
                fetcher=self._fetcher,
                again=self._again,
            )
            try:
                self.begun.set()
                if self._stop_requests:
                    await self._forward_stop(self._cluster)
                stop = await self._cluster.run(self._step)
            finally:
                self._cluster.close()
                self._cluster = None
        return await asyncio.to_thread(self._result, stop)

    def _count(self, ray: Any) -> int:
        nodes = sum(bool(node["Alive"]) for node in ray.nodes())
        return self._place.shards or self._topic.cluster.shards or max(nodes, 1)

    def _settle_in(self, count: int) -> tuple[str, ...]:
        home = CrawlFolder(self.folder, self._topic)
        home.settle_in()
        try:
            if not (self.folder / saved.FOLDER).is_dir():
                self._save_model()
        finally:
            home.leave()
        return prepare(self.folder, self._topic, count).shards

    def _save_model(self) -> None:
        """Save the initial model, and the keywords or examples that it was made from, for fitting it again later."""
        topic, extra = self._topic, {}
        if self._model is None and not has_examples(topic):
            extra[saved.KEYWORDS] = list(topic.keywords)
        saved.save(self._model or make_model(material_of(topic)), self.folder / saved.FOLDER, extra)
        if self._examples is not None and has_examples(topic) and self._examples.is_file():
            with atomic_write(self.folder / EXAMPLES) as file:
                file.write(self._examples.read_bytes())

    def _step(self, tally: Tally) -> None:
        self.tally = tally

    def _result(self, stop: StopReason) -> CrawlResult:
        with Crawl.open(self.folder) as crawl:
            tally = Tally.of(dict(crawl.query("SELECT key, value FROM meta")))
            numbers = {url: number for url in self._topic.seeds if (number := find_url(crawl, [url])) is not None}
            seeds, failed = seed_results(crawl.query, numbers), count_urls(crawl, "failed")
            threshold = crawl.topic.relevance.threshold or 0.5
        found = None
        if (again := RevisitOptions.of(self._topic.revisit, self._again)) is not None:
            found = AgainBudget(Tally.of(read_layout(self.folder).before), only=again.only).counts(tally)
        return CrawlResult(self._shown, stop, tally, explain(tally, threshold), seeds, failed, found)
