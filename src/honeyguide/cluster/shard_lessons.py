"""The training data of a shard, sent to the coordinator, and the model that it fits to the data of all shards."""

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
    """Reports the labels, keywords and first pages of one shard, and adopts the models fitted to those of all.

    Labels and keywords are numbered by their changes, and sent in full until the coordinator has them; first pages are
    sent in order, each until it has arrived. Only committed data is sent.
    """

    def __init__(self, folder: Path, lessons: LiveLessons, schedule: ModelSchedule, pages: int) -> None:
        """`pages` is the number of pages of earlier runs."""
        self._folder = folder
        self._lessons = lessons
        self._reported = LessonMaterial({}, lessons.made_from or lessons.safe.keywords)  # what the notes consist of
        self._texts: dict[Label, LabelledText | None] = {}
        self._samples: list[bytes] = []
        self._new: list[bytes] = []  # fetched since the last report
        self._earlier = pages  # pages of earlier runs, still to be sampled
        self.changes = 0
        """How many times labels or keywords have changed."""
        self.version = 0
        """The version of the model that was adopted since the shard was started; 0 for none."""
        self._coordinator_notes, self._coordinator_samples = 0, NOT_WANTED  # what the coordinator has
        schedule.collect = self._new.append

    async def refresh(self) -> None:
        """Read from the archive what the next report needs. Called before each report."""
        if self._coordinator_samples != NOT_WANTED:
            if self._earlier:
                self._samples = await asyncio.to_thread(_sampled, self._folder, self._earlier)
                self._earlier = 0
            self._samples += self._new
            self._new.clear()
        received = self._lessons.safe
        if received != self._reported:
            new = [one for one in received.labels.values() if one not in self._texts]
            if new:
                self._texts |= await asyncio.to_thread(_texts, self._folder, new)
            self._reported = received
            self.changes += 1

    def notes(self) -> LessonNotes | None:
        """The labels and keywords that the shard has received; None if the coordinator has them."""
        if self._coordinator_notes == self.changes:
            return None
        labels = tuple(self._reported.labels.values())
        return LessonNotes(self._reported.keywords, labels, tuple(text for one in labels if (text := self._texts[one])))

    def samples(self) -> tuple[int, tuple[bytes, ...]]:
        """The next samples that the coordinator wants and does not have, preceded by the number of the first."""
        first = max(self._coordinator_samples, 0)
        return first, () if self._coordinator_samples == NOT_WANTED else tuple(self._samples[first : first + _SAMPLES])

    def revised(self) -> None:
        """Request new scores for links, since pages of another shard that link here were judged again."""
        self._lessons.rescoring.request()

    def answered(self, has_notes: int, has_samples: int, news: Broadcast | None) -> None:
        """Take the coordinator's answer: which data it has, and possibly a newer model."""
        self._coordinator_notes, self._coordinator_samples = has_notes, has_samples
        if news is not None and news.fitted.version > self.version:
            self._lessons.follow(news.model(), news.fitted)
            self.version = news.fitted.version


def _sampled(folder: Path, most: int) -> list[bytes]:
    with Crawl.open(folder) as crawl:
        return [tokens.tobytes() for tokens in islice(first_pages(crawl), most)]


def _texts(folder: Path, labels: Iterable[Label]) -> dict[Label, LabelledText | None]:
    with Crawl.open(folder) as crawl:
        return {label: LabelledText.of(crawl, label) for label in labels}
