"""How well models rank the pages of webs by a topic, from a few examples.

    python -m benchmarks.models --web WARC LABELS TOPIC TOPIC ... --web WARC LABELS TOPIC ... --out results

For each topic some of its pages (at most half) and twice as many others are the examples, as `honeyguide compare` deals
them; the other pages are ranked by what the model gives them. What counts is average precision: 1 if all pages of the
topic come first. Of the pages that are not about the topic a sample is ranked, which counts as all of them.

`fields` is compared with its own mixtures, too, each used alone. "Left out" is the mixture with the best mean on the
other webs: what a choice made once and for all is worth elsewhere.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from multiprocessing import get_context
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.kept import kept
from honeyguide.lab.cases import Case, Split, shuffled
from honeyguide.lab.code import own_code
from honeyguide.lab.model_quality import average_precision
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.lab.trial import ORACLE, Contender
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.classifiers.fit import fit_fields
from honeyguide.relevance.classifiers.weighing import MIXTURES
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import NOTHING, Text, Tokenizer
from honeyguide.topic.material import material_of

AUTO = "auto"
OTHERS = ("svm", "mlp", "rbf", "votes", "wvc", "vsm")
EXAMPLES = (5, 10, 30)
ALONE = ("counted", "damped", "counted and damped, title, address", "damped, title, address",
         "counted and damped, likeness", "damped, title, address, likeness",
         "counted and damped, likeness, keywords", "damped, title, address, likeness, keywords")  # fmt: skip
"""The mixtures that are used alone, too."""
MOST_LOSS = 0.01  # of average precision against the best single model
_SEED = 7

Found = dict[int, dict[str, dict[str, list[float]]]]
"""Average precisions by number of positive examples, topic and model."""


@dataclass(frozen=True, slots=True)
class Web:
    """A web, its labels, and the topics to compare on it."""

    warc: str
    labels: str
    topics: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name of the file without its endings."""
        return Path(self.warc).name.partition(".")[0]


def _knows_keywords(of: Material) -> bool:
    """Whether any example has a word of the topic's keywords; if not, no mixture can count them."""
    (own,) = of.tokens([of.words()])
    keywords = {*own.tolist()} - {NOTHING}
    return any(not keywords.isdisjoint(one.tolist()) for one in of.tokens([*of.positive, *of.negative]))


def _makers() -> Mapping[str, Callable[[Material], Relevance]]:
    """Every way to make a model that is compared: registered models, and single mixtures."""

    def alone(name: str) -> Callable[[Material], Relevance]:
        def make(of: Material) -> Relevance:
            own = name if _knows_keywords(of) else name.removesuffix(", keywords")
            return fit_fields(of.positive, of.negative, of.language, 0.5, {own: MIXTURES[own]}, of.words())

        return make

    return dict.fromkeys((AUTO, *OTHERS), make_model) | {name: alone(name) for name in ALONE}


@dataclass(frozen=True, slots=True)
class CaseTask:
    """A web, a number of positive examples, a topic and a choice of examples."""

    web: Web
    number: int
    topic: str
    repeat: int
    sample: int
    kept: Path | None

    @property
    def plan(self) -> Plan:
        """How the case is made."""
        split = Split(seeds=5, examples=self.number, pages="x2", seed=_SEED)
        return Plan((self.web.warc,), self.web.labels, self.web.topics, ("oracle",), split, self.repeat + 1)


class OpenWeb:
    """A web whose pages are read once."""

    def __init__(self, warc: str, labels: str) -> None:
        self.opened = open_plan(Plan((warc,), labels, (), ("oracle",)))
        self.order = shuffled(list(self.opened.fixture.graph.urls), _SEED, "ranked")  # the same for all cases
        self.text = cache(self.opened.fixture.text)


_open_web = lru_cache(maxsize=1)(OpenWeb)  # of this process


def precisions(task: CaseTask) -> dict[str, float]:
    """The average precision of every model in a case, unless it was found before, with the same code."""
    web, plan = _open_web(task.web.warc, task.web.labels), task.plan
    dealt = replace(web.opened, plan=plan)
    key = [dealt.key(task.topic, task.repeat, Contender.named(ORACLE, AUTO), [own_code()]), task.sample, ALONE]
    found: dict[str, float] = kept(task.kept, key, lambda: _precisions(web, dealt.case(task.topic, task.repeat), task))
    print(
        f"{task.web.name}, {task.number} examples, {task.topic}, choice {task.repeat + 1}", file=sys.stderr, flush=True
    )
    return found


def _precisions(web: OpenWeb, case: Case, task: CaseTask) -> dict[str, float]:
    fixture, text, found = web.opened.fixture, web.text, {}
    left, weights = ranked(case, web.order, task.sample)
    relevant = np.array([url in case.relevant for url in left])
    examples, others = ([text(url) for url in urls] for urls in (case.examples, case.others))
    for name, make in _makers().items():
        model = name if name in OTHERS else AUTO
        made_of = material_of(fixture.topic(case, model=model), examples, others)
        made = make(made_of)
        texts = (_forgetful(text(url), made_of.tokenizer) for url in left)
        scores = np.array([float(made.score(one, whole(one))[0]) for one in texts])
        found[name] = average_precision(relevant, scores, weights)
    return found


def _forgetful(text: Text, tokenizer: Tokenizer) -> Text:
    """The same text, which keeps what a model derives from it no longer than the model needs it.

    There are hundreds of models, and each derives some arrays from every text.
    """
    found = Text(text.words, text.url, text.title)
    found.set_tokens(tokenizer, text.tokens(tokenizer))
    return found


def ranked(
    case: Case, urls: Sequence[str], sample: int
) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """The pages to rank, and how many pages of the web each of them counts for."""
    known = {*case.examples, *case.others, *case.seeds}
    left = [url for url in urls if url not in known]
    relevant = [url for url in left if url in case.relevant]
    others = [url for url in left if url not in case.relevant]
    chosen = others[:sample]
    return [*relevant, *chosen], np.repeat([1.0, len(others) / len(chosen)], [len(relevant), len(chosen)])


def _means(found: Found) -> dict[int, dict[str, float]]:
    """The mean over all topics, by number of examples and model."""
    return {
        number: {name: fmean(fmean(topic[name]) for topic in topics.values()) for name in _makers()}
        for number, topics in found.items()
    }


def _page(
    web: Web, found: Found, others: Sequence[Mapping[int, Mapping[str, float]]], repeats: int, sample: int
) -> str:
    about = (
        f"Average precision, mean of {repeats} samples of examples: the given number of pages of the topic (at most"
        f" half) and twice as many others. At most {sample:,} of the pages that are not about the topic are ranked,"
        f" weighted to represent all of them. `{AUTO}` is the model that honeyguide selects, here `fields`.\n"
    )
    lines = [
        f"# How well models rank the pages of {web.name}\n",
        about,
        "## Models\n",
        f"| examples | topic | {' | '.join((AUTO, *OTHERS))} |",
        f"|---|---|{'---|' * (1 + len(OTHERS))}",
    ]
    means = _means(found)
    for number, topics in found.items():
        for topic, of in topics.items():
            cells = " | ".join(f"{fmean(of[name]):.3f}" for name in (AUTO, *OTHERS))
            lines.append(f"| {number} | {topic} | {cells} |")
        lines.append(
            f"| {number} | mean | {' | '.join(f'**{means[number][name]:.3f}**' for name in (AUTO, *OTHERS))} |"
        )
    lines += ["", *(_verdict(number, mean) for number, mean in means.items())]
    about = (
        "`fields` is the mean of these mixtures and others, weighted by the examples. Here each is used alone. In"
        " sample: the best mean on this web. Left out: the mean here of the mixture that is best on the other"
        " webs.\n"
    )
    lines += [
        "\n## Mixtures\n",
        about,
        f"| examples | {AUTO} | in sample | left out | {' | '.join(ALONE)} |",
        f"|---|---|---|---|{'---|' * len(ALONE)}",
    ]
    for number, mean in means.items():
        within = max(mean[name] for name in ALONE)
        beyond = mean[max(ALONE, key=lambda name: fmean(other[number][name] for other in others))] if others else None
        lines.append(
            f"| {number} | **{mean[AUTO]:.3f}** | {within:.3f} | {'' if beyond is None else f'{beyond:.3f}'} | "
            f"{' | '.join(f'{mean[name]:.3f}' for name in ALONE)} |"
        )
    return "\n".join(lines) + f"\n\n{machine.described('scikit-learn')}"


def _verdict(number: int, mean: Mapping[str, float]) -> str:
    best = max(OTHERS, key=lambda name: mean[name])
    reached = mean[AUTO] >= mean[best] - MOST_LOSS
    return (
        f"- {number} examples: {mean[AUTO]:.3f}; the best single model, {best}: {mean[best]:.3f}"
        f" (goal: at most {MOST_LOSS} below it): {'yes' if reached else '**no**'}"
    )


def main() -> int:
    """Measure, print and write down: one page for each web. 1 when a figure is not reached."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models")
    parser.add_argument(
        "--web", nargs="+", action="append", required=True, metavar=("WARC", "LABELS"),
        help="a WARC file, its labels, and the labels that are the topics",
    )  # fmt: skip
    parser.add_argument("--repeats", type=int, default=2, help="samples of examples (default: %(default)s)")
    parser.add_argument("--sample", type=int, default=3000, help="other pages to rank (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--kept", type=Path, help="folder of finished cases, to resume from")
    parser.add_argument("--out", type=Path, help="folder for the pages")
    asked = parser.parse_args()
    webs = [Web(warc, labels, tuple(topics)) for warc, labels, *topics in asked.web]
    tasks = [
        CaseTask(web, number, topic, repeat, asked.sample, asked.kept)
        for web in webs
        for number in EXAMPLES
        for topic in web.topics
        for repeat in range(asked.repeats)
    ]
    all_found: dict[str, Found] = {}
    with ProcessPoolExecutor(asked.jobs, get_context("spawn")) as pool:
        for task, by_model in zip(tasks, pool.map(precisions, tasks), strict=True):
            found = all_found.setdefault(task.web.name, {}).setdefault(task.number, {}).setdefault(task.topic, {})
            for name, precision in by_model.items():
                found.setdefault(name, []).append(precision)
    status = 0
    for web in webs:
        others = [_means(found) for name, found in all_found.items() if name != web.name]
        page = _page(web, all_found[web.name], others, asked.repeats, asked.sample)
        status |= written(page, asked.out / f"models-{web.name}.md" if asked.out else None)
    return status


if __name__ == "__main__":
    raise SystemExit(main())
