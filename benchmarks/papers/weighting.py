"""F of WVC with TFIPNDF against TFIDF, one row per topic, and why TFIPNDF loses (000, figure 8).

python -m benchmarks.papers.weighting --reuters FILE --news FILE [--draws 3] [--kept FOLDER] [--out FOLDER]
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.papers import report
from benchmarks.papers import weighting_study as study
from benchmarks.papers.claims import Claim, Finding, cells, check, matrix
from benchmarks.papers.corpora import Corpus
from benchmarks.papers.report import Values, by_topic, f_measure
from benchmarks.papers.tables import markdown_table
from benchmarks.papers.trials import Trial, measured, options
from benchmarks.papers.weighting_study import ALL_NEGATIVE, BOTH, LABELS, LINEAR, PEBL, RBF, TFC, TFIDF, TFIPNDF, Method
from honeyguide.relevance.pu.wvc import WVC

NAME = "weighting"
MEASURES = ("F", "precision", "recall", "average precision")
BOTH_WEIGHTINGS = (TFIPNDF, TFIDF)

JUDGED = {
    TFC: "f · log(N/n), as the paper's crawler does",
    BOTH: "by both hypotheses, margins added",
    LABELS: "by their true labels: **leakage**",
}

STUDY: tuple[tuple[Method, str, str], ...] = (
    (study.WVC, TFC, LINEAR),
    (study.WVC, BOTH, LINEAR),
    (study.WVC, LABELS, LINEAR),
    (ALL_NEGATIVE, TFC, LINEAR),
    (ALL_NEGATIVE, BOTH, LINEAR),
    (PEBL, TFC, LINEAR),
    (PEBL, BOTH, LINEAR),
    (study.WVC, TFC, RBF),
)
"""Method, how the documents to be judged are weighted, and kernel. With TFIDF they have no label to be weighted by."""

Found = dict[str, Values]
"""For each weighting and measure, and for each row of the study, one value per topic and draw."""


def average_precision(truth: NDArray[np.bool_], scores: Values) -> float:
    """Of the documents in the order of their scores: the mean precision at each relevant one."""
    right = truth[np.argsort(-scores, kind="stable")]
    return float(np.mean((np.cumsum(right) / np.arange(1, len(right) + 1))[right]))


def scored(trial: Trial) -> dict[str, float]:
    """All measures of WVC with each weighting, and F of each row of the study."""
    found: dict[str, float] = {}
    for weighting in BOTH_WEIGHTINGS:
        wvc = WVC(weighting=weighting.lower()).fit(trial.counts, trial.known)
        values = [*f_measure(trial.test_truth, wvc.predict(trial.test_counts) == 1)]
        values.append(average_precision(trial.test_truth, wvc.priority(trial.test_counts)))
        found |= {f"{weighting} {measure}": value for measure, value in zip(MEASURES, values, strict=True)}
    for method, judging, kernel in STUDY:
        for weighting in BOTH_WEIGHTINGS:
            name = row_name(method, weighting, judging, kernel)
            if name not in found:
                positive = study.judged(trial, method, weighting, judging_of(weighting, judging), kernel)
                found[name] = f_measure(trial.test_truth, positive)[0]
    return found


def judging_of(weighting: str, judging: str) -> str:
    """TFIDF weights all documents in one way."""
    return TFC if weighting == TFIDF else judging


def row_name(method: Method, weighting: str, judging: str, kernel: str) -> str:
    """Names a classifier of the study."""
    return " ".join((method.name, weighting, judging_of(weighting, judging), kernel))


def compared(corpus: Corpus, found: Found, row: tuple[Method, str, str], text: str) -> Finding:
    """A row of the study as a test: TFIPNDF has a higher F than TFIDF."""
    method, judging, kernel = row
    pair = (found[row_name(method, weighting, judging, kernel)] for weighting in BOTH_WEIGHTINGS)
    claim = Claim("Fig. 8", text, TFIPNDF, TFIDF, "F")
    return check(claim, corpus.name, *(cells(values, corpus.topics) for values in pair))


def findings(corpus: Corpus, found: Found) -> list[Finding]:
    """What the paper says of its figure 8: of WVC, with what it leaves open read in each way that needs no labels.

    The other rows of the study are not what the paper claims, so they are no findings, however they come out.
    """
    text = "WVC with TFIPNDF has a higher F than with TFIDF"
    return [
        compared(corpus, found, (study.WVC, judging, kernel), f"{text} ({how})")
        for judging, kernel, how in (
            (TFC, LINEAR, "judged documents as in the paper's crawler, linear kernel"),
            (BOTH, LINEAR, "judged documents by both hypotheses, linear kernel"),
            (TFC, RBF, "judged documents as in the paper's crawler, LIBSVM's standard parameters"),
        )
    ]


def section(corpus: Corpus, found: Found) -> str:
    """The tables of one corpus."""
    ours, theirs = found[f"{TFIPNDF} F"], found[f"{TFIDF} F"]
    kernels = [found[row_name(study.WVC, weighting, TFC, RBF)] for weighting in BOTH_WEIGHTINGS]
    columns = [by_topic(values) for values in (ours, theirs, *kernels)]
    rows = [
        [topic, f"{first:.3f}", f"{second:.3f}", f"{first - second:+.3f}", f"{third:.3f}", f"{fourth:.3f}"]
        for topic, first, second, third, fourth in zip(corpus.topics, *columns, strict=True)
    ]
    rows.append(
        ["mean", report.mean(ours), report.mean(theirs), f"{ours.mean() - theirs.mean():+.3f}"]
        + [report.mean(values) for values in kernels]
    )
    head = ["F", TFIPNDF, TFIDF, "difference", "TFIPNDF, RBF kernel", "TFIDF, RBF kernel"]
    means = [
        [weighting, *(report.mean(found[f"{weighting} {measure}"]) for measure in MEASURES)]
        for weighting in BOTH_WEIGHTINGS
    ]
    return (
        f"## {corpus.described()}\n\n{markdown_table(head, rows)}\n{markdown_table(['', *MEASURES], means)}\n"
        f"{_study(corpus, found)}\n"
    )


def _study(corpus: Corpus, found: Found) -> str:
    rows = []
    for row in STUDY:
        method, judging, kernel = row
        values = [found[row_name(method, weighting, judging, kernel)] for weighting in BOTH_WEIGHTINGS]
        difference = compared(corpus, found, row, "").numbers.partition(": ")[2] or "+0.000"
        name = method.name + (", RBF kernel" if kernel == RBF else "")
        rows.append([name, JUDGED[judging], *map(report.mean, values), difference])
    head = ["F, mean over topics", "judged documents are weighted", *BOTH_WEIGHTINGS]
    return markdown_table([*head, "difference, 95 % interval, topics with a higher F, p"], rows)


def plot(found: dict[str, Found], topics: dict[str, list[str]]) -> Figure:
    """F of each topic, both weightings side by side."""
    figure = report.picture(2, 4.5)
    for axes, (name, values) in zip(figure.subplots(1, 2), found.items(), strict=True):
        places = np.arange(len(topics[name]))
        for offset, weighting in ((-0.2, TFIPNDF), (0.2, TFIDF)):
            draws = values[f"{weighting} F"]
            error = draws.std(axis=1, ddof=1) / np.sqrt(draws.shape[1]) if draws.shape[1] > 1 else None
            axes.bar(places + offset, by_topic(draws), 0.38, yerr=error, capsize=2, label=weighting)
        axes.set_xticks(places, topics[name], rotation=40, ha="right")
        axes.set(ylabel="F", ylim=(0, 1), title=name)
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right upper")
    figure.suptitle("WVC with TFIPNDF and with TFIDF; ±1 standard error over draws")
    return figure


NOTES = f"""\
# Weighting: TFIPNDF against TFIDF

Figure 8 of "{report.PAPER}": F of WVC, one row per topic.
Both weightings are normalised, and both begin with the negatives of 1-DNFC, λ = 0.2.
TFIPNDF needs the label of a document, so only the vectors that SVMs are trained on can have it; how documents are
weighted that are to be judged, in U or in the test set, the paper says for its crawler only: f · log(N/n), normalised
(its equation 3). That is done here. Average precision looks at the order by priority alone, at no threshold.

**Kernel.** The paper names LIBSVM 2.71 with "the standard parameters", that is an RBF kernel with g = 1/F for F
features, and C = 1. On vectors of length 1 that kernel is nearly 1 - 2g + 2g·(a · b), and with 7,000 (Reuters) or
17,000 features (newsgroups) g is so small that it is a linear SVM with next to no C: it takes all documents for what
most of its training documents are. The last two
columns of the first table of each corpus have its F: 0 where everything is rejected, and otherwise that of accepting
everything. The paper's F cannot come from that, so the kernel is linear here (LIBLINEAR, hinge loss, C = 1).

**Why TFIPNDF loses.** It trains SVMs on vectors that carry the label: terms that are frequent among the positive
documents are large in positive vectors and small in negative ones. A document to be judged is on neither side. The
last table of each corpus looks for settings in which the paper's order appears: documents weighted by both hypotheses
(as if positive and as if negative, both margins added, in U too); by the true labels of the test set, which is leakage;
all of U as negative, without a loop; and PEBL's loop (1-DNF, the last SVM decides). These are {len(STUDY)} rows for one
question, so a small p among them means little. Only rows of WVC without leakage are readings of what the paper claims,
and only these are counted as findings below: with all of U as negative, or with PEBL, it is another classifier.

{report.SETUP}
"""


def main() -> int:
    """Measure, print and write down."""
    asked = options("weighting", "F of WVC with TFIPNDF and with TFIDF, and why they differ.")
    found: dict[str, Found] = {}
    topics: dict[str, list[str]] = {}
    checked: list[Finding] = []
    text = NOTES
    for corpus in asked.corpora():
        found[corpus.name], topics[corpus.name] = measured(NAME, corpus, asked, scored), corpus.topics
        text += section(corpus, found[corpus.name])
        checked += findings(corpus, found[corpus.name])
    text += f"## The paper's claim\n\n{matrix(checked)}"
    report.write(asked.out, NAME, text, plot(found, topics), checked, [asked.reuters, asked.news, asked.kept or ""])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
