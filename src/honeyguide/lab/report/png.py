"""The curves drawn by matplotlib (extra ``lab``)."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import Any

from honeyguide.errors import InputError
from honeyguide.lab.report.looks import Look
from honeyguide.lab.report.panels import EMPTY, Panel, drawn, shown

_DOTS_PER_INCH = 160
_LETTERS = 150  # that a row of the legend has room for, about
_LINE = 1.6  # points


def to_png(panels: Sequence[Panel], looks: dict[str, Look], note: str) -> bytes:
    """The same picture as the SVG. Raises `InputError` when matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 (an extra)
    except ImportError:
        raise InputError("curves.png", "needs matplotlib", "pip install 'honeyguide[lab]'") from None
    names = drawn(panels, looks)
    room = min(6, max(1, _LETTERS // (max((len(shown(name)) for name in names), default=0) + 8)))
    rows = -(-len(names) // room)
    # A figure of its own, not one of pyplot's: no window, no list of open figures, nothing to close.
    figure = Figure(figsize=(11, 4.4 + 0.22 * rows), layout="constrained")
    figure.suptitle(note if panels else EMPTY, fontsize="medium")
    for number, panel in enumerate(panels, start=1):
        _draw(figure.add_subplot(1, len(panels), number), panel, looks)
    if names:
        _legend(figure, [looks[name] for name in names], [shown(name) for name in names], -(-len(names) // rows))
    file = io.BytesIO()
    with warnings.catch_warnings():
        # A letter that the font lacks is drawn as a box; that is no news for who asked for curves.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH)
    return file.getvalue()


def _draw(axes: Any, panel: Panel, looks: dict[str, Look]) -> None:
    for line in panel.lines:
        colour = looks[line.strategy].colour
        if line.error is not None:
            low, high = line.mean - line.error, line.mean + line.error
            axes.fill_between(panel.places, low, high, color=colour, alpha=panel.opacity, linewidth=0)
        pattern = _pattern(looks[line.strategy])
        axes.plot(panel.places, line.mean, color=colour, linestyle=pattern, linewidth=_LINE)
    for axis, scale in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        axis.set_ticks(scale.ticks, [scale.label(tick) for tick in scale.ticks])
    axes.set(xlim=(0, panel.x.end), ylim=(0, panel.y.end), xlabel=panel.across)
    axes.set_title(panel.title, loc="left", fontsize="medium", fontweight="bold")
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(figure: Any, looks: Sequence[Look], names: Sequence[str], columns: int) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 (an extra)

    handles = [Line2D([], [], color=look.colour, linestyle=_pattern(look), linewidth=_LINE) for look in looks]
    # A label that begins with an underscore would be left out, and one with dollar signs be read as a formula: the
    # names are set when the entries are there, as plain text.
    legend = figure.legend(handles, ["x"] * len(names), loc="outside lower center", ncols=columns, frameon=False)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def _pattern(look: Look) -> Any:
    """Dashes as matplotlib counts them, in widths of the line; the SVG's line is two units wide."""
    return (0, [float(length) / 2 for length in look.dash.split()]) if look.dash else "-"
