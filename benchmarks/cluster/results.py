"""The measurements so far, so that an interrupted run resumes where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Results:
    """Figures by name, in a file of lines."""

    def __init__(self, work: Path) -> None:
        """`work` is a folder, which is created if necessary."""
        work.mkdir(parents=True, exist_ok=True)
        self.work = work
        self._file = work / "results.jsonl"
        self._found: dict[str, dict[str, Any]] = {}
        if self._file.exists():
            for line in self._file.read_text(encoding="utf-8").splitlines():
                key, figures = json.loads(line)
                self._found[key] = figures

    def get(self, key: str) -> dict[str, Any] | None:
        """The figures of a measurement; None if it has not been made yet."""
        return self._found.get(key)

    def add(self, key: str, figures: dict[str, Any]) -> None:
        """Store a measurement."""
        self._found[key] = figures
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, figures]) + "\n")

    def all(self, kind: str) -> dict[str, dict[str, Any]]:
        """All measurements whose names begin with a word."""
        return {key: figures for key, figures in self._found.items() if key.split(" ")[0] == kind}
