"""What shards and the coordinator tell each other, about once a second."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from honeyguide.crawl.budget import StopReason
from honeyguide.store.inbox import Message
from honeyguide.store.tally import Tally

Points = tuple[tuple[float, int], ...]
"""Promises of waiting URLs with their counts, the highest first: `PromiseHistogram.points`."""
Floats = NDArray[np.float64]


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
    """Pages that it had when it was started."""
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
    taken: float = 0.0
    """What it has taken lately promised on average."""
    learnt: Floats | None = None
    """What its strategy has learnt, as sums; None if that has not changed since the last report that was answered."""
    told: str = ""
    """The id of the last command that it has."""
    version: int = 0
    """Of what it knows others to have learnt."""
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
    """What was taken lately promised on average."""
    idle_for: float = inf
    """Seconds since a page was last fetched anywhere; inf if none was."""
    learnt: Floats | None = None
    """What all other shards have learnt, as sums; None if the shard has that."""
    version: int = 0
    """Of `learnt`."""
    told: tuple[Message, ...] = field(default=())
    """Commands that the shard does not have yet."""
    stop: StopReason | None = None
