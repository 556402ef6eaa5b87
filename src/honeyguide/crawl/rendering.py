"""Pages that are rendered in a browser: who does it, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from honeyguide.browser.rendering import Rendering
from honeyguide.crawl.needs_browser import Extent
from honeyguide.fetch.base import Response
from honeyguide.strategy.reading import Reading


@dataclass(slots=True)
class RenderedPage:
    """A page that was rendered, or that could not be."""

    rendering: Rendering
    before: Extent
    after: Extent
    is_used: bool = False
    """Whether the page was read as it was rendered."""

    def detail(self) -> dict[str, Any]:
        """What is recorded of it."""
        done = self.rendering
        return {
            "used": self.is_used,
            "words": [self.before.words, self.after.words],
            "links": [self.before.links, self.after.links],
            "seconds": round(done.seconds, 3),
            "requests": done.requests.total(),
            "bytes": done.size,
            "blocked": dict(done.blocked),
            "problem": done.problem,
        }


class PageRenderer(Protocol):
    """Renders pages that need it."""

    def wants(self, response: Response, reading: Reading) -> bool:
        """Whether a page that was fetched and read is to be rendered."""
        ...

    async def render(self, response: Response) -> Rendering:
        """Render a page. Never raises because of it."""
        ...

    def uses(self, url: str, rendering: Rendering, before: Extent, after: Extent) -> bool:
        """Whether a page is to be read as it was rendered; from that is learnt for the next pages of its site."""
        ...


def extent_of(reading: Reading) -> Extent:
    """How much there is on a page that was read."""
    return Extent(reading.words, len(reading.links) + sum(reading.left_out.values()))
