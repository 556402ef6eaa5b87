"""Warnings about plug-ins."""

from __future__ import annotations

import logging
from typing import Any

from honeyguide.plugins import Registry

_log = logging.getLogger("honeyguide.cli")


def log_broken(registry: Registry[Any]) -> None:
    """Log a warning for each plug-in of an installed package that cannot be used."""
    for one in registry.broken():
        _log.warning("%s of the package %s cannot be used: %s", one.name, one.package, one.problem)
