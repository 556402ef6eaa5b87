"""The main content of a page, without menus, banners, footers and lists of links: as plain text or Markdown."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from honeyguide.page.content.choose import main_blocks
from honeyguide.page.content.features import TextBlocks, blocks_of
from honeyguide.page.content.markdown import markdown
from honeyguide.page.content.repeats import block_key
from honeyguide.page.parse import Page
from honeyguide.page.tags import tag_id
from honeyguide.page.words import SEAM


class Content:
    """The main content of a page. `page` must have been parsed with ``styled=True``: class names are evidence."""

    def __init__(self, page: Page, repeated: AbstractSet[int] = frozenset()) -> None:
        """Find the main content.

        Args:
            page: The page.
            repeated: The keys of blocks that are on many pages of the site (`repeated_keys`). They are left out, unless
                nothing would remain.
        """
        self._page = page
        self._all = blocks_of(page)
        self._chosen = main_blocks(page, self._all)
        if repeated:
            own = [number for number in self._chosen if block_key(self._all, number) not in repeated]
            self._chosen = own or self._chosen

    @property
    def blocks(self) -> TextBlocks:
        """All blocks of the page."""
        return self._all

    def plain(self) -> str:
        """The text, with one line per block; preformatted text keeps its lines."""
        blocks, preformatted = self._all, _preformatted(self._page, self._all)
        pieces = self._page.source.split(SEAM) if any(preformatted) else []
        return "\n".join(
            "".join(pieces[blocks.first[number] : blocks.last[number]]).strip("\n").rstrip()
            if preformatted[number]
            else blocks.text(number)
            for number in self._chosen
        )

    def markdown(self) -> str:
        """The text as Markdown (CommonMark, with tables): headings, lists, tables, quotations, code and links."""
        return markdown(self._page, self._all, self._chosen)


_PRE = tag_id("pre")


def _preformatted(page: Page, blocks: TextBlocks) -> list[bool]:
    """Which blocks are in an element whose white space counts."""
    tag, parent = page.nodes.tag, page.nodes.parent
    if _PRE not in page.nodes.tag_bytes:
        return [False] * len(blocks)
    inside = [kind == _PRE for kind in tag]
    for row in range(1, len(tag)):
        inside[row] |= inside[parent[row]]
    return [inside[row] for row in blocks.row]
