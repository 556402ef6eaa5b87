"""Means over topics, claims and whether they hold, and the page that says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks import machine
from benchmarks.papers.claims import Finding, save

Values = NDArray[np.float64]
"""A value a topic and draw: (topics, draws)."""

PAPER = "Focused crawling enhanced by CBP-SLC"

SETUP = """\
Reuters: the paper's "9980 documents from the most populous 10 topics" are the pairs of a document and one of these
topics in the ModApte split, training and test part together, of 9,035 documents; one with several topics is positive
for each. Newsgroups: which 10 groups its 9,840 documents are from, the paper does not say; of each message here the
subject and the body count. Words are stemmed, stop words left out. The paper's other two collections are not available
here: RCV1 (NIST gives it out under an agreement) and ODP (closed in 2017).

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


def f_measure(truth: NDArray[np.bool_], judged: NDArray[np.bool_]) -> tuple[float, float, float]:
    """F, precision and recall (000, equations 4 to 6); 0 where nothing is right."""
    right = float(np.sum(truth & judged))
    if not right:
        return 0.0, 0.0, 0.0
    precision, recall = right / float(judged.sum()), right / float(truth.sum())
    return 2 * precision * recall / (precision + recall), precision, recall


def write(
    out: Path, name: str, text: str, figure: Figure | None, findings: Sequence[Finding], hidden: Iterable[Path | str]
) -> None:
    """Print the page, and write it, its picture and its findings (`NAME.json`, for the table of all papers).

    `hidden` are the paths of the data: where they lie on this machine is left out.
    """
    made_by = machine.described("scikit-learn", "scipy", "numpy", "selectolax")
    for path in sorted(filter(None, map(str, hidden)), key=len, reverse=True):
        made_by = made_by.replace(path, Path(path).name)
    picture = f"\n![]({name}.png)\n" if figure is not None else ""
    page = f"{text}{picture}\n{made_by}"
    print(page)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(page, encoding="utf-8")
    if figure is not None:
        figure.savefig(out / f"{name}.png", dpi=100, metadata={"Software": None})
    if findings:
        save(findings, out / f"{name}.json")


def picture(panels: int, height: float = 4.0) -> Figure:
    """An empty one with room for as many panels side by side."""
    return Figure(figsize=(6.5 * panels, height), layout="constrained")
