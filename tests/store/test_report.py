from __future__ import annotations

import base64
import hashlib
import re
import shutil
from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from honeyguide.demo import DemoWeb
from honeyguide.document import words
from honeyguide.errors import InputError
from honeyguide.store.connection import FILE as DATABASE
from honeyguide.store.connection import connect
from honeyguide.store.crawl import Crawl
from honeyguide.store.reasons import error_text, refusal_text
from honeyguide.store.report import Truth, write_report
from honeyguide.store.report.statistics import MOST_POINTS

Scripted = Callable[..., Crawl]
CrawlDemo = Callable[..., Path]


class Report:
    """A written report, read as a browser would."""

    def __init__(self, path: Path) -> None:
        self.source = path.read_text(encoding="utf-8")
        self.tree = LexborHTMLParser(self.source)

    def texts(self, selector: str) -> list[str]:
        return [" ".join(node.text(separator=" ").split()) for node in self.tree.css(selector)]

    @property
    def figures(self) -> dict[str, str]:
        return dict(zip(self.texts(".figures dt"), self.texts(".figures dd"), strict=True))

    def table(self, title: str) -> list[list[str]]:
        for section in self.tree.css("section"):
            if (head := section.css_first("h2")) and head.text() == title:
                return [[cell.text() for cell in row.css("td")] for row in section.css("tbody tr, tfoot tr")]
        return []

    def curves(self, chart: str) -> dict[str, list[tuple[float, float]]]:
        """The curves of a chart by name, in pages and values."""
        for figure in self.tree.css("figure"):
            head, plot = figure.css_first("h2"), figure.css_first("svg.plot")
            if head and plot and head.text() == chart:
                across, up = float(plot.attributes["data-x"] or 0), float(plot.attributes["data-y"] or 0)
                names = [entry.text() for entry in figure.css(".entry")]
                drawn = [(curve.attributes["points"] or "").split() for curve in plot.css("polyline")]
                pairs = [[point.split(",") for point in points] for points in drawn]
                values = [[(float(x) * across / 1000, up - float(y) * up / 1000) for x, y in pair] for pair in pairs]
                return dict(zip(names, values, strict=True))
        return {}


@pytest.fixture(scope="session")
def report(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Report:
    with Crawl.open(demo_folder) as crawl:
        return Report(write_report(crawl, path=tmp_path_factory.mktemp("report") / "bees.html"))


def page(title: str, body: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">x</a> ' for link in links)
    return f"<html><head><title>{title}</title></head><body><p>{body}</p>{anchors}</body></html>"


# ---- what it says ----


def test_key_figures_are_those_of_the_crawl(report: Report, demo_crawl: Crawl) -> None:
    meta, figures = demo_crawl.meta, report.figures
    assert figures["pages fetched"] == "100"
    assert figures["relevant"] == str(meta["relevant"]) != "0"
    assert figures["harvest rate"] == f"{meta['relevant'] / 100:.1%}"
    assert figures["duplicates left out"] == str(meta["duplicates"])
    assert figures["received per relevant page"] == words.size(meta["size"] / meta["relevant"])
    assert figures["URLs failed"] != "0"
    assert "recall" not in figures


def test_head_names_topic_keywords_strategy_and_stop_reason(report: Report, web: DemoWeb, subject: str) -> None:
    assert report.texts("h1") == ["bees"]
    head = report.texts("header")[0]
    assert ", ".join(web.keywords(subject)) in head
    assert "Strategy guide" in head
    assert re.search(r"\d+ [A-Z][a-z]+ 20\d\d, \d\d:\d\d UTC · ([\d.]+ s|1 min \d+ s) of crawling", head)
    assert "Ended: the budget of 100 pages is used up." in head


def test_harvest_curve_is_the_running_share(report: Report, demo_crawl: Crawl) -> None:
    found = [page.relevant and not page.duplicate_of for page in demo_crawl.pages(relevant=False)]
    curves = report.curves("Harvest over pages")
    assert list(curves) == ["all pages so far", "last 100 pages"]
    for x, y in curves["all pages so far"]:
        assert y == pytest.approx(sum(found[: round(x)]) / round(x), abs=0.002)
    assert [round(x) for x, _ in curves["last 100 pages"][-1:]] == [100]


def test_without_a_truth_it_counts_what_was_found_and_speaks_of_no_recall(report: Report, demo_crawl: Crawl) -> None:
    (curve,) = report.curves("Relevant pages found").values()
    assert curve[-1] == pytest.approx((100, demo_crawl.meta["relevant"]), abs=0.1)
    assert "recall" not in report.source.lower()


def test_with_a_truth_it_shows_recall(demo_crawl: Crawl, web: DemoWeb, subject: str, tmp_path: Path) -> None:
    relevant = frozenset(web.relevant_urls(subject))
    known = Report(write_report(demo_crawl, Truth(relevant, len(relevant)), tmp_path / "set.html"))
    asked = Report(
        write_report(demo_crawl, Truth(lambda url: web.relevant(url, subject), len(relevant)), tmp_path / "f.html")
    )
    assert known.source == asked.source
    reached = sum(page.url in relevant for page in demo_crawl.pages(relevant=False)) / len(relevant)
    assert 0 < reached < 1
    assert known.figures["recall"] == f"{reached:.1%}"
    (curve,) = known.curves("Recall over pages").values()
    assert curve[-1][1] == pytest.approx(reached, abs=0.002)
    assert [x for x, _ in curve] == sorted(x for x, _ in curve)
    assert known.curves("Relevant pages found") == {}


def test_histogram_counts_every_page_that_scores(report: Report, demo_crawl: Crawl) -> None:
    pages = list(demo_crawl.pages(relevant=False))
    said = [re.findall(r"([\d,]+) pages?, ([\d,]+) relevant", text)[0] for text in report.texts("svg title")]
    assert sum(int(both) for both, _ in said) == sum(page.relevance > 0 for page in pages)
    assert sum(int(found) for _, found in said) == demo_crawl.meta["relevant"]
    assert f"{sum(page.relevance == 0 for page in pages)} pages with score 0" in report.source
    assert "threshold 0.15" in report.texts("svg text.threshold")


def test_sites_add_up(report: Report) -> None:
    rows = report.table("Sites")
    assert sum(int(pages) for _, pages, *_ in rows) == 100
    found = [int(found) for _, _, found, *_ in rows]
    assert found == sorted(found, reverse=True)
    assert all(share == f"{int(found) / int(pages):.1%}" for _, pages, found, share, _ in rows if pages != "0")
    assert sum(int(failed) for *_, failed in rows) == int(report.figures["URLs failed"]) > 0


def test_of_one_site_the_hosts_are_shown_and_of_one_host_the_folders(scripted: Scripted) -> None:
    seed = "http://xn--bcher-kva.example/"
    paths = ["a/1", "a/2", "b/1", "c", "gone"]
    pages = {seed: page("seed", "honey bee", *(f"/{path}" for path in paths))}
    pages |= {f"{seed}{path}": page(path, f"honey bee {path}" if path < "b" else "granite") for path in paths[:-1]}
    report = Report(write_report(scripted(pages)))
    rows = report.table("Folders of bücher.example")
    assert [row[:3] for row in rows] == [["/a/", "2", "2"], ["/", "2", "1"], ["/b/", "1", "0"]]
    assert [row[4] for row in rows] == ["0", "1", "0"]
    assert report.table("Sites") == []
    assert report.texts(".best .address")[0] == "http://bücher.example/"
    assert {link.attributes["href"] for link in report.tree.css(".best a")} <= set(pages)
    # A single folder would only repeat the totals.
    alone = Report(write_report(scripted({seed: page("seed", "honey bee")})))
    assert alone.texts(".pair:not(.charts) h2") == ["Relevance of the pages"]
    assert not alone.tree.css(".columns")
    assert not [title for title in alone.texts("h2") if "of bücher" in title]
    others = {f"http://{name}.a.example/": page(name, "honey bee", "http://two.a.example/") for name in ("one", "two")}
    hosts = Report(write_report(scripted(others)))
    assert [row[0] for row in hosts.table("Hosts of a.example")] == ["one.a.example", "two.a.example"]


def test_cells_of_a_wide_table_know_their_heads_for_screens_on_which_it_is_shown_row_by_row(
    demo_crawl: Crawl, tmp_path: Path
) -> None:
    report = Report(write_report(demo_crawl, path=tmp_path / "report.html", compare=[("other", demo_crawl)]))
    wide = report.tree.css("#side-by-side .scroll.wide")[0]
    heads = [head.text() for head in wide.css("th")]
    assert heads[:2] == ["Crawl", "Pages"]
    for row in wide.css("tbody tr"):
        assert [cell.attributes.get("data-head") for cell in row.css("td")] == [None, *heads[1:]]
    assert "attr(data-head)" in report.source


def test_best_pages_have_title_link_score_depth_and_marked_snippet(report: Report, demo_crawl: Crawl) -> None:
    best = list(demo_crawl.pages(best_first=True, most=30))
    items = report.tree.css(".best li")
    assert len(items) == len(best)
    for item, stored in zip(items, best, strict=True):
        link, score = item.css_first("a"), item.css_first(".score")
        assert link
        assert score
        assert (link.text(), link.attributes["href"]) == (stored.title, stored.url)
        assert set((link.attributes["rel"] or "").split()) >= {"noreferrer", "nofollow"}
        assert score.text() == f"{stored.relevance:.3f}"
        assert item.css("mark")
    assert "· starting page" in report.source
    assert "from a starting page" in report.source


def test_errors_and_refusals_are_said_in_words(report: Report, demo_crawl: Crawl) -> None:
    rows, left = report.table("Failed requests"), dict(report.table("Not followed"))
    failed = {reason: times for reason, times, _, _ in rows}
    assert failed["status 404 Not Found"] == str(demo_crawl.meta["errors"]["404"])
    assert {reason: where for reason, _, _, where in rows}["status 404 Not Found"] == "statuses.example (1)"
    assert sum(map(int, failed.values())) == sum(demo_crawl.meta["errors"].values())
    assert left["disallowed by robots.txt"] == str(demo_crawl.meta["refused"]["robots"])
    assert not set(left) & {"robots", "nofollow", "type"}


def test_a_second_crawl_is_drawn_beside_it(demo_crawl: Crawl, crawl_demo: CrawlDemo, tmp_path: Path) -> None:
    with Crawl.open(crawl_demo(tmp_path / "breadth", 60, strategy={"name": "breadth-first"})) as other:
        both = Report(write_report(demo_crawl, path=tmp_path / "both.html", compare=[("in order", other)]))
        assert list(both.curves("Harvest over pages")) == ["guide", "guide, last 100", "in order"]
        curves = both.curves("Relevant pages found")
        assert curves["in order"][-1] == pytest.approx((60, other.meta["relevant"]), abs=0.1)
        assert curves["guide"][-1][0] == pytest.approx(100)
        rows = both.table("Side by side")
        assert [row[:3] for row in rows] == [
            ["guide", "100", str(demo_crawl.meta["relevant"])],
            ["in order", "60", str(other.meta["relevant"])],
        ]


# ---- what it is ----


def test_it_asks_for_nothing_from_outside(report: Report) -> None:
    assert not report.tree.css("link, img, iframe, object, embed, script[src], [style], base, form")
    targets = {node.attributes["href"] or "" for node in report.tree.css("[href]")}
    assert {f"#{node.attributes['id']}" for node in report.tree.css("[id]")} >= {
        one for one in targets if one[0] == "#"
    }
    assert {one for one in targets if one[0] != "#"} == {
        node.attributes["href"] for node in report.tree.css(".best a, .page a")
    }
    assert not re.search(r"@import|url\(", report.source)


def test_its_own_script_is_the_only_one_a_browser_runs(report: Report) -> None:
    (script,) = report.tree.css("script")
    digest = base64.b64encode(hashlib.sha256(script.text().encode()).digest()).decode()
    policy = report.tree.css_first('meta[http-equiv="Content-Security-Policy"]')
    assert policy
    assert f"script-src 'sha256-{digest}'" in (policy.attributes["content"] or "")
    assert "default-src 'none'" in (policy.attributes["content"] or "")


def test_hostile_pages_stay_text(scripted: Scripted) -> None:
    attack = """</title></p></script><script>alert(1)</script><img src=x onerror=alert(1)>"'>&amp;<!--"""
    address = "http://a.example/?a=1&copy=2"  # not to be read as an entity
    hostile = Report(write_report(scripted({address: page(escape(attack), f"bee {escape(attack)} honey bee")})))
    assert len(hostile.tree.css("script")) == 1
    assert not hostile.tree.css("img, [onerror]")
    assert {link.attributes["href"] for link in hostile.tree.css("a:not(nav a)")} == {address}
    assert hostile.texts(".best h3") == [attack]
    assert "alert" in hostile.texts(".excerpt")[0]
    assert hostile.texts(".best mark") == ["bee", "honey", "bee"]
    assert hostile.texts("footer")


def test_only_web_addresses_become_links(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": page("Trap", "honey bee")})
    folder = crawl.path
    crawl.close()
    database = connect(folder / DATABASE)
    database.execute("UPDATE urls SET url = 'javascript://a.example/%0Aalert(1)'")
    database.close()
    with Crawl.open(folder) as changed:
        trap = Report(write_report(changed))
    assert not trap.tree.css("a:not(nav a), [data-url]")
    assert "javascript://a.example/" in trap.texts(".best li")[0]


# ---- crawls of all sizes ----


def test_one_page(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": page("Honey", "the bee and its honey")})
    one = Report(write_report(crawl))
    assert (crawl.path / "report.html").is_file()
    assert one.figures["harvest rate"] == "100.0%"
    assert one.curves("Relevant pages found") == {"guide": [(1.0, 1.0)] * 2}
    assert "nothing left to fetch" in one.texts("header")[0]


def test_nothing_relevant_is_explained(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": page("Cars", "an engine")})
    said = Report(write_report(crawl)).texts(".notice")
    assert [text[:44] for text in said] == ["None of 1 pages reached relevance 0.15 (best"]


def test_no_page_at_all(scripted: Scripted) -> None:
    none = Report(write_report(scripted({}, seeds=["http://a.example/gone"])))
    assert none.figures["pages fetched"] == "0"
    assert none.texts(".notice") == ["No page could be read; failed fetches: status 404 (1)."]
    assert none.table("Failed requests") == [["status 404 Not Found", "1", "1", "a.example (1)"]]
    assert none.texts("figure p.quiet") == ["No page was fetched."] * 3
    assert not none.tree.css("polyline, rect, .best")


def test_a_crawl_killed_before_its_first_commit(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": page("Honey", "honey")})
    folder = crawl.path
    crawl.close()
    database = connect(folder / DATABASE)
    for table in ("meta", "urls", "pages", "events"):
        database.execute(f"DELETE FROM {table}")
    database.close()
    with Crawl.open(folder) as empty:
        nothing = Report(write_report(empty))
    assert nothing.figures["pages fetched"] == "0"
    assert nothing.figures["harvest rate"] == words.NO_NUMBER
    assert "Not ended" in nothing.texts("header")[0]
    assert "No page could be read" in nothing.source
    assert nothing.texts("figure p.quiet") == ["No page was fetched."] * 3


class HastyClock:
    """Every look at it costs five seconds, so that a crawl writes down each step."""

    def __init__(self) -> None:
        self._time = 1_700_000_000.0

    def now(self) -> float:
        self._time += 5.0
        return self._time


def test_a_running_crawl(crawl_demo: CrawlDemo, tmp_path: Path) -> None:
    seen: list[Report] = []

    def look(_page: object) -> None:
        with Crawl.open(tmp_path / "bees") as crawl:
            seen.append(Report(write_report(crawl)))

    crawl_demo(tmp_path / "bees", 12, run={"on_page": look, "clock": HastyClock()})
    counts = [int(report.figures["pages fetched"]) for report in seen]
    assert counts == list(range(12))
    assert all("Not ended" in report.texts("header")[0] for report in seen)


def test_a_long_crawl_is_thinned(demo_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    shutil.copytree(demo_folder, folder)
    pages = 100_000
    database = connect(folder / DATABASE)
    columns = [name for _, name, *_ in database.execute("PRAGMA table_info(pages)")]
    made = {
        "id": "1000000 + n",
        "seq": "1000 + n",
        "relevance": "(n % 101) / 100.0",
        "relevant": "n % 4 = 0",
        "duplicate_of": "NULL",
    }
    values = ", ".join(made.get(name, name) for name in columns)
    numbers = f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {pages})"
    database.execute("BEGIN")
    database.execute(
        f"{numbers} INSERT INTO urls SELECT 1000000 + n, 'http://h' || (n % 5000) || '.example/' || n, 0, 2, 0, 1, 0 "
        "FROM numbers"
    )
    database.execute(
        f"{numbers} INSERT INTO pages SELECT {values} FROM (SELECT * FROM pages ORDER BY seq LIMIT 1), numbers"
    )
    database.execute("COMMIT")
    database.close()
    with Crawl.open(folder) as crawl:
        long = Report(write_report(crawl))
    assert long.figures["pages fetched"] == "100,100"
    for curve in long.curves("Harvest over pages").values():
        assert MOST_POINTS - 1 <= len(curve) <= MOST_POINTS + 1
        assert curve[-1] == pytest.approx((100_100, 0.25), abs=0.01)
    assert len(long.source) < 250_000
    *sites, rest = long.table("Sites")
    assert len(sites) == 100
    assert rest[0].endswith("other sites")
    assert sum(int(pages.replace(",", "")) for _, pages, *_ in (*sites, rest)) == 100_100


def test_what_the_archive_lost_is_named(demo_folder: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_folder, tmp_path / "lost")
    (tmp_path / "lost" / "pages-00000.warc.gz").unlink()
    with Crawl.open(tmp_path / "lost") as crawl:
        lost = Report(write_report(crawl))
    assert lost.figures["pages fetched"] == "100"
    assert "pages-00000.warc.gz: cannot be read: No such file" in lost.texts(".best .notice")[0]


def test_a_place_that_cannot_be_written(demo_crawl: Crawl, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x/report\.html: cannot be written"):
        write_report(demo_crawl, path=tmp_path / "x" / "report.html")
    assert not list(tmp_path.iterdir())


# ---- reasons in words ----


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (error_text("302"), "status 302 Found, without a usable target"),
        (error_text("799"), "status 799"),
        (refusal_text("something new"), "something new"),
    ],
)
def test_reasons_in_words(said: str, expected: str) -> None:
    assert said == expected


def test_every_kind_and_reason_has_words() -> None:
    from honeyguide.fetch.base import KINDS
    from honeyguide.page.scope import REASONS

    assert not [kind for kind in KINDS if error_text(kind).startswith("status")]
    assert not [reason for reason in REASONS if refusal_text(reason) == reason]
