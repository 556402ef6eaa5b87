"""OPIC and OTIE (001; spec, section 3): pages hand cash on to what they link to, and who has most is fetched next."""

from __future__ import annotations

from honeyguide.settings import Parameter
from honeyguide.strategy.parts import WINDOW, Values
from honeyguide.strategy.queues.cash import CashQueue, Revision
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.recipes.windows import BETA, prediction
from honeyguide.strategy.rules import equal

_LISTS = {
    "n": Parameter(50, "URLs of a fetch list, fetched before what is found on them counts", minimum=1),
    "revisit": Parameter(10, "fetch lists until the richest fetched page hands its cash on; 0 for never", minimum=0),
}
_REVISION = {
    "a": Parameter(0.85, "how much cash changes on a page that is all relevant, or not at all", minimum=0),
    "d": Parameter(3.0, "how little it changes on pages in between", minimum=0.1),
}


def _queue(values: Values, revision: Revision | None = None) -> CashQueue:
    return CashQueue(revision, int(values["n"]), int(values["revisit"]))


RECIPES = (
    Recipe(
        "opic",
        "001",
        "a page's cash goes to its links in equal shares; who has most is next",
        lambda _: equal,
        _queue,
        parameters=_LISTS,
        parts="rule equal, queue cash",
    ),
    Recipe(
        "otie",
        "001",
        "a page's cash is revised by its relevance and goes to its links by theirs; who has most is next",
        prediction,
        lambda values: _queue(values, Revision(float(values["a"]), float(values["d"]))),
        parameters={**_REVISION, "beta": BETA, "window": WINDOW, **_LISTS},
        parts="window with the anchor in it, rule mixed, queue cash with revision",
    ),
)
