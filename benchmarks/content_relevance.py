"""Whether pages are ranked better by their main content than by all their visible text.

    python -m benchmarks.content_relevance --web WARC LABELS TOPIC ... [--web ...] [--out results/content-relevance.md]

As in `benchmarks.models`: average precision of the ranking of a web's pages by a model that was given a few examples.
Both rankings have the same examples and the same pages; title and address are the same.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.models import Web, ranked
from honeyguide.lab.cases import Split, shuffled
from honeyguide.lab.model_quality import average_precision
from honeyguide.lab.plan import Plan, open_plan
from honeyguide.lab.web_fixture import WebFixture
from honeyguide.page.content import Content
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.url import UrlRules
from honeyguide.page.words import find_words
from honeyguide.relevance.base import whole
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text
from honeyguide.topic.material import material_of

EXAMPLES = (10, 30)
MODELS = ("auto", "vsm")
_SEED = 7


def main_text(fixture: WebFixture, url: str) -> Text:
    """The main content of a page of a web."""
    response = fixture.web.response(url)
    assert response is not None
    html = decode(response.body, response.header("content-type"))
    page = parse(html, url, UrlRules(fixture.urls), styled=True)
    return Text(find_words(Content(page).plain())[0], url, page.title)


def precisions(web: Web, repeats: int, sample: int) -> dict[tuple[int, str, str], list[tuple[float, float]]]:
    """By number of examples, topic and model: the average precisions with full text and main content."""
    plan = Plan((web.warc,), web.labels, web.topics, ("oracle",), repeats=repeats)
    opened = open_plan(plan)
    fixture = opened.fixture
    kept: dict[tuple[str, bool], Text] = {}

    def text(url: str, is_main: bool) -> Text:
        if (url, is_main) not in kept:
            kept[url, is_main] = main_text(fixture, url) if is_main else fixture.text(url)
        return kept[url, is_main]

    order = shuffled(list(fixture.graph.urls), _SEED, "ranked")
    found = defaultdict(list)
    for number in EXAMPLES:
        dealt = replace(opened, plan=replace(plan, split=Split(seeds=5, examples=number, pages="x2", seed=_SEED)))
        for topic in web.topics:
            for repeat in range(repeats):
                case = dealt.case(topic, repeat)
                left, weights = ranked(case, order, sample)
                relevant = np.array([url in case.relevant for url in left])
                for name in MODELS:
                    both = []
                    for is_main in (False, True):
                        known = [[text(url, is_main) for url in urls] for urls in (case.examples, case.others)]
                        model = make_model(material_of(fixture.topic(case, model=name), *known))
                        scores = [float(model.score(text(url, is_main), whole(text(url, is_main)))[0]) for url in left]
                        both.append(average_precision(relevant, np.array(scores), weights))
                    found[number, topic, name].append((both[0], both[1]))
                print(f"{web.name}, {number} examples, {topic}, {found[number, topic, MODELS[0]]}", file=sys.stderr)
    return found


def _mean(pairs: list[tuple[float, float]], column: int) -> float:
    return fmean(pair[column] for pair in pairs)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.content_relevance")
    parser.add_argument("--web", nargs="+", action="append", required=True, metavar=("WARC", "LABELS"))
    parser.add_argument("--repeats", type=int, default=2, help="samples of examples (default: %(default)s)")
    parser.add_argument("--sample", type=int, default=1000, help="other pages to rank (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    lines = [
        "# Relevance by main content\n",
        (
            f"Average precision with all visible text and with the main content only, mean of {asked.repeats} samples "
            f"of examples. At most {asked.sample:,} of the other pages are ranked, weighted to represent all.\n"
        ),
        "| web | examples | topic | model | full text | main content | difference |",
        "|---|---|---|---|---|---|---|",
    ]
    row: Callable[..., str] = "| {} | {} | {} | {} | {:.3f} | {:.3f} | {:+.3f} |".format
    for warc, labels, *topics in asked.web:
        web = Web(warc, labels, tuple(topics))
        found = precisions(web, asked.repeats, asked.sample)
        for number in EXAMPLES:
            for name in MODELS:
                means = []
                for topic in topics:
                    pairs = found[number, topic, name]
                    means.append((_mean(pairs, 0), _mean(pairs, 1)))
                    lines.append(row(web.name, number, topic, name, *means[-1], means[-1][1] - means[-1][0]))
                full, main_content = _mean(means, 0), _mean(means, 1)
                lines.append(row(web.name, number, "**mean**", name, full, main_content, main_content - full))
    return written("\n".join(lines) + f"\n\n{machine.described('scikit-learn')}", asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
