"""A renderer that returns recorded renderings, without a browser."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.browser.rendering import Rendering
from honeyguide.crawl.needs_browser import Extent
from honeyguide.fetch.base import Response
from honeyguide.strategy.reading import Reading


@dataclass(frozen=True, slots=True)
class RecordedRendering:
    """Returns the recorded rendering of the current page (a `PageRenderer`)."""

    html: bytes

    def wants(self, response: Response, reading: Reading) -> bool:  # noqa: ARG002
        """True: the page was rendered."""
        return True

    async def render(self, response: Response) -> Rendering:  # noqa: ARG002
        """The recorded document."""
        return Rendering(self.html)

    def uses(self, url: str, rendering: Rendering, before: Extent, after: Extent) -> bool:  # noqa: ARG002
        """True: otherwise, it would not have been stored."""
        return True
