"""The messages between shards and the coordinator, which they exchange about once a second."""

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
    """The labels and keywords that a shard has received, which a model can learn from."""

    keywords: tuple[str, ...]
    labels: tuple[Label, ...] = ()
    texts: tuple[LabelledText, ...] = ()
    """The texts of the labelled pages."""


@dataclass(frozen=True, slots=True)
class ShardReport:
    """The state of a shard."""

    shard: str
    life: int
    """How many times the shard was started."""
    number: int
    """Consecutive within a life: a report that arrives after one with a higher number is outdated."""
    epoch: int
    """The epoch of the coordinator that it last heard from."""
    wave: int
    """The last wave of reports that it was asked to take part in."""
    start: int
    """The visits that it had made when it was started: see `Tally.visits`."""
    tally: Tally
    """Its counts, over all runs."""
    returned: int = 0
    """Pages that it was granted in this life and has returned."""
    sent: int = 0
    """Items for other shards, over all runs."""
    received: int = 0
    """Items of other shards that it has applied, over all runs."""
    is_idle: bool = False
    """Whether it has nothing to do until it receives something, at least for longer than the crawl's patience."""
    next_time: float | None = None
    """If it is idle: when it will have something to do; None for never."""
    is_unpromising: bool = False
    """If it is idle: whether it still has URLs, but none that promises enough."""
    waiting: Points = ()
    """A histogram of the promises of its pending URLs."""
    due: Points = ()
    """A histogram of the value of visits to those of its pages that are due for a revisit."""
    taken: float = 0.0
    """The mean promise of the URLs that it has fetched so far."""
    learnt: Floats | None = None
    """What its strategy has learnt, as sums; None if unchanged since the last report that was answered."""
    commands: frozenset[str] = frozenset()
    """The ids of the commands in the last orders, all of which it has on its own disk."""
    version: int = 0
    """The version of `Orders.learnt` that it has."""
    lessons: int = 0
    """How many times in this life its labels or keywords have changed."""
    notes: LessonNotes | None = None
    """Its labels and keywords now; None if the coordinator has them."""
    first_sample: int = 0
    """The number of the first of `samples`."""
    samples: tuple[bytes, ...] = ()
    """Tokens of its first pages, for a model that learns from them."""
    model: int = 0
    """The version of the model that it has adopted in this life."""
    ended: StopReason | None = None
    """Why it has ended; None while it runs."""


@dataclass(frozen=True, slots=True)
class Orders:
    """The coordinator's answer to a report."""

    epoch: int
    life: int
    """The life of the shard that `granted` is for."""
    wave: int
    granted: int
    """Pages granted to the shard in this life, in total."""
    keep: int
    """How many unused pages it should keep; it returns the others."""
    left: float = inf
    """Pages left in the budget of the whole crawl."""
    total: float = inf
    """Pages in the budget of the whole crawl."""
    seconds: float = inf
    """Time left."""
    waiting: Points = ()
    """A histogram of the promises of the URLs that are pending on other shards."""
    interval: float = 0.0
    """Mean seconds between two pages of the whole crawl."""
    taken: float = 0.0
    """The mean promise of the URLs that all shards have fetched so far."""
    idle_for: float = inf
    """Seconds since a page was last fetched anywhere; inf if none was."""
    learnt: Floats | None = None
    """What all other shards have learnt, as sums; None if the shard has it."""
    version: int = 0
    """Of `learnt`."""
    commands: tuple[Message, ...] = field(default=())
    """Commands that the shard has not received yet."""
    lessons: int = 0
    """The latest `ShardReport.lessons` whose notes the coordinator has; -1 for none of this life."""
    samples: int = -1
    """How many samples of the shard the coordinator has; -1 if it wants none."""
    model: Broadcast | None = None
    """The model to use from now on; None if the shard has it."""
    stop: StopReason | None = None
