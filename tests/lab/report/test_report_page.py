from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from honeyguide.document.words import NO_NUMBER
from honeyguide.lab.report import write_report

from .conftest import MakeResults, Results

STRATEGIES = ["guide", "best-first", "otie", "breadth-first"]
TOPICS = ["subject.Science.Biology", "subject.Religion", "course", "faculty", "music", "tea"]
ATTACK = """</title></option></script><script>alert(1)</script><img src=x onerror=alert(1)>"'>&amp;<!--"""


class Page:
    """A written report, read as a browser would."""

    def __init__(self, results: Results, folder: Path) -> None:
        write_report(results, folder)
        self.source = (folder / "report.html").read_text(encoding="utf-8")
        self.tree = LexborHTMLParser(self.source)

    def texts(self, selector: str) -> list[str]:
        return [said(node) for node in self.tree.css(selector)]

    def table(self, look: str) -> list[list[str]]:
        return [[said(item) for item in row.css("th, td")] for row in self.tree.css(f".{look} tr")]

    def figure(self, view: int, metric: str) -> LexborNode:
        found = self.tree.css_first(f'figure[data-view="{view}"][data-metric="{metric}"]')
        assert found
        return found


def said(node: LexborNode) -> str:
    return " ".join(node.text(separator=" ").split())


@pytest.fixture(scope="module")
def results(make_results: MakeResults) -> Results:
    only = {
        "guide": {
            TOPICS[0]: [f"http://a.example/{n}" for n in range(20)],
            TOPICS[1]: ["http://a.example/x?a=1&copy=2"],
        },
        "otie": {TOPICS[0]: []},
        "best-first": {"course": ["http://b.example/"]},
    }
    return make_results(STRATEGIES, TOPICS, 2, budgets=(200, 300), only=only)


@pytest.fixture(scope="module")
def page(results: Results, tmp_path_factory: pytest.TempPathFactory) -> Page:
    return Page(results, tmp_path_factory.mktemp("report"))


# ---- what it says ----


def test_the_verdicts_stand_at_the_top(page: Page, results: Results) -> None:
    assert page.texts("main > *")[1].startswith("Verdicts")
    area = [test for test in results["tests"] if test["metric"] == "auc_recall"]
    of_guide = {test["worse"]: test["verdict"] for test in area if test["better"] == "guide"}
    assert len(of_guide) == 3
    shown = [text.replace("\N{NO-BREAK SPACE}", " ") for text in page.texts("section > .verdicts > li")]
    assert shown == [f"{of_guide[name]}." for name in STRATEGIES[1:]]
    more = page.texts("details .verdicts > li")
    assert len(more) == len(results["tests"]) - 3
    assert page.texts("details h3")[:2] == ["By area under recall", "By recall"]


def test_the_lead_names_the_best_and_does_not_claim_more_than_the_tests(
    page: Page, results: Results, tmp_path: Path
) -> None:
    mean = results["summary"]["guide"]["auc_recall"]["mean"]
    (lead,) = page.texts("header .about")
    assert lead.startswith(f"guide found the most of 4 strategies: area under recall {mean:.3f} ± ")
    assert "of what the oracle reaches" in lead
    unsure = [test | {"significant": False} for test in results["tests"]]
    lead = Page(results | {"tests": unsure}, tmp_path).texts("header .about")[0]
    assert lead.endswith("of what the oracle reaches. Its lead over best-first may be chance.")
    sure = [test | {"significant": True} for test in results["tests"]]
    assert "chance" not in Page(results | {"tests": sure}, tmp_path).texts("header .about")[0]


def test_one_topic_is_said_to_be_no_test(make_results: MakeResults, tmp_path: Path) -> None:
    lead = Page(make_results(topics=["bees"]), tmp_path).texts("header .about")[0]
    assert lead.endswith("With a single topic, it cannot be ruled out that its lead over best-first is chance.")


def test_strategies_that_failed_stand_first_and_in_no_table(results: Results, tmp_path: Path) -> None:
    failure = {
        "strategy": "mine<b>", "topic": "bees", "repeat": 0, "failed": "strategy mine<b>",
        "url": "http://a.example/<i>", "problem": "ValueError: <script>", "log": "errors.log",
    }  # fmt: skip
    again = failure | {"repeat": 1, "url": None, "problem": "another"}
    page = Page(results | {"failed": [failure, again]}, tmp_path)
    assert page.texts("main > *")[1].startswith("Failed")
    (item,) = page.texts("main > section:nth-of-type(1) li")
    assert item.startswith("mine<b> in 2 trials: strategy mine<b> failed on http://a.example/<i>")
    assert item.endswith(": ValueError: <script>; traceback in errors.log.")
    assert "mine" not in str(page.table("ranking"))


def test_the_ranking_has_means_errors_and_what_is_significant(page: Page, results: Results) -> None:
    heads, *rows = page.table("ranking")
    assert heads == [
        "Strategy",
        "Area under recall",
        "Share of the oracle's",
        "Recall",
        "Harvest",
        "Bytes per relevant page",
        "Virtual minutes",
        "Better than",
    ]
    assert [row[0] for row in rows] == ["1 guide", "2 best-first", "3 otie", "4 breadth-first", f"{NO_NUMBER} oracle"]
    summary = results["summary"]["otie"]
    assert rows[2][1] == f"{summary['auc_recall']['mean']:.3f} ± {summary['auc_recall']['standard_error']:.3f}"
    share = summary["share_of_oracle"]
    assert rows[2][2] == f"{share['mean']:.1%} ± {100 * share['standard_error']:.1f}"
    for name, row in zip(STRATEGIES, rows, strict=False):
        beaten = {
            test["worse"]
            for test in results["tests"]
            if test["metric"] == "auc_recall" and test["better"] == name and test["significant"]
        }
        names = [other for other in STRATEGIES if other in beaten]
        assert row[-1] == (f"{len(names)} of 3 {', '.join(names)}" if names else "none")
    assert rows[0][-1] != "none"
    assert rows[-1][-1] == NO_NUMBER


def test_every_test_is_in_its_table(page: Page, results: Results) -> None:
    _, *rows = page.table("tests")
    assert len(rows) == len(results["tests"])
    first = next(
        test
        for test in results["tests"]
        if (test["better"], test["worse"], test["metric"]) == ("guide", "best-first", "auc_recall")
    )
    assert rows[0][0] == "guide over best-first"
    assert rows[0][2] == f"{first['mean_difference']:+.3f}"
    assert rows[0][3] == f"{first['wins']} of 6"
    assert len(page.tree.css(".tests mark")) == sum(test["significant"] for test in results["tests"])


def test_a_row_a_topic_with_the_best_marked(page: Page, results: Results) -> None:
    heads, *rows = page.table("topics")
    assert heads == ["Topic", *STRATEGIES]  # the oracle is 100 % of itself everywhere
    assert [row[0].replace(" ", "") for row in rows][2:3] == ["course100targets,200pages"]
    for topic, row, marked in zip(TOPICS, rows, page.tree.css(".topics tbody tr"), strict=True):
        means = {}
        for name in STRATEGIES:
            values = [
                one["share_of_oracle"] for one in results["cells"] if (one["topic"], one["strategy"]) == (topic, name)
            ]
            means[name] = sum(values) / len(values)
        assert row[1:] == [f"{100 * value:.0f}" for value in means.values()]
        marks = [index for index, data in enumerate(marked.css("td")[1:]) if data.css("mark")]
        assert [STRATEGIES[index] for index in marks] == [max(means, key=lambda name: means[name])]


def test_without_the_oracle_it_is_the_area_that_is_shown(make_results: MakeResults, tmp_path: Path) -> None:
    page = Page(make_results(STRATEGIES, TOPICS, 1, oracle=False), tmp_path)
    assert "Area under recall, by topic" in page.texts("h2")
    assert "Share of the oracle's" not in page.table("ranking")[0]
    assert re.fullmatch(r"0\.\d\d", page.table("topics")[1][1])


def test_pages_found_by_one_strategy_alone_are_listed(page: Page) -> None:
    summaries = page.texts("section > details > summary")
    assert f"guide {NO_NUMBER} 21 pages or more, in 2 topics" in summaries
    assert f"best-first {NO_NUMBER} 1 page, in 1 topic" in summaries
    assert not [text for text in summaries if text.startswith("otie")]
    links = [node.attributes["href"] for node in page.tree.css(".links a")]
    assert "http://a.example/x?a=1&copy=2" in links
    assert len(links) == 22


def test_how_to_repeat_it(page: Page, results: Results) -> None:
    assert page.texts("pre code") == [results["settings"]["command"]]
    settings = dict(zip(page.texts(".settings dt"), page.texts(".settings dd"), strict=True))
    assert settings["web"] == "name bees.warc.gz digest sha256:1234 pages 1234"
    assert settings["versions"].startswith("honeyguide 0.1.0 numpy ")
    assert settings["seed urls"] == NO_NUMBER


# ---- curves ----


def test_without_a_script_the_first_view_is_there_with_recall_and_harvest(page: Page) -> None:
    shown = [node for node in page.tree.css("figure") if "hidden" not in node.attributes]
    assert [(node.attributes["data-view"], node.attributes["data-metric"]) for node in shown] == [
        ("0", "recall"),
        ("0", "harvest"),
    ]
    assert page.tree.css(".controls[hidden]")
    assert len(page.tree.css("figure")) == 2 * (1 + len(TOPICS))
    assert page.texts("option") == ["Mean over 6 topics", *TOPICS]


def test_sites_have_a_column_and_curves_if_there_are_several(make_results: MakeResults, tmp_path: Path) -> None:
    several = make_results(sites=8, budgets=(80,))
    page = Page(several, tmp_path)
    heads, first, *_ = page.table("ranking")
    site_recall = several["summary"]["guide"]["site_recall"]
    place = heads.index("Sites")
    assert heads[place - 1] == "Harvest"
    assert first[place].startswith(f"{site_recall['mean']:.1%}")
    assert page.texts(".switch button") == ["Recall", "Harvest", "Sites"]
    assert page.figure(0, "sites").css_first("svg.plot polyline")
    assert "40 targets on 8 sites, 80 pages" in page.table("topics")[1][0]
    assert "registered domains" in " ".join(page.texts("section p.quiet"))
    alone = Page(make_results(), tmp_path)
    assert alone.texts(".switch button") == ["Recall", "Harvest"]
    assert "Sites" not in alone.table("ranking")[0]
    assert "registered domains" not in " ".join(alone.texts("section p.quiet"))


def test_every_strategy_has_a_line_a_band_and_a_legend_entry_of_one_look(page: Page) -> None:
    figure = page.figure(0, "recall")
    names = [*STRATEGIES, "oracle"]
    assert page.texts(".entry .name") == names
    for number, entry in enumerate(page.tree.css(".entry")):
        swatch = entry.css_first("line")
        curve, band = figure.css_first(f"polyline.line-{number}"), figure.css_first(f"polygon.line-{number}")
        assert swatch
        assert curve
        assert band
        assert swatch.attributes["class"] == curve.attributes["class"]
        assert (band.attributes["class"] or "").removeprefix("band") == (curve.attributes["class"] or "")[5:]


def test_curves_end_at_the_means_of_the_summary(page: Page, results: Results) -> None:
    for metric, key in (("recall", "target_recall"), ("harvest", "harvest_rate")):
        plot = page.figure(0, metric).css_first("svg.plot")
        assert plot
        high = float(plot.attributes["data-y"] or 0)
        for number, name in enumerate(STRATEGIES):
            curve = plot.css_first(f"polyline.line-{number}")
            assert curve
            last = (curve.attributes["points"] or "").split()[-1].split(",")
            mean = results["summary"][name][key]["mean"]
            assert float(last[0]) == 1000
            assert high * (1 - float(last[1]) / 1000) == pytest.approx(mean, abs=0.001)
        label = plot.attributes["aria-label"] or ""
        assert f"guide: {results['summary']['guide'][key]['mean']:.1%}" in label


# ---- what it is ----


def outside(page: Page) -> set[str | None]:
    """Everything the page names that lies elsewhere, but for links a reader may follow."""
    tree = page.tree
    assert not tree.css("link, img, iframe, object, embed, script[src], [style], base, form, image, use")
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|import\(", page.source)
    return {node.attributes["href"] for node in tree.css("[href]")} - {
        node.attributes["href"] for node in tree.css("a")
    }


def test_it_asks_for_nothing_from_outside(page: Page) -> None:
    assert outside(page) == set()


def test_its_own_script_is_the_only_one_a_browser_runs(page: Page) -> None:
    (script,) = page.tree.css("script")
    digest = base64.b64encode(hashlib.sha256(script.text().encode()).digest()).decode()
    policy = page.tree.css_first('meta[http-equiv="Content-Security-Policy"]')
    assert policy
    assert f"script-src 'sha256-{digest}'" in (policy.attributes["content"] or "")


def test_hostile_labels_and_addresses_stay_text(make_results: MakeResults, tmp_path: Path) -> None:
    only = {ATTACK: {ATTACK: ["javascript:alert(1)", f"http://a.example/{ATTACK}", "data:text/html,x"]}}
    made = make_results(
        [ATTACK, "$x$ _{"],
        [ATTACK, "b\udc80\x00c"],
        2,
        only=only,
        command=ATTACK,
        web={"name": ATTACK, "digest": ATTACK},
        versions={ATTACK: ATTACK},
    )
    page = Page(made, tmp_path)
    assert len(page.tree.css("script")) == 1
    assert not page.tree.css("img, [onerror]")
    assert outside(page) == set()
    assert page.texts("h1") == [ATTACK]
    assert page.texts("pre") == [ATTACK]
    assert page.texts("option")[1] == ATTACK
    assert ATTACK in page.texts(".entry .name")
    assert [node.attributes["href"] for node in page.tree.css("a")] == [f"http://a.example/{ATTACK}"]
    assert page.texts(".links li")[0] == "javascript:alert(1)"
    assert page.texts("footer")


# ---- of all sizes ----


def test_many_strategies_and_topics(make_results: MakeResults, tmp_path: Path) -> None:
    names = [f"strategy-{number}" for number in range(26)]
    page = Page(make_results(names, [f"topic {number}" for number in range(10)], 1, budgets=(100,)), tmp_path)
    assert len(page.table("ranking")) == 28
    assert len(page.table("topics")) == 11
    assert page.tree.css(".topics.upright")
    assert page.tree.css(".curves.many")
    line_styles = {(node.attributes["class"] or "").split(" ", 2)[2] for node in page.tree.css(".swatch line")}
    assert len(line_styles) == 25  # 6 colours in 4 patterns, and the oracle's
    assert len(page.texts("section > .verdicts > li")) <= 8
    assert len(page.source) < 3_000_000


def test_one_strategy_one_topic_one_repeat(make_results: MakeResults, tmp_path: Path) -> None:
    page = Page(make_results(["guide"], ["course"], 1, oracle=False), tmp_path)
    assert page.texts("header .about")[0].startswith("guide: area under recall 0.")
    assert "No two strategies were tested against each other." in page.texts("section")[0]
    assert not page.tree.css("select, polygon, mark, details")
    assert len(page.tree.css("figure polyline")) == 2
    assert "Better than" not in page.table("ranking")[0]
    assert "±" not in page.table("ranking")[1][1]


def test_nothing_at_all(make_results: MakeResults, tmp_path: Path) -> None:
    page = Page(make_results([], [], oracle=False), tmp_path)
    assert page.texts("header .about") == ["Nothing to compare: no trial was run."]
    assert not page.tree.css("figure, table")
    assert page.texts("pre code")


def test_the_oracle_alone(make_results: MakeResults, tmp_path: Path) -> None:
    page = Page(make_results([], ["tea"]), tmp_path)
    assert page.texts("header .about") == ["The oracle alone was run."]
    assert len(page.tree.css("figure")) == 2


def test_figures_that_do_not_exist_are_dashes(make_results: MakeResults, tmp_path: Path) -> None:
    made = make_results(["guide", "lost"], ["tea", "bees"])
    gaps: dict[str, Any] = {"bytes_per_relevant": None, "share_of_oracle": None, "curve": [], "pages": 0}
    made["cells"] = [one | (gaps if one["strategy"] == "lost" else {}) for one in made["cells"]]
    made["cells"] = [one for one in made["cells"] if (one["strategy"], one["topic"]) != ("lost", "bees")]
    made["summary"]["lost"]["bytes_per_relevant"] = {"mean": None, "standard_error": None}
    page = Page(made, tmp_path)
    lost = next(row for row in page.table("ranking") if "lost" in row[0])
    assert lost[0] == "2 lost 1 of 2 topics"
    assert lost[5] == NO_NUMBER
    assert [row[2] for row in page.table("topics")[1:]] == [NO_NUMBER, NO_NUMBER]
