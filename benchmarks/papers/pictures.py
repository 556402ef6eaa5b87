"""Pictures of crawls: curves and bars in panels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.papers.crawls import HARVEST, Crawls
from honeyguide.lab.report.line_styles import line_styles
from honeyguide.lab.statistics import Summary

Draw = Callable[[Any], None]
"""Draws one panel into the axes it is given (matplotlib's)."""


def styles_of(strategies: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour and pattern of each line, as the lab's reports have them, in matplotlib's words."""
    return {
        name: {
            "color": look.colour,
            "linestyle": (0, [float(length) / 2 for length in look.dash.split()]) if look.dash else "-",
        }
        for name, look in line_styles(strategies).items()
    }


def curves(
    crawls: Crawls, figure: str, strategies: Mapping[str, str], title: str = "", among: Sequence[str] = ()
) -> Draw:
    """A panel: harvest or target recall along the crawl, ±1 standard error over topics as bands.

    Panels with other strategies in one picture name all of them as `among`, so that no two lines look the same.
    """
    view = crawls.curves(list(strategies))
    styles = styles_of(among or list(strategies))

    def draw(axes: Any) -> None:
        for line in view.harvest if figure == HARVEST else view.recall:
            style = styles[line.strategy]
            axes.plot(view.places, line.mean, label=strategies[line.strategy], **style)
            if line.error is not None:
                low, high = line.mean - line.error, line.mean + line.error
                axes.fill_between(view.places, low, high, color=style["color"], alpha=0.1, linewidth=0)
        axes.set(
            xlabel="share of the budget" if view.share else "pages fetched",
            ylabel="harvest" if figure == HARVEST else "target recall",
            title=title or crawls.web,
        )
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)

    return draw


def bars(title: str, label: str, places: Sequence[str], groups: Mapping[str, Sequence[Summary]]) -> Draw:
    """A panel: at each place a bar of each group, with its standard error."""

    def draw(axes: Any) -> None:
        width = 0.8 / len(groups)
        for number, (group, values) in enumerate(groups.items()):
            offsets = np.arange(len(places)) + (number - (len(groups) - 1) / 2) * width
            heights, errors = [value.mean or 0.0 for value in values], [value.standard_error or 0.0 for value in values]
            axes.bar(offsets, heights, 0.95 * width, yerr=errors, capsize=2, label=group if len(groups) > 1 else None)
        axes.set_xticks(np.arange(len(places)), places, rotation=30, ha="right")
        axes.set(ylabel=label, title=title)
        axes.grid(axis="y", alpha=0.3)
        axes.set_axisbelow(True)

    return draw


def picture(panels: Sequence[Sequence[Draw]], title: str) -> Figure:
    """Rows of panels; below them one legend, of all lines and bars that have a name."""
    columns = max(len(row) for row in panels)
    figure = Figure(figsize=(6.0 * columns, 4.0 * len(panels) + 0.8), layout="constrained")
    grid = figure.subplots(len(panels), columns, squeeze=False)
    named: dict[str, Any] = {}
    for row, places in zip(panels, grid, strict=True):
        for axes, draw in zip(places, row, strict=False):  # a shorter row leaves places empty
            draw(axes)
            handles, names = axes.get_legend_handles_labels()
            named |= {name: handle for name, handle in zip(names, handles, strict=True) if name not in named}
        for axes in places[len(row) :]:
            axes.set_axis_off()
    if named:
        figure.legend(named.values(), named.keys(), loc="outside lower center", ncols=min(6, len(named)), frameon=False)
    figure.suptitle(title)
    return figure
