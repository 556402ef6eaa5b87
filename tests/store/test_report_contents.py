"""What a report shows for a colleague: pages to check, terms, precision, how to repeat the crawl; also as Markdown."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from honeyguide.document import words
from honeyguide.store.connection import FILE as DATABASE
from honeyguide.store.connection import connect
from honeyguide.store.crawl import Crawl
from honeyguide.store.report import ReportFormat, write_report
from honeyguide.topic import Topic

Scripted = Callable[..., Crawl]
BORDERLINE, SAMPLE = "Borderline pages", "Sample for checking precision"


@dataclass(frozen=True)
class Mark:
    relevant: bool
    time: float = 100.0
    is_machine: bool = False


def page(title: str, body: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">x</a> ' for link in links)
    return f"<html><head><title>{title}</title></head><body><p>{body}</p>{anchors}</body></html>"


def section(path: Path, title: str) -> LexborNode:
    tree = LexborHTMLParser(path.read_text(encoding="utf-8"))
    return next(one for one in tree.css("section") if (head := one.css_first("h2")) and head.text() == title)


def rows(part: LexborNode) -> list[list[str]]:
    return [[cell.text() for cell in row.css("td")] for row in part.css("tbody tr")]


def linked(part: LexborNode) -> list[str]:
    return [link.attributes["href"] or "" for link in part.css("tbody a")]


def events(folder: Path, kind: str, details: Iterable[object], time: float = 0.0) -> None:
    database = connect(folder / DATABASE)
    for detail in details:
        database.execute("INSERT INTO events (time, kind, detail) VALUES (?, ?, ?)", (time, kind, json.dumps(detail)))
    database.close()


@pytest.fixture
def copied(demo_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(demo_folder, tmp_path / "it's bees"))


# ---- pages ----


def test_borderline_pages_are_the_nearest_on_both_sides(demo_crawl: Crawl, tmp_path: Path) -> None:
    part = section(write_report(demo_crawl, path=tmp_path / "r.html"), BORDERLINE)
    threshold = demo_crawl.model.threshold
    pages = [one for one in demo_crawl.pages(relevant=False) if not one.duplicate_of]
    near = sorted(pages, key=lambda one: abs(one.relevance - threshold))
    above = [one for one in near if one.relevance >= threshold][:10]
    below = [one for one in near if 0 < one.relevance < threshold][:10]
    assert above
    assert below
    scores = [float(row[1]) for row in rows(part)]
    assert scores == [round(one.relevance, 3) for one in (*reversed(above), *below)]
    assert [row[2] for row in rows(part)] == ["yes"] * len(above) + ["no"] * len(below)
    assert all(one.css_first(".excerpt") for one in part.css(".page"))


def test_how_to_mark_is_said_with_commands_that_a_shell_understands(copied: Path) -> None:
    with Crawl.open(copied) as crawl:
        path = write_report(crawl)
    code = section(path, BORDERLINE).css_first("pre")
    assert code
    first, second = map(shlex.split, code.text().replace("yes|no", "yes").splitlines())
    assert first == ["honeyguide", "label", str(copied)]
    assert second == ["honeyguide", "tell", str(copied), "label", "URL", "yes"]
    tree = LexborHTMLParser(path.read_text(encoding="utf-8"))
    command = tree.css_first("[data-command]")
    assert command
    assert shlex.split(command.attributes["data-command"] or "") == ["honeyguide", "tell", str(copied), "label"]
    for entry in tree.css("[data-url]"):
        link = entry.css_first("a")
        assert link
        assert shlex.split(entry.attributes["data-url"] or "") == [link.attributes["href"]]


def test_the_sample_is_random_fixed_and_stays_when_pages_are_judged_again(copied: Path) -> None:
    with Crawl.open(copied) as crawl:
        found = [one.url for one in crawl.pages()]
        drawn = linked(section(write_report(crawl), SAMPLE))
        again = linked(section(write_report(crawl), SAMPLE))
    assert drawn == again
    assert sorted(drawn) == sorted(found)
    assert drawn != found
    database = connect(copied / DATABASE)
    database.execute("UPDATE pages SET relevant = 0 WHERE id IN (SELECT id FROM urls WHERE url = ?)", (drawn[3],))
    database.close()
    with Crawl.open(copied) as crawl:
        assert linked(section(write_report(crawl), SAMPLE)) == [*drawn[:3], *drawn[4:]]


def test_of_many_pages_fifty_are_drawn(scripted: Scripted) -> None:
    seed = "http://a.example/"
    pages = {f"{seed}{number}": page(f"p{number}", f"honey bee w{number} " * 30) for number in range(60)}
    crawl = scripted({seed: page("seed", "honey bee", *pages), **pages})
    assert crawl.count() > 50
    part = section(write_report(crawl), SAMPLE)
    assert len(set(linked(part))) == len(rows(part)) == 50
    assert f"50 pages, drawn at random from the {crawl.count()} that were kept as relevant" in part.text()


def test_precision_is_that_of_the_marks_on_the_sample(demo_crawl: Crawl, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    drawn = linked(section(write_report(demo_crawl, path=path), SAMPLE))
    assert "Precision" not in section(path, SAMPLE).text().replace("checking precision", "")
    marks = {url: Mark(number >= 2) for number, url in enumerate(drawn[:10])}
    machine = {drawn[10]: Mark(False, is_machine=True)}
    elsewhere = {one.url: Mark(False) for one in demo_crawl.pages(relevant=False) if not one.relevant}
    part = section(write_report(demo_crawl, path=path, labels={**marks, **machine, **elsewhere}), SAMPLE)
    # 8 of 10: the Wilson interval, as in Newcombe (1998).
    assert "Precision 80.0%: 8 of 10 pages marked are relevant. 95% interval (Wilson): 49.0% to 94.3%." in part.text()
    assert [row[3] for row in rows(part)][:12] == ["no"] * 2 + ["yes"] * 8 + ["no (machine)", words.NO_NUMBER]
    figures = LexborHTMLParser(path.read_text(encoding="utf-8")).css_first(".figures")
    assert figures
    assert "80.0%" in figures.text()
    assert "precision, 10 pages marked" in figures.text()


def test_marks_that_the_model_has_learnt_from_do_not_count(copied: Path) -> None:
    with Crawl.open(copied) as crawl:
        drawn = linked(section(write_report(crawl), SAMPLE))
    events(copied, "taught", [{"relevant": 1, "others": 1}], time=200.0)
    events(copied, "taught", [{"problem": "too few labels of one kind"}], time=400.0)
    marks = {drawn[0]: Mark(True, 150.0), drawn[1]: Mark(False, 300.0)}
    with Crawl.open(copied) as crawl:
        part = section(write_report(crawl, labels=marks), SAMPLE)
    assert linked(part) == drawn[1:]
    assert "Precision 0.0%: 0 of 1 page marked" in part.text()
    assert "has learnt from by their marks are left out" in part.text()


# ---- terms and failures ----


def test_terms_distinguish_relevant_pages_from_the_others(scripted: Scripted) -> None:
    seed = "http://a.example/"
    pages = {seed: page("seed", "index", *(f"/{number}" for number in range(30)))}
    for number in range(30):
        topic = "honey bee pollinating" if number % 2 else "granite quarries 1234"
        pages[f"{seed}{number}"] = page(
            str(number), f"{topic} shared weather w{number} {'spam ' * 500 * (number == 8)}"
        )
    path = write_report(scripted(pages))
    found = {row[0]: float(row[3]) for row in rows(section(path, "Terms"))}
    assert {word for word, log_odds in found.items() if log_odds > 0} == {"honey", "bee", "pollinating"}
    assert {word for word, log_odds in found.items() if log_odds < 0} == {"granite", "quarries"}
    (row,) = (row for row in rows(section(path, "Terms")) if row[0] == "bee")
    assert row[1:3] == ["100%", "0%"]
    assert float(row[3]) > 2


def test_failures_name_the_hosts_where_they_are_most_frequent(scripted: Scripted) -> None:
    seed = "http://a.example/"
    gone = [*(f"http://b.example/{number}" for number in range(3)), "http://c.example/"]
    path = write_report(scripted({seed: page("seed", "honey bee", *gone)}))
    assert rows(section(path, "Failed requests")) == [
        ["status 404 Not Found", "4", "2", "b.example (3), c.example (1)"]
    ]
    failed = {site: (pages, number) for site, pages, _, _, number in rows(section(path, "Sites"))}
    assert failed == {"a.example": ("1", "0"), "b.example": ("0", "3"), "c.example": ("0", "1")}


# ---- how to repeat it ----


def test_the_topic_can_be_taken_from_the_report_but_no_password(scripted: Scripted, tmp_path: Path) -> None:
    crawl = scripted({"http://a.example/": page("Honey", "honey bee")})
    folder = crawl.path
    proxy = '\n[fetch]\nproxy = "http://ann:secret@proxy.example:3128"\n'
    before = (folder / "topic.toml").read_text()
    (folder / "topic.toml").write_text(before.replace("\n[fetch]\n", proxy))
    with Crawl.open(folder) as opened:
        path = write_report(opened)
        text = section(path, "How to repeat it").css("pre")[0].text()
        (tmp_path / "again.toml").write_text(text.replace("http://…@proxy.example:3128", ""))
        again = Topic.load(tmp_path / "again.toml")
        assert again == crawl.topic
    assert "secret" not in path.read_text()
    assert "ann" not in text
    said = section(path, "How to repeat it").text()
    assert re.search(r"Crawled with honeyguide \S+ in one run, begun on \d+ \w+ 20\d\d", said)
    assert "honeyguide crawl small.toml" in said


def test_it_says_what_the_crawl_was_told(copied: Path) -> None:
    told = [
        {"command": "block", "arguments": ["<b>.example"], "by": "tell: ann@here", "ok": True, "result": "blocked"},
        {"command": "label", "arguments": ["http://a.example/", "yes"], "by": "ann", "ok": True, "result": "done"},
        {"command": "label", "arguments": ["http://b.example/", "no"], "by": "ann", "ok": True, "result": "done"},
        {"command": "label", "arguments": ["http://c.example/", "no"], "by": "ann", "ok": False, "result": "no page"},
        ["not what a crawl writes"],
    ]
    events(copied, "told", told, time=1_700_000_000.0)
    with Crawl.open(copied) as crawl:
        part = section(write_report(crawl), "How to repeat it")
    time = "14 November 2023, 22:13 UTC"
    assert rows(part) == [
        ["block <b>.example", time, "tell: ann@here", "blocked"],
        ["label http://c.example/ no", time, "ann", "no page"],
        ["", time, "", ""],
    ]
    assert "no (1), yes (1)" in part.text()


# ---- Markdown ----


def test_markdown_has_the_same_contents_but_for_the_charts(demo_crawl: Crawl, tmp_path: Path) -> None:
    html = LexborHTMLParser(write_report(demo_crawl, path=tmp_path / "r.html").read_text(encoding="utf-8"))
    text = write_report(demo_crawl, path=tmp_path / "r.md", form=ReportFormat.MARKDOWN).read_text(encoding="utf-8")
    titles = [node.text() for node in html.css("section h2")]
    assert sorted(re.findall("(?m)^## (.*)", text)) == sorted(titles)
    tables = [line for line in text.splitlines() if line.startswith("|") and not line.startswith("| ---")]
    figures = 1 + len(html.css(".figures dt"))
    assert len(tables) == figures + len(html.css("thead tr, tbody tr, tfoot tr"))
    for link in html.css(".best a"):
        assert f"](<{link.attributes['href']}>)" in text
    assert "[fetch]\n" in text


def test_hostile_pages_stay_text_in_markdown(scripted: Scripted) -> None:
    attack = "![x](http://e.example/x.png) <img src=x> | `a` **b** [c](javascript:alert) &lt;"
    title = attack.replace("&", "&amp;").replace("<", "&lt;")
    crawl = scripted({"http://a.example/?a=(1)": page(title, f"# honey bee {title}")})
    path = write_report(crawl, form=ReportFormat.MARKDOWN)
    assert path == crawl.path / "report.md"
    text = path.read_text(encoding="utf-8")
    assert r"!\[x\](http://e.example/x.png) \<img src=x\> \| \`a\` \*\*b\*\* \[c\](javascript:alert) \&lt;" in text
    assert not re.search(r"(?<!\\)<(?!br>|https?://[^<>\s]*>\))", text)
    assert set(re.findall(r"(?<!\\)\]\(<(.*?)>\)", text)) == {"http://a.example/?a=%281%29"}
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in {3, 4, 5, 6}


def test_a_fence_is_longer_than_what_the_topic_contains(scripted: Scripted) -> None:
    crawl = scripted({"http://a.example/": page("Honey", "honey bee")}, description="```` <b>")
    text = write_report(crawl, form=ReportFormat.MARKDOWN).read_text(encoding="utf-8")
    (block,) = re.findall(r"(?ms)^`````\n(name = .*?)\n`````$", text)
    assert 'description = "```` <b>"' in block


# ---- the script ----

_ACTIONS = """
const heads = [...document.querySelectorAll("#sites th")];
const shown = () => [...document.querySelectorAll("#sites tbody tr")].filter((row) => !row.hidden);
const said = {};
heads[1].querySelector("button").click();
said.sort = heads.map((head) => head.getAttribute("aria-sort"));
said.down = shown().map((row) => Number(row.cells[1].textContent));
heads[1].querySelector("button").click();
said.up = shown().map((row) => Number(row.cells[1].textContent));
const field = document.querySelector("#sites input");
field.value = "HARBOUR example";
field.dispatchEvent(new Event("input"));
said.found = shown().map((row) => row.cells[0].textContent);
const [yes, no, saved, other] = document.querySelectorAll("#borderline-pages .mark button");
const commands = () => document.querySelector("#borderline-pages textarea").value;
const type = (key) => saved.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
said.first = [saved, other].map((button) => button.ariaPressed);
yes.click();
no.click();
said.commands = commands();
said.pressed = [yes, no].map((button) => button.ariaPressed);
no.click();
said.none = commands();
type("n");
said.typed = commands();
type("u");
said.forgotten = commands();
type("y");
said.as_it_was = commands();
document.title = JSON.stringify(said);
"""


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
def test_tables_are_sorted_and_searched_and_pages_marked_by_its_script(demo_crawl: Crawl, tmp_path: Path) -> None:
    marked = linked(section(write_report(demo_crawl, path=tmp_path / "r.html"), BORDERLINE))[1]
    path = write_report(demo_crawl, path=tmp_path / "r.html", labels={marked: Mark(relevant=True)})
    policy = re.compile(r"<meta http-equiv=\"Content-Security-Policy\"[^>]*>")
    text = policy.sub("", path.read_text(encoding="utf-8"))
    path.write_text(text.replace("</body>", f"<script>{_ACTIONS}</script></body>"), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [shutil.which("chromium") or "", *options, path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    title = LexborHTMLParser(done.stdout).css_first("title")
    assert title
    said = json.loads(title.text())
    assert said["sort"] == [None, "descending", None, None, None]
    assert said["down"] == sorted(said["down"], reverse=True)
    assert said["up"] == sorted(said["down"])
    assert said["found"] == ["harbour-pages.example"]
    first = section(path, BORDERLINE).css_first("tbody a")
    assert first
    command = ["honeyguide", "tell", str(demo_crawl.path), "label", first.attributes["href"], "no"]
    assert shlex.split(said["commands"]) == command
    assert said["pressed"] == ["false", "true"]
    assert said["first"] == ["true", "false"]  # a mark that is saved
    assert said["none"] == said["as_it_was"] == ""
    assert shlex.split(said["typed"])[-2:] == [marked, "no"]
    assert shlex.split(said["forgotten"])[-2:] == [marked, "forget"]
