"""Segmenters: a page in, its blocks out."""

from honeyguide.page.blocks.base import Blocks, whole_page
from honeyguide.page.blocks.cbp import MODERN, PAPER, cbp

__all__ = ["MODERN", "PAPER", "Blocks", "cbp", "whole_page"]
