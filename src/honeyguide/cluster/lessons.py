"""What all shards learn together: one model is fitted to the labels, keywords and first pages of all of them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final

from honeyguide.cluster.broadcast import Broadcast
from honeyguide.cluster.messages import LessonNotes, Orders, ShardReport
from honeyguide.crawl.lesson_pages import LessonPages, tokens_of
from honeyguide.crawl.lessons import FittedElsewhere, made_from
from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.readers import reader_config
from honeyguide.crawl.refit_process import RefitProcess
from honeyguide.errors import HoneyguideError, one_line
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.learning import MILESTONES, Learner
from honeyguide.teaching.labels import Label, write_labels
from honeyguide.topic import Topic

_log = logging.getLogger("honeyguide.cluster")

PAGES: Final = "lesson-pages.json"
"""In the folder of a crawl while its model is being fitted: the training data."""


@dataclass(slots=True)
class _ShardState:
    """What the coordinator knows about a shard."""

    life: int = -1
    changes: int = -1
    """The `ShardReport.lessons` of `notes`; -1 if they are from an earlier life."""
    notes: LessonNotes | None = None
    """The latest notes, of any life."""
    samples: list[bytes] = field(default_factory=list)


class ClusterLessons:
    """Fits a model when labels or keywords change, and sends it to each shard until it has arrived.

    It waits until all shards have reported their notes and agree on the keywords. A hash of the labels and keywords is
    stored with the model, so that a coordinator that takes over does not fit it again.
    """

    def __init__(self, folder: Path, topic: Topic, shards: tuple[str, ...]) -> None:
        """Continue with the model of the previous coordinator, if any. Raises `HoneyguideError` when it is damaged."""
        self._folder = folder
        self._topic = topic
        self._states = {name: _ShardState() for name in shards}
        self._current = Broadcast.read(folder)
        self._made_from = made_from(folder / saved.FOLDER)
        self._process = RefitProcess(folder, folder / saved.TAUGHT)
        self._task: asyncio.Task[None] | None = None
        self._failed: object = None  # the lesson, or number of first pages, that could not be learnt
        self._labels: Mapping[str, Label] | None = None  # as last written to their file
        self._last_seen: object = None
        self._learner = self._first_model()

    def _first_model(self) -> Learner | None:
        if not (self._folder / saved.FOLDER).is_dir():
            return None
        model = saved.load(self._folder / saved.FOLDER)
        return model if isinstance(model, Learner) else None

    # ---- messages ----

    def take(self, report: ShardReport) -> None:
        """Take the report of a shard."""
        state = self._states[report.shard]
        if report.life < state.life:
            return
        if report.life > state.life:
            state.life, state.changes, state.samples = report.life, -1, []
        if report.notes is not None and report.lessons >= state.changes:
            state.changes, state.notes = report.lessons, report.notes
        elif report.lessons == 0 and state.changes < 0:  # it has received no labels or keywords
            state.changes, state.notes = 0, LessonNotes(self._made_from or self._topic.keywords)
        if report.first_sample <= len(state.samples):
            state.samples += report.samples[len(state.samples) - report.first_sample :]

    def answer(self, report: ShardReport, orders: Orders) -> Orders:
        """Add to the orders of a shard what concerns lessons."""
        state, current = self._states[report.shard], self._current
        news = current if current is not None and report.model < current.fitted.version else None
        samples = len(state.samples) if self._wants_samples else -1
        return replace(orders, lessons=state.changes, samples=samples, model=news)

    @property
    def _wants_samples(self) -> bool:
        return self._learner is not None and self._sampled < _milestones(self._learner)[-1]

    @property
    def _sampled(self) -> int:
        return sum(len(state.samples) for state in self._states.values())

    # ---- learning ----

    def step(self) -> None:
        """Start to fit if there is something new to learn. Called about once a second, in an event loop."""
        if self._task is not None and self._task.done():
            self._task.result()
            self._task = None
        if self._task is None and (work := self._next_work()) is not None:
            self._task = asyncio.get_running_loop().create_task(work)

    async def close(self) -> None:
        """Cancel the fit in progress."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._process.close()

    def _next_work(self) -> Any:
        """The coroutine that learns what is new; None if there is nothing new, or it must wait."""
        notes = [state.notes for state in self._states.values()]
        if any(one is None for one in notes):
            return None
        received = [one for one in notes if one is not None]
        if len({one.keywords for one in received}) > 1:
            return None  # some shards have not received the latest command yet
        in_order = sorted(chain(*(one.labels for one in received)), key=lambda label: label.time)
        labels = {label.url: label for label in in_order}
        keywords = received[0].keywords
        lesson = self._lesson(labels, keywords)
        if self._labels is None or labels != self._labels:
            self._write_labels(labels)
        if (labels, keywords) != self._last_seen:  # labels often come in quick succession: wait for more
            self._last_seen = (labels, keywords)
            return None
        current = self._current
        if lesson != (current.lesson if current is not None else ""):
            texts = tuple(chain(*(one.texts for one in received)))
            return None if lesson == self._failed else self._learn(texts, keywords, lesson)
        if lesson == "" and self._learner is not None and (pages := self._next_milestone(self._learner)):
            return None if pages == self._failed else self._learn_first_pages(self._learner, pages)
        return None

    def _lesson(self, labels: Mapping[str, Label], keywords: tuple[str, ...]) -> str:
        if not labels and keywords == (self._made_from or keywords):
            return ""
        content = [sorted((label.url, label.relevant) for label in labels.values()), keywords]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()

    def _write_labels(self, labels: Mapping[str, Label]) -> None:
        if labels or self._labels is not None:
            try:
                write_labels(self._folder, labels)
            except OSError as error:  # not fatal: the shards have stored them
                _log.warning("%s: the labels cannot be written: %s", self._folder, one_line(error))
        self._labels = labels

    async def _learn(self, texts: tuple[Any, ...], keywords: tuple[str, ...], lesson: str) -> None:
        """Fit the model to labels and keywords; without any, return to the untaught model."""
        taught: Relevance | None = None
        fitted: dict[str, Any] = {"relevant": 0, "others": 0}
        try:
            if lesson:
                path = self._folder / PAGES
                await asyncio.to_thread(LessonPages(texts, tuple(self._samples())).write, path)
                fitted = await self._process.fit(keywords, path)
                path.unlink(missing_ok=True)
                if (place := fitted.pop("model")) is None:
                    fitted["problem"] = "too few labels of one kind"
                else:
                    taught = await asyncio.to_thread(saved.load, Path(place))
            if taught is None:
                await asyncio.to_thread(shutil.rmtree, self._folder / saved.TAUGHT, ignore_errors=True)
            model = taught or self._untaught()
        except (HoneyguideError, OSError, ValueError) as error:
            _log.warning("the model cannot learn: %s", one_line(error))
            self._failed = lesson
            return
        words = {} if self._made_from is None else {"keywords": list(keywords)}
        detail = {**words, **fitted, "threshold": model.threshold}
        current, version = self._current, self._version
        before = current.fitted if current is not None else FittedElsewhere(0)
        is_changed = taught is not None or (current is not None and current.is_taught)
        is_rescored = list(keywords) != before.detail.get("keywords", list(self._made_from or keywords))
        now = FittedElsewhere(
            version,
            judged_since=version if is_changed else before.judged_since,
            links_since=version if is_rescored else before.links_since,
            detail=detail,
        )
        pages = current.pages if current is not None else 0
        self._publish(Broadcast.of(model, now, lesson=lesson, pages=pages, is_taught=taught is not None))

    async def _learn_first_pages(self, learner: Learner, pages: int) -> None:
        """Fit the model to the first pages of all shards."""
        samples = self._samples()[:pages]
        try:
            config = reader_config(self._topic, learner)
            schedule = await asyncio.to_thread(ModelSchedule, config, tokens_of(samples))
            learnt = schedule.config
            await asyncio.to_thread(saved.save, learnt.model, self._folder / _LEARNT)
        except (HoneyguideError, OSError, ValueError) as error:
            _log.warning("the model cannot learn from %d pages: %s", pages, one_line(error))
            self._failed = pages
            return
        before = self._current.fitted if self._current is not None else FittedElsewhere(0)
        now = replace(before, version=self._version, sampling=learnt.sampling, detail={"pages": pages})
        self._publish(Broadcast.of(learnt.model, now, pages=pages))

    def _samples(self) -> list[bytes]:
        """The first pages of all shards, taken in turn."""
        turns = zip_longest(*(state.samples for state in self._states.values()))
        return [one for turn in turns for one in turn if one is not None]

    def _untaught(self) -> Relevance:
        """The model fitted to first pages, or else the initial model of the crawl."""
        place = self._folder / _LEARNT
        return saved.load(place if place.is_dir() else self._folder / saved.FOLDER)

    def _next_milestone(self, learner: Learner) -> int:
        """The latest milestone that was reached and not learnt from yet; 0 if there is none."""
        learnt = self._current.pages if self._current is not None else 0
        return max((one for one in _milestones(learner) if learnt < one <= self._sampled), default=0)

    @property
    def _version(self) -> int:
        return 1 + (self._current.fitted.version if self._current is not None else 0)

    def _publish(self, broadcast: Broadcast) -> None:
        broadcast.write(self._folder)
        self._current = broadcast


_LEARNT: Final = "learnt"  # the folder of the model that has learnt from first pages


def _milestones(learner: Learner) -> tuple[int, ...]:
    milestones: tuple[int, ...] = getattr(learner, "milestones", MILESTONES)
    return milestones
