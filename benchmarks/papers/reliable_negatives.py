"""How many reliable negatives 1-DNF and 1-DNFC find, and how many of them are wrong (000, figures 6 and 7).

python -m benchmarks.papers.reliable_negatives --reuters FILE --news FILE [--draws 3] [--kept FOLDER] [--out FOLDER]
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from benchmarks.papers import report
from benchmarks.papers.claims import Claim, Finding, cells, check, matrix
from benchmarks.papers.corpora import Corpus
from benchmarks.papers.report import Values, by_topic
from benchmarks.papers.tables import markdown_table
from benchmarks.papers.trials import Trial, measured, options
from honeyguide.relevance.pu.dnf import reliable_negatives

NAME = "reliable-negatives"
SHARES = [round(0.1 * step, 1) for step in range(10)]  # the first is 1-DNF
LOW = 5.0
"""What an ERR may be, in percent, to be called very low. The paper gives no number."""

Found = dict[str, Values]
"""For each measure, one value per topic and draw; for the measures see `counted`."""


def counted(trial: Trial) -> dict[str, float]:
    """For each share: reliable negatives, their share of U in percent, ERR in percent."""
    hidden = trial.truth & (trial.known == 0)
    found = {}
    for share in SHARES:
        reliable = reliable_negatives(trial.counts, trial.known == 1, share, min_count=5)
        number = float(reliable.sum())
        found[f"number {share}"] = number
        found[f"of U {share}"] = 100 * number / float(np.sum(trial.known == 0))
        found[f"ERR {share}"] = 100 * float(np.sum(reliable & hidden)) / float(hidden.sum())
    return found


def mean_error(found: Found, first: int, last: int) -> Values:
    """The mean ERR over the shares from one place to another."""
    errors: Values = np.mean([found[f"ERR {share}"] for share in SHARES[first : last + 1]], axis=0)
    return errors


def findings(corpus: Corpus, found: Found) -> list[Finding]:
    """What the paper says of its figures 6 and 7."""
    topics, data = corpus.topics, corpus.name
    grows = "a larger λ leaves fewer positive features, so that no reliable negative is lost"
    more = Claim(
        "Fig. 6",
        "1-DNFC finds more reliable negatives than 1-DNF at every λ (here: 0.1)",
        "1-DNFC",
        "1-DNF",
        reason=grows,
    )
    numbers = (found["number 0.1"], found["number 0.0"])
    lower = Claim("Fig. 7", "ERR is lower for λ up to 0.4 than above", "up to 0.4", "above", "error", reason=grows)
    low = [
        check(
            Claim(
                "Fig. 7",
                f"ERR is very low at λ = {share} (here: below {LOW:.0f} %)",
                "1-DNFC",
                figure="error",
                bound=LOW,
            ),
            data,
            cells(found[f"ERR {share}"], topics),
        )
        for share in SHARES[1:3]
    ]
    errors = (mean_error(found, 1, 4), mean_error(found, 5, 9))
    pairs = ((more, numbers), (lower, errors))
    return [*(check(claim, data, *(cells(one, topics) for one in pair)) for claim, pair in pairs), *low]


def section(corpus: Corpus, found: Found) -> str:
    """The table of one corpus."""
    rows = []
    for share in SHARES:
        err = by_topic(found[f"ERR {share}"])
        rows.append(
            [
                "1-DNF" if share == 0 else f"1-DNFC, λ = {share}",
                f"{found[f'number {share}'].mean():,.0f}",
                f"{found[f'of U {share}'].mean():.1f} %",
                f"{err.mean():.1f} % ± {err.std(ddof=1) / np.sqrt(len(err)):.1f}",
            ]
        )
    return f"## {corpus.described()}\n\n{markdown_table(['', 'reliable negatives', 'of U', 'ERR'], rows)}\n"


def plot(found: dict[str, Found]) -> Figure:
    """Both measures against λ."""
    figure = report.picture(2)
    left, right = figure.subplots(1, 2)
    for axes, measure, label in ((left, "of U", "reliable negatives, % of U"), (right, "ERR", "ERR, %")):
        for name, values in found.items():
            means = np.array([by_topic(values[f"{measure} {share}"]) for share in SHARES])
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
larger λ leaves fewer positive features, so that both can only grow with it, on any data: that 1-DNFC finds more than
1-DNF (λ = 0), and that ERR is lower for a smaller λ, is true by construction. What the data say is by how much.

{report.SETUP}
"""


def main() -> int:
    """Measure, print and write down."""
    asked = options("reliable_negatives", "Reliable negatives and ERR of 1-DNF and 1-DNFC.")
    found: dict[str, Found] = {}
    checked: list[Finding] = []
    text = NOTES
    for corpus in asked.corpora():
        found[corpus.name] = measured(NAME, corpus, asked, counted)
        text += section(corpus, found[corpus.name])
        checked += findings(corpus, found[corpus.name])
    text += f"## The paper's claims\n\n{matrix(checked)}"
    report.write(asked.out, NAME, text, plot(found), checked, [asked.reuters, asked.news, asked.kept or ""])
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
