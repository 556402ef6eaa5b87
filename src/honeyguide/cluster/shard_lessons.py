"""What a shard is told that a model can learn from, for whoever fits it; and the model that comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Final

from honeyguide.cluster.broadcast import Broadcast
from honeyguide.cluster.messages import LessonNotes
from honeyguide.crawl.lesson_pages import LabelledText
from honeyguide.crawl.lessons import LessonMaterial, LiveLessons
from honeyguide.crawl.model_schedule import ModelSchedule, first_pages
from honeyguide.store.crawl import Crawl
from honeyguide.teaching.labels import Label

_SAMPLES: Final = 25  # first pages in one report
NOT_WANTED: Final = -1


class ShardLessons:
    """The part of one shard in what all of them learn.

    What it was told is numbered by its changes, and sent whole until the coordinator has it; first pages are sent in
    their order, each until it has arrived. Both are what the last commit has.
    """

    def __init__(self, folder: Path, lessons: LiveLessons, schedule: ModelSchedule, pages: int) -> None:
        """`pages` is the number of those of earlier runs."""
        self._folder = folder
        self._lessons = lessons
        self._known = LessonMaterial({}, lessons.made_from or lessons.safe.keywords)  # that the notes are about
        self._texts: dict[Label, LabelledText | None] = {}
        self._samples: list[bytes] = []
        self._new: list[bytes] = []  # those that were fetched since the last report
        self._before = pages  # those of them that are still to be sampled
        self.changes = 0
        """How often what was told has changed."""
        self.version = 0
        """Of the model that was adopted since the shard was started."""
        self._has_notes, self._has_samples = 0, NOT_WANTED  # the coordinator
        schedule.collect = self._new.append

    async def refresh(self) -> None:
        """Read what the next report needs from the archive. Called before each of them."""
        if self._has_samples != NOT_WANTED:
            if self._before:
                self._samples = await asyncio.to_thread(_sampled, self._folder, self._before)
                self._before = 0
            self._samples += self._new
            self._new.clear()
        told = self._lessons.safe
        if told != self._known:
            new = [one for one in told.labels.values() if one not in self._texts]
            if new:
                self._texts |= await asyncio.to_thread(_texts, self._folder, new)
            self._known = told
            self.changes += 1

    def notes(self) -> LessonNotes | None:
        """What the shard was told, unless the coordinator has it."""
        if self._has_notes == self.changes:
            return None
        labels = tuple(self._known.labels.values())
        return LessonNotes(self._known.keywords, labels, tuple(text for one in labels if (text := self._texts[one])))

    def samples(self) -> tuple[int, tuple[bytes, ...]]:
        """Some of the first pages that the coordinator wants and does not have, and the number of the first."""
        first = max(self._has_samples, 0)
        return first, () if self._has_samples == NOT_WANTED else tuple(self._samples[first : first + _SAMPLES])

    def revised(self) -> None:
        """Pages of another shard that link here were judged again."""
        self._lessons.rescoring.request()

    def answered(self, has_notes: int, has_samples: int, news: Broadcast | None) -> None:
        """The coordinator has answered: what it has, and maybe a newer model."""
        self._has_notes, self._has_samples = has_notes, has_samples
        if news is not None and news.fitted.version > self.version:
            self._lessons.follow(news.model(), news.fitted)
            self.version = news.fitted.version


def _sampled(folder: Path, most: int) -> list[bytes]:
    with Crawl.open(folder) as crawl:
        return [tokens.tobytes() for tokens in islice(first_pages(crawl), most)]


def _texts(folder: Path, labels: Iterable[Label]) -> dict[Label, LabelledText | None]:
    with Crawl.open(folder) as crawl:
        return {label: LabelledText.of(crawl, label) for label in labels}
