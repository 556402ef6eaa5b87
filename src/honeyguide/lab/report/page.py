"""The report of a comparison as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from honeyguide.document import words
from honeyguide.document.markup import Html, element, html, lines
from honeyguide.document.page import address, document, link, section
from honeyguide.lab.report.chart import curves
from honeyguide.lab.report.curves import CurveSet
from honeyguide.lab.report.model_table import models
from honeyguide.lab.report.ranking import COLUMNS, RankedStrategy, by_place, deciding, measure
from honeyguide.lab.report.tables import ranking, tests, topics
from honeyguide.page.readable import readable
from honeyguide.version import VERSION

_VERDICTS = 8
"""How many verdicts on the best strategy are shown; the others are in a list to expand."""

_LISTED = 20  # maximum number of listed pages per topic that only one strategy found


def to_html(results: dict[str, Any], ranked: Sequence[RankedStrategy], curve_sets: Sequence[CurveSet]) -> str:
    """Make the whole file, which works offline. Everything from the results is escaped."""
    content = (
        _head(results, ranked),
        _failed(results.get("failed", [])),
        _verdicts(results["tests"], ranked),
        curves(curve_sets, ranked),
        ranking(results, ranked),
        tests(results["tests"], ranked),
        topics(results["cells"], ranked),
        models(results["cells"]),
        _alone(results["only"], ranked),
        _repeat_section(results["settings"]),
        element("footer", f"Written by honeyguide {VERSION}."),
    )
    folder = files(__package__)
    return document(
        f"{_web(results['settings'])}: comparison of strategies",
        content,
        style=(folder / "style.css").read_text(encoding="utf-8"),
        script=(folder / "script.js").read_text(encoding="utf-8"),
    )


# ---- results ----


def _web(settings: dict[str, Any]) -> str:
    web = settings.get("web")
    return str(web["name"] if isinstance(web, dict) and "name" in web else web or "Strategies")


def _head(results: dict[str, Any], ranked: Sequence[RankedStrategy]) -> Html:
    cells = results["cells"]
    strategies = sum(one.place is not None for one in ranked)
    subjects = len({cell["topic"] for cell in cells})
    parts = [_number(strategies, "strategy", "strategies"), _number(subjects, "topic", "topics")]
    parts.append(_number(len(cells), "trial", "trials"))
    if cells:
        parts.append(f"{words.count(sum(cell['pages'] for cell in cells))} pages visited")
    return element(
        "header",
        element("p", "Comparison of strategies", class_="kicker"),
        element("h1", _web(results["settings"])),
        element("p", _lead(ranked), class_="about"),
        element("p", " · ".join(parts), class_="quiet"),
    )


def _lead(ranked: Sequence[RankedStrategy]) -> str:
    """The result in a sentence or two."""
    contenders = [one for one in ranked if one.place is not None]
    if not contenders:
        return "Nothing to compare: no trial was run." if not ranked else "The oracle alone was run."
    best = contenders[0]
    area, share = COLUMNS[0], COLUMNS[1]
    figures = f"area under recall {' '.join(best.formatted(area)).strip()}"
    if best.mean(share.key) is not None:
        figures += f", {best.formatted(share)[0]} of what the oracle reaches"
    if len(contenders) == 1:
        return f"{best.strategy}: {figures}."
    sentence = f"{best.strategy} found the most of {len(contenders)} strategies: {figures}."
    second = contenders[1].strategy
    if second in best.beats:
        return sentence
    if best.topics == 1:
        return f"{sentence} With a single topic, it cannot be ruled out that its lead over {second} is chance."
    return f"{sentence} Its lead over {second} may be chance."


def _failed(failures: Sequence[dict[str, Any]]) -> Html:
    """The strategies that failed, how often, and the first failure of each; empty if none failed."""
    if not failures:
        return Html()
    of_strategy: dict[str, list[dict[str, Any]]] = {}
    for failure in failures:
        of_strategy.setdefault(failure["strategy"], []).append(failure)
    items = (_failure(strategy, found) for strategy, found in of_strategy.items())
    note = "Left out of all figures below. Correct the fault and run the same command again."
    return section("Failed", element("ul", lines(items), class_="verdicts"), element("p", note, class_="quiet"))


def _failure(strategy: str, failures: Sequence[dict[str, Any]]) -> Html:
    first = failures[0]
    place = html(" on ", _linked(first["url"])) if first["url"] else Html()
    log = f"; traceback in {first['log']}" if first["log"] else ""
    trials = _number(len(failures), "trial", "trials")
    return element(
        "li", element("b", strategy), f" in {trials}: {first['failed']} failed", place, f": {first['problem']}{log}."
    )


def _verdicts(tests: Sequence[dict[str, Any]], ranked: Sequence[RankedStrategy]) -> Html:
    """The results of the tests in words: those of the best strategy, and the others in a list to expand."""
    primary = by_place(deciding(tests), ranked)
    if not primary:
        return section("Verdicts", element("p", "No two strategies were tested against each other.", class_="quiet"))
    count = min(_VERDICTS, sum(test["better"] == primary[0]["better"] for test in primary))
    rest: dict[str, list[dict[str, Any]]] = {}
    for test in (*primary[count:], *(test for test in by_place(tests, ranked) if test not in primary)):
        rest.setdefault(measure(test), []).append(test)
    more = _number(len(tests) - count, "more verdict", "more verdicts")
    parts = (html(element("h3", f"By {name}"), _list(found)) for name, found in rest.items())
    note = (
        f"By {measure(primary[0])}: how much a strategy had found, on average over its crawl. p is the probability of "
        "such a lead between equally good strategies (paired over topics, after Holm's correction for many tests)."
    )
    return section(
        "Verdicts",
        _list(primary[:count]),
        element("p", note, class_="quiet"),
        _details(more, *parts) if rest else Html(),
    )


def _list(tests: Sequence[dict[str, Any]]) -> Html:
    # Keep a number and its percent sign on the same line.
    sentence = (str(test["verdict"]).replace(" %", "\N{NO-BREAK SPACE}%") for test in tests)
    return element("ul", lines(element("li", f"{text}.") for text in sentence), class_="verdicts")


# ---- pages ----


def _alone(only: dict[str, dict[str, list[str]]], ranked: Sequence[RankedStrategy]) -> Html:
    """The pages that only one strategy found; empty if there is only one strategy."""
    if sum(one.place is not None for one in ranked) < 2:
        return Html()
    parts = []
    for strategy, by_topic in only.items():
        found = {topic: urls for topic, urls in by_topic.items() if urls}
        if not found:
            continue
        count = sum(map(len, found.values()))
        more = any(len(urls) >= _LISTED for urls in found.values())
        heading = f"{words.pages(count)}{' or more' if more else ''}, in {_number(len(found), 'topic', 'topics')}"
        parts.append(
            _details(
                html(element("b", strategy), f" \N{EN DASH} {heading}"),
                *(html(element("h3", topic), _links(urls)) for topic, urls in found.items()),
            )
        )
    none = element("p", "No strategy found a target that no other found.", class_="quiet")
    note = element(
        "p", f"Targets that no other strategy found in any repeat (at most {_LISTED} per topic).", class_="quiet"
    )
    return section("Pages that one strategy alone found", *([note, *parts] if parts else [none]))


def _linked(url: str) -> Html:
    return link(url, element("bdi", address(readable(url))))


def _links(urls: Sequence[str]) -> Html:
    items = (element("li", _linked(url)) for url in urls)
    return element("ul", lines(items), class_="links")


# ---- how to repeat it ----


def _repeat_section(settings: dict[str, Any]) -> Html:
    rest = [(key, value) for key, value in settings.items() if key != "command"]
    entries = (
        element("div", element("dt", key.replace("_", " ")), element("dd", _value(value))) for key, value in rest
    )
    return section(
        "How to repeat it",
        element("pre", element("code", str(settings.get("command", "")))),
        element("dl", lines(entries), class_="settings"),
    )


def _value(value: Any) -> Html:
    """A setting as text: one line per entry of a table, a list in one line."""
    if isinstance(value, dict):
        return html(*(element("div", key, " ", _value(one)) for key, one in value.items()))
    if isinstance(value, list):
        return html(", ".join(map(str, value)) or words.NO_NUMBER)
    return html(words.NO_NUMBER if value is None or value == "" else str(value))


def _details(summary: str, *content: str) -> Html:
    return element("details", element("summary", summary), *content)


def _number(count: int, one: str, many: str) -> str:
    return f"{words.count(count)} {one if count == 1 else many}"
