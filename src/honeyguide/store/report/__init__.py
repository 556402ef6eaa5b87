"""The report of a crawl: one self-contained HTML file."""

from honeyguide.store.report.statistics import Truth
from honeyguide.store.report.write import FILE, write_report

__all__ = ["FILE", "Truth", "write_report"]
