"""Pages as they were rendered once: a browser that needs none."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.browser.rendering import Rendering
from honeyguide.crawl.needs_browser import Extent
from honeyguide.fetch.base import Response
from honeyguide.strategy.reading import Reading


@dataclass(frozen=True, slots=True)
class RecordedRendering:
    """Returns the document that a browser had made of the page in question (a `PageRenderer`)."""

    html: bytes

    def wants(self, response: Response, reading: Reading) -> bool:  # noqa: ARG002
        """It was rendered."""
        return True

    async def render(self, response: Response) -> Rendering:  # noqa: ARG002
        """The document."""
        return Rendering(self.html)

    def uses(self, url: str, rendering: Rendering, before: Extent, after: Extent) -> bool:  # noqa: ARG002
        """It was used, or it would not have been stored."""
        return True
