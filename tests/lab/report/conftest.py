from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from honeyguide.lab.metrics import Order, curve, figures
from honeyguide.lab.verdicts import summaries, verdicts

Results = dict[str, Any]
MakeResults = Callable[..., Results]


@pytest.fixture(scope="session")
def make_results() -> MakeResults:
    return results


def results(
    strategies: Sequence[str] = ("guide", "best-first", "breadth-first"),
    topics: Sequence[str] = ("bees", "tea"),
    repeats: int = 2,
    *,
    oracle: bool = True,
    budgets: Sequence[int] = (400,),
    sites: int = 1,
    only: dict[str, dict[str, list[str]]] | None = None,
    **settings: Any,
) -> Results:
    """Results of made-up crawls: the first strategy is the best, budgets go round, everything else is computed."""
    rng = np.random.default_rng(5)
    names = [*strategies, *(["oracle"] if oracle else [])]
    cells = []
    for number, topic in enumerate(topics):
        budget = budgets[number % len(budgets)]
        hardness = rng.uniform(0.6, 1.4)
        for repeat in range(repeats):
            luck = rng.normal(0, 0.03)
            reached = 0.0
            for place, name in [*enumerate(names)][::-1]:  # the oracle first, of which the others have a share
                skill = 1.2 if name == "oracle" else 0.75 - 0.5 * place / len(names)
                order = crawl(rng, budget, hardness * (skill + luck + rng.normal(0, 0.03)), sites)
                found = figures(order, budget // 2, budget, reached if oracle else None, sites)
                if name == "oracle":
                    reached = found["auc_recall"] or 0.0
                    found |= {"oracle_auc_recall": reached, "share_of_oracle": 1.0}
                cells.append(
                    {"topic": topic, "strategy": name, "repeat": repeat, "budget": budget}
                    | found
                    | {"seconds": 1.5, "order_digest": "d1", "curve": curve(order, budget // 2, budget, sites=sites)}
                )
    return {
        "settings": {
            "command": "honeyguide compare --web bees.warc.gz --labels labels.tsv --strategy all",
            "web": {"name": "bees.warc.gz", "digest": "sha256:1234", "pages": 1234},
            "labels": "labels.tsv",
            "judge": "labels",
            "topics": list(topics),
            "strategies": names,
            "repeats": repeats,
            "seed_urls": [],
            "versions": {"honeyguide": "0.1.0", "numpy": np.__version__},
            **settings,
        },
        "cells": cells,
        "summary": summaries(cells),
        "tests": verdicts(cells),
        "only": only or {},
    }


def crawl(rng: np.random.Generator, budget: int, skill: float, sites: int) -> Order:
    """A crawl that finds many targets at first and fewer later, on one site after the other."""
    targets = budget // 2
    chance = np.clip(skill * np.exp(-2.0 * np.arange(budget) / budget), 0, 1)
    relevant = rng.random(budget) < chance
    relevant &= np.cumsum(relevant) <= targets
    return Order(
        urls=[f"http://a{place * sites // budget}.example/{place}" for place in range(budget)],
        relevant=relevant,
        target=relevant,
        bytes=rng.integers(5_000, 60_000, budget),
        seconds=np.cumsum(rng.uniform(0.5, 1.5, budget)),
        hops=rng.integers(1, 5, budget),
        similarity=np.full(budget, np.nan),
        predicted=rng.random(budget),
    )
