"""The curves drawn by matplotlib (extra ``lab``)."""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from typing import Any

from honeyguide.errors import InputError
from honeyguide.lab.report.line_styles import LineStyle
from honeyguide.lab.report.panels import EMPTY, Panel, drawn, shown

_DOTS_PER_INCH = 160
_LETTERS = 150  # that a row of the legend has room for, about
_LINE = 1.6  # points


def to_png(panels: Sequence[Panel], styles: dict[str, LineStyle], note: str) -> bytes:
    """The same picture as the SVG. Raises `InputError` when matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 (an extra)
    except ImportError:
        raise InputError("curves.png", "needs matplotlib", "pip install 'honeyguide[lab]'") from None
    names = drawn(panels, styles)
    room = min(6, max(1, _LETTERS // (max((len(shown(name)) for name in names), default=0) + 8)))
    rows = -(-len(names) // room)
    # A figure of its own, not one of pyplot's: no window, no list of open figures, nothing to close.
    figure = Figure(figsize=(5.5 * max(len(panels), 2), 4.4 + 0.22 * rows), layout="constrained")
    figure.suptitle(note if panels else EMPTY, fontsize="medium")
    for number, panel in enumerate(panels, start=1):
        _draw(figure.add_subplot(1, len(panels), number), panel, styles)
    if names:
        _legend(figure, [styles[name] for name in names], [shown(name) for name in names], -(-len(names) // rows))
    file = io.BytesIO()
    with warnings.catch_warnings():
        # A letter that the font lacks is drawn as a box; that is no news for who asked for curves.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(file, format="png", dpi=_DOTS_PER_INCH)
    return file.getvalue()


def _draw(axes: Any, panel: Panel, styles: dict[str, LineStyle]) -> None:
    for line in panel.lines:
        colour = styles[line.strategy].colour
        if line.error is not None:
            low, high = line.mean - line.error, line.mean + line.error
            axes.fill_between(panel.places, low, high, color=colour, alpha=panel.opacity, linewidth=0)
        pattern = _pattern(styles[line.strategy])
        axes.plot(panel.places, line.mean, color=colour, linestyle=pattern, linewidth=_LINE)
    for axis, scale in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        axis.set_ticks(scale.ticks, [scale.label(tick) for tick in scale.ticks])
    axes.set(xlim=(0, panel.x.end), ylim=(0, panel.y.end), xlabel=panel.across)
    axes.set_title(panel.title, loc="left", fontsize="medium", fontweight="bold")
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _legend(figure: Any, styles: Sequence[LineStyle], names: Sequence[str], columns: int) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415 (an extra)

    handles = [Line2D([], [], color=style.colour, linestyle=_pattern(style), linewidth=_LINE) for style in styles]
    # A label that begins with an underscore would be left out, and one with dollar signs be read as a formula: the
    # names are set when the entries are there, as plain text.
    legend = figure.legend(handles, ["x"] * len(names), loc="outside lower center", ncols=columns, frameon=False)
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_parse_math(False)
        text.set_text(name)


def _pattern(style: LineStyle) -> Any:
    """Dashes as matplotlib counts them, in widths of the line; the SVG's line is two units wide."""
    return (0, [float(length) / 2 for length in style.dash.split()]) if style.dash else "-"
