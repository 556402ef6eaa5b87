"""Means over topics, claims and whether they hold, and the page that says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from benchmarks import machine
from benchmarks.papers.claims import Finding, save
from benchmarks.papers.tables import markdown_table

Values = NDArray[np.float64]
"""A value a topic and draw: (topics, draws)."""

table = markdown_table

PAPER = "Focused crawling enhanced by CBP-SLC"

SURE = 0.05
"""Level of the tests."""

SETUP = """\
Reuters: the paper's "9980 documents from the most populous 10 topics" are the pairs of a document and one of these
topics in the ModApte split, training and test part together, of 9,035 documents; one with several topics is positive
for each. Newsgroups: which 10 groups its 9,840 documents are from, the paper does not say; of each message here the
subject and the body count. Words are stemmed, stop words left out.

The paper does not say which documents are labelled and which are judged. Here, for each topic against the rest: 30 % of
the positive and of the negative documents, drawn at random, are the test set; half of the other positive documents are
P, and the rest of them hides in U, among all the other negative documents. Terms that P and U together have fewer than
five times are dropped, as in the paper. Values are means over draws; ± is one standard error over the topics.
"""


def by_topic(values: Values) -> Values:
    """The mean of each topic's draws."""
    means: Values = values.mean(axis=1)
    return means


def mean(values: Values) -> str:
    """The mean over topics, and its standard error."""
    topics = by_topic(values)
    return f"{topics.mean():.3f} ± {topics.std(ddof=1) / np.sqrt(len(topics)):.3f}"


def higher(claim: str, ours: Values, theirs: Values) -> str:
    """The claim that the first has the higher values, topic by topic: whether, on how many topics, and how surely."""
    first, second = by_topic(ours), by_topic(theirs)
    chance = ttest_rel(first, second, alternative="greater").pvalue
    result = "**does not hold**"
    if first.mean() > second.mean():
        result = "holds" if chance < SURE else "holds for the mean, **but may be chance**"
    return (
        f"- {claim}: {result} ({first.mean():.3f} against {second.mean():.3f}, higher on {np.sum(first > second)} of "
        f"{len(first)} topics, p = {chance:.2g} in a one-tailed paired t-test over topics).\n"
    )


def verdict(claim: str, holds: bool, numbers: str) -> str:
    """A claim of the paper, whether the numbers bear it out, and the numbers."""
    return f"- {claim}: {'holds' if holds else '**does not hold**'} ({numbers}).\n"


def f_measure(truth: NDArray[np.bool_], judged: NDArray[np.bool_]) -> tuple[float, float, float]:
    """F, precision and recall (000, equations 4 to 6); 0 where nothing is right."""
    right = float(np.sum(truth & judged))
    if not right:
        return 0.0, 0.0, 0.0
    precision, recall = right / float(judged.sum()), right / float(truth.sum())
    return 2 * precision * recall / (precision + recall), precision, recall


def write(
    out: Path, name: str, text: str, figure: Figure, findings: Sequence[Finding], hidden: Iterable[Path | str]
) -> None:
    """Print the page, and write it, its picture and its findings (`NAME.json`, for the table of all papers).

    `hidden` are the paths of the data: where they lie on this machine is left out.
    """
    made_by = machine.described("scikit-learn", "scipy", "numpy", "selectolax")
    for path in sorted(filter(None, map(str, hidden)), key=len, reverse=True):
        made_by = made_by.replace(path, Path(path).name)
    page = f"{text}\n![]({name}.png)\n\n{made_by}"
    print(page)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(page, encoding="utf-8")
    figure.savefig(out / f"{name}.png", dpi=100, metadata={"Software": None})
    save(findings, out / f"{name}.json")


def picture(panels: int, height: float = 4.0) -> Figure:
    """An empty one with room for as many panels side by side."""
    return Figure(figsize=(6.5 * panels, height), layout="constrained")
