"""What commands say about parts that other packages bring."""

from __future__ import annotations

import sys
from typing import Any

from honeyguide.plugins import Registry


def print_broken(registry: Registry[Any]) -> None:
    """Say which parts of installed packages cannot be used, and why, a line each on standard error."""
    for one in registry.broken():
        print(f"warning: {one.name} of the package {one.package} cannot be used: {one.problem}", file=sys.stderr)
