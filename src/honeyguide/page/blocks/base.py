"""The result of a segmenter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans, spans, spans_at

NO_BLOCK = -1


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of a page in document order: disjoint spans of its words."""

    spans: Spans
    of_link: NDArray[np.int32]
    """For each link of the page, its block; `NO_BLOCK` for a link that is in none."""

    def __len__(self) -> int:
        return len(self.spans)

    def around_links(self, page: Page) -> Spans:
        """For each link, the span of its block; the whole page for a link that is in none."""
        return spans_at(self.spans, self.of_link, 0, len(page.words))

    def of_pieces(self, page: Page) -> list[int]:
        """For each piece of the page's source, the block of its words; if it has none, that of the piece before.

        `NO_BLOCK` for the pieces before the first block.
        """
        owners: list[int] = []
        ends, before = self.spans[:, 1], page.nodes.words_before
        for first, last in zip(before[:-1].tolist(), before[1:].tolist(), strict=True):
            block = int(np.searchsorted(ends, first, side="right"))
            owners.append(block if first < last and block < len(self) else (owners[-1] if owners else NO_BLOCK))
        return owners


def whole_page(page: Page) -> Blocks:
    """The whole page as one block."""
    return Blocks(spans([(0, len(page.words))]), np.zeros(len(page.links), np.int32))
