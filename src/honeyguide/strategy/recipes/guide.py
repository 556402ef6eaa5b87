"""The house strategy."""

from __future__ import annotations

from honeyguide.settings import Parameter
from honeyguide.strategy.guide.evidence import evidence
from honeyguide.strategy.guide.queue import GuideQueue
from honeyguide.strategy.recipe import Recipe

RECIPES = (
    Recipe(
        "guide",
        "honeyguide",
        "weighs all evidence, and learns during the crawl which of it can be trusted here",
        lambda _values: evidence,
        lambda values: GuideQueue(float(values["stiffness"]), float(values["known"]), float(values["boldness"])),
        parameters={
            "stiffness": Parameter(10.0, "how hard it is to change its mind", minimum=0.01),
            "boldness": Parameter(1.0, "how much of the doubt speaks for a link", minimum=0),
            "known": Parameter(0.2, "what the promise of an example of the topic is worth", minimum=0, maximum=1),
        },
        parts="anchor, windows, CBP blocks, headings, addresses, siblings, folders, hosts; learnt weights; hub credit",
    ),
)
