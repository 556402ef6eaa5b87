"""Claims of the papers, tested: what a paper says of two methods, and one of three verdicts for each data set.

A `Claim` is tested over topics, repeats averaged first. That one method is better than another is tested with a
one-tailed paired t-test, in both directions; that two are about the same, with an equivalence test (two one-sided
tests) within a stated margin. A bound ("at least 90 %") is a claim about one method, against a constant.

The verdict is one of three: significant, as the paper says; significant, against it; not significant. Recorded and
generated data are kept apart everywhere.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.papers.tables import markdown_table
from honeyguide.lab.statistics import ALPHA, LOWER_IS_BETTER, Cell, Values, paired_means

LOWER = LOWER_IS_BETTER | {"links_to_relevant", "seconds", "error"}
"""The figures of which less is better."""


class Verdict(StrEnum):
    """What the data say of a claim."""

    YES = "as in the paper"
    NO = "against the paper"
    OPEN = "not significant"


OURS = {Verdict.YES: "yes", Verdict.NO: "the opposite", Verdict.OPEN: "not significant"}
"""The same of a question that no paper asks: its claim has no place."""

SIGNS = {Verdict.YES: "✔", Verdict.NO: "✘", Verdict.OPEN: "○"}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a paper says of two methods by a figure."""

    place: str
    """In the paper: ``Fig. 11``, ``Table 4``, ``§5.2``."""
    text: str
    first: str
    second: str = ""
    """Empty for a bound on the first alone."""
    figure: str = ""
    pages: int | None = None
    """After so many pages of a crawl; None for the whole."""
    margin: float | None = None
    """The two are about the same, up to this difference; None if the first is better."""
    bound: float = 0.0
    """What the first is compared with, if there is no second."""
    reason: str = ""
    """Why it must hold whatever the data are, if that is so: then it is no evidence."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim, tested on one data set."""

    place: str
    claim: str
    data: str
    """The web or corpus, and the variant."""
    generated: bool
    """Whether the data are generated, not recorded."""
    first: float | None
    second: float | None
    low: float | None
    """Of the 95 % interval of their difference, first minus second."""
    high: float | None
    topics: int
    ahead: int
    """On how many topics the first is better."""
    p: float | None
    """Of the test in the direction of the paper."""
    verdict: Verdict
    margin: float | None = None
    reason: str = ""

    @property
    def numbers(self) -> str:
        """Both means, the difference with its interval, and p."""
        if self.first is None or self.second is None:
            return "no data"
        digits = 3 if max(abs(self.first), abs(self.second)) < 10 else 1
        text = f"{self.first:.{digits}f} against {self.second:.{digits}f}"
        if self.low is None or self.high is None or self.p is None:
            return text
        spread = f"{self.first - self.second:+.{digits}f} [{self.low:+.{digits}f}, {self.high:+.{digits}f}]"
        p = "< .001" if self.p < 0.001 else f"= {self.p:.3f}".replace("0.", ".")
        return f"{text}: {spread}, {self.ahead} of {self.topics} topics, p {p}"


def check(claim: Claim, data: str, first: Values, second: Values | None = None, *, generated: bool = False) -> Finding:
    """Test a claim on the values of its methods, by topic and repeat. Values that only one of them has are left out."""
    if second is None:
        second = dict.fromkeys(first, claim.bound)
    firsts, seconds = paired_means(first, second)
    sign = -1.0 if claim.figure in LOWER else 1.0
    gains = sign * (firsts - seconds)
    p, verdict = equivalent(gains, claim.margin) if claim.margin is not None else ahead(gains)
    low, high = sorted(sign * edge for edge in edges) if (edges := interval(gains)) else (None, None)
    return Finding(
        claim.place, claim.text, data, generated, _mean(firsts), _mean(seconds), low, high,
        len(gains), int((gains > 0).sum()), p, verdict, claim.margin, claim.reason,
    )  # fmt: skip


def ahead(gains: NDArray[np.float64]) -> tuple[float | None, Verdict]:
    """The one-tailed p of "above 0", and the verdict; that of a sign test when all gains are the same."""
    above, below = _tails(gains)
    if above is None or below is None:
        return None, Verdict.OPEN
    return above, Verdict.YES if above < ALPHA else Verdict.NO if below < ALPHA else Verdict.OPEN


def equivalent(gains: NDArray[np.float64], margin: float) -> tuple[float | None, Verdict]:
    """The p of "within the margin" by two one-sided tests, and the verdict: against when a difference is significant.

    A difference may be significant and within the margin: then they are about the same.
    """
    if not np.any(gains) and len(gains) > 1:
        return 0.0, Verdict.YES  # equal on every topic
    above, below = _tails(gains + margin)[0], _tails(gains - margin)[1]
    tails = [tail for tail in _tails(gains) if tail is not None]
    if above is None or below is None:
        return None, Verdict.OPEN
    p = max(above, below)
    if p < ALPHA:
        return p, Verdict.YES
    return p, Verdict.NO if tails and 2 * min(tails) < ALPHA else Verdict.OPEN


def interval(gains: NDArray[np.float64], confidence: float = 0.95) -> tuple[float, float] | None:
    """Of the mean, by Student's t; None for fewer than two values."""
    if len(gains) < 2:
        return None
    half = stats.t.ppf((1 + confidence) / 2, len(gains) - 1) * gains.std(ddof=1) / math.sqrt(len(gains))
    return float(gains.mean() - half), float(gains.mean() + half)


def _tails(gains: NDArray[np.float64]) -> tuple[float | None, float | None]:
    """The p of "the mean is above 0" and of "below 0"."""
    if len(gains) < 2 or not np.any(gains):
        return None, None
    error = gains.std(ddof=1) / math.sqrt(len(gains))
    if error <= 1e-9 * np.abs(gains).max():  # the same on every topic: each sign was as likely
        chance = 0.5 ** len(gains)
        return (chance, 1.0) if gains[0] > 0 else (1.0, chance)
    t = gains.mean() / error
    return float(stats.t.sf(t, len(gains) - 1)), float(stats.t.cdf(t, len(gains) - 1))


def cells(values: NDArray[np.float64], topics: Sequence[str]) -> dict[Cell, float]:
    """An array of (topics, draws) by topic and draw."""
    return {
        (topic, draw): float(value) for topic, row in zip(topics, values, strict=True) for draw, value in enumerate(row)
    }


# ---- tables ----


def matrix(findings: Sequence[Finding]) -> str:
    """Claims down and data across, as Markdown, with how many hold below; recorded and generated data apart."""
    data = list(dict.fromkeys(finding.data for finding in findings))
    by_claim: dict[str, dict[str, Finding]] = {}
    for finding in findings:
        text = f"{finding.place}: {finding.claim}" if finding.place else finding.claim
        by_claim.setdefault(text, {})[finding.data] = finding
    rows = [[text, *(_shown(found.get(one)) for one in data)] for text, found in by_claim.items()]
    below = [tally(finding for finding in findings if finding.data == one) for one in data]
    return f"{markdown_table(['', *data], [*rows, [f'of {len(rows)}', *below]])}\n{tallies(findings)}"


def tallies(findings: Sequence[Finding]) -> str:
    """One line for recorded data, one for generated."""
    text = ""
    for generated, name in ((False, "Recorded data"), (True, "Generated data")):
        some = [finding for finding in findings if finding.generated == generated]
        text += f"{name}: {tally(some)}.\n" if some else ""
    return text


def tally(findings: Iterable[Finding]) -> str:
    """How many of each verdict. What must hold whatever the data are is counted apart."""
    some = list(findings)
    counts = Counter(finding.verdict for finding in some if not finding.reason)
    are_ours = bool(some) and not any(finding.place for finding in some)
    text = ", ".join(f"{counts[verdict]} {OURS[verdict] if are_ours else verdict}" for verdict in Verdict)
    certain = sum(bool(finding.reason) for finding in some)
    return f"{text}, {certain} true by construction" if certain else text


def _shown(finding: Finding | None) -> str:
    if finding is None:
        return ""
    label = "by construction" if finding.reason else str(finding.verdict) if finding.place else OURS[finding.verdict]
    label = f"**{label}**" if finding.verdict is Verdict.NO else label
    return f"{SIGNS[finding.verdict]} {label} ({finding.numbers})"


# ---- files ----


def save(findings: Sequence[Finding], path: Path) -> None:
    """As JSON, for the table of all papers."""
    path.write_text(json.dumps([asdict(finding) for finding in findings], indent=1) + "\n", encoding="utf-8")


def load(path: Path) -> list[Finding]:
    """What `save` wrote."""
    return [
        Finding(**{**finding, "verdict": Verdict(finding["verdict"])})
        for finding in json.loads(path.read_text(encoding="utf-8"))
    ]


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None
