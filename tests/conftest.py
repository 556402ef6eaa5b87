"""Set-up of all tests: what the hundreds of processes that they start would otherwise do again and again."""

from __future__ import annotations

import os

import pytest


def pytest_configure(config: pytest.Config) -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile the package anew
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each process would start threads that only compete
    # Tests that give a command a cache of its own would make it look for the fonts of the machine, for seconds.
    os.environ.setdefault("MPLCONFIGDIR", str(config.rootpath / ".pytest_cache" / "matplotlib"))
