"""The pages whose relevance a new model has changed so far, for the event that records it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

_SHOWN: Final = 5  # URLs of each kind that are recorded


@dataclass(slots=True)
class FlippedPages:
    """Counts pages that were judged again, and those that became relevant or irrelevant."""

    pages: int = 0
    """Pages that were judged again."""
    gained: int = 0
    """Pages that are relevant now and were not."""
    lost: int = 0
    """Pages that were relevant and are not now."""
    urls: dict[str, list[str]] = field(default_factory=lambda: {"gained": [], "lost": []})
    """The first URLs of both kinds."""

    def add(self, url: str, *, before: bool, after: bool) -> None:
        """Count a page."""
        self.pages += 1
        if before != after:
            kind = "gained" if after else "lost"
            setattr(self, kind, getattr(self, kind) + 1)
            if len(self.urls[kind]) < _SHOWN:
                self.urls[kind].append(url)

    def detail(self) -> dict[str, Any]:
        """The detail of the recorded event."""
        shown = {f"{kind}_urls": urls for kind, urls in self.urls.items()}
        return {"pages": self.pages, "gained": self.gained, "lost": self.lost, **shown}
