"""Curves with their axes, ready to be drawn: the same for the report, the SVG and the PNG."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from honeyguide.document.chart import Scale, scale
from honeyguide.document.page import shortened
from honeyguide.lab.report.curves import CurveLine, CurveSet, Floats

EMPTY = "No trial was run: there are no curves."
MANY = 8
"""Lines up to which bands can be seen through as they are; of more they must be fainter."""

_LONGEST_NAME = 40  # letters of a strategy's name in a legend
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, eq=False)
class Panel:
    """Lines in their axes."""

    metric: str
    title: str
    across: str
    x: Scale
    y: Scale
    places: Floats
    lines: tuple[CurveLine, ...]

    @property
    def opacity(self) -> float:
        """Of the bands."""
        return 0.13 if len(self.lines) <= MANY else 0.06


TITLES = {"recall": "Target recall", "harvest": "Harvest rate", "sites": "Site recall"}
"""What is drawn, by the name of the curves."""


def panels(view: CurveSet) -> tuple[Panel, ...]:
    """Recall and harvest of a view, and the recall of sites if there are several."""
    drawn = {"recall": view.recall, "harvest": view.harvest, "sites": view.sites}
    return tuple(_panel(view, metric, TITLES[metric], lines) for metric, lines in drawn.items() if lines)


def _panel(view: CurveSet, metric: str, title: str, lines: tuple[CurveLine, ...]) -> Panel:
    x = scale(float(view.places[-1]), tight=True, whole=not view.share, percent=view.share)
    highest = max(float((line.mean if line.error is None else line.mean + line.error).max()) for line in lines)
    across = "share of the page budget" if view.share else "pages fetched"
    return Panel(metric, title, across, x, scale(highest, percent=True), view.places, lines)


def drawn(panels: Sequence[Panel], strategies: Iterable[str]) -> list[str]:
    """The strategies that have a line in a panel, for the legend."""
    there = {line.strategy for panel in panels for line in panel.lines}
    return [strategy for strategy in strategies if strategy in there]


def shown(strategy: str) -> str:
    """A strategy's name as a legend has it, not too long.

    Letters that XML has no room for (most control characters) are replaced: one of them would break the whole picture.
    """
    return shortened(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", strategy), _LONGEST_NAME)
