"""What embeddings add to `fields`: how well it ranks pages and link contexts with and without them, and the cost.

    python -m benchmarks.embeddings --web WARC LABELS TOPIC TOPIC ... --out results/embeddings.md

Cases and pages are those of `benchmarks.models`. A link context is the 20 words around a link, as guide reads it; it is
relevant if the link leads to a page of the topic. Links from and to the pages that the model has learnt from are left
out. Needs the extra ``semantics``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import numpy as np

from benchmarks import machine
from benchmarks.arguments import written
from benchmarks.models import EXAMPLES, CaseTask, OpenWeb, Web, ranked
from honeyguide.lab.cases import Case
from honeyguide.lab.model_quality import average_precision
from honeyguide.page.context import windows
from honeyguide.page.decode import decode
from honeyguide.page.parse import Page, parse
from honeyguide.page.spans import Spans
from honeyguide.page.url import UrlRules
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text
from honeyguide.topic.material import material_of

MODELS = ("fields", "fields(embeddings=true)")
_NEAR_WORDS = 20
_LINKS_A_PAGE = 20  # at most: some pages are lists of a thousand

Figures = dict[str, float]
"""Of one model in one case: the average precision of pages and of contexts, and milliseconds for a page."""


def _linking(web: OpenWeb, most: int) -> list[tuple[Page, Spans, list[str]]]:
    """Some pages with links within the web: the contexts of some of these, and where they lead."""
    fixture, found = web.opened.fixture, []
    rules = UrlRules(fixture.urls)
    for url in web.order[:most]:
        response = fixture.web.response(url)
        assert response is not None
        page = parse(decode(response.body, response.header("content-type")), url, rules)
        links = [place for place, target in enumerate(page.links.url) if target in fixture.graph.number]
        chosen = (
            [places[0] for places in np.array_split(np.array(links), min(_LINKS_A_PAGE, len(links)))] if links else []
        )
        if chosen:
            found.append((page, windows(page, _NEAR_WORDS).take(chosen, axis=0), [page.links.url[i] for i in chosen]))
    return found


def _figures(
    model: Relevance, web: OpenWeb, case: Case, linking: Sequence[tuple[Page, Spans, list[str]]], sample: int
) -> Figures:
    left, weights = ranked(case, web.order, sample)
    relevant = np.array([url in case.relevant for url in left])
    texts = [Text((text := web.text(url)).words, url, text.title) for url in left]
    before = time.process_time()
    scores = np.array([float(model.score(text, whole(text))[0]) for text in texts])
    cost = (time.process_time() - before) / len(texts) * 1000
    known = {*case.given, *case.others}
    said, truth = [], []
    for page, spans, targets in linking:
        if page.url not in known:
            is_new = np.array([target not in known for target in targets])
            said.append(model.score(Text(page.words), spans)[is_new])
            truth.append(np.array([target in case.relevant for target in targets])[is_new])
    of_links, to_relevant = np.concatenate(said), np.concatenate(truth)
    found = {"pages": average_precision(relevant, scores, weights), "cost": cost}
    if to_relevant.any():
        found["contexts"] = average_precision(to_relevant, of_links, np.ones(len(of_links)))
    return found


def measured(web: Web, repeats: int, sample: int) -> dict[int, dict[str, list[Figures]]]:
    """Figures by number of examples and model, one for each topic and choice of examples."""
    opened = OpenWeb(web.warc, web.labels)
    linking = _linking(opened, sample)
    found: dict[int, dict[str, list[Figures]]] = {}
    for number in EXAMPLES:
        of = found.setdefault(number, {name: [] for name in MODELS})
        for topic in web.topics:
            for repeat in range(repeats):
                plan = CaseTask(web, number, topic, repeat, sample, None).plan
                case = replace(opened.opened, plan=plan).case(topic, repeat)
                examples, others = ([opened.text(url) for url in urls] for urls in (case.examples, case.others))
                for name in MODELS:
                    model = make_model(material_of(opened.opened.fixture.topic(case, model=name), examples, others))
                    of[name].append(_figures(model, opened, case, linking, sample))
                print(f"{web.name}, {number} examples, {topic}, choice {repeat + 1}", file=sys.stderr, flush=True)
    return found


def _page(found: Mapping[str, Mapping[int, Mapping[str, Sequence[Figures]]]], repeats: int, sample: int) -> str:
    about = (
        f"Average precision of `{MODELS[0]}` and of `{MODELS[1]}`, mean over the topics and {repeats} samples of"
        f" examples of each: of all pages of the topic among {sample:,} others, which represent the rest of the web;"
        " and of the 20 words around links, which are relevant if the link leads to a page of the topic. The time is"
        " that of scoring a whole page.\n"
    )
    lines = [
        "# What embeddings add to fields\n",
        about,
        "| web | examples | pages | with embeddings | | contexts | with embeddings | | ms a page | with embeddings |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for web, numbers in found.items():
        for number, models in numbers.items():
            cells = [web, str(number)]
            for what in ("pages", "contexts"):
                words, embedded = (fmean(one[what] for one in models[name] if what in one) for name in MODELS)
                cells += [f"{words:.3f}", f"{embedded:.3f}", f"{embedded - words:+.3f}"]
            cells += [f"{fmean(one['cost'] for one in models[name]):.1f}" for name in MODELS]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + f"\n\n{machine.described('scikit-learn', 'wordllama')}"


def main() -> int:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.embeddings")
    parser.add_argument(
        "--web", nargs="+", action="append", required=True, metavar=("WARC", "LABELS"),
        help="a WARC file, its labels, and the labels that are the topics",
    )  # fmt: skip
    parser.add_argument("--repeats", type=int, default=2, help="samples of examples (default: %(default)s)")
    parser.add_argument("--sample", type=int, default=500, help="other pages to rank (default: %(default)s)")
    parser.add_argument("--out", type=Path, help="the page")
    asked = parser.parse_args()
    webs = [Web(warc, labels, tuple(topics)) for warc, labels, *topics in asked.web]
    found = {web.name: measured(web, asked.repeats, asked.sample) for web in webs}
    return written(_page(found, asked.repeats, asked.sample), asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
