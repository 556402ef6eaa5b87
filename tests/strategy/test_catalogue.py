"""The strategies as users know them: names, parameters and their defaults, and that each parameter does something."""

from __future__ import annotations

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honeyguide.crawl.readers import reader_config
from honeyguide.demo.web import DemoWeb
from honeyguide.errors import InputError
from honeyguide.lab.replay import replay
from honeyguide.lab.webs.demo import DemoPages
from honeyguide.relevance.models import make_model
from honeyguide.settings import PartSpec
from honeyguide.strategy.reading import Document, Reader
from honeyguide.strategy.registry import recipes, strategy_named
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

CATALOGUE = """
guide (honeyguide): stiffness=10.0, boldness=0.3, caution=1.0, clarity=0.5
best-first (classic):
breadth-first (baseline):
random (baseline): seed=0
seeds-only (baseline):
anchor-only (CBP-SLC): merge=max
link-context (CBP-SLC): merge=max
slc (CBP-SLC): merge=max
cbp (CBP-SLC): alpha=0.5, k=1, tags=paper, merge=max
cbp-slc (CBP-SLC): alpha=0.5, k=1, tags=paper, merge=max
link-context-prediction (OTIE): beta=0.25, window=20, n=1
text-window (BTW): repeated=first, window=20
block (BTW): repeated=first, pdoc=6, cues=static, boxes=boxes
page+block (BTW): repeated=first, pdoc=6, cues=static, boxes=boxes, beta=0.25
btw (BTW): repeated=first, window=20, pdoc=6, cues=static, boxes=boxes
page+btw (BTW): repeated=first, window=20, pdoc=6, cues=static, boxes=boxes, beta=0.25
genre (genre-aware) with genre: queue=fs-2, change=0.2, merge=replace, ties=random, seed=0, levels=7, links=200
genre-svm (genre-aware) with rbf: queue=fs-2, change=0.2, merge=replace, ties=random, seed=0, levels=7, links=200
vsm (SSVSM) with vsm: lambda=0.5
ssrm (SSVSM) with ssrm: lambda=0.5
ssvsm (SSVSM) with ssvsm: lambda=0.5
opic (OTIE): n=50, revisit=10, dangling=spread
otie (OTIE): a=0.85, d=3.0, beta=0.25, window=20, n=50, revisit=10, dangling=leak
fish-search (classic): width=10, depth=3
shark-search (classic): delta=0.5, beta=0.8, gamma=0.5, window=20
link-classifier (classic): beta=0.25, window=20, stiffness=1.0, refit=10
host-bandit (classic): score=learnt, alpha=1.0, beta=1.0, seed=0, page=0.25, window=20, stiffness=1.0, refit=10
tres (TRES): warmup=25, refresh=25, discount=0.99, window=20, seed=0
link-bandit (DISCO): exploration=1.0, window=20, stiffness=1.0, refit=10, seed=0
mix (honeyguide): segmenter=page, context=window, rule=mixed, queue=max, beta=0.25, window=20, repeated=first,\
 alpha=0.5, k=1, tags=paper, pdoc=6, cues=static, boxes=boxes
"""

CHOICES = {
    "tags": ("paper", "modern"),
    "repeated": ("first", "max"),
    "ties": ("first", "last", "random"),
    "dangling": ("leak", "spread", "virtual"),
    "score": ("learnt", "mixed", "inherited"),
    "segmenter": ("page", "cbp", "vips"),
    "cues": ("static", "browser"),
    "context": ("anchor", "window", "parent", "block", "block-window"),
    "rule": ("mixed", "selective", "inherited", "equal"),
}
QUEUES = {"mix": ("max", "replace", "add"), "genre": ("ps", "fs-1", "fs-2", "pfs-1", "pfs-2")}
QUEUES["genre-svm"] = QUEUES["genre"]

MERGES = {"genre": ("replace", "max"), "genre-svm": ("replace", "max")}
OTHER_MERGES = ("max", "first")

LIMITS = {  # the least and the most that is allowed; where there is no most, something large
    **dict.fromkeys(("beta", "gamma", "delta", "lambda", "clarity", "change", "page", "alpha", "discount"), (0, 1)),
    **dict.fromkeys(
        ("stiffness", "a", "d", "n", "revisit", "boldness", "caution", "seed", "levels", "links", "exploration"),
        (0, 10**6),
    ),
    **dict.fromkeys(("k", "width", "refit", "warmup", "refresh"), (1, 10**6)),
    "window": (0, 1000),
    "pdoc": (1, 10),
    "depth": (0, 10**6),
}
LEAST = {"guide.stiffness": 0.01, "otie.d": 0.1, "opic.n": 1, "otie.n": 1, "link-context-prediction.n": 1}
LEAST |= {f"{name}.stiffness": 0.001 for name in ("link-classifier", "host-bandit", "link-bandit")}
OPEN = {"host-bandit.alpha": 0.001, "host-bandit.beta": 0.001}  # here these are numbers of pages


def test_the_strategies_and_what_they_default_to() -> None:
    lines = [
        f"{recipe.name} ({recipe.source}){' with ' * bool(recipe.model)}{recipe.model}: "
        + ", ".join(f"{name}={one.default}" for name, one in recipe.parameters.items())
        for recipe in recipes().values()
    ]
    assert [line.rstrip() for line in lines] == CATALOGUE.strip().splitlines()


PARAMETERS = [(name, parameter) for name, recipe in recipes().items() for parameter in recipe.parameters]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_the_values_that_a_parameter_takes(name: str, parameter: str) -> None:
    choices = QUEUES.get(name, ()) if parameter == "queue" else CHOICES.get(parameter, ())
    choices = MERGES.get(name, OTHER_MERGES) if parameter == "merge" else choices
    if choices:
        fine, wrong = list(map(str, choices)), ["other"]
    elif parameter == "boxes":
        fine, wrong = ["a/folder"], []
    elif f"{name}.{parameter}" in OPEN:
        least = OPEN[f"{name}.{parameter}"]
        fine, wrong = [str(least), "1000000"], [str(least * 0.9), "0"]
    else:
        least, most = LIMITS[parameter]
        least = LEAST.get(f"{name}.{parameter}", least)
        fine, wrong = [str(least), str(most)], [str(least - 0.001 if least < 1 and least else least - 1), "many"]
        wrong += [str(most + 1)] if most < 10**6 else []
    for value in fine:
        assert str(strategy_named(f"{name}({parameter}={value})").values[parameter]).removesuffix(".0") == value
    for value in wrong:
        with pytest.raises(InputError, match=rf"^strategy\.name: {parameter} (must|cannot) be .*; "):
            strategy_named(f"{name}({parameter}={value})")


# ---- every parameter does something ----

READ = {  # parameters of the rule, which reads pages
    "random": "seed=1",
    "cbp": "alpha=1 k=4 tags=modern",
    "cbp-slc": "alpha=1 k=4 tags=modern",
    "link-context-prediction": "beta=0.5 window=4",
    "text-window": "repeated=max window=4",
    "block": "repeated=max pdoc=10",
    "page+block": "repeated=max pdoc=10 beta=0.5",
    "btw": "repeated=max window=4 pdoc=10",
    "page+btw": "repeated=max window=4 pdoc=10 beta=0.5",
    "otie": "beta=0.9 window=4",
    "fish-search": "width=2",
    "shark-search": "beta=0.2 window=4",
    "link-classifier": "beta=0.9 window=4",
    "host-bandit": "score=mixed score=inherited page=0.9 window=4",
    "tres": "window=4",
    "link-bandit": "window=4",
    "genre": "links=3",
    "mix": "context=anchor context=parent context=block rule=selective rule=inherited rule=equal beta=0.9 window=4"
    " repeated=max",
    "mix(context=block, segmenter=cbp)": "segmenter=page segmenter=vips context=block-window alpha=1 k=4 tags=modern",
    "mix(context=block, segmenter=vips)": "pdoc=10",
}
STEERED = {  # parameters of the queue, which steers crawls
    "guide": "stiffness=1 boldness=0",
    "opic(n=5)": "n=6 revisit=1",
    "otie(n=5)": "n=6 revisit=1 a=0.1 d=1",
    "fish-search": "depth=0",
    "shark-search": "delta=0.1 gamma=0.9",
    "vsm": "lambda=0.9",
    "link-classifier(refit=5)": "stiffness=10 refit=2",
    "host-bandit(refit=5)": "score=mixed alpha=9 beta=9 seed=1 stiffness=10 refit=2",
    "tres(warmup=5, refresh=5)": "warmup=20 refresh=30 discount=0 seed=1",
    "link-bandit(refit=5)": "exploration=0 stiffness=10 refit=2 seed=1",
    "mix(window=0)": "queue=replace queue=add",
}
PAGES = sorted((Path(__file__).parent.parent / "page" / "layouts").glob("*.html"))
DEMO = DemoWeb(pages=120, page_kb=2.0)
SUBJECT = DEMO.subjects[2]


def each(table: dict[str, str]) -> list[tuple[str, str]]:
    """A strategy, and the same with another value of one parameter."""
    pairs = []
    for strategy, values in table.items():
        asked = PartSpec.parse(strategy, "strategy", "")
        for value in values.split():
            name, _, other = value.partition("=")
            given = ", ".join(f"{name}={value}" for name, value in {**asked.given, name: other}.items())
            pairs.append((strategy, f"{asked.name}({given})"))
    return pairs


class Letters:
    """A model that any page is something to: the share of words with an e."""

    threshold = 0.5

    def score(self, text: Any, spans: Any) -> Any:
        parts = [text.words[first:last] for first, last in spans.tolist()]
        return np.array([sum("e" in word for word in part) / max(len(part), 1) for part in parts])


@cache
def read(strategy: str) -> list[bytes]:
    """What a strategy reads in some pages."""
    url = "http://a.example/"
    topic = Topic.make(name="t", seeds=[url], keywords="x", strategy={"name": strategy})
    reader = Reader(reader_config(topic, Letters()))
    return [pickle.dumps(reader.read(Document(url, page.read_bytes(), "text/html"))) for page in PAGES]


@pytest.mark.parametrize(("strategy", "other"), each(READ))
def test_another_value_makes_another_reading(strategy: str, other: str) -> None:
    assert read(other) != read(strategy)


@cache
def crawled(strategy: str) -> list[tuple[str, float]]:
    """The pages of a crawl, and what they promised."""
    topic = Topic.make(
        name="t",
        seeds=DEMO.seeds(SUBJECT),
        keywords=", ".join(DEMO.keywords(SUBJECT)),
        budget={"pages": 40},
        strategy={"name": strategy},
        relevance={"model": "vsm"},
        fetch={"connections": 1},
    )
    return [(step.url, step.promised) for step in replay(topic, make_model(material_of(topic)), DemoPages(DEMO)).steps]


@pytest.mark.parametrize(("strategy", "other"), each(STEERED))
def test_another_value_makes_another_crawl(strategy: str, other: str) -> None:
    assert crawled(other) != crawled(strategy)
