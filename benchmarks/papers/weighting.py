"""F of WVC with TFIPNDF against TFIDF, a topic a row (000, figure 8).

python -m benchmarks.papers.weighting --reuters FILE --news FILE [--draws 3] [--out results]
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.papers import report
from benchmarks.papers.corpora import Corpus
from benchmarks.papers.report import Values, by_topic, f_measure
from benchmarks.papers.tables import markdown_table
from benchmarks.papers.trials import Options, Trial, options, trials
from honeyguide.relevance.pu.wvc import WEIGHTINGS, WVC
from honeyguide.relevance.weighting import tfipndf

NAME = "papers-weighting"
MEASURES = ("F", "precision", "recall", "average precision")
LABELS = {"tfipndf": "TFIPNDF", "tfidf": "TFIDF"}

Found = dict[tuple[str, str], Values]
"""For each weighting and measure, a value a topic and draw; and F of the test with labels."""


def average_precision(truth: NDArray[np.bool_], scores: Values) -> float:
    """Of the documents in the order of their scores: the mean precision at each relevant one."""
    right = truth[np.argsort(-scores, kind="stable")]
    return float(np.mean((np.cumsum(right) / np.arange(1, len(right) + 1))[right]))


def measured(trial: Trial) -> list[float]:
    """All measures with each weighting, then F if the test set were weighted with its labels."""
    values: list[float] = []
    for weighting in WEIGHTINGS:
        wvc = WVC(weighting=weighting).fit(trial.counts, trial.known)
        values += f_measure(trial.test_truth, wvc.predict(trial.test_counts) == 1)
        values.append(average_precision(trial.test_truth, wvc.priority(trial.test_counts)))
        if weighting == "tfipndf":
            with_labels = f_measure(trial.test_truth, judged_with_labels(wvc, trial))[0]
    return [*values, with_labels]


def judged_with_labels(wvc: WVC, trial: Trial) -> NDArray[np.bool_]:
    """The vote if the documents to be judged got TFIPNDF as well, by labels that nobody has."""
    margins = tfipndf(trial.test_counts, trial.test_truth, wvc.idf_) @ wvc.coef_.T + wvc.intercept_
    is_relevant: NDArray[np.bool_] = np.where(margins > 0, 1.0, -1.0) @ wvc.votes_ > 0
    return is_relevant


def found_in(corpus: Corpus, asked: Options) -> Found:
    """All topics in all draws."""
    values = np.array([measured(trial) for trial in trials(corpus, asked.draws)])
    columns = values.reshape(len(corpus.topics), asked.draws, -1).transpose(2, 0, 1)
    keys = [(weighting, measure) for weighting in WEIGHTINGS for measure in MEASURES]
    return dict(zip([*keys, ("tfipndf", "F with labels")], columns, strict=True))


def section(corpus: Corpus, found: Found) -> str:
    """Tables and claims of one corpus."""
    ours, theirs = found["tfipndf", "F"], found["tfidf", "F"]
    rows = [
        [topic, f"{first:.3f}", f"{second:.3f}", f"{first - second:+.3f}"]
        for topic, first, second in zip(corpus.topics, by_topic(ours), by_topic(theirs), strict=True)
    ]
    rows.append(["mean", report.mean(ours), report.mean(theirs), f"{ours.mean() - theirs.mean():+.3f}"])
    means = [
        [LABELS[weighting], *(report.mean(found[weighting, measure]) for measure in MEASURES)]
        for weighting in WEIGHTINGS
    ]
    claim = report.higher("WVC with TFIPNDF has a higher F than with TFIDF", ours, theirs)
    return (
        f"## {corpus.described()}\n\n{markdown_table(['F', 'TFIPNDF', 'TFIDF', 'difference'], rows)}\n"
        f"{markdown_table(['', *MEASURES], means)}\n{claim}"
        f"- If the test set were weighted by TFIPNDF too, with labels that nobody has when judging: "
        f"F = {report.mean(found['tfipndf', 'F with labels'])}.\n\n"
    )


def plot(found: dict[str, Found], topics: dict[str, list[str]]) -> Figure:
    """F of each topic, both weightings side by side."""
    figure = report.picture(2, 4.5)
    for axes, (name, values) in zip(figure.subplots(1, 2), found.items(), strict=True):
        places = np.arange(len(topics[name]))
        for offset, weighting in ((-0.2, "tfipndf"), (0.2, "tfidf")):
            draws = values[weighting, "F"]
            error = draws.std(axis=1, ddof=1) / np.sqrt(draws.shape[1]) if draws.shape[1] > 1 else None
            axes.bar(places + offset, by_topic(draws), 0.38, yerr=error, capsize=2, label=LABELS[weighting])
        axes.set_xticks(places, topics[name], rotation=40, ha="right")
        axes.set(ylabel="F", ylim=(0, 1), title=name)
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right upper")
    figure.suptitle("WVC with TFIPNDF and with TFIDF; ±1 standard error over draws")
    return figure


NOTES = f"""\
# Weighting: TFIPNDF against TFIDF

Figure 8 of "{report.PAPER}": F of WVC, a topic a row.
Both weightings are normalised, and both begin with the negatives of 1-DNFC, λ = 0.2.
TFIPNDF needs the label of a document, so only the vectors that SVMs are trained on can have it; how documents are
weighted that are to be judged, in U or in the test set, the paper says for its crawler only: f · log(N/n), normalised
(its equation 3). That is done here. Average precision looks at the order by priority alone, at no threshold.

{report.SETUP}
"""


def main() -> int:
    """Measure, print and write down."""
    asked = options("weighting", "F of WVC with TFIPNDF and with TFIDF.")
    found: dict[str, Found] = {}
    topics: dict[str, list[str]] = {}
    text = NOTES
    for corpus in asked.corpora():
        found[corpus.name], topics[corpus.name] = found_in(corpus, asked), corpus.topics
        text += section(corpus, found[corpus.name])
    report.write(asked.out, NAME, text, plot(found, topics), [], [asked.reuters, asked.news])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
