"""Decides which URL is fetched next, from the priorities of URLs and the limits of their hosts."""

from honeyguide.frontier.admission import Admission
from honeyguide.frontier.frontier import Frontier, Merge
from honeyguide.frontier.gates import HostState
from honeyguide.frontier.host_view import HostView
from honeyguide.frontier.hosts import AddressUse, HostSlot
from honeyguide.frontier.keys import Rank
from honeyguide.frontier.promise_histogram import Points, PromiseHistogram
from honeyguide.frontier.record import NO_PARENT, DirtyRows, Row, State
from honeyguide.frontier.reservation import Elsewhere, Reservation
from honeyguide.frontier.settings import Limit, Politeness
from honeyguide.frontier.view import UNKNOWN, UrlView

__all__ = [
    "NO_PARENT",
    "UNKNOWN",
    "AddressUse",
    "Admission",
    "DirtyRows",
    "Elsewhere",
    "Frontier",
    "HostSlot",
    "HostState",
    "HostView",
    "Limit",
    "Merge",
    "Points",
    "Politeness",
    "PromiseHistogram",
    "Rank",
    "Reservation",
    "Row",
    "State",
    "UrlView",
]
