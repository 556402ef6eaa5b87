"""TRES: reinforcement learning over a tree of the frontier (Kontogiannis et al., arXiv 2112.07620).

The method of the paper, with the settings of its published code:

* the features of a link (`FEATURES`): the state is the path that led to its page, the action is the link;
* the reward, 1 for a relevant page and 0 for another;
* the learner (`tres_agent`): double Q-learning on a perceptron of 30 and 15 units, one batch of 60 every three pages;
* the tree frontier (`tres_tree`): leaves split by the variance of the rewards; after each page, one random URL
  of each leaf is evaluated, and the best of these is fetched next. At first, leaves are chosen at random.

What differs, because it does not apply here or the paper leaves it open:

* The relevance model of the crawl takes the place of the paper's page classifier (a Bi-LSTM on word2vec), and its
  scores of anchor, address and surrounding words that of the key words and phrases found there, whose expansion is left
  to the topic.
* A URL is in the tree once, as the link to it with the highest value when it was found. In the paper, it is there once
  per link.
* The published code chooses at random for 500 pages and refreshes its target network every 500, in crawls of 20,000
  pages. Both are parameters here; their defaults are the same shares of a crawl of 1,000.
* The number of leaves evaluated after a page has a limit, and so has the memory of links.
* The eight best representatives are nominated, not one: in a live crawl the host of the best may rest.
* Pages per site are limited by `scope.pages_per_host`, and not by the strategy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from honeyguide.frontier import Frontier, State
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.queues.domains import DomainRecord
from honeyguide.strategy.queues.nominees import NOMINEES, Nominees
from honeyguide.strategy.queues.rows import RowStore
from honeyguide.strategy.queues.tres_agent import DoubleQ
from honeyguide.strategy.queues.tres_network import Floats
from honeyguide.strategy.queues.tres_tree import TreeFrontier

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

ACTION = "action"
"""The column with the relevance of a link's address, anchor, surrounding words, and of anchor and address together."""

FEATURES = (
    "whether its page is relevant",
    "1 / links since a relevant page",
    "share of relevant pages on the path",
    "relevance of its address",
    "relevance of its anchor",
    "relevance of the words around it",
    "share of relevant pages of its domain",
    "whether its domain is unknown",
    "relevance of anchor and address",
)
_STATE, _TEXTS, _DOMAIN, _UNKNOWN, _TOGETHER = slice(0, 3), slice(3, 6), 6, 7, 8

_PATH = np.dtype([("relevant", np.uint16), ("other", np.uint16), ("gap", np.uint16)])
_LONGEST = 65_535
_MAX_LEAVES = 1024  # maximum number of leaves that are evaluated after a page
_STEPS = "tres steps"


class TresQueue(PlainQueue):
    """The priority of a URL encodes whether it was chosen: see `Nominees`. Its promise is the sigmoid of its Q.

    Seeds count as relevant pages on the paths that they begin, whatever they are. Nothing is learnt from seeds and from
    URLs that fail.
    """

    def __init__(self, warmup: int, refresh: int, discount: float, seed: int) -> None:
        """Set up with nothing learnt.

        Args:
            warmup: The number of pages that are chosen at random at first.
            refresh: Pages between two refreshes of the target network.
            discount: The discount factor of the next reward.
            seed: The seed of all random choices.
        """
        super().__init__()
        self._warmup = warmup
        self._seed = seed
        self._agent = DoubleQ(len(FEATURES), discount, refresh, seed)
        self._tree = TreeFrontier(len(FEATURES))
        self._paths = RowStore("tres path", _PATH)  # by URL, the path that leads to it
        self._domains = DomainRecord("tres outcome")
        self._nominees = Nominees()
        self._steps = 0  # pages so far

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        urls = frontier.urls
        path = self._paths.one(number)
        is_followed = path[2] > 0  # not a seed
        own = self._tree.features(np.array([number]))
        self._refresh_domains(own, frontier, [urls.host(number)])
        self._tree.remove(number)
        self._domains.add(frontier, number, reading.relevant)
        links = self._offer_links(frontier, number, reading, max_depth)
        if is_followed:
            features, reward = own[0].tolist(), float(reading.relevant)
            self._tree.learn(features, reward)
            if len(links):
                self._agent.remember(features, reward, links)
        self._steps += 1
        self._agent.train(self._steps)
        self._nominate(frontier)

    @override
    def on_failed(self, frontier: Frontier, number: int) -> None:
        self._tree.remove(number)
        self._nominate(frontier)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """A target that is new takes the place of the URL that redirects to it."""
        self._tree.remove(source)
        is_new = not self._paths.one(target)[2] and frontier.urls.depth(target)
        if is_new and frontier.urls.is_waiting(target) and self._paths.one(source)[2]:
            self._paths.set_one(target, self._paths.one(source))
            self._tree.add(np.array([target]), self._tree.features(np.array([source])))

    # ---- links ----

    def _offer_links(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> Floats:
        """Add the links of a page to the tree. Returns the features of all of them, if they may be followed."""
        table, depth = reading.links, frontier.urls.depth(number) + 1
        if not len(table) or (max_depth and depth > max_depth):
            return np.zeros((0, len(FEATURES)))
        path = self._path_behind(number, relevant=reading.relevant or depth == 1)
        rows = self._features(frontier, path, table[ACTION], frontier.hosts_of(table.urls))
        values = self._agent.values(rows)
        promises = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
        places, numbers = self._nominees.offer_links(frontier, number, table.urls, promises)
        if places:
            self._paths[numbers] = np.array([path] * len(numbers), _PATH)
            self._tree.add(numbers, rows[places])
        return rows

    def _path_behind(self, number: int, *, relevant: bool) -> tuple[int, int, int]:
        """The path of the links of a page: that of the page, and the page itself."""
        before, other, gap = self._paths.one(number)
        if relevant:
            return min(before + 1, _LONGEST), other, 1
        return before, min(other + 1, _LONGEST), min(gap + 1, _LONGEST)

    def _features(self, frontier: Frontier, path: tuple[int, int, int], action: Floats, hosts: list[int]) -> Floats:
        relevant, other, gap = path
        rows = np.empty((len(action), len(FEATURES)))
        rows[:, _STATE] = gap == 1, *_tenths(np.array([1 / gap, relevant / (relevant + other)]))
        rows[:, _TEXTS], rows[:, _TOGETHER] = action[:, :3], action[:, 3]
        self._refresh_domains(rows, frontier, hosts)
        return rows.astype(np.float16).astype(np.float64)  # as the tree stores them

    def _refresh_domains(self, rows: Floats, frontier: Frontier, hosts: list[int]) -> None:
        """Update the features of the domains of some hosts."""
        shares, is_unknown = self._domains.shares(frontier, hosts)
        rows[:, _DOMAIN] = _tenths(shares).astype(np.float16)
        rows[:, _UNKNOWN] = is_unknown

    # ---- choosing ----

    def _nominate(self, frontier: Frontier) -> None:
        """Evaluate one URL per leaf, and nominate the best; during the warm-up, nominate at random."""
        dice = np.random.default_rng((self._seed, self._steps, 1))
        found = self._tree.representatives(dice, _MAX_LEAVES)
        found = found[frontier.urls.states(found) == State.WAITING]
        if self._steps < self._warmup:
            found = dice.permutation(found)
        else:
            rows = self._tree.features(found)
            self._refresh_domains(rows, frontier, frontier.urls.hosts(found).tolist())
            found = found[np.argsort(-self._agent.values(rows), kind="stable")]
        self._nominees.choose(frontier, found[:NOMINEES].tolist())

    # ---- state ----

    @override
    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        for part in (self._agent, self._tree, self._paths, self._domains, self._nominees):
            yield from part.dirty_state()
        yield _STEPS, self._steps.to_bytes(8, "little")

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        if _STEPS not in state:
            return
        self._agent.restore(state)
        self._tree.restore(state, len(frontier))
        self._paths.restore(state)
        self._domains.restore(frontier, state)
        self._nominees.restore(state)
        self._steps = int.from_bytes(state[_STEPS], "little")


def _tenths(shares: Floats) -> Floats:
    """Shares, rounded down to tenths, as in the paper's code."""
    return np.floor(shares * 10 + 1e-9) / 10
