"""One run of a crawl, assembled from its parts: folder, frontier, fetcher, readers, crawler."""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import time
from typing import Protocol

from honeyguide.atomic_write import atomic_write
from honeyguide.browser.available import chosen_mode
from honeyguide.crawl.again.budget import AgainBudget, AgainCounts
from honeyguide.crawl.again.revisits import RevisitOptions, Revisits
from honeyguide.crawl.budget import INTERRUPTED, Allowance, StopReason
from honeyguide.crawl.clock import Clock, WallClock
from honeyguide.crawl.control import InboxControl
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.event_log import log_start
from honeyguide.crawl.fetched_page import FetchedPage
from honeyguide.crawl.frontier_for import frontier_for
from honeyguide.crawl.judge_again import Progress, StoppedError, judge_again
from honeyguide.crawl.lessons import LiveLessons, made_from
from honeyguide.crawl.live_renderer import RENDERED_BEFORE, LiveRenderer, boxes_folder, live_renderer, request_parts
from honeyguide.crawl.model_schedule import ModelSchedule, first_pages
from honeyguide.crawl.neighbours import Neighbours
from honeyguide.crawl.pacing import MakePacing, StandardPacing
from honeyguide.crawl.readers import InProcessReaders, PageReaders, reader_config
from honeyguide.crawl.recorder import Recorder
from honeyguide.crawl.robots import RobotsCache
from honeyguide.crawl.suspects import CautiousReaders
from honeyguide.crawl.visits import Visits
from honeyguide.crawl.worker_process import ReadingLimits
from honeyguide.crawl.worker_readers import WorkerReaders
from honeyguide.errors import InputError, PluginError, log_failure
from honeyguide.fetch.base import Fetcher
from honeyguide.fetch.registry import fetcher_named
from honeyguide.frontier import Frontier, State
from honeyguide.page.url import UrlRules, host_of
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.learning import Learner
from honeyguide.relevance.models import make_model
from honeyguide.store.crawl import Crawl
from honeyguide.store.folder import ERRORS, CrawlFolder, unwritable
from honeyguide.store.reasons import describe, explain
from honeyguide.store.schema import SHARD_TABLES
from honeyguide.store.seed_results import SeedResult, seed_results
from honeyguide.store.storage import open_storage
from honeyguide.store.stored_topic import stored_topic
from honeyguide.store.tally import Tally
from honeyguide.store.url_events import RENDERING
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import ReaderConfig
from honeyguide.teaching.example_texts import FILE as EXAMPLES
from honeyguide.topic import Topic
from honeyguide.topic.material import THRESHOLD, has_examples, material_of, model_changes


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How a run ended."""

    folder: Path
    stop: StopReason
    tally: Tally
    explanation: str
    """Why nothing relevant was found; "" when something was."""
    seeds: tuple[SeedResult, ...] = ()
    """The seeds that gave no page, each with the reason, and the seeds that are sitemaps or feeds."""
    failed: Mapping[str, int] = field(default_factory=dict)
    """The number of failed URLs over all runs, by the kind of failure of the last attempt."""
    again: AgainCounts | None = None
    """The results of revisits; None if the run made none."""


class ShardLink(Neighbours, Allowance, Protocol):
    """The link between a shard, the other shards and the coordinator."""

    def learns(self, lessons: LiveLessons, schedule: ModelSchedule) -> None:
        """Take part in joint learning: report the labels and keywords of `lessons`, and pass it the models."""
        ...

    wake: Callable[[], None]
    """Wakes up the loop of the crawl when something has arrived."""
    revisits: Revisits | None
    """The revisits of this run; None if there are none."""


MakeShard = Callable[[Topic, Frontier, CheckedQueue, Recorder], ShardLink]


class Session:
    """A crawl to be run. The constructor validates the input, and writes nothing."""

    def __init__(
        self,
        topic: Topic,
        folder: str | Path,
        *,
        model: Relevance | None = None,
        workers: int = 1,
        limits: ReadingLimits | None = None,
        fetcher: Callable[[], Fetcher] | None = None,
        clock: Clock | None = None,
        on_page: Callable[[FetchedPage], None] | None = None,
        pacing: MakePacing = StandardPacing,
        examples: Path | None = None,
        shard: MakeShard | None = None,
        again: RevisitOptions | None = None,
    ) -> None:
        """`fetcher` is called inside the event loop; by default, pages are fetched from the live web.

        Pages are read in `workers` processes, each page within `limits`; with 0, in this process and without limits.

        `pacing` makes the object that decides when hosts may be contacted again (see `honeyguide.crawl.pacing`).

        `examples` is the file with the texts of the topic's examples, if there is one. The crawl keeps a copy, which
        is needed when its model learns from labels.

        `shard` makes the link to the other shards, if this crawl is a shard of a crawl on several machines.

        With `again`, pages that may have changed are revisited; there must be a crawl. Without it, this is done if the
        topic requires it (`revisit.always`).

        Pages are scored by `model`. By default, a resumed crawl uses its own model, and a new one a model made from the
        topic's words. If a crawl is resumed with another model or another threshold, its stored pages are judged again
        first, without fetching them.
        """
        self.folder = CrawlFolder(Path(folder), topic)
        self.topic = topic = self.folder.topic
        """The topic, with the effects of commands in earlier runs."""
        if again is not None and self.folder.is_new and shard is None:
            problem = f"there is no crawl in {self.folder.path} yet"
            raise InputError("again", problem, "crawl first; then its pages can be revisited")
        self._again = RevisitOptions.of(topic.revisit, again)
        self.crawler: Crawler | None = None
        """None until the run has started."""
        stored = self._saved_model()
        self.changed: tuple[str, ...] = ()
        """The changes because of which stored pages are judged again before anything is fetched; empty if none."""
        self.on_judged: Progress = lambda _done, _total: None
        """Called with the number of stored pages judged again so far, and of all stored pages."""
        self._metadata: dict[str, object] = {}  # metadata saved next to the model
        self.model = model or self._own_model(stored) or self._made_model()
        if stored is None or self.model is not stored:
            saved.check(self.model)
        if stored is not None and not self.folder.is_new:
            self.changed = self._changed(stored)
        if workers and type(self.model).__module__ == "__main__":
            problem = f"{type(self.model).__name__} is defined in the script itself, where workers cannot import it"
            raise InputError("model", problem, "move it to a separate module, or pass workers=0")
        self.begun = asyncio.Event()
        """Set as soon as there is a crawler."""
        self._workers = workers
        self._limits = limits or ReadingLimits()
        self._browser = chosen_mode(topic.fetch.browser, topic.browser.program)
        self._make_fetcher = fetcher or partial(fetcher_named(topic.fetch.fetcher).make, topic.fetch)
        self.clock = clock or WallClock()
        self._on_page = on_page
        self._make_pacing = pacing
        self._examples = examples
        self._make_shard = shard
        self._stop_requests = 0
        self._began = 0.0

    def _saved_model(self) -> Relevance | None:
        """The saved model of a crawl that is resumed; None for a new crawl."""
        place = self.folder.path / saved.FOLDER
        return saved.load(place) if place.is_dir() else None

    def _made_model(self) -> Relevance:
        """A model made from the topic's words."""
        if not has_examples(self.topic):
            self._metadata[saved.KEYWORDS] = list(self.topic.keywords)
        return make_model(material_of(self.topic))

    def _previous_topic(self) -> Topic:
        """The topic of a crawl that is resumed, with the keywords that its model was made from."""
        before = stored_topic(self.folder.path, plugins=False)
        keywords = made_from(self.folder.path / saved.FOLDER)
        return before if keywords is None else replace(before, keywords=keywords)

    def _own_model(self, stored: Relevance | None) -> Relevance | None:
        """The saved model of a crawl with the topic's threshold; None if it does not suit the topic and must be remade.

        Keywords added by commands do not require another model if the strategy can learn them during the run
        (`LiveLessons`).

        Raises `InputError` if it would have to be trained.
        """
        if stored is None or self.folder.is_new:
            return stored
        before = self._previous_topic()
        changed = model_changes(before, self.topic)
        if not changed or (changed == ("keywords",) and CheckedQueue(self.topic.strategy.name).can_revise):
            return stored
        if changed == (THRESHOLD,) and self.topic.relevance.threshold:
            self._metadata = saved.read_about(self.folder.path / saved.FOLDER)
            return saved.with_threshold(stored, self.topic.relevance.threshold)
        if has_examples(self.topic):
            raise InputError("model", f"{', '.join(changed)} changed", "pass a model that was trained with that")
        return None

    def _changed(self, stored: Relevance) -> tuple[str, ...]:
        """The changes that affect the judgement of pages: settings, or else the model itself."""
        before = self._previous_topic()
        languages = () if before.scope.languages == self.topic.scope.languages else ("scope.languages",)
        if self.model is stored or saved.fingerprint(self.model) == saved.fingerprint(stored):
            return languages
        return (*model_changes(before, self.topic), *languages) or ("model",)

    def request_stop(self) -> None:
        """Stop after the visits in progress; a second call stops immediately. Nothing recorded is lost."""
        self._stop_requests += 1
        if self.crawler is not None:
            self.crawler.request_stop()

    async def run(self) -> CrawlResult:
        """Start the crawl, or resume it where the last run stopped. Only this method creates the folder.

        Raises `PluginError` when the strategy or the model fails. In that case the crawl is saved, the traceback is
        appended to errors.log in its folder, and the same call resumes it once the fault is corrected.
        """
        fetcher = self._make_fetcher()
        self._began = time()
        try:
            self.folder.settle_in(keeps_topic=bool(self.changed))
            log_start(self.topic, self.folder.path, resumes=not self.folder.is_new, workers=self._workers)
            if self.changed:
                try:
                    await self._judge_again()
                except StoppedError:
                    return self._unchanged()
            elif self.folder.is_new or self._saved_model() is None:
                self._save_model()
            return await self._read_and_run(fetcher)
        except PluginError as error:
            log_failure(error, self.folder.path / ERRORS)
            raise
        finally:
            await fetcher.close()
            self.folder.leave()

    async def _judge_again(self) -> None:
        schedule = ModelSchedule(reader_config(self.topic, self.model))
        readers = self._readers(schedule.config)
        try:
            await readers.start()
            await judge_again(
                self.folder, schedule, readers, self.changed, self._metadata, self.on_judged, self._is_stopped
            )
        except (OSError, sqlite3.Error) as error:
            raise unwritable(self.folder.path, error) from error
        finally:
            await readers.close()
        self.changed = ()

    def _is_stopped(self) -> bool:
        return self._stop_requests > 0

    def _unchanged(self) -> CrawlResult:
        """The result of a run that was stopped before it began: that of the previous run."""
        with Crawl.open(self.folder.path) as crawl:
            tally = Tally.of(dict(crawl.query("SELECT key, value FROM meta")))
        return CrawlResult(self.folder.path, INTERRUPTED, tally, "")

    def _save_model(self) -> None:
        try:
            saved.save(self.model, self.folder.path / saved.FOLDER, self._metadata)
            if self._examples is not None and has_examples(self.topic) and self._examples.is_file():
                with atomic_write(self.folder.path / EXAMPLES) as file:
                    file.write(self._examples.read_bytes())
        except OSError as error:
            raise unwritable(self.folder.path, error) from error

    async def _read_and_run(self, fetcher: Fetcher) -> CrawlResult:
        schedule = self._schedule()
        readers = self._readers(schedule.config)
        try:
            await readers.start()
            return await self._run(fetcher, readers, schedule)
        finally:
            await readers.close()

    def _readers(self, config: ReaderConfig) -> PageReaders:
        if self._browser != "never" and (boxes := boxes_folder(self.topic.strategy.name)) is not None:
            boxes.mkdir(parents=True, exist_ok=True)
        here = InProcessReaders(config)  # made even with workers, so that errors in the topic are reported first
        if self._workers:
            return WorkerReaders(config, self._workers, self._limits)
        return CautiousReaders(here, config, self.folder.path, self._limits)

    def _schedule(self) -> ModelSchedule:
        """The model schedule, including what earlier runs have learnt."""
        config = reader_config(self.topic, self.model)
        if self.folder.is_new or not isinstance(self.model, Learner) or self._make_shard is not None:
            return ModelSchedule(config)
        try:
            for part in open_storage(self.folder.path):  # reverts the storage to the last commit
                part.close()
        except OSError as error:
            raise unwritable(self.folder.path, error) from error
        with Crawl.open(self.folder.path) as crawl:
            return ModelSchedule(config, first_pages(crawl))

    async def _run(self, fetcher: Fetcher, readers: PageReaders, schedule: ModelSchedule) -> CrawlResult:
        topic, now = self.topic, self.clock.now()
        queue = CheckedQueue(topic.strategy.name)
        frontier = frontier_for(topic, queue)
        robots = RobotsCache(topic.fetch.agent, UrlRules(topic.urls))
        recorder = Recorder(
            self.folder.path,
            frontier,
            robots,
            topic.budget.harvest_window,
            now,
            queue,
            self._on_page,
            storage=open_storage(
                self.folder.path, SHARD_TABLES if self._make_shard is not None else "", topic.store.compression
            ),
            max_body=topic.fetch.max_body,
            only_new=self._again is not None and self._again.only,
        )
        renderer: LiveRenderer | None = None
        again = revisits = None
        if self._again is not None:
            again = AgainBudget(recorder.tally, only=self._again.only)
            revisits = Revisits(frontier, topic.revisit, self.model.threshold, self._again)
        try:
            shard = self._make_shard(topic, frontier, queue, recorder) if self._make_shard is not None else None
            visits = Visits(fetcher, readers)
            pacing = self._make_pacing(topic.fetch, frontier, recorder)
            clock = self.clock
            allowance = shard or again
            self.crawler = Crawler(
                topic, frontier, queue, robots, recorder, visits, schedule, clock, pacing, shard, allowance, revisits
            )
            if shard is not None:
                shard.wake = visits.wake
                shard.revisits = revisits
            path = self.folder.path
            parts_of = (frontier, queue, recorder, readers, schedule, clock.now)
            lessons = LiveLessons(path, topic.keywords, *parts_of, elsewhere=shard is not None)
            if shard is not None:
                shard.learns(lessons, schedule)
            self.crawler.lessons = lessons
            if self._browser != "never":
                parts = request_parts(self.crawler, fetcher, robots, pacing, clock, shard)
                visits.renderer = renderer = live_renderer(topic, self._browser, parts)
                renderer.restore(recorder.query(RENDERED_BEFORE, RENDERING))
            self.crawler.control = InboxControl(self.crawler, recorder, self.folder, self._began, lessons)
            self.begun.set()
            for _ in range(self._stop_requests):
                self.crawler.request_stop()
            with gc_tuned():
                stop = await self.crawler.run()
            seeds, failed = self._seed_results(recorder, frontier), _failed(recorder, frontier)
        finally:
            if renderer is not None:
                await renderer.close()
            recorder.close()
        tally = recorder.tally
        if self.folder.is_new and not tally.answers and stop.kind != "interrupted" and shard is None:
            self._refuse_unreachable(tally)
        why = explain(tally, self.model.threshold)
        found = None if again is None else again.counts(tally)
        return CrawlResult(self.folder.path, stop, tally, why, seeds, failed, found)

    def _seed_results(self, recorder: Recorder, frontier: Frontier) -> tuple[SeedResult, ...]:
        topic = self.topic if self.crawler is None else self.crawler.topic
        numbers = {url: number for url in topic.seeds if (number := frontier.urls.find(url)) is not None}
        return seed_results(recorder.query, numbers)

    def _refuse_unreachable(self, tally: Tally) -> None:
        """No seed responded: the input is wrong. Deletes the new folder, and raises `InputError`."""
        self.folder.discard()
        count = len(self.topic.seeds)
        hosts = sorted({host_of(seed) for seed in self.topic.seeds})
        named = ", ".join(hosts[:3]) + (", ..." if len(hosts) > 3 else "")
        raise InputError(
            "seeds",
            f"none of the {count} seeds could be reached ({named}: {describe(tally.errors) or 'no response'})"
            if count > 1
            else f"{self.topic.seeds[0]} could not be reached ({describe(tally.errors) or 'no response'})",
            "check the addresses, the network and fetch.proxy",
        )


def _failed(recorder: Recorder, frontier: Frontier) -> Counter[str]:
    if not frontier.count(State.FAILED):
        return Counter()
    sql = "SELECT json_extract(detail, '$.kind'), count(*) FROM events WHERE kind = 'failed' GROUP BY 1"
    return Counter(dict(recorder.query(sql)))


@contextmanager
def gc_tuned() -> Iterator[None]:
    """Keep the cyclic garbage collector from traversing the data of a crawl, which is large and has no cycles.

    Existing garbage stays until the end, since collecting it first would take as long as reading dozens of pages.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(50_000, 20, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
