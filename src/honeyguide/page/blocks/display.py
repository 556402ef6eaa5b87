"""How elements take part in the flow of text."""

from __future__ import annotations

from typing import Final

from honeyguide.page import tags

INLINE, BLOCK, BREAK, REPLACED = range(4)
"""The effect of an element on the flow of text: none, lines of its own, the end of a line, a box in the line."""
HR: Final = tags.tag_id("hr")
TR: Final = tags.tag_id("tr")
CELLS: Final = tags.tag_ids("td th")
_IN_LINE = tags.tag_ids("button select option optgroup textarea")  # they end a word, but not a line

FLOW: Final = [BLOCK if tag in tags.BREAKING - _IN_LINE else INLINE for tag in range(tags.LAST + 1)]
"""For each tag, its effect on the flow, unless a style sheet says otherwise."""
FLOW[tags.tag_id("br")] = BREAK
for _tag in tags.tag_ids("img input embed frame area"):
    FLOW[_tag] = REPLACED
