"""The head of a report: what was crawled, how it ended, and its key figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from honeyguide.document import words
from honeyguide.frontier import State
from honeyguide.store.crawl import Crawl
from honeyguide.store.reasons import explain
from honeyguide.store.report.content import Paragraph, Section, Table, Tone
from honeyguide.store.report.precision import Precision
from honeyguide.store.report.statistics import Truth
from honeyguide.store.report.subject import MainSubject, ReportSubject
from honeyguide.store.tally import Tally


def summary(main: ReportSubject) -> list[Paragraph]:
    """Strategy, time and length, how the crawl ended, and why it found nothing if it did not."""
    explanation = _explanation(main)
    return [
        Paragraph(_course(main.crawl), Tone.QUIET),
        Paragraph(_ending(main.crawl)),
        *([Paragraph(words.sentence(explanation), Tone.NOTICE)] if explanation else []),
    ]


def _course(crawl: Crawl) -> str:
    ((began, ended, runs),) = crawl.query("SELECT min(time), max(time), sum(kind = 'start') FROM events")
    parts = [f"Strategy {crawl.topic.strategy.name}"]
    if began is not None:
        parts.append(words.period(began, ended))
    length = f"{words.duration(crawl.meta.get('seconds', 0.0))} of crawling"
    parts.append(f"{length} in {words.count(runs)} runs" if runs and runs > 1 else length)
    return " · ".join(parts)


def _ending(crawl: Crawl) -> str:
    reason = crawl.meta.get("stop_text", "")
    if not reason:
        return "Not ended: the crawl is running, or was interrupted. Run the same command again to continue it."
    return f"Ended: {reason}."


def _explanation(main: ReportSubject) -> str:
    """Why nothing relevant was found, in the words that the crawl itself uses."""
    meta, done = main.crawl.meta, main.survey
    tally = Tally(
        pages=done.pages,
        relevant=done.found,
        best=meta.get("best", 0.0),
        errors=Counter(meta["errors"]),
        refused=Counter(meta["refused"]),
    )
    return explain(tally, main.crawl.model.threshold)


def figures(main: MainSubject, precision: Precision) -> list[tuple[str, str]]:
    """The key figures by name."""
    done, states = main.survey, main.crawl.states
    shown = [
        ("pages fetched", words.count(done.pages)),
        ("relevant", words.count(done.found)),
        ("harvest rate", words.share(done.found, done.pages)),
        ("duplicates left out", words.count(done.duplicates)),
        ("received", words.size(main.size)),
        ("received per relevant page", main.per_relevant),
        ("pages per second", main.speed),
        ("URLs waiting", words.count(states[State.WAITING] + states[State.IN_FLIGHT])),
        ("URLs failed", words.count(states[State.FAILED])),
    ]
    if listed := main.crawl.meta.get("listed"):
        shown.append(("from sitemaps and feeds", words.listed(listed)))
    if precision.marked:
        shown.insert(3, (f"precision, {words.pages(precision.marked)} marked", words.share(*precision)))
    if main.truth is not None:
        shown.insert(3, ("recall", words.share(done.true, main.truth.total)))
    return shown


def comparison(main: ReportSubject, others: Sequence[ReportSubject], truth: Truth | None) -> Section:
    """The crawls side by side."""
    rows = []
    for subject in (main, *others):
        done = subject.survey
        cells = [words.count(done.pages), words.count(done.found), words.share(done.found, done.pages)]
        if truth is not None:
            cells.append(words.share(done.true, truth.total))
        rows.append([subject.name, *cells, subject.per_relevant, subject.speed])
    heads = ["Crawl", "Pages", "Relevant", "Harvest", *(["Recall"] if truth else []), "Bytes per relevant", "Pages/s"]
    return Section("Side by side", [Table(heads, rows, is_sortable=False)] if others else [])
