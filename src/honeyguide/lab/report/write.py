"""Writes what is made of results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from honeyguide.atomic_write import output_file
from honeyguide.errors import InputError
from honeyguide.lab.report.curves import CurveSet, curve_sets
from honeyguide.lab.report.frame import to_csv
from honeyguide.lab.report.line_styles import LineStyle, line_styles
from honeyguide.lab.report.page import to_html
from honeyguide.lab.report.panels import Panel, panels
from honeyguide.lab.report.png import to_png
from honeyguide.lab.report.ranking import RankedStrategy, standings
from honeyguide.lab.report.svg import to_svg


def write_report(results: dict[str, Any], folder: Path) -> list[str]:
    """Write results.csv, curves.svg, curves.png and report.html into a folder that exists.

    Returns what the user should hear, one line each: that there is no PNG because matplotlib is not installed; an old
    PNG, which would show other results, is removed then. Raises `InputError` when the folder cannot be written to.
    """
    ranked, found = _averaged(results)
    picture = _picture(ranked, found)
    _write(folder / "results.csv", to_csv(results))
    _write(folder / "curves.svg", to_svg(*picture))
    _write(folder / "report.html", to_html(results, ranked, found))
    try:
        png = to_png(*picture)
    except InputError as missing:
        (folder / "curves.png").unlink(missing_ok=True)
        return [f"{missing.place} {missing.problem}: {missing.remedy}"]
    _write(folder / "curves.png", png)
    return []


def plot(results: dict[str, Any], path: Path) -> None:
    """Write the curves alone, as SVG or PNG, as the name's ending says.

    Raises `InputError` for another ending, for a place that cannot be written, and for a PNG without matplotlib.
    """
    kinds: dict[str, Callable[[Sequence[Panel], dict[str, LineStyle], str], str | bytes]] = {
        ".svg": to_svg,
        ".png": to_png,
    }
    if path.suffix.lower() not in kinds:
        raise InputError(str(path), "curves are written as SVG or PNG", "end the name in .svg or .png")
    _write(path, kinds[path.suffix.lower()](*_picture(*_averaged(results))))


def _averaged(results: dict[str, Any]) -> tuple[list[RankedStrategy], list[CurveSet]]:
    ranked = standings(results)
    return ranked, curve_sets(results, [one.strategy for one in ranked])


def _picture(
    ranked: Sequence[RankedStrategy], found: Sequence[CurveSet]
) -> tuple[Sequence[Panel], dict[str, LineStyle], str]:
    """What is drawn of the first view: the mean over topics, or the only topic."""
    styles = line_styles([one.strategy for one in ranked])
    return (panels(found[0]), styles, found[0].note) if found else ((), styles, "")


def _write(path: Path, content: str | bytes) -> None:
    with output_file(path) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
