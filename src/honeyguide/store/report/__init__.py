"""The report of a crawl: one self-contained file, HTML or Markdown."""

from honeyguide.store.report.statistics import Truth
from honeyguide.store.report.write import ReportFormat, write_report

__all__ = ["ReportFormat", "Truth", "write_report"]
