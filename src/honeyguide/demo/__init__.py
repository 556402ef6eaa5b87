"""A generated web for demonstrations and tests: in process (`demo.fetcher`), or served over HTTP on this machine."""

from __future__ import annotations

from honeyguide.demo.faulty import Fault, FaultOutcome, faults
from honeyguide.demo.lists import ListWeb
from honeyguide.demo.process import Running, read_visits, run_in_process
from honeyguide.demo.server import DemoServer
from honeyguide.demo.start import StartFiles, write_labels, write_start_files
from honeyguide.demo.web import DemoWeb
from honeyguide.proxy import Answer, Behaviour, ServedRequest

__all__ = [
    "Answer",
    "Behaviour",
    "DemoServer",
    "DemoWeb",
    "Fault",
    "FaultOutcome",
    "ListWeb",
    "Running",
    "ServedRequest",
    "StartFiles",
    "faults",
    "read_visits",
    "run_in_process",
    "write_labels",
    "write_start_files",
]
