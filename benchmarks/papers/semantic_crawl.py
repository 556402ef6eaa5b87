"""The four crawlers of "An improved focused crawler based on Semantic Similarity Vector Space Model" (004).

    python -m benchmarks.papers.semantic_crawl --web FILE.warc.gz --labels FILE.tsv [--web demo:2000] [--topics 8]
        [--repeats 1] [--pages 300] [--out results]

Breadth-first, VSM, SSRM and SSVSM in three readings on topics in words, with and without a cut-off: how well they tell
pages apart, and their crawls by harvest rate, average similarity and average error. Needs WordNet (`honeyguide
wordnet`) and the extra honeyguide[semantics].
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # one core, also for matrix products: read when numpy is imported

import numpy as np

from benchmarks.papers import crawls
from benchmarks.papers.claims import Claim, Finding, matrix
from benchmarks.papers.crawls import HARVEST, RECALL, Crawls, Options, Web
from benchmarks.papers.genre_terms import BARE, LANGUAGE
from benchmarks.papers.pictures import curves, picture
from benchmarks.papers.replays import Judged, Stage, crawled, mean, once, page_auc, staged, together
from honeyguide.errors import InputError
from honeyguide.lab.cases import NEGATIVES_PER_POSITIVE, Case, Split, make_case
from honeyguide.lab.memory_recorder import PageFetch
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text
from honeyguide.topic.contrast import shares, telling
from honeyguide.topic.generate import generate_terms
from honeyguide.topic.material import material_of

NAME = "semantic-crawl"
SIMILARITY, ERROR, OWN_ERROR, AUC = "average_similarity", "average_error", "own_error", "page_auc"

WORDS = 10
"""Of a topic, beside its name."""
EXAMPLES = 20
"""Pages that the words of a topic come from; they are not targets."""
COLLECTION = 300
"""Pages by which it is known how rare a word is (TF·IDF); also what a topic's words are set against."""

OTHERS = 200
"""Pages of other topics that page AUC sets against the targets."""

NEAR = {
    "": {"similarity": "wu-palmer", "cutoff": 0.0},
    " (cut-off)": {"similarity": "wu-palmer", "cutoff": 0.9},
    " (near words)": {"similarity": "path", "cutoff": 0.3},
    " (embeddings)": {"similarity": "embedding", "cutoff": 0.0},
}
"""How near two words are: as in the specification of this project; the same for near ones only, with the cut-off that
was best on news; by path length, as was best on news with WordNet (results/semantic.md); by embeddings instead of
WordNet."""

READINGS = ("", " union", " cross")
"""Of SSVSM: the default, symmetric, and the two others."""
CUTS = ("", " (cut-off)")

CRAWLERS: dict[str, tuple[str, dict[str, Any]]] = {
    "breadth-first": ("breadth-first", {}),
    "VSM": ("vsm", {}),
    **{f"{model.upper()}{how}": (model, settings) for how, settings in NEAR.items() for model in ("ssrm", "ssvsm")},
    **{
        f"SSVSM{reading}{how}": ("ssvsm", {**NEAR[how], "pairs": reading.strip()})
        for how in CUTS
        for reading in READINGS[1:]
    },
}
"""Each with its strategy, and its settings of relevance."""

FIGURES = {
    AUC: "page AUC",
    HARVEST: "harvest rate",
    RECALL: "target recall",
    "auc_recall": "mean recall",
    SIMILARITY: "average similarity",
    ERROR: "average error",
    OWN_ERROR: "error by own measure",
}


# ---- one case ----


def in_words(case: Case, stage: Stage, others: Sequence[str]) -> tuple[str, ...]:
    """The topic: its name, and the terms that most of its examples share and few other pages have."""
    examples, outside = ([stage.example(url) for url in urls] for urls in (case.examples, others))
    terms = [term.text for term in generate_terms((), examples, LANGUAGE, most_content=200).content]
    return (*case.keywords, *telling(shares(terms, examples, BARE), shares(terms, outside, BARE))[:WORDS])


def judge_of(case: Case, stage: Stage, others: Sequence[str]) -> Relevance:
    """An SVM that learnt from the targets themselves, against other pages: none of the models that steer."""
    fixture, positive = stage.fixture, sorted(case.targets)
    negative = others[: NEGATIVES_PER_POSITIVE * len(positive)]
    texts = [[fixture.text(url) for url in urls] for urls in (positive, negative)]
    return make_model(material_of(fixture.topic(case, model="svm"), *texts))


def errors(steps: Sequence[PageFetch], similarity: Sequence[float]) -> dict[str, float | None]:
    """Of the pages that a crawl chose: the mean of what they are worth, and by how much their priorities were wrong."""
    led = list(zip(steps, similarity, strict=True))
    return {
        SIMILARITY: mean(similarity),
        ERROR: mean(abs(step.promised - worth) for step, worth in led),
        OWN_ERROR: mean(abs(step.promised - step.relevance) for step, _ in led),
    }


def trials(stage: Stage, topic: str, repeat: int, asked: Options) -> Iterator[dict[str, Any]]:
    """All crawlers on one topic."""
    fixture = stage.fixture
    random = np.random.default_rng([repeat, 4])
    drawn = [fixture.graph.urls[page] for page in random.permutation(len(fixture.graph.urls))]
    labelled = stage.labels.pages(topic)
    others = [url for url in drawn if url not in set(labelled)]
    collection, unseen = others[:COLLECTION], others[COLLECTION:]
    case = make_case(topic, labelled, collection, Split(examples=EXAMPLES, pages=asked.pages), repeat)
    keywords = in_words(case, stage, collection)
    texts = [fixture.text(url) for url in collection]
    judge, judged = judge_of(case, stage, unseen), Judged(fixture, case)
    sides = [[fixture.text(url) for url in urls] for urls in (sorted(case.targets), unseen[:OTHERS])]

    @cache
    def worth(url: str) -> float:
        text: Text = fixture.text(url)
        return float(judge.score(text, whole(text))[0])

    for name, (strategy, settings) in CRAWLERS.items():
        model_name = "vsm" if strategy == "breadth-first" else strategy
        told = fixture.topic(case, model=model_name).with_settings(
            keywords=keywords, relevance={"idf": "known", **settings}
        )
        model = make_model(material_of(told, unlabelled=texts))
        steps = [step for step in crawled(fixture, case, strategy, model) if step.url not in case.given]
        more = errors(steps, [worth(step.url) for step in steps])
        if strategy == "breadth-first":
            more = {SIMILARITY: more[SIMILARITY]}  # it predicts nothing
        else:
            more[AUC] = page_auc(model, *sides)
        yield judged.cell(name, [step.url for step in steps]) | more | {"words": ", ".join(keywords), "web": stage.name}


def crawls_of(web: Web, asked: Options) -> Crawls:
    """All topics of a web."""
    stage = staged(web)
    cells: list[dict[str, Any]] = []
    for topic in web.topics:
        for repeat in range(asked.repeats):
            key = (NAME, *CRAWLERS, stage.fixture.web.digest, topic, repeat, asked.pages)
            cells += once(asked.kept, key, partial(trials, stage, topic, repeat, asked))
            print(f"{web.name}: {topic} {repeat + 1}", file=sys.stderr)
    return together(stage, cells)


# ---- the page ----


PLACE = "abstract"


def claims(how: str) -> list[Claim]:
    """The paper's: SSVSM before the three others by each of its measures."""
    figures: Mapping[str, str] = {
        HARVEST: "has a higher harvest rate",
        SIMILARITY: "has a higher average similarity",
        ERROR: "has a lower average error",
    }
    rivals = {"breadth-first": "breadth-first", "VSM": "VSM", "SSRM": f"SSRM{how}"}
    return [
        Claim(PLACE, f"SSVSM{how} {what} than {shown}", f"SSVSM{how}", rival, figure)
        for figure, what in figures.items()
        for shown, rival in rivals.items()
        if not (figure == ERROR and rival == "breadth-first")
    ]


def reading_claims() -> list[Claim]:
    """This project's, of the reading that is its default: before the two others."""
    return [
        Claim("", f"SSVSM{how} {what} than{reading}{how}", f"SSVSM{how}", f"SSVSM{reading}{how}", figure)
        for how in CUTS
        for figure, what in ((AUC, "has a higher page AUC"), (HARVEST, "has a higher harvest rate"))
        for reading in READINGS[1:]
    ]


def section(found: Crawls) -> str:
    """Table and verdicts of one web."""
    words = {cell["topic"]: cell["words"] for cell in found.cells if not cell["repeat"]}
    named = "".join(f"- {topic.rpartition('.')[2].replace('_', ' ')}: {of_it}\n" for topic, of_it in words.items())
    return (
        f"## {found.described()}\n\n{crawls.table(found, {name: name for name in CRAWLERS}, FIGURES)}\n"
        f"{crawls.early_table(found, {name: name for name in CRAWLERS}, HARVEST)}\n"
        f"Above: harvest after so many pages. The topics in words, as in the first repeat:\n\n{named}\n"
    )


def all_webs(found: Sequence[Crawls]) -> tuple[str, list[Finding]]:
    """The paper's ordering over the topics of all webs, recorded and generated ones apart, by each nearness."""
    sides = crawls.by_source([cell for one in found for cell in one.cells])
    text, findings = "## All topics together\n\n", []
    for how, settings in NEAR.items():
        tested = crawls.findings(sides, claims(how))
        findings += tested
        measure = f"{settings['similarity']}, {settings['cutoff']:g} and nearer"
        text += f"Nearness of words by {measure}:\n\n{matrix(tested)}\n"
    ours = matrix(crawls.findings(sides, reading_claims()))
    return f"{text}The readings of SSVSM (ours, not the paper's claims):\n\n{ours}\n", findings


NOTES = f"""\
# Semantic crawlers: breadth-first, VSM, SSRM, SSVSM

The crawlers of "An improved focused crawler based on Semantic Similarity Vector Space Model", of which only the
introduction was at hand: "SSVSM outperforms breadth-first, VSM and SSRM", by harvest rate, average similarity and
average error. Its topics, seeds, numbers of pages and tables are not known; the formulas of SSVSM and of the errors are
this project's reconstruction. So the only thing that can be checked is the ordering.

- The priority of a link is ½ · the mean similarity of the pages that have it + ½ · that of its anchor.
- A topic is its label's name and {WORDS} terms that most of {EXAMPLES} example pages share and few others have; all
  crawlers get the same words, and no other examples. Weights are TF·IDF, as counted on {COLLECTION} other pages.
- A crawl begins at 5 pages of the topic. Seeds and examples are not counted.
- *Harvest rate*: share of the pages fetched that have the label. *Average similarity*: the mean probability that an SVM
  gives them, which learnt from the targets: one judge for all, no crawler steers by it. *Average error*: the mean of
  |priority - that probability|; since similarities of words lie on other scales than a probability, *error by own
  measure* takes the crawler's own similarity of the page in its place (a model that gives all pages the same has none).
  A crawler that finds little errs little by the judge: what it fetches is worth little, and similarities are low.
- *Page AUC*: the chance that the model scores a target higher than one of {OTHERS} other pages; no crawl is needed.
- *SSRM* and *SSVSM* are without a cut-off by Wu and Palmer's similarity in WordNet; *cut-off*: only what is 0.9 and
  nearer counts; *near words*: by path length, 0.3 and nearer; *embeddings*: cosines of wordllama's vectors.
- *SSVSM* is the symmetric reading: pairs of all words of page and topic, D_ij = (d_i + d_j)·Sem_ij and T_ij = (t_i +
  t_j)·Sem_ij. *Union*: the same pairs, D_ij = d_i·Sem_ij, T_ij = t_j·Sem_ij. *Cross*: as union, for pairs of a word of
  the page and a word of the topic.
- The line in which each page of wikispeedia names its subjects, which are the labels, was cut out of all pages.
- ± is one standard error over topics, repeats averaged first. Verdicts: a one-tailed paired t-test over topics in both
  directions, p < .05, over the whole crawl.

"""


def main() -> int:
    """Crawl, print and write down."""
    about = "Breadth-first, VSM, SSRM and SSVSM crawlers (004)."
    asked = crawls.options("semantic_crawl", about, pages="100", repeats=1, topics="4")
    try:
        found = [crawls_of(web, asked) for web in asked.webs]
    except InputError as error:
        sys.exit(str(error))
    shown = {name: name for name in CRAWLERS}
    panels = [[curves(one, kind, shown) for kind in (HARVEST, RECALL)] for one in found]
    figure = picture(panels, "Crawlers of 004; bands: ±1 standard error over topics")
    text, findings = all_webs(found)
    crawls.write(asked, NAME, NOTES + "".join(map(section, found)) + text, figure, findings)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
