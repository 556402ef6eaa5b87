"""All claims of all papers in one table: docs/papers.md, from the findings that the reports have written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.papers.claims import SIGNS, Finding, Verdict, load, tally
from benchmarks.papers.tables import markdown_table


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, and the reports that test its claims."""

    title: str
    reports: tuple[str, ...]


PAPERS: Mapping[str, Paper] = {
    "000": Paper(
        "Focused crawling enhanced by CBP-SLC", ("reliable-negatives", "weighting", "classifiers", "blocks-crawl")
    ),
    "001": Paper("On-line topical importance estimation (OTIE)", ("cash-crawl",)),
    "002": Paper("A genre-aware approach to focused crawling", ("genre-study", "genre-feedback", "genre-crawl")),
    "003": Paper("Cost-sensitive topical data acquisition from the web (BTW)", ("terms-study", "windows-crawl")),
    "004": Paper("SSVSM: a semantic similarity vector space model", ("semantic-crawl",)),
}

INTRODUCTION = """\
# The papers' claims, tested

Every claim of the five papers that can be tested on the available data, with our figures. `python -m benchmarks.papers`
writes this page and the reports that it links to; each report ends with the command that repeats it.

- Each row is a claim. **Our figures** have one line per data set: the means of both methods, their difference with its
  95 % interval over topics, and p in the direction of the paper. For crawls, the figures are those after as many pages
  as there are targets; the reports also have other numbers of pages.
- **Verdict**, one of three for each data set: ✔ significant, as the paper says; ✘ significant, contrary to the paper;
  ○ not significant. "Better" is tested by one-tailed paired t-tests over topics at .05, in both directions, without
  correction for the number of claims; "about the same" by an equivalence test within the stated margin. Recorded and
  generated data are counted separately. A claim that is true by construction is marked as such: it is not evidence.
- Of the data used in the papers, Reuters-21578 and 20 Newsgroups are available; RCV1, the ODP pages of 000 and the live
  web of that time are not. Each report begins with what it does differently.
"""


def overview(folder: Path) -> str:
    """The page, from the findings in a folder. Missing reports are left out."""
    parts = [INTRODUCTION]
    for number, paper in PAPERS.items():
        found = {name: load(path) for name in paper.reports if (path := folder / f"{name}.json").is_file()}
        every = [finding for findings in found.values() for finding in findings]
        if every:
            parts.append(f"## {number}: {paper.title}\n\n{_totals(every)}\n{_table(found)}")
    return "\n".join(parts)


def _totals(findings: Sequence[Finding]) -> str:
    recorded, generated = ([one for one in findings if one.generated == side] for side in (False, True))
    text = f"Recorded data: {tally(recorded)}."
    return f"{text} Generated data: {tally(generated)}.\n" if generated else f"{text}\n"


def _table(found: Mapping[str, Sequence[Finding]]) -> str:
    rows = []
    for report, findings in found.items():
        by_claim: dict[tuple[str, str], list[Finding]] = {}
        for finding in findings:
            by_claim.setdefault((finding.place, finding.claim), []).append(finding)
        for (place, claim), several in by_claim.items():
            figures = "<br>".join(f"{SIGNS[one.verdict]} {one.data}: {one.numbers}" for one in several)
            reason = several[0].reason
            rows.append([place, f"{claim} ({reason})" if reason else claim, figures, _verdict(several), _link(report)])
    return markdown_table(["where", "claim", "our figures", "verdict", "report"], rows)


def _verdict(several: Sequence[Finding]) -> str:
    if several[0].reason:
        return "true by construction"
    texts = []
    for side, name in ((False, ""), (True, " (generated)")):
        some = [one.verdict for one in several if one.generated == side]
        signs = " ".join(f"{some.count(verdict)} {SIGNS[verdict]}" for verdict in Verdict if verdict in some)
        texts += [f"{signs}{name}"] if some else []
    return "; ".join(texts)


def _link(report: str) -> str:
    return f"[{report}](../results/papers/{report}.md)"
