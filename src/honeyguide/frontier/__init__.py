"""Which URL is fetched next: priorities, hosts and when they are ready, the record of every URL."""

from honeyguide.frontier.admission import Admission
from honeyguide.frontier.frontier import Frontier, Merge
from honeyguide.frontier.gates import HostState
from honeyguide.frontier.host_view import HostView
from honeyguide.frontier.hosts import HostSlot
from honeyguide.frontier.keys import Rank
from honeyguide.frontier.record import NO_PARENT, DirtyRows, Row, State
from honeyguide.frontier.reservation import Reservation
from honeyguide.frontier.settings import Limit, Politeness
from honeyguide.frontier.view import UNKNOWN, UrlView

__all__ = [
    "NO_PARENT",
    "UNKNOWN",
    "Admission",
    "DirtyRows",
    "Frontier",
    "HostSlot",
    "HostState",
    "HostView",
    "Limit",
    "Merge",
    "Politeness",
    "Rank",
    "Reservation",
    "Row",
    "State",
    "UrlView",
]
