"""Which URL next: priorities, hosts and their readiness, the record of every URL."""

from honeyguide.frontier.frontier import Frontier, Merge
from honeyguide.frontier.gates import Host, Where
from honeyguide.frontier.hosts import Loan
from honeyguide.frontier.record import NO_PARENT, Row, State
from honeyguide.frontier.settings import Limit, Politeness

__all__ = ["NO_PARENT", "Frontier", "Host", "Limit", "Loan", "Merge", "Politeness", "Row", "State", "Where"]
