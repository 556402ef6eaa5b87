"""The promises of links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.context.regions import Region
from honeyguide.strategy.guide.evidence import BY_EXAMPLE
from honeyguide.strategy.guide.features import UrlFacts, plain_features
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.url_rows import SECTIONS

Floats = NDArray[np.float64]

_EXAMPLE_FACTOR = 0.5  # factor for links to examples, which are not new but may lead to relevant pages
_DIRECTORY = int(Region.DIRECTORY)  # a plain integer: numpy is slow with enum members


def promises(facts: UrlFacts, model: BayesianRidge, boldness: float, trust: float) -> Floats:
    """Compute the promise of each URL.

    Args:
        facts: What is known about the URLs.
        model: Predicts their outcomes.
        boldness: By how many standard deviations of its uncertainty a promise is raised.
        trust: Factor for the promises of URLs that only examples link to.
    """
    twin = facts.learnt.compiled()
    if twin is None:
        return plain_promises(facts, model, boldness, trust)
    found: Floats = twin.promises(
        facts.raw.view(np.uint8), facts.host, facts.depth, model.weights, model.offset, model.centre, model.root,
        boldness, _EXAMPLE_FACTOR, trust, BY_EXAMPLE, _DIRECTORY,
    )  # fmt: skip
    return found


def plain_promises(facts: UrlFacts, model: BayesianRidge, boldness: float, trust: float) -> Floats:
    """The same without the compiled kernel: the results differ by rounding."""
    rows, features = facts.rows, plain_features(facts)
    found = model.predict(features) + boldness * model.deviation(features)
    lower(found, rows["example"] != 0, _EXAMPLE_FACTOR)
    lower(found, rows["sources"] == BY_EXAMPLE, trust)
    is_listed = rows["region"] == _DIRECTORY
    if np.count_nonzero(is_listed):
        # Only directories link to them, whose words say nothing: limit their promises by the outcomes so far.
        listed = (is_listed & (rows["pages"] <= SECTIONS)).nonzero()[0]
        earned = facts.learnt.rates.earned(rows[listed], facts.host[listed])
        found[listed] = np.minimum(found[listed], earned)
    return found


def lower(promises: Floats, which: NDArray[np.bool_], factor: float) -> None:
    """Multiply some promises by a factor below 1; negative promises are lowered by the same fraction."""
    if np.count_nonzero(which):
        promises[which] -= (1.0 - factor) * np.abs(promises[which])
