"""What links promise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.regions import Region
from honeyguide.strategy.guide.evidence import BY_EXAMPLE
from honeyguide.strategy.guide.features import UrlFacts, plain_features
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.url_rows import SECTIONS

Floats = NDArray[np.float64]

_KNOWN = 0.5  # what the promise of an example is multiplied by: there is nothing new in it, but it may lead on
_DIRECTORY = int(Region.DIRECTORY)  # numpy takes long to see that it is a number


def promises(facts: UrlFacts, model: BayesianRidge, boldness: float, trust: float) -> Floats:
    """What each URL promises.

    Args:
        facts: What is known of the URLs.
        model: Predicts their outcomes.
        boldness: How many standard deviations of its own uncertainty a promise is raised by.
        trust: What the promises of URLs are multiplied by that only examples link to.
    """
    twin = facts.learnt.compiled()
    if twin is None:
        return plain_promises(facts, model, boldness, trust)
    found: Floats = twin.promises(
        facts.raw.view(np.uint8), facts.host, facts.depth, model.weights, model.offset, model.centre, model.root,
        boldness, _KNOWN, trust, BY_EXAMPLE, _DIRECTORY,
    )  # fmt: skip
    return found


def plain_promises(facts: UrlFacts, model: BayesianRidge, boldness: float, trust: float) -> Floats:
    """The same without the compiled kernel: the results differ by rounding."""
    rows, features = facts.rows, plain_features(facts)
    found = model.predict(features) + boldness * model.deviation(features)
    lower(found, rows["example"] != 0, _KNOWN)
    lower(found, rows["sources"] == BY_EXAMPLE, trust)
    is_listed = rows["region"] == _DIRECTORY
    if np.count_nonzero(is_listed):
        # Nothing but a directory vouches for them, whose words say nothing: what was found behind it does.
        listed = (is_listed & (rows["pages"] <= SECTIONS)).nonzero()[0]
        earned = facts.learnt.rates.earned(rows[listed], facts.host[listed])
        found[listed] = np.minimum(found[listed], earned)
    return found


def lower(promises: Floats, which: NDArray[np.bool_], factor: float) -> None:
    """Multiply some promises by a factor below 1; those below 0 are lowered by as much."""
    if np.count_nonzero(which):
        promises[which] -= (1.0 - factor) * np.abs(promises[which])
