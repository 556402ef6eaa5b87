"""Link classifiers as the arms of a bandit, which decides whose best URL is fetched next.

ACHE (Barbosa and Freire, "An adaptive crawler for locating hidden-web entry points", WWW 2007) learns link classifiers
during the crawl, from the words of anchor, URL and surrounding text. DISCO (Pham, Santos and Freire, "Bootstrapping
domain-specific content discovery on the web", WWW 2019) combines several ways of discovery: forward and backward
crawling, and two kinds of queries to search engines. Here the ways of discovery are link classifiers, one per text that
describes a link, and UCB1 chooses among them by the relevance of the pages that each has found: our combination of the
two, which reproduces neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from honeyguide.frontier import Frontier
from honeyguide.strategy.link_words import FIELDS, MOST, NUMBERS
from honeyguide.strategy.queues.base import PlainQueue
from honeyguide.strategy.queues.groups import UrlGroups
from honeyguide.strategy.queues.logistic import Floats, Logistic
from honeyguide.strategy.queues.nominees import NOMINEES, Nominees
from honeyguide.strategy.queues.outcomes import OutcomeLog
from honeyguide.strategy.queues.rows import RowStore
from honeyguide.strategy.queues.turns import Turns
from honeyguide.strategy.queues.ucb1 import Ucb1

if TYPE_CHECKING:
    from honeyguide.strategy.reading import Reading

FIELD_WORDS, GUESSES = "field words", "guesses"
"""The columns with the words of each field of a link, and with the first guess of each arm."""

ARMS = ("page", "anchor", "address", "around")
"""The input of each link classifier: the relevance of the link's page, without words, or one field of the link."""

_LINK = np.dtype([("guesses", np.float16, len(ARMS)), ("words", np.uint16, (FIELDS, MOST // FIELDS))])
_MAX_OUTCOMES = 5000  # maximum number of outcomes that the classifiers are fitted to: the latest
_RESCORED = 64  # URLs that are re-scored after each page, in rotation
_LEVELS, _LEVELS_PER_UNIT = 256, 16  # levels of a ranking: log odds from -8 to 8, in sixteenths
_ROW = np.dtype([("number", np.int64), ("arm", np.int64)])
_NUMBERS, _CHOSEN_BY, _PLAYS = "bandit numbers", "bandit chosen by", "bandit plays"


class LinkBanditQueue(PlainQueue):
    """Each arm ranks all waiting URLs by the probability that it predicts; UCB1 chooses whose best URL is next.

    An arm is a link classifier: a logistic regression on the words of its field, around the relevance model's score of
    that field. All arms learn from every page; the reward of the arm that chose a page is 1 if it is relevant, else 0,
    also if it failed. A URL that is fetched without having been chosen (because the hosts of the chosen ones rested)
    does not count as a play. Arms rank by levels of a sixteenth of log odds, and choose at random from the best level.

    The priority of a URL encodes whether it was chosen: see `Nominees`. Its promise is the mean probability over all
    arms; of several links to it, the most promising counts.
    """

    def __init__(self, stiffness: float, refit: int, exploration: float, seed: int) -> None:
        """Set up with nothing learnt.

        Args:
            stiffness: The regularisation strength of the classifiers.
            refit: The minimum number of new outcomes between two fits.
            exploration: The factor of UCB1's confidence bounds.
            seed: The seed of the random choices within a level.
        """
        super().__init__()
        self._refit = refit
        self._seed = seed
        self._models = [Logistic(NUMBERS, stiffness) for _ in ARMS]
        self._rankings = [Ranking(f"bandit {arm}") for arm in ARMS]
        self._bandit = Ucb1(len(ARMS), exploration)
        self._chosen_by: dict[int, int] = {}  # by nominee, the arm
        self._links = RowStore("bandit link", _LINK)
        self._outcomes = OutcomeLog("bandit outcome")
        self._nominees = Nominees()
        self._turns = Turns(_RESCORED)
        self._fitted = 0  # number of outcomes at the last fit
        self._steps = 0  # pages so far

    @override
    def page(self, frontier: Frontier, number: int, reading: Reading, max_depth: int) -> None:
        self._settle(number, float(reading.relevant))
        depth = frontier.urls.depth(number)
        if depth:  # a seed was not chosen
            self._outcomes.add(number, reading.relevant)
            if self._outcomes.is_refit_due(self._fitted, self._refit):
                self._fit(len(self._outcomes))
        if len(reading.links) and (not max_depth or depth < max_depth):
            self._offer_links(frontier, number, reading)
        self._rank_again(frontier, self._turns.waiting(frontier))
        self._steps += 1
        self._nominate(frontier)

    @override
    def on_failed(self, frontier: Frontier, number: int) -> None:
        self._settle(number, 0.0)
        self._nominate(frontier)

    def on_redirect(self, frontier: Frontier, source: int, target: int) -> None:
        """A target that waits with the priority of its source takes over the source's words and arm."""
        urls = frontier.urls
        is_open = urls.is_waiting(target) and urls.depth(source) and urls.depth(target)
        if is_open and urls.priority(source) == urls.priority(target):
            rows = self._links[np.array([source])]
            self._links[np.array([target])] = rows
            self._rank(np.array([target]), self._chances(rows))
            if source in self._chosen_by:
                self._chosen_by[target] = self._chosen_by[source]
        self._forget(source)

    def _settle(self, number: int, reward: float) -> None:
        """Reward the arm that chose a URL, if one did."""
        arm = self._chosen_by.get(number)
        if arm is not None:
            self._bandit.add(arm, reward)
        self._forget(number)

    def _forget(self, number: int) -> None:
        self._chosen_by.pop(number, None)
        for ranking in self._rankings:
            ranking.remove(number)

    # ---- links ----

    def _offer_links(self, frontier: Frontier, number: int, reading: Reading) -> None:
        """Offer the links of a page; store the words of those that promise more than earlier links to the same URL."""
        table = reading.links
        rows = np.zeros(len(table), _LINK)
        rows["guesses"], rows["words"] = table[GUESSES], table[FIELD_WORDS]
        chances = self._chances(rows)
        places, numbers = self._nominees.offer_links(frontier, number, table.urls, chances.mean(axis=0))
        if places:
            self._links[numbers] = rows[places]
            self._rank(numbers, chances[:, places])

    def _rank_again(self, frontier: Frontier, waiting: NDArray[np.intp]) -> None:
        if len(waiting):
            chances = self._chances(self._links[waiting])
            self._rank(waiting, chances)
            for number, promise in zip(waiting.tolist(), chances.mean(axis=0).tolist(), strict=True):
                self._nominees.change(frontier, number, promise)

    def _rank(self, numbers: NDArray[np.intp], chances: Floats) -> None:
        for ranking, own in zip(self._rankings, chances, strict=True):
            ranking.put(numbers, own)

    # ---- choosing ----

    def _nominate(self, frontier: Frontier) -> None:
        """Let UCB1 choose an arm for each nominee, assuming that the earlier nominees are being fetched."""
        dice = np.random.default_rng((self._seed, self._steps))
        in_flight = {number: arm for number, arm in self._chosen_by.items() if not frontier.urls.is_waiting(number)}
        pending = [sum(one == arm for one in in_flight.values()) for arm in range(len(ARMS))]
        chosen: dict[int, int] = {}
        while len(chosen) < NOMINEES:
            arm = self._bandit.best(pending)
            number = self._rankings[arm].best(dice, lambda url: url not in chosen and frontier.urls.is_waiting(url))
            if number is None:
                break
            chosen[number] = arm
            pending[arm] += 1
        self._chosen_by = chosen | in_flight
        self._nominees.choose(frontier, list(chosen))

    # ---- learning ----

    def _chances(self, rows: NDArray[Any]) -> Floats:
        """The probabilities that the arms predict for links: one row per arm."""
        return np.stack([model.chances(*_inputs_of(arm, rows)) for arm, model in enumerate(self._models)])

    def _fit(self, outcomes: int) -> None:
        """Fit all arms to the latest of the first `outcomes` outcomes."""
        numbers, is_relevant = self._outcomes.latest(_MAX_OUTCOMES, outcomes)
        rows = self._links[numbers]
        for arm, model in enumerate(self._models):
            model.fit(*_inputs_of(arm, rows), is_relevant.astype(np.float64))
        self._fitted = outcomes

    # ---- state ----

    @override
    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        for ranking in self._rankings:
            yield from ranking.dirty_state()
        yield from self._links.dirty_state()
        yield from self._outcomes.dirty_state()
        yield from self._nominees.dirty_state()
        yield _CHOSEN_BY, np.array(list(self._chosen_by.items()), _ROW).tobytes()
        yield _PLAYS, np.array([self._bandit.plays, self._bandit.rewards], np.float64).tobytes()
        yield _NUMBERS, np.array([self._fitted, self._turns.next, self._steps], np.int64).tobytes()

    @override
    def restore(self, frontier: Frontier, state: Mapping[str, bytes]) -> None:
        if _NUMBERS not in state:
            return
        for ranking in self._rankings:
            ranking.restore(state, len(frontier))
        self._links.restore(state)
        self._outcomes.restore(state)
        self._nominees.restore(state)
        self._chosen_by = dict(np.frombuffer(state[_CHOSEN_BY], _ROW).tolist())
        plays, rewards = np.frombuffer(state[_PLAYS]).reshape(2, -1).tolist()
        self._bandit.plays, self._bandit.rewards = list(map(int, plays)), rewards
        fitted, self._turns.next, self._steps = np.frombuffer(state[_NUMBERS], np.int64).tolist()
        if fitted:
            self._fit(fitted)


def _inputs_of(arm: int, rows: NDArray[Any]) -> tuple[NDArray[np.uint16], Floats]:
    """The words and guesses that an arm uses; the arm "page" has no words."""
    words = rows["words"][:, arm - 1] if arm else rows["words"][:, 0, :0]
    return words, rows["guesses"][:, arm].astype(np.float64)


class Ranking:
    """URLs in levels, by the probability that one arm predicts: the best is found without a search."""

    def __init__(self, name: str) -> None:
        """`name` is the name of its state."""
        self._levels = UrlGroups(name)

    def put(self, numbers: NDArray[np.intp], chances: Floats) -> None:
        """Set the probabilities of distinct URLs: more than 0 and less than 1."""
        log_odds = np.log(chances / (1 - chances))
        levels = np.clip(np.rint(log_odds * _LEVELS_PER_UNIT), -_LEVELS // 2, _LEVELS // 2 - 1) + _LEVELS // 2
        self._levels.put(numbers, levels.astype(np.intp))

    def remove(self, number: int) -> None:
        """Remove a URL."""
        self._levels.remove(number)

    def best(self, dice: np.random.Generator, fits: Callable[[int], bool]) -> int | None:
        """A random URL of the highest level with a fitting URL; None if none fits. Non-fitting URLs must be few."""
        for level in reversed(self._levels.filled()):
            urls = self._levels[level]
            first = int(dice.integers(len(urls)))
            for place in range(len(urls)):
                number = urls[(first + place) % len(urls)]
                if fits(number):
                    return number
        return None

    def dirty_state(self) -> Iterator[tuple[str, bytes]]:
        """The pieces that changed since the last call, by name."""
        yield from self._levels.dirty_state()

    def restore(self, state: Mapping[str, bytes], urls: int) -> None:
        """Restore what `dirty_state` returned, for a frontier with `urls` URLs."""
        self._levels.restore(state, urls)
