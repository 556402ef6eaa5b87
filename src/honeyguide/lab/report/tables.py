"""The tables of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from honeyguide.document import words
from honeyguide.document.markup import Html, element, html
from honeyguide.document.page import section, table
from honeyguide.lab.report.ranking import RankedStrategy, by_place, columns, measure, probability
from honeyguide.lab.statistics import ALPHA

_MANY = 7  # strategies, from which on their names stand upright over the columns


def ranking(results: dict[str, Any], ranked: Sequence[RankedStrategy]) -> Html:
    """The strategies from the best to the worst, and which of the differences are significant."""
    if not ranked:
        return Html()
    topics = len({cell["topic"] for cell in results["cells"]})
    shown = columns(ranked)
    heads = ["Strategy", *(column.head for column in shown)]
    rows = [[_name(one, topics), *(_figure(*one.formatted(column)) for column in shown)] for one in ranked]
    note = [
        "Area under recall is the mean, over the crawl, of the share of targets found so far: the sooner, the larger.",
        f"Means ±1 standard error over {'topics' if topics > 1 else 'repeats'}.",
    ]
    if any(column.key == "site_recall" for column in shown):
        note.append("Sites are the registered domains that have a target: the share of them on which one was found.")
    contenders = sum(one.place is not None for one in ranked)
    if contenders > 1:
        heads.append("Better than")
        for row, one in zip(rows, ranked, strict=True):
            row.append(_beaten(one, contenders))
        note.append(
            f"Better than: the area is larger at p < {_level()} over topics, after Holm's correction for many tests."
        )
    return section("Ranking", table(heads, rows, look="ranking"), element("p", " ".join(note), class_="quiet"))


def _name(one: RankedStrategy, topics: int) -> Html:
    place = element("span", words.NO_NUMBER if one.place is None else f"{one.place}", class_="place")
    part = element("span", f" {one.topics} of {topics} topics", class_="quiet") if one.topics < topics else Html()
    return html(place, element("span", one.strategy), part)


def _figure(mean: str, error: str) -> Html:
    return html(mean, element("span", f" {error}", class_="error")) if error else html(mean)


def _beaten(one: RankedStrategy, contenders: int) -> Html:
    if one.place is None:
        return html(words.NO_NUMBER)
    if not one.beats:
        return element("span", "none", class_="quiet")
    names = element("p", ", ".join(one.beats), class_="names")
    return element("details", element("summary", f"{len(one.beats)} of {contenders - 1}"), names)


def tests(found: Sequence[dict[str, Any]], ranked: Sequence[RankedStrategy]) -> Html:
    """Every test there is, in a table to open: the best strategies first."""
    if not found:
        return Html()
    metrics = list(dict.fromkeys(map(measure, found)))
    ordered = sorted(by_place(found, ranked), key=lambda test: metrics.index(measure(test)))
    rows = [
        [
            html(test["better"], element("span", " over ", class_="quiet"), test["worse"]),
            measure(test),
            _signed(test["mean_difference"]),
            f"{test['wins']} of {test['topics']}",
            probability(test["p"]),
            probability(test["wilcoxon_p"]),
            element("mark", probability(test["p_holm"])) if test["significant"] else probability(test["p_holm"]),
        ]
        for test in ordered
    ]
    heads = ["Strategies", "Metric", "Mean difference", "Topics won", "p (t-test)", "p (Wilcoxon)", "p after Holm"]
    shown = sum(test["significant"] for test in found)
    summary = f"All {len(found)} tests: {shown} significant at p < {_level()} after Holm's correction"
    content = table(heads, rows, look="tests")
    return element("section", element("details", element("summary", summary), content))


def _level() -> str:
    return f"{ALPHA:g}".removeprefix("0")


def _signed(value: float | None) -> str:
    return words.NO_NUMBER if value is None else f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")


def topics(cells: Sequence[dict[str, Any]], ranked: Sequence[RankedStrategy]) -> Html:
    """One row per topic, one column per strategy, the best of each row marked; the oracle is never marked."""
    if not cells:
        return Html()
    share = any(cell.get("share_of_oracle") is not None for cell in cells)
    key = "share_of_oracle" if share else "auc_recall"
    values: dict[tuple[str, str], list[float]] = {}
    first: dict[str, dict[str, Any]] = {}
    for cell in cells:
        first.setdefault(cell["topic"], cell)
        if cell.get(key) is not None:
            values.setdefault((cell["topic"], cell["strategy"]), []).append(cell[key])
    # By the oracle's share the oracle itself is 1 everywhere.
    names = [one.strategy for one in ranked if one.place is not None or not share]
    means = {place: sum(found) / len(found) for place, found in values.items()}
    contenders = {one.strategy for one in ranked if one.place is not None}
    rows = []
    for topic, cell in first.items():
        reached = [means[topic, name] for name in contenders if (topic, name) in means]
        best = max(reached) if len(reached) > 1 else None
        on = f" on {words.count(cell['sites'])} sites" if cell.get("sites", 1) > 1 else ""
        formatted = f"{words.count(cell['targets'])} targets{on}, {words.pages(cell['budget'])}"
        entries = (
            _entry(means.get((topic, name)), best if name in contenders else None, share=share) for name in names
        )
        rows.append([html(_breakable(topic), element("span", formatted, class_="size")), *entries])
    title = "Percent of the oracle's area under recall, by topic" if share else "Area under recall, by topic"
    look = "topics upright" if len(names) > _MANY else "topics"
    heads = ["Topic", *(element("span", name) for name in names)]
    note = element("p", "Mean over repeats; the best is marked.", class_="quiet")
    return section(title, table(heads, rows, look=look), note)


def _entry(value: float | None, best: float | None, *, share: bool) -> Html:
    if value is None:
        return html(words.NO_NUMBER)
    formatted = f"{100 * value:.0f}" if share else f"{value:.2f}"
    return element("mark", formatted) if best is not None and value >= best else html(formatted)


def _breakable(label: str) -> Html:
    """A label such as ``subject.Science.Biology`` may break after a dot, where the next part begins."""
    first, *others = label.split(".")
    return html(first, *(part for other in others for part in (".", Html("<wbr>"), other)))
