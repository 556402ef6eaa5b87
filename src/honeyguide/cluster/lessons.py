"""What all shards learn together: their labels, keywords and first pages make one model, which all of them get."""

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
"""In the folder of a crawl while its model is being fitted: what it is fitted to."""


@dataclass(slots=True)
class _Pupil:
    """What is known of a shard."""

    life: int = -1
    changes: int = -1
    """Of its notes, in this life."""
    notes: LessonNotes | None = None
    """The latest of all lives."""
    samples: list[bytes] = field(default_factory=list)


class ClusterLessons:
    """Fits a model when what the shards were told changes, and tells each of them until it has it.

    It fits once all shards have said what they were told, and agree on the keywords. What the model in use was fitted
    to is kept with it, so that a coordinator which takes over, and is told the same, does not fit it again.
    """

    def __init__(self, folder: Path, topic: Topic, shards: tuple[str, ...]) -> None:
        """Go on with the model of a coordinator before this one. Raises `HoneyguideError` when it is damaged."""
        self._folder = folder
        self._topic = topic
        self._pupils = {name: _Pupil() for name in shards}
        self._now_used = Broadcast.read(folder)
        self._made_from = made_from(folder / saved.FOLDER)
        self._process = RefitProcess(folder, folder / saved.TAUGHT)
        self._task: asyncio.Task[None] | None = None
        self._failed: object = None  # what the model could not be fitted to
        self._labels: Mapping[str, Label] | None = None  # that are in their file
        self._last_seen: object = None
        self._learner = self._first_model()

    def _first_model(self) -> Learner | None:
        if not (self._folder / saved.FOLDER).is_dir():
            return None
        model = saved.load(self._folder / saved.FOLDER)
        return model if isinstance(model, Learner) else None

    # ---- messages ----

    def take(self, report: ShardReport) -> None:
        """A shard has reported."""
        pupil = self._pupils[report.shard]
        if report.life < pupil.life:
            return
        if report.life > pupil.life:
            pupil.life, pupil.changes, pupil.samples = report.life, -1, []
        if report.notes is not None and report.lessons >= pupil.changes:
            pupil.changes, pupil.notes = report.lessons, report.notes
        elif report.lessons == 0 and pupil.changes < 0:  # it was told nothing
            pupil.changes, pupil.notes = 0, LessonNotes(self._made_from or self._topic.keywords)
        if report.first_sample <= len(pupil.samples):
            pupil.samples += report.samples[len(pupil.samples) - report.first_sample :]

    def answer(self, report: ShardReport, orders: Orders) -> Orders:
        """Add to what a shard is told what it should know of lessons."""
        pupil, used = self._pupils[report.shard], self._now_used
        news = used if used is not None and report.model < used.fitted.version else None
        samples = len(pupil.samples) if self._wants_samples else -1
        return replace(orders, lessons=pupil.changes, samples=samples, model=news)

    @property
    def _wants_samples(self) -> bool:
        return self._learner is not None and self._sampled < _milestones(self._learner)[-1]

    @property
    def _sampled(self) -> int:
        return sum(len(pupil.samples) for pupil in self._pupils.values())

    # ---- learning ----

    def step(self) -> None:
        """Begin to fit, if there is something new. Called about once a second, in an event loop."""
        if self._task is not None and self._task.done():
            self._task.result()
            self._task = None
        if self._task is None and (work := self._due()) is not None:
            self._task = asyncio.get_running_loop().create_task(work)

    async def close(self) -> None:
        """End what is under way."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        await self._process.close()

    def _due(self) -> Any:
        """What has to be done, to be awaited; None for nothing."""
        notes = [pupil.notes for pupil in self._pupils.values()]
        if any(one is None for one in notes):
            return None
        told = [one for one in notes if one is not None]
        if len({one.keywords for one in told}) > 1:
            return None  # some have not heard of it yet
        labels = {label.url: label for label in sorted(chain(*(one.labels for one in told)), key=lambda one: one.time)}
        keywords = told[0].keywords
        lesson = self._lesson(labels, keywords)
        if self._labels is None or labels != self._labels:
            self._write_labels(labels)
        if (labels, keywords) != self._last_seen:  # labels often come several at a time: wait for the others
            self._last_seen = (labels, keywords)
            return None
        used = self._now_used
        if lesson != (used.lesson if used is not None else ""):
            texts = tuple(chain(*(one.texts for one in told)))
            return None if lesson == self._failed else self._learn(texts, keywords, lesson)
        if lesson == "" and self._learner is not None and (pages := self._next_milestone(self._learner)):
            return None if pages == self._failed else self._learn_first(self._learner, pages)
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
            except OSError as error:  # the shards have them
                _log.warning("%s: the labels cannot be written: %s", self._folder, one_line(error))
        self._labels = labels

    async def _learn(self, texts: tuple[Any, ...], keywords: tuple[str, ...], lesson: str) -> None:
        """Fit the model to labels and keywords; or go back to the first one."""
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
        used, version = self._now_used, self._version
        before = used.fitted if used is not None else FittedElsewhere(0)
        is_changed = taught is not None or (used is not None and used.is_taught)
        are_others = list(keywords) != before.detail.get("keywords", list(self._made_from or keywords))
        now = FittedElsewhere(
            version,
            judged_since=version if is_changed else before.judged_since,
            links_since=version if are_others else before.links_since,
            detail=detail,
        )
        pages = used.pages if used is not None else 0
        self._publish(Broadcast.of(model, now, lesson=lesson, pages=pages, is_taught=taught is not None))

    async def _learn_first(self, learner: Learner, pages: int) -> None:
        """Let the model learn from the first pages of all shards."""
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
        before = self._now_used.fitted if self._now_used is not None else FittedElsewhere(0)
        now = replace(before, version=self._version, sampling=learnt.sampling, detail={"pages": pages})
        self._publish(Broadcast.of(learnt.model, now, pages=pages))

    def _samples(self) -> list[bytes]:
        """The first pages of all shards, by turns."""
        turns = zip_longest(*(pupil.samples for pupil in self._pupils.values()))
        return [one for turn in turns for one in turn if one is not None]

    def _untaught(self) -> Relevance:
        """The model of the first pages, or else the one that the crawl began with."""
        place = self._folder / _LEARNT
        return saved.load(place if place.is_dir() else self._folder / saved.FOLDER)

    def _next_milestone(self, learner: Learner) -> int:
        """The last milestone that was passed and not learnt from; 0 if there is none."""
        learnt = self._now_used.pages if self._now_used is not None else 0
        return max((one for one in _milestones(learner) if learnt < one <= self._sampled), default=0)

    @property
    def _version(self) -> int:
        return 1 + (self._now_used.fitted.version if self._now_used is not None else 0)

    def _publish(self, broadcast: Broadcast) -> None:
        broadcast.write(self._folder)
        self._now_used = broadcast


_LEARNT: Final = "learnt"  # the folder of the model that has learnt from first pages


def _milestones(learner: Learner) -> tuple[int, ...]:
    milestones: tuple[int, ...] = getattr(learner, "milestones", MILESTONES)
    return milestones
