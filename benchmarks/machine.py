"""The machine and the versions a benchmark ran with."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def described(*packages: str) -> str:
    """Machine, load, versions, date and command, as lines of Markdown; paths are reduced to their names."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    options = [Path(option).name if "/" in option else option for option in sys.argv[1:]]
    command = f"python -m {_module()} {shlex.join(options)}".strip()
    return (
        f"- {_processor()}, {os.cpu_count()} cores, Linux {platform.release()}, load at the end {load} (1, 5, 15 min)\n"
        f"- Python {platform.python_version()}, {versions}\n"
        f"- {datetime.now(UTC):%Y-%m-%d %H:%M} UTC, `{command}`\n"
    )


def _module() -> str:
    spec = sys.modules["__main__"].__spec__
    return spec.name.removesuffix(".__main__") if spec else Path(sys.argv[0]).stem


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
