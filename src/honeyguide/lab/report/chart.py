"""The curves in the report. All of them are drawn beforehand, so that the script only has to choose.

Without a script the first set is shown, recall above harvest above the recall of sites.
"""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.document.chart import Series, line_plot
from honeyguide.document.markup import Html, element, lines
from honeyguide.document.page import section
from honeyguide.lab.report.curves import CurveSet
from honeyguide.lab.report.line_styles import LineStyle, line_styles
from honeyguide.lab.report.panels import MANY, Panel, panels
from honeyguide.lab.report.ranking import RankedStrategy


def curves(curve_sets: Sequence[CurveSet], ranked: Sequence[RankedStrategy]) -> Html:
    """The section with the curves, the controls that choose among them, and one legend."""
    if not curve_sets:
        return section("Curves", element("p", "There are no curves: no trial was run.", class_="quiet"))
    styles = line_styles([one.strategy for one in ranked])
    drawings = [
        _drawing(panel, view, number, styles) for number, view in enumerate(curve_sets) for panel in panels(view)
    ]
    look = "curves many" if len(ranked) > MANY else "curves"
    return element("section", element("h2", "Curves"), _controls(curve_sets), *drawings, _legend(styles), class_=look)


def _drawing(panel: Panel, view: CurveSet, number: int, styles: dict[str, LineStyle]) -> Html:
    series = [
        Series(
            line.strategy,
            styles[line.strategy].classes,
            list(zip(panel.places.tolist(), line.mean.tolist(), strict=True)),
            () if line.error is None else line.error.tolist(),
        )
        for line in panel.lines
    ]
    plot = line_plot(
        f"{panel.title}, {view.name}", panel.x, panel.y, panel.across, "", series, data_share=int(view.share)
    )
    hidden = {"hidden": ""} if number else {}
    return element(
        "figure",
        element("h3", panel.title, element("span", view.name, class_="view")),
        element("div", plot, class_="frame"),
        element("p", view.note, class_="quiet"),
        data_view=number,
        data_metric=panel.metric,
        **hidden,
    )


def _controls(curve_sets: Sequence[CurveSet]) -> Html:
    """Shown by the script, which they need. Sites can be chosen if all views have them."""
    has_sites = all(view.sites for view in curve_sets)
    switch = element(
        "span",
        element("button", "Recall", type="button", data_metric="recall", aria_pressed="true"),
        element("button", "Harvest", type="button", data_metric="harvest", aria_pressed="false"),
        *([element("button", "Sites", type="button", data_metric="sites", aria_pressed="false")] if has_sites else []),
        class_="switch",
        role="group",
        aria_label="What is drawn",
    )
    options = (element("option", view.name, value=number) for number, view in enumerate(curve_sets))
    choice = element("select", lines(options), aria_label="Topic")
    return element("div", switch, choice if len(curve_sets) > 1 else Html(), class_="controls", hidden="")


def _legend(styles: dict[str, LineStyle]) -> Html:
    """The script makes its entries switches, and writes the values under the pointer into them."""
    entries = (
        element(
            "button",
            element("svg", element("line", class_=f"curve {style.classes}", x1=1, x2=27, y1=5, y2=5), class_="swatch"),
            element("span", strategy, class_="name"),
            element("output"),
            type="button",
            class_="entry",
            data_line=style.number,
            aria_pressed="true",
        )
        for strategy, style in styles.items()
    )
    where = element("p", class_="where quiet", aria_live="off")
    return element("div", where, element("div", lines(entries), class_="entries"), class_="key")
