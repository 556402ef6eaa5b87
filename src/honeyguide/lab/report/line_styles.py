"""How the line of a strategy is drawn: a colour, and a pattern when there are more strategies than colours.

The colours were chosen so that any two stay apart (CIE76 difference of 12 or more) for normal sight and for simulated
protanopia, deuteranopia and tritanopia (Machado et al.'s matrices), each at a contrast of about 3 or more with the
paper. The best strategies come first, so they are the ones told apart by colour alone. Those for dark paper are in the
style sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.lab.trial import ORACLE

COLOURS = ("#1d52a0", "#e4570b", "#0f9d72", "#cf63ab", "#705600", "#2f97de")
DASHES = ("", "8 4", "2 4", "9 4 2 4")
_INK = "#1f1d1a"


@dataclass(frozen=True, slots=True)
class LineStyle:
    """As values, for a file that stands alone, and as classes of the report's style sheet."""

    number: int
    colour: str
    dash: str
    classes: str


def line_styles(strategies: Sequence[str]) -> dict[str, LineStyle]:
    """One style per strategy. After 24 strategies they repeat; the oracle always has its own."""
    found: dict[str, LineStyle] = {}
    for number, strategy in enumerate(strategies):
        hue, dash = number % len(COLOURS), number // len(COLOURS) % len(DASHES)
        if strategy == ORACLE:
            found[strategy] = LineStyle(number, _INK, "1 3", f"line-{number} oracle")
        else:
            found[strategy] = LineStyle(number, COLOURS[hue], DASHES[dash], f"line-{number} hue-{hue} dash-{dash}")
    return found
