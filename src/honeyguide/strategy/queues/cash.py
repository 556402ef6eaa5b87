"""Cash that pages pass to the pages they link to: OPIC and OTIE (001; spec, section 3)."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import copysign, isnan
from typing import TYPE_CHECKING

from typing_extensions import override

from honeyguide.frontier import NO_PARENT, Frontier, Merge, State
from honeyguide.strategy.queues.base import Queue
from honeyguide.strategy.queues.fetch_lists import FetchList
from honeyguide.strategy.queues.visited import VisitedPages

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

LEAK, SPREAD, VIRTUAL = "leak", "spread", "virtual"
"""What to do with the cash of a page without links."""

_OPEN = (State.WAITING, State.IN_FLIGHT)
_SEEDS_PER_PAGE = 64  # the virtual page pays at most this many seeds per page that has paid it
_STATE, _GAINS, _FOUND, _MOVED = "cash state", "cash gains", "cash found", "cash moved/"


@dataclass(frozen=True, slots=True)
class Revision:
    """OTIE's revision: the cash of a page grows if the page is relevant and shrinks if not (001, Eq. 8)."""

    a: float = 0.85
    d: float = 3.0

    def factor(self, relevance: float) -> float:
        """The relative change of the cash: 0 at a relevance of one half, never less than -1."""
        centred = 2 * relevance - 1
        # The paper requires an odd function; with the sign handled separately, any power is odd.
        return max(-1.0, self.a * copysign(abs(centred) ** self.d, centred))


@dataclass(slots=True)
class Ledger:
    """The sources and sinks of cash. The total of all URLs and the pool is `endowed` + `revised` - `leaked`."""

    endowed: float = 0.0
    """Cash given to seeds."""
    revised: float = 0.0
    """Cash created by revision, or destroyed if negative."""
    leaked: float = 0.0
    """Cash lost: passed on by pages without links (`LEAK`), or to URLs that failed, were refused, or redirect in a
    circle."""


class CashQueue(Queue):
    """The priority of a URL is its cash; a fetched page passes its cash to its links.

    Without a `revision` all links get equal shares (OPIC). With one (OTIE) the cash of the page is revised first, and
    the share of a link is proportional to its score, or to its relevance if it was fetched already; equal shares if all
    are 0. Links are distinct pages: URLs known to redirect to the same page, or to this one, count as that page.

    Best-N-first: a fetch list of `n` URLs is fetched before anything found on it changes the order. So gains are set
    aside, and URLs met on it wait with no cash, behind all other waiting URLs. When the list is over (`FetchList`), the
    gains are paid and the next one begins. A page passes on the cash it had when its list began.

    Cash that reaches a fetched page stays there. With every `revisit`-th list (0: never) the page with the most cash
    passes it on in the same way, to its stored links: nothing is downloaded or counted.

    The cash of a page without links is lost (`LEAK`), or goes into a pool, which is paid out when the next list begins:
    in equal shares to all URLs that were not fetched yet (`SPREAD`), or to the seeds, which a virtual page links to
    (`VIRTUAL`). Spreading does not touch the URLs: it raises a level that is part of the cash of each of them, and a
    URL enters with as much less. So priorities in the frontier are cash above the level, and new ones may be negative.
    """

    merge = Merge.ADD

    def __init__(self, revision: Revision | None = None, n: int = 50, revisit: int = 10, dangling: str = LEAK) -> None:
        self.ledger = Ledger()
        self.pool = 0.0
        """Cash of pages without links that has not been paid out yet."""
        self._dangling = dangling
        self._paying = 0  # pages whose cash is in the pool
        self._level = 0.0  # cash of every unfetched URL in addition to its priority
        self._revision = revision
        self._list = FetchList(n)
        self._revisit = revisit
        self._visited = VisitedPages(keeps_links=revisit > 0)
        self._gains: dict[int, float] = {}  # by URL, its gains during the current list
        self._lists = 0  # number of earlier lists
        self._moved: dict[int, int] = {}  # redirects: source → URL that gets its cash
        self._new_moved: list[int] = []
        self._endowed: dict[int, float] = {}  # seeds that got their share: priorities at the start of the run
        self._is_changed = False

    def cash(self, frontier: Frontier, number: int) -> float:
        """The cash of a URL, including gains that have not been paid yet."""
        cash = self._visited.cash(number) + self._gains.get(number, 0.0)
        return cash + self.held(frontier, number) if frontier.urls.state(number) in _OPEN else cash

    def history(self, number: int) -> float:
        """The total cash that a page has passed on so far (001, section on OPIC)."""
        return self._visited.history(number)

    def importance(self, frontier: Frontier, number: int) -> float:
        """OPIC's estimate of a page's importance: its share of all history and cash (001, Eq. 3)."""
        ledger = self.ledger
        total = self._visited.total_history + ledger.endowed + ledger.revised - ledger.leaked
        return (self.history(number) + self.cash(frontier, number)) / total if total > 0 else 0.0

    def held(self, frontier: Frontier, number: int) -> float:
        """The cash of a URL that is not fetched yet, or is about to pass it on, as of the start of the list."""
        return frontier.urls.priority(number) + self._level

    # ---- events ----

    def begin(self, frontier: Frontier, seeds: Sequence[int]) -> None:
        """The seeds of a new crawl share 1.

        Seeds added later get the same share each as if all seeds had shared 1, unless they have been fetched already.
        """
        share = 1 / len(set(seeds)) if seeds else 0.0
        for number, offers in Counter(seeds).items():
            if number in self._endowed:
                frontier.change(number, self._endowed[number])  # undo the repeated offer with priority 1
                continue
            self._endowed[number] = share
            if frontier.urls.is_waiting(number):
                is_new = frontier.urls.parent(number) == NO_PARENT
                before = -self._level if is_new else frontier.urls.priority(number) - offers
                frontier.change(number, before + share)
                self.ledger.endowed += share
        self._is_changed = True

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        links = self._distinct(number, self._met(frontier, number, reading, max_depth))
        cash = self.held(frontier, number)
        if number in self._list.met:  # it was fetched before its gains were paid
            cash += self._gains.pop(number, 0.0)
        self._visited.add(number, reading.relevance, links, cash)
        self._pass_on(number, cash, links)
        self._end(frontier, number)

    def on_failed(self, frontier: Frontier, number: int) -> None:
        """Its cash is lost."""
        self.ledger.leaked += self.held(frontier, number)
        self._end(frontier, number)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """Its cash, and any cash that it gets later, goes to the target."""
        self._is_changed = True
        final = self._final(target)
        cash = self.held(frontier, source)
        if final == source:
            self.ledger.leaked += cash
        else:
            self._moved[source] = final
            self._new_moved.append(source)
            if not frontier.urls.is_waiting(target):  # otherwise the offer has transferred the priority
                self._pay(frontier, final, cash)
            elif frontier.urls.parent(target) != source:  # it was waiting already: the offer did not include the level
                self._pay(frontier, target, self._level)
        if source in self._list.met and source in self._gains and final != source:
            self._gains[final] = self._gains.get(final, 0.0) + self._gains.pop(source)
        self._list.redirected(frontier, source, target)
        if self._list.is_exhausted(frontier):
            self._begin_list(frontier)

    # ---- cash ----

    def _met(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> Iterator[tuple[int, float]]:
        """The links of a page by number, with their scores. New URLs are offered unless they are too deep."""
        find, depth = frontier.urls.find, frontier.urls.depth(number) + 1
        is_too_deep = 0 < max_depth < depth
        for url, score in reading.links.rows():
            link = find(url)
            if link is None:
                if is_too_deep:
                    continue
                link = frontier.offer(url, -self._level, number, depth)
                self._list.met.add(link)
            yield link, score

    def _distinct(self, number: int, met: Iterable[tuple[int, float]]) -> dict[int, float]:
        """The distinct targets of the links of a page, without itself, each with its best score."""
        links: dict[int, float] = {}
        for url, score in met:
            link = self._final(url)
            if link != number and score >= links.get(link, 0.0):
                links[link] = score
        return links

    def _final(self, number: int) -> int:
        """The final target of a URL, following known redirects. There are no cycles: `on_redirect` prevents them."""
        while number in self._moved:
            number = self._moved[number]
        return number

    def _pass_on(self, number: int, cash: float, links: Mapping[int, float]) -> None:
        if self._revision is not None:
            change = cash * self._revision.factor(self._visited.relevance(number))
            self.ledger.revised += change
            cash += change
        if not links and self._dangling == LEAK:
            self.ledger.leaked += cash
        elif not links:
            self.pool += cash
            self._paying += 1
        elif cash:
            gains = self._gains
            for link, part in self._parts(links):
                gains[link] = gains.get(link, 0.0) + cash * part

    def _parts(self, links: Mapping[int, float]) -> Iterator[tuple[int, float]]:
        """The share of the page's cash that each link gets (001, Eqs. 5-6)."""
        if self._revision is not None:
            relevance = self._visited.relevance
            scores = [score if isnan(known := relevance(link)) else known for link, score in links.items()]
            total = sum(scores)
            if total > 0:
                return ((link, score / total) for link, score in zip(links, scores, strict=True) if score)
        part = 1 / len(links)
        return ((link, part) for link in links)

    def _pay(self, frontier: Frontier, number: int, amount: float) -> None:
        if not amount:
            return
        match frontier.urls.state(number):
            case State.WAITING:
                frontier.change(number, frontier.urls.priority(number) + amount)
            case State.IN_FLIGHT:  # left from an earlier list: it now belongs to the new one
                frontier.change_in_flight(number, frontier.urls.priority(number) + amount)
            case State.DONE if number in self._visited:
                self._visited.pay(number, amount)
            case _:
                self.ledger.leaked += amount

    # ---- fetch lists ----

    def _end(self, frontier: Frontier, number: int) -> None:
        """Count a settled URL, and begin the next list if this one is over."""
        self._is_changed = True
        if self._list.settled(frontier, number):
            self._begin_list(frontier)

    def _begin_list(self, frontier: Frontier) -> None:
        gains, self._gains = self._gains, {}
        for number, amount in gains.items():
            self._pay(frontier, self._final(number), amount)
        self._pay_pool(frontier)
        self._list.begin()
        self._lists += 1
        if self._revisit and self._lists % self._revisit == 0 and (richest := self._visited.take_richest()):
            number, cash = richest
            self._pass_on(number, cash, self._distinct(number, self._visited.links(number).items()))

    def _pay_pool(self, frontier: Frontier) -> None:
        """Pay out the pool, if there are any recipients."""
        if self._dangling == SPREAD:
            if waiting := frontier.count(State.WAITING) + frontier.count(State.IN_FLIGHT):
                self._level += self.pool / waiting
                self.pool, self._paying = 0.0, 0
        elif self._paying * _SEEDS_PER_PAGE >= len(self._endowed):
            finals = dict.fromkeys(map(self._final, self._endowed))
            seeds = [one for one in finals if frontier.urls.state(one) in _OPEN or one in self._visited]
            for seed in seeds:
                self._pay(frontier, seed, self.pool / len(seeds))
            if seeds:
                self.pool, self._paying = 0.0, 0

    # ---- state ----

    @override
    def dirty_state(self) -> Iterable[tuple[str, bytes]]:
        yield from self._visited.dirty_state()
        for source in self._new_moved:
            yield f"{_MOVED}{source}", self._moved[source].to_bytes(4, "little")
        self._new_moved.clear()
        if self._is_changed:
            counts = {"ended": self._list.ended, "lists": self._lists, "endowed": list(self._endowed)}
            pool = {"pool": self.pool, "paying": self._paying, "level": self._level}
            yield _STATE, json.dumps({**counts, **pool, "ledger": asdict(self.ledger)}).encode()
            yield f"{_GAINS} numbers", array("I", self._gains).tobytes()
            yield f"{_GAINS} amounts", array("d", self._gains.values()).tobytes()
            yield _FOUND, array("I", self._list.met).tobytes()
            self._is_changed = False

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        self._visited.restore(state)
        for name, final in state.items():
            if name.startswith(_MOVED):
                self._moved[int(name.removeprefix(_MOVED))] = int.from_bytes(final, "little")
        if _STATE not in state:
            return
        counts = json.loads(state[_STATE])
        self._list.ended, self._lists, self.ledger = counts["ended"], counts["lists"], Ledger(**counts["ledger"])
        # A crawl of an earlier version has no pool.
        self.pool, self._paying, self._level = (counts.get(name, 0) for name in ("pool", "paying", "level"))
        self._endowed = {number: frontier.urls.priority(number) for number in counts["endowed"]}
        numbers, amounts, found = array("I"), array("d"), array("I")
        numbers.frombytes(state[f"{_GAINS} numbers"])
        amounts.frombytes(state[f"{_GAINS} amounts"])
        found.frombytes(state[_FOUND])
        self._gains = dict(zip(numbers, amounts, strict=True))
        self._list.met = set(found)
