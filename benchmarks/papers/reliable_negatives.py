"""How many reliable negatives 1-DNF and 1-DNFC find, and how many of them are wrong (000, figures 6 and 7).

python -m benchmarks.papers.reliable_negatives --reuters FILE --news FILE [--draws 3] [--out results]
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from benchmarks.papers import report
from benchmarks.papers.corpora import Corpus
from benchmarks.papers.report import Values, by_topic, verdict
from benchmarks.papers.tables import markdown_table
from benchmarks.papers.trials import Options, Trial, options, trials
from honeyguide.relevance.pu.dnf import reliable_negatives

NAME = "papers-reliable-negatives"
SHARES = [round(0.1 * step, 1) for step in range(10)]  # the first is 1-DNF
LOW = 5.0
"""What an ERR may be, in percent, to be called very low. The paper gives no number."""

Found = dict[str, Values]
"""For each measure, a value a share, topic and draw."""


def measured(trial: Trial) -> list[tuple[float, float, float]]:
    """For each share: reliable negatives, their share of U in percent, ERR in percent."""
    hidden = trial.truth & (trial.known == 0)
    rows = []
    for share in SHARES:
        reliable = reliable_negatives(trial.counts, trial.known == 1, share, min_count=5)
        number = float(reliable.sum())
        rows.append(
            (
                number,
                100 * number / float(np.sum(trial.known == 0)),
                100 * float(np.sum(reliable & hidden)) / float(hidden.sum()),
            )
        )
    return rows


def found_in(corpus: Corpus, asked: Options) -> Found:
    """All topics in all draws."""
    values = np.array([measured(trial) for trial in trials(corpus, asked.draws)])
    values = values.reshape(len(corpus.topics), asked.draws, len(SHARES), 3).transpose(3, 2, 0, 1)
    return {"number": values[0], "of U": values[1], "ERR": values[2]}


def section(corpus: Corpus, found: Found) -> str:
    """Table and claims of one corpus."""
    rows = [
        [
            "1-DNF" if share == 0 else f"1-DNFC, λ = {share}",
            f"{number.mean():,.0f}",
            f"{of_unlabelled.mean():.1f} %",
            f"{by_topic(err).mean():.1f} % ± {by_topic(err).std(ddof=1) / np.sqrt(len(err)):.1f}",
        ]
        for share, number, of_unlabelled, err in zip(SHARES, found["number"], found["of U"], found["ERR"], strict=True)
    ]
    head = ["", "reliable negatives", "of U", "ERR"]
    return f"## {corpus.described()}\n\n{markdown_table(head, rows)}\n{claims(found)}\n"


def claims(found: Found) -> str:
    """What the paper says of its figures 6 and 7."""
    numbers, errors = found["number"].mean(axis=(1, 2)), found["ERR"].mean(axis=(1, 2))
    topics = found["number"].mean(axis=2)
    always = int(np.sum((topics[1:] > topics[0]).all(axis=0)))
    low, high = errors[1:5], errors[5:]
    return (
        verdict(
            "1-DNFC finds more reliable negatives than 1-DNF at every λ",
            bool((numbers[1:] > numbers[0]).all()),
            f"{numbers[1:].min():,.0f} or more against {numbers[0]:,.0f} on average; at every λ on {always} of "
            f"{topics.shape[1]} topics",
        )
        + verdict(
            "ERR is lower for λ from 0.1 to 0.4 than above",
            bool(low.max() < high.min()),
            f"{low.max():.1f} % at most against {high.min():.1f} % at least",
        )
        + verdict(
            f"ERR is very low (here: at most {LOW:.0f} %) at λ = 0.1 and 0.2",
            bool((errors[1:3] <= LOW).all()),
            f"{errors[1]:.1f} % and {errors[2]:.1f} %; 1-DNF {errors[0]:.1f} %",
        )
    )


def plot(found: dict[str, Found]) -> Figure:
    """Both measures against λ."""
    figure = report.picture(2)
    left, right = figure.subplots(1, 2)
    for axes, measure, label in ((left, "of U", "reliable negatives, % of U"), (right, "ERR", "ERR, %")):
        for name, values in found.items():
            means = values[measure].mean(axis=2)
            error = means.std(axis=1, ddof=1) / np.sqrt(means.shape[1])
            line, *_ = axes.errorbar(
                SHARES[1:], means.mean(axis=1)[1:], error[1:], marker="o", capsize=3, label=f"{name}, 1-DNFC"
            )
            axes.axhline(means[0].mean(), color=line.get_color(), linestyle="--", label=f"{name}, 1-DNF")
        axes.set(xlabel="λ", ylabel=label, ylim=(-2, 102), xticks=SHARES[1:])
        axes.grid(alpha=0.3)
    left.legend(loc="upper left")
    figure.suptitle("Reliable negatives and the hidden positives among them; ±1 standard error over topics")
    return figure


NOTES = f"""\
# Reliable negatives: 1-DNFC against 1-DNF

Figures 6 and 7 of "{report.PAPER}".
A positive feature is a term that is in a larger share of P than of U, and for 1-DNFC in more than λ of P; reliable
negatives are the documents of U that have none. ERR is the share of the positives hidden in U that is among them. A
larger λ leaves fewer positive features, so that both can only grow with it.

{report.SETUP}
"""


def main() -> int:
    """Measure, print and write down."""
    asked = options("reliable_negatives", "Reliable negatives and ERR of 1-DNF and 1-DNFC.")
    found: dict[str, Found] = {}
    text = NOTES
    for corpus in asked.corpora():
        found[corpus.name] = found_in(corpus, asked)
        text += section(corpus, found[corpus.name])
    report.write(asked.out, NAME, text, plot(found), [], [asked.reuters, asked.news])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
