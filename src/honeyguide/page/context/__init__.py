"""Link contexts: the text that describes a link before its target is known, as spans over the page's words."""

from honeyguide.page.context.repeats import Repeats, joined, repeats
from honeyguide.page.context.spans import anchors, block_texts, block_windows, parents, windows

__all__ = ["Repeats", "anchors", "block_texts", "block_windows", "joined", "parents", "repeats", "windows"]
