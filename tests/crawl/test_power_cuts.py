"""A power cut costs nothing that was committed: bytes and names that were not synced are lost, at many moments."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.reliability.power_cuts import cut_everywhere, record

CUTS = 12  # `python -m benchmarks.reliability.power_cuts` makes a thousand
PAGES = 100  # of the demo web, besides its faults


def test_what_was_committed_survives_a_power_cut_at_any_moment(tmp_path: Path) -> None:
    recording = record(tmp_path, PAGES)
    if recording is None:
        pytest.skip("there is no C compiler to record a crawl with")
    assert len(recording.pages) > PAGES
    last = len(recording.changes)
    assert recording.promised(last) == len(recording.pages)
    assert 0 < recording.promised(last // 2) < len(recording.pages), "commits come too seldom to lose anything"
    wrong = {moment: found for moment, found in cut_everywhere(recording, tmp_path, CUTS, PAGES) if found}
    assert wrong == {}
