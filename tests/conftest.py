"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# No test may depend on how fast the machine is.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
