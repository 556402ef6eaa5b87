"""Assembles a report and writes it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

from honeyguide.atomic_write import output_file
from honeyguide.relevance.text import Tokenizer
from honeyguide.store.crawl import Crawl
from honeyguide.store.report import pages, tables
from honeyguide.store.report.chart import harvest_chart, recall_chart, score_chart
from honeyguide.store.report.content import Report
from honeyguide.store.report.precision import Mark, learnt_labels, precision
from honeyguide.store.report.render_html import render_html
from honeyguide.store.report.render_markdown import render_markdown
from honeyguide.store.report.rendered import rendered
from honeyguide.store.report.repeat import repeat
from honeyguide.store.report.selection import Selection
from honeyguide.store.report.statistics import Truth, survey
from honeyguide.store.report.subject import MainSubject, Progress, ReportSubject
from honeyguide.store.report.summary import comparison, figures, summary
from honeyguide.version import VERSION


class ReportFormat(StrEnum):
    """The formats of a report. Only HTML has charts."""

    HTML = "html"
    MARKDOWN = "md"

    @property
    def file(self) -> str:
        """The name of the file in the folder of a crawl."""
        return f"report.{self}"


def write_report(
    crawl: Crawl,
    truth: Truth | None = None,
    path: Path | None = None,
    *,
    compare: Sequence[tuple[str, Crawl]] = (),
    form: ReportFormat = ReportFormat.HTML,
    labels: Mapping[str, Mark] | None = None,
    progress: Progress = lambda _what, _done, _total: None,
) -> Path:
    """Write the report of a crawl, by default as ``report.html`` or ``report.md`` into its folder.

    The crawl may be running, or have fetched nothing. If the archive no longer contains a page, the report says so in
    place of its text. However many pages there are, a few hundred are read from the archive.

    Args:
        crawl: The crawl.
        truth: With it, the report shows recall, which cannot be known otherwise.
        path: The file to write.
        compare: Other crawls by name, which are drawn in the same charts.
        form: The format of the file.
        labels: What was said of pages, by URL: with it, the report shows precision.
        progress: Called now and then.

    Returns:
        The path of the file.

    Raises:
        InputError: The file cannot be written.
    """
    is_ours, path = path is None, path or crawl.path / form.file
    with crawl.snapshot():
        main = _main(crawl, truth, labels or {}, progress)
        others = [ReportSubject(name, other, survey(other, truth)) for name, other in compare]
        text = _rendered(main, others, form)
    with output_file(path, streams=not is_ours) as file:
        file.write(text.encode("utf-8", "replace"))
    return path


def _main(crawl: Crawl, truth: Truth | None, labels: Mapping[str, Mark], progress: Progress) -> MainSubject:
    selection = Selection(crawl.model.threshold, learnt_labels(crawl, labels))
    counts = survey(crawl, truth, selection, partial(progress, "counting pages"))
    tokenizer = Tokenizer(crawl.topic.language)
    return MainSubject(crawl.topic.strategy.name, crawl, counts, selection, tokenizer, labels, truth, progress)


def _rendered(main: MainSubject, others: Sequence[ReportSubject], form: ReportFormat) -> str:
    report = _report(main, others)
    if form is ReportFormat.MARKDOWN:
        return render_markdown(report)
    looks = [(main, "main"), *((other, f"other-{1 + number % 3}") for number, other in enumerate(others))]
    curves = [harvest_chart(looks), recall_chart(looks, main.truth)]
    command = f"honeyguide tell {shlex.quote(str(main.crawl.path))} label"
    return render_html(report, command, curves, score_chart(main.survey, main.selection.threshold))


def _report(main: MainSubject, others: Sequence[ReportSubject]) -> Report:
    crawl, topic = main.crawl, main.crawl.topic
    excerpts = pages.PageExcerpts(crawl)
    drawn = [page.url for page in excerpts.some(main.selection.sample.numbers)]
    measured = precision(drawn, main.labels)
    return Report(
        name=topic.name,
        about=", ".join(topic.keywords) or topic.description,
        summary=summary(main),
        figures=figures(main, measured),
        comparison=comparison(main, others, main.truth),
        short=[tables.not_followed(crawl), tables.terms(main), tables.languages(crawl)],
        sections=[
            pages.best(main, excerpts),
            pages.borderline(main, excerpts),
            pages.sample(main, excerpts, measured),
            tables.sites(main),
            tables.failed_requests(crawl),
            tables.seeds(crawl),
            rendered(crawl),
            repeat(crawl),
        ],
        footer=f"Written by honeyguide {VERSION}.",
    )
