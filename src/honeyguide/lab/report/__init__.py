"""The files of a comparison: figures as CSV, curves as SVG and PNG, and a report in one HTML file.

All of it is made from the results as they stand in results.json, so it can be made again at any time.
"""

from honeyguide.lab.report.frame import table, to_frame
from honeyguide.lab.report.write import plot, write_report

__all__ = ["plot", "table", "to_frame", "write_report"]
