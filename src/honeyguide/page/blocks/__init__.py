"""Segmenters: they divide a page into blocks."""

from honeyguide.page.blocks.base import Blocks, whole_page
from honeyguide.page.blocks.cbp import MODERN, PAPER, cbp
from honeyguide.page.blocks.vips import vips, vips_tree

__all__ = ["MODERN", "PAPER", "Blocks", "cbp", "vips", "vips_tree", "whole_page"]
