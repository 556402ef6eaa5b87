from __future__ import annotations

import pytest

from honeyguide.cluster import runner


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shards that have nothing to do report ten times as often: a crawl ends after two rounds of such reports."""
    monkeypatch.setattr(runner, "TALK_EVERY", runner.TALK_EVERY / 10)
