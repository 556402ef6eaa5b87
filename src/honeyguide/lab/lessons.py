"""A simulated teacher in a replayed crawl, who answers questions about pages, from which the crawl learns."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.crawl.visits import Visits
from honeyguide.fetch.base import Response
from honeyguide.frontier import Frontier, State
from honeyguide.lab.memory_recorder import PageFetch
from honeyguide.lab.web import VirtualWeb
from honeyguide.page.url import host_of
from honeyguide.relevance.base import Relevance
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.teaching.questions import OURS, Candidate, chooser_named
from honeyguide.teaching.refit import corrected, is_due
from honeyguide.teaching.teacher import PageQuestion, Teacher

FIRST_QUESTION: Final = 5
"""Number of pages that a crawl chooses before the first question."""
EARLY: Final = 0.5
"""All questions are asked, evenly spaced, in this first share of the crawl, since early answers are most useful."""

_BEST: Final = 100  # most promising waiting URLs: the pages where they were found are worth a question


@dataclass(frozen=True, slots=True)
class LessonPlan:
    """The number of questions to a teacher, and how they are chosen."""

    answers: int = 0
    """The number of questions that are answered."""
    questions: str = OURS
    """How questions are chosen."""
    wrong: float = 0.0
    """The share of wrong answers."""

    @property
    def title(self) -> str:
        """The suffix of a strategy's name; "" without questions."""
        if not self.answers:
            return ""
        chosen = "" if self.questions == OURS else f"{self.questions} "
        return f" + {self.answers} {chosen}answers"


@dataclass(frozen=True, slots=True)
class Classroom:
    """The parts of a crawl that are affected when it learns."""

    frontier: Frontier
    queue: CheckedQueue
    visits: Visits
    schedule: ModelSchedule
    web: VirtualWeb


Refit = Callable[[Mapping[str, bool]], Relevance | None]
"""Fits a model to the answers by URL; returns None if there are too few."""


class SimulatedLessons:
    """Asks a teacher during the first half of the crawl, and refits the model now and then.

    With every new model, all pages so far are judged again, and waiting URLs get new priorities. The same arguments
    give the same questions.
    """

    def __init__(
        self, plan: LessonPlan, teacher: Teacher, refit: Refit, pages: int, known: frozenset[str], seed: str
    ) -> None:
        """Set up with nothing asked.

        Args:
            plan: The plan of questions.
            teacher: Answers questions.
            refit: Fits the models.
            pages: The number of pages that the crawl may choose.
            known: Given pages, which are not asked about.
            seed: The seed for random questions.
        """
        self._plan = plan
        self._teacher = teacher
        self._refit = refit
        self._known = known
        self._every = max(int(EARLY * pages / plan.answers), 1)
        number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:4], "big")
        self._chooser = chooser_named(plan.questions, number)
        self._hosts: Counter[str] = Counter()
        self._chosen = 0  # number of pages chosen by the crawl itself
        self._pages: dict[int, Response] = {}
        self.readings: dict[int, Reading] = {}
        """The latest reading of each page, in the order of fetching."""
        self.answers: dict[str, bool] = {}
        """By URL, in the order of asking."""

    def final(self, steps: Sequence[PageFetch]) -> dict[str, bool]:
        """Whether each page of the crawl is relevant, according to the latest model."""
        return {step.url: reading.relevant for step, reading in zip(steps, self.readings.values(), strict=True)}

    def begin(self, room: Classroom) -> Callable[[int, Response, Reading], None]:
        """Attach to a crawl. Returns a function to be called with every page."""
        self._room = room
        return self._page

    def _page(self, number: int, response: Response, reading: Reading) -> None:
        self._pages[number], self.readings[number] = response, reading
        if response.url in self._known:
            return
        self._chosen += 1
        since = self._chosen - FIRST_QUESTION
        if since < 0 or since % self._every or len(self.answers) >= self._plan.answers:
            return
        candidates = self._candidates()
        if not candidates:
            return
        chosen = self._chooser.choose(candidates, self._hosts)
        answer = self._teacher.answer(PageQuestion(chosen.url))
        if answer is None:
            return
        self.answers[chosen.url] = answer
        self._hosts[chosen.host] += 1
        if is_due(len(self.answers)) or len(self.answers) == self._plan.answers:
            self._learn()

    def _candidates(self) -> Sequence[Candidate]:
        behind = self._behind()
        urls = self._room.frontier.urls
        return [
            Candidate(place, url, host_of(url), reading.relevance, reading.threshold, behind[number])
            for place, (number, reading) in enumerate(self.readings.items())
            if (url := urls.url(number)) not in self.answers and url not in self._known
        ]

    def _behind(self) -> Counter[int]:
        """How many of the most promising waiting URLs were found on each page."""
        urls = self._room.frontier.urls
        numbers = np.arange(len(urls))
        waiting = numbers[urls.states(numbers) == int(State.WAITING)]
        best = waiting[np.argsort(-urls.priorities(waiting), kind="stable")[:_BEST]]
        return Counter(urls.parents(best).tolist())

    def _learn(self) -> None:
        """Refit the model, judge all pages again, and update the priorities of waiting URLs."""
        model = self._refit(self.answers)
        if model is None:
            return
        room = self._room
        room.schedule.teach(model)
        room.visits.adopt(room.schedule.config)
        reader = Reader(room.schedule.config, within=room.web)
        for number, response in self._pages.items():
            reading = reader.read(Document.of(response))
            answer = self.answers.get(room.frontier.urls.url(number))
            self.readings[number] = reading if answer is None else corrected(reading, answer)
            room.queue.revise(room.frontier, number, self.readings[number])
        room.queue.rescore(room.frontier, 0, len(room.frontier))
