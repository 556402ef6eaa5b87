"""What classifiers cost: fitting, scoring whole pages and link contexts; and whether they say what scikit-learn says.

    taskset -c 1 python -m benchmarks.classifiers [--web FILE.warc.gz ...] [--out results/classifiers.md]

The pages are those of the demo web, and of each WARC file given, their words one after the other, cut every 1,800.
The positive examples are the pages that say the most frequent middling word more often than most, 75 of them, against
150 others (the numbers of 001): what is learnt does not matter here, but its size does. Tokens are made before (see
"from their words on" for the other case); the rounds alternate, the best counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from benchmarks import machine
from benchmarks.arguments import arguments, written
from benchmarks.texts import CONTEXT, RULES, WORDS, best_of, contexts, cut, from_demo
from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.classifiers import fit
from honeyguide.relevance.classifiers.features import Features, count_matrix
from honeyguide.relevance.classifiers.linear import Linear
from honeyguide.relevance.text import Text, Tokenizer, Tokens
from honeyguide.relevance.weighting import tfc
from honeyguide.topic.examples import Example, read_examples

POSITIVE, NEGATIVE = 75, 150
BATCH = 32
REACH_PAGES, REACH_CONTEXTS, REACH_EQUAL = 2_000, 60_000, 1e-9
FITS: dict[str, Callable[..., Relevance]] = {
    "svm": fit.fit_svm,
    "bayes": fit.fit_bayes,
    "mlp": fit.fit_neural,
    "vote": fit.fit_vote,
    "rbf": fit.fit_rbf,
    "wvc": fit.fit_wvc,
    "pebl": fit.fit_pebl,
    "one-class": fit.fit_one_class,
}
TOKENIZER = Tokenizer("english")


def split(texts: list[Text]) -> tuple[list[Tokens], list[Tokens]]:
    """Examples for and against something that about a third of the texts say much of."""
    tokens = [text.tokens(TOKENIZER) for text in texts]
    counts, _ = count_matrix(tokens)
    documents = (counts > 0).sum(axis=0)
    spoken = counts[:, int(np.argmin(np.abs(documents - len(texts) / 3)))].toarray().ravel()
    order = np.argsort(-spoken, kind="stable").tolist()
    return [tokens[i] for i in order[:POSITIVE]], [tokens[i] for i in order[-NEGATIVE:]]


def measure(name: str, examples: list[Example], most: int, rounds: int) -> str:
    """A table row a classifier."""
    texts = cut(examples, most)
    positive, negative = split(texts)
    spans = contexts()
    rows = []
    for model_name, make in FITS.items():
        model = make(positive, negative, "english", 0.5)
        works: dict[str, Callable[[], object]] = {
            "fit": partial(make, positive, negative, "english", 0.5),
            "pages": partial(_score_pages, model, texts),
            "links": partial(_score_links, model, texts[:BATCH], spans),
            "words": partial(_score_fresh, model, texts),
        }
        seconds = best_of(works, 1 if model_name == "mlp" else rounds)
        rows.append(_row(model_name, seconds, len(texts), len(spans)))
        if isinstance(model, Linear):
            theirs, difference = _as_scikit_learn(model, positive, negative, texts)
    equal = "yes" if difference <= REACH_EQUAL else "**no**"
    return (
        f"## {name}: {len(texts)} pages of {WORDS:,} words, {POSITIVE} + {NEGATIVE} examples\n\n"
        f"| one core | fit, s | pages/s | starting from their words | contexts of {CONTEXT} words/s | met |\n"
        "|---|---|---|---|---|---|\n" + "".join(rows) + f"\nGoal for svm: ≥ {REACH_PAGES:,} pages and "
        f"≥ {REACH_CONTEXTS:,} contexts. scikit-learn's own svm in batches of {BATCH}, with "
        f"vectors precomputed: {theirs:,.0f} pages/s; its probabilities and ours differ by at most {difference:.0e} "
        f"(goal 1e-9: {equal}).\n\n"
    )


def _score_pages(model: Relevance, texts: list[Text]) -> None:
    for text in texts:
        model.score(text, whole(text))


def _score_fresh(model: Relevance, texts: list[Text]) -> None:
    _score_pages(model, [Text(text.words, text.url) for text in texts])


def _score_links(model: Relevance, texts: list[Text], spans: Spans) -> None:
    for text in texts:
        model.score(text, spans)


def _row(name: str, seconds: dict[str, float], pages: int, spans: int) -> str:
    rate, links = pages / seconds["pages"], min(pages, BATCH) * spans / seconds["links"]
    reached = ""
    if name == "svm":
        reached = "yes" if rate >= REACH_PAGES and links >= REACH_CONTEXTS else "**no**"
    words = pages / seconds["words"]
    return f"| {name} | {seconds['fit']:.2f} | {rate:,.0f} | {words:,.0f} | {links:,.0f} | {reached} |\n"


def _as_scikit_learn(
    model: Linear, positive: list[Tokens], negative: list[Tokens], texts: list[Text]
) -> tuple[float, float]:
    """Pages a second of scikit-learn's own classifier, and the greatest difference to ours."""
    labels = np.arange(len(positive) + len(negative)) < len(positive)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    classifier = CalibratedClassifierCV(LinearSVC(random_state=0), cv=folds, ensemble=False)
    classifier.fit(_vectors(model.features, [*positive, *negative]), labels)
    new = _vectors(model.features, [text.tokens(TOKENIZER) for text in texts])
    batches = [new[first : first + BATCH] for first in range(0, new.shape[0], BATCH)]
    seconds = best_of({"all": lambda: [classifier.predict_proba(batch) for batch in batches]}, 3)["all"]
    theirs = np.concatenate([classifier.predict_proba(batch)[:, 1] for batch in batches])
    ours = np.array([model.score(text, whole(text))[0] for text in texts])
    return len(texts) / seconds, float(np.abs(theirs - ours).max())


def _vectors(features: Features, documents: list[Tokens]) -> csr_array:
    counts, terms = count_matrix([*documents, features.terms])  # one more, so that every term is there
    columns = np.searchsorted(terms, features.terms)
    return tfc(counts[:-1, columns], features.idf)


def main() -> int:
    """Measure, print and write down."""
    asked = arguments("classifiers", 300, 5)
    sets = {"Demo web": from_demo(600)}
    sets |= {path.name: read_examples([str(path)], RULES, lambda _: {}) for path in asked.web}
    parts = [measure(name, examples, asked.pages, asked.rounds) for name, examples in sets.items()]
    text = "# Classifiers\n\n" + "".join(parts) + machine.described("numpy", "scikit-learn")
    return written(text, asked.out)


if __name__ == "__main__":
    raise SystemExit(main())
