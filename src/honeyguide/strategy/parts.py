"""The parts that strategies consist of: segmenters, which divide a page into blocks, and link contexts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from honeyguide.page.blocks.base import Blocks, whole_page
from honeyguide.page.blocks.browser import BrowserCues
from honeyguide.page.blocks.cbp import MODERN, PAPER, cbp
from honeyguide.page.blocks.vips import vips
from honeyguide.page.context import anchors, block_texts, block_windows, parents, windows
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
from honeyguide.settings import Parameter, Value

SEGMENTERS = ("page", "cbp", "vips")
CONTEXTS = ("anchor", "window", "parent", "block", "block-window")
TAGS: Mapping[str, frozenset[int]] = MappingProxyType({"paper": PAPER, "modern": MODERN})

WINDOW = Parameter(20, "size of the text window, in words", minimum=0, maximum=1000)
ALPHA = Parameter(0.5, "CBP: blocks are divided down to this fraction of the page's height", minimum=0, maximum=1)
LINKS = Parameter(1, "CBP: minimum number of links in a part that is divided further", minimum=1)
TAG_SET = Parameter("paper", "CBP: which set of tags forms blocks", choices=tuple(TAGS))
PDOC = Parameter(6, "VIPS: degree of coherence from which a block is not divided further", minimum=1, maximum=10)
CUES = Parameter("static", "VIPS: whether the look of a page is estimated or read", choices=("static", "browser"))
BOXES = Parameter("boxes", "VIPS with cues=browser: the folder of rendered pages")
VIPS = MappingProxyType({"pdoc": PDOC, "cues": CUES, "boxes": BOXES})
"""The parameters of VIPS."""

Values = Mapping[str, Value]
Segmenter = Callable[[Page], Blocks]
Context = Callable[[Page, Blocks], Spans]


def segmenter(name: str, values: Values) -> Segmenter:
    """Make the segmenter with a name. Parameters missing from `values` have their defaults.

    Raises `InputError` if the folder of rendered pages is needed and missing.
    """
    if name == "cbp":
        alpha, links = float(_value(values, "alpha", ALPHA)), int(_value(values, "k", LINKS))
        tags = TAGS[str(_value(values, "tags", TAG_SET))]
        return lambda page: cbp(page, alpha, links, tags)
    if name == "vips":
        pdoc = int(_value(values, "pdoc", PDOC))
        if _value(values, "cues", CUES) == "browser":
            cues = BrowserCues(Path(str(_value(values, "boxes", BOXES))))
            return lambda page: vips(page, pdoc, cues(page))
        return lambda page: vips(page, pdoc)
    return whole_page


def context(name: str, values: Values, *, anchor_counts: bool = False) -> Context:
    """Make the link context with a name. With `anchor_counts`, the size of a window includes the anchor (001)."""
    size = int(_value(values, "window", WINDOW))
    if name == "window":
        return lambda page, _: windows(page, size, anchor_counts=anchor_counts)
    if name == "parent":
        return parents
    if name == "block":
        return block_texts
    if name == "block-window":
        return lambda page, blocks: block_windows(page, blocks, size)
    return lambda page, _: anchors(page)


def needs_style(name: str) -> bool:
    """Whether a segmenter needs the style of a page."""
    return name == "vips"


def _value(values: Values, name: str, parameter: Parameter) -> Value:
    return values.get(name, parameter.default)
