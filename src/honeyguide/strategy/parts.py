"""The parts that strategies are made of: ways to cut a page up, and the texts that can stand for a link."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from honeyguide.page.blocks.base import Blocks, whole_page
from honeyguide.page.blocks.cbp import MODERN, PAPER, cbp
from honeyguide.page.blocks.vips import vips
from honeyguide.page.context import anchors, block_texts, block_windows, parents, windows
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
from honeyguide.settings import Parameter
from honeyguide.strategy.spec import Value

SEGMENTERS = ("page", "cbp", "vips")
CONTEXTS = ("anchor", "window", "parent", "block", "block-window")
TAGS: Mapping[str, frozenset[int]] = MappingProxyType({"paper": PAPER, "modern": MODERN})

WINDOW = Parameter(20, "words of a text window", minimum=0, maximum=1000)
ALPHA = Parameter(0.5, "CBP: the share of the page's height down to which blocks are divided", minimum=0, maximum=1)
LINKS = Parameter(1, "CBP: links that a part must have to be worth dividing", minimum=1)
TAG_SET = Parameter("paper", "CBP: the tags that make blocks", choices=tuple(TAGS))
PDOC = Parameter(6, "VIPS: coherence from which a block is not divided", minimum=1, maximum=10)

Values = Mapping[str, Value]
Segmenter = Callable[[Page], Blocks]
Context = Callable[[Page, Blocks], Spans]


def segmenter(name: str, values: Values) -> Segmenter:
    """A way to cut a page up, by its name. What `values` does not have is as usual."""
    if name == "cbp":
        alpha, links = float(_value(values, "alpha", ALPHA)), int(_value(values, "k", LINKS))
        tags = TAGS[str(_value(values, "tags", TAG_SET))]
        return lambda page: cbp(page, alpha, links, tags)
    if name == "vips":
        pdoc = int(_value(values, "pdoc", PDOC))
        return lambda page: vips(page, pdoc)
    return whole_page


def context(name: str, values: Values, *, anchor_counts: bool = False) -> Context:
    """What stands for a link, by its name. With `anchor_counts` a window's size includes the anchor (001)."""
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
    """Whether a segmenter looks at how a page is shown."""
    return name == "vips"


def _value(values: Values, name: str, usual: Parameter) -> Value:
    return values.get(name, usual.default)
