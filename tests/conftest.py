"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# How long an example takes depends on what else the machine does: speed is measured in benchmarks/.
settings.register_profile("without-deadlines", deadline=None)
settings.load_profile("without-deadlines")
