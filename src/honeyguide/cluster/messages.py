"""What shards and the coordinator tell each other, about once a second."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from honeyguide.cluster.broadcast import Broadcast
from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.lesson_pages import LabelledText
from honeyguide.frontier import Points
from honeyguide.store.inbox import Message
from honeyguide.store.tally import Tally
from honeyguide.teaching.labels import Label

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LessonNotes:
    """What a shard was told that a model can learn from."""

    keywords: tuple[str, ...]
    labels: tuple[Label, ...] = ()
    texts: tuple[LabelledText, ...] = ()
    """The pages that the labels are about."""


@dataclass(frozen=True, slots=True)
class ShardReport:
    """How a shard stands."""

    shard: str
    life: int
    """How often it was started."""
    number: int
    """Of this report in its life: an earlier one that comes later is out of date."""
    epoch: int
    """Of the coordinator that it has last heard from."""
    wave: int
    """The last wave of reports that it was asked for."""
    start: int
    """Visits that it had made when it was started: see `Tally.visits`."""
    tally: Tally
    """Its counts, over all runs."""
    returned: int = 0
    """Pages that it was granted in this life and has given back."""
    sent: int = 0
    """Items that it has ever had for other shards."""
    received: int = 0
    """Items of other shards that it has ever applied."""
    is_idle: bool = False
    """Whether there is nothing that it could do by itself, at least for a long time."""
    next_time: float | None = None
    """If it is idle: when it could do something."""
    is_unpromising: bool = False
    """If it is idle: whether that is because nothing promises enough."""
    waiting: Points = ()
    """What its waiting URLs promise."""
    due: Points = ()
    """What visits are worth of its pages that are due to be visited again."""
    taken: float = 0.0
    """What it has taken so far promised on average."""
    learnt: Floats | None = None
    """What its strategy has learnt, as sums; None if that has not changed since the last report that was answered."""
    told: frozenset[str] = frozenset()
    """The ids of those commands in the last orders that it has on its own disk: all of them."""
    version: int = 0
    """Of what it knows others to have learnt."""
    lessons: int = 0
    """How often in this life what it was told that a model can learn from has changed."""
    notes: LessonNotes | None = None
    """What that is now; None if the coordinator has it."""
    first_sample: int = 0
    """The number of the first of `samples`."""
    samples: tuple[bytes, ...] = ()
    """Tokens of its first pages, for a model that learns from them."""
    model: int = 0
    """The version of the model that it has adopted in this life."""
    ended: StopReason | None = None
    """Why it has ended, if it has."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What the coordinator answers."""

    epoch: int
    life: int
    """The life of the shard that `granted` is for."""
    wave: int
    granted: int
    """Pages that the shard was given in this life, in all."""
    keep: int
    """How many unused pages it should keep; it should give back the others."""
    left: float = inf
    """Pages left for the whole crawl."""
    total: float = inf
    """Pages that the whole crawl will have."""
    seconds: float = inf
    """Time left."""
    waiting: Points = ()
    """What waits on other shards."""
    interval: float = 0.0
    """Seconds between two pages of the whole crawl."""
    taken: float = 0.0
    """What was taken so far promised on average."""
    idle_for: float = inf
    """Seconds since a page was last fetched anywhere; inf if none was."""
    learnt: Floats | None = None
    """What all other shards have learnt, as sums; None if the shard has that."""
    version: int = 0
    """Of `learnt`."""
    told: tuple[Message, ...] = field(default=())
    """Commands that the shard does not have yet."""
    lessons: int = 0
    """Which of the shard's notes the coordinator has; -1 for none of this life."""
    samples: int = -1
    """How many of its first pages the coordinator has; -1 if it wants none."""
    model: Broadcast | None = None
    """The model to go on with, if the shard does not have it."""
    stop: StopReason | None = None
