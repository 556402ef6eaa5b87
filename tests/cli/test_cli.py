"""The commands, as a user types them: what they print, what they leave behind, how they exit."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from honeyguide.crawl.model_store import keep_model
from honeyguide.demo import DemoWeb, run_in_process
from honeyguide.document import words
from honeyguide.relevance.models import make_model
from honeyguide.store.crawl import Crawl
from honeyguide.store.folder import CrawlFolder
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of
from honeyguide.version import VERSION

from .kit import Command, Said


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    with run_in_process(DemoWeb(pages=100, page_kb=1.0)) as server:
        yield server.address


@pytest.fixture
def topic(tmp_path: Path, proxy: str) -> Path:
    """A topic file for the demo web."""
    web = DemoWeb(pages=100, page_kb=1.0)
    path = tmp_path / "bees.toml"
    path.write_text(
        f"""
        seeds = {json.dumps(web.seeds("beekeeping"))}
        keywords = {json.dumps(web.keywords("beekeeping"))}
        budget = {{ pages = 10 }}
        [fetch]
        proxy = "{proxy}"
        allow_networks = ["127.0.0.0/8"]
        delay = 0.0
        domain_delay = 0.0
        ip_delay = 0.0
        """
    )
    return path


def left_behind(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---- crawl ----


def test_a_crawl_says_how_it_went_and_where_it_is(honeyguide: Command, topic: Path) -> None:
    code, out, err = honeyguide("crawl", "bees.toml")
    assert code == 0
    assert "10 pages fetched, " in out
    assert "the budget of 10 pages is used up" in out
    assert "honeyguide report crawls/bees" in out
    assert err == ""
    assert {"crawl.sqlite", "topic.toml", "pages-00000.warc.gz"} <= {
        path.name for path in Path("crawls/bees").iterdir()
    }


def test_a_next_step_can_be_copied_even_if_a_name_has_spaces(honeyguide: Command, topic: Path) -> None:
    said = honeyguide("crawl", "bees.toml", "--out", "my crawls", "--pages", "2", "--workers", "0")
    suggested = said.out.partition("run: honeyguide ")[2]
    assert honeyguide(*shlex.split(suggested)).code == 0
    assert Path("my crawls/bees/report.html").exists()


def test_run_again_it_says_the_same_and_with_a_larger_budget_it_goes_on(honeyguide: Command, topic: Path) -> None:
    first = honeyguide("crawl", "bees.toml", "--workers", "0")
    assert honeyguide("crawl", "bees.toml", "--workers", "0") == first
    more = honeyguide("crawl", "bees.toml", "--pages", "15", "--quiet", "--workers", "0")
    assert (more.code, "15 pages fetched" in more.out) == (0, True)
    # Its name alone is enough, since the folder keeps the topic as it was crawled last.
    by_name = honeyguide("crawl", "--name", "bees", "--pages", "20", "--workers", "0")
    assert (by_name.code, "20 pages fetched" in by_name.out) == (0, True)


def test_options_make_another_crawl_of_a_file(honeyguide: Command, topic: Path) -> None:
    said = honeyguide("crawl", "bees.toml", "--name", "wax", "--out", "elsewhere", "--workers", "1", "--pages", "3")
    assert said.code == 0
    assert Path("elsewhere/wax/crawl.sqlite").exists()
    assert not Path("crawls").exists()


def test_other_keywords_are_refused_and_nothing_changes(honeyguide: Command, topic: Path) -> None:
    honeyguide("crawl", "bees.toml", "--workers", "0")
    before = left_behind(Path("crawls"))
    code, out, err = honeyguide("crawl", "bees.toml", "--keywords", "granite", "--workers", "0")
    assert (code, out) == (2, "")
    assert err == (
        "honeyguide: crawls/bees: was crawled with other settings for keywords; "
        "start a new crawl under another name, or restore the settings from its topic.toml\n"
    )
    assert left_behind(Path("crawls")) == before


def test_another_threshold_or_a_newly_trained_model_judges_the_stored_pages_again(
    honeyguide: Command, topic: Path
) -> None:
    first = honeyguide("crawl", "bees.toml", "--workers", "0")
    fewer = honeyguide("crawl", "bees.toml", "--workers", "0", "--threshold", "0.5")
    assert fewer.err == "relevance.threshold has changed: rescoring the stored pages, without fetching them\n"
    assert (fewer.code, fewer.out != first.out, "10 pages fetched" in fewer.out) == (0, True, True)
    assert honeyguide("crawl", "bees.toml", "--workers", "0").out == first.out
    # What `honeyguide train` does, without the wait: it stores a model beside the topic file.
    wanted = Topic.load("bees.toml")
    trained = make_model(material_of(wanted.with_settings(keywords=["granite", "lava"])))
    keep_model(trained, wanted, Path("bees.model"), {})
    judged = honeyguide("crawl", "bees.toml", "--workers", "0")
    assert judged.err == "the model has changed: rescoring the stored pages, without fetching them\n"
    assert judged.out != first.out
    assert honeyguide("crawl", "bees.toml", "--workers", "0").err == ""
    assert honeyguide("crawl", "--name", "bees", "--workers", "0").err == ""


def test_a_folder_in_use_is_refused(honeyguide: Command, topic: Path) -> None:
    folder = CrawlFolder(Path("crawls/bees"), Topic.load(topic))
    folder.settle_in()
    code, _, err = honeyguide("crawl", "bees.toml", "--workers", "0")
    folder.leave()
    assert code == 2
    assert "is being crawled by process" in err
    assert honeyguide("crawl", "bees.toml", "--workers", "0").code == 0


def test_a_crawl_without_a_find_says_why(honeyguide: Command, topic: Path) -> None:
    code, out, _ = honeyguide("crawl", "bees.toml", "--threshold", "0.99", "--workers", "0")
    assert code == 0
    assert "no relevant pages: none of 10 pages reached relevance 0.99 (best: " in out


def test_seeds_that_cannot_be_reached_leave_nothing_behind(honeyguide: Command, tmp_path: Path) -> None:
    code, out, err = honeyguide("crawl", "--name", "x", "--seed", "http://127.0.0.1:9/", "--keywords", "honey")
    assert (code, out) == (2, "")
    assert err.startswith("honeyguide: seeds: http://127.0.0.1:9/ could not be reached (address is not public")
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_seeds_without_a_page_are_named_at_once_and_without_any_page_the_crawl_has_failed(
    honeyguide: Command, topic: Path, proxy: str
) -> None:
    host = DemoWeb(pages=100, page_kb=1.0).seeds("beekeeping")[0]
    settings = f"[fetch]\nproxy = '{proxy}'\nallow_networks = ['127.0.0.0/8']\ndelay = 0.0\nip_delay = 0.0\n"
    wrong = [f"{host}nowhere", f"{host}else"]
    Path("lost.toml").write_text(f"seeds = {json.dumps(wrong)}\nkeywords = 'honey'\n{settings}domain_delay = 0.0\n")
    code, out, err = honeyguide("crawl", "lost.toml", "--workers", "0")
    assert (code, err) == (1, "".join(f"warning: seed {url}: status 404 Not Found\n" for url in wrong))
    assert [url for url in wrong if f"\nseed {url}: status 404 Not Found\n" not in out] == []
    assert "\nno seed returned a page\n" in out
    assert "\n2 URLs failed: status 404 (2)\n" in out
    assert honeyguide("urls", "crawls/lost", "--state", "failed").out.count("\n") == 2


def test_a_sitemap_is_a_seed_and_an_older_crawl_with_unreadable_types_still_opens(
    honeyguide: Command, topic: Path
) -> None:
    host = DemoWeb(pages=100, page_kb=1.0).seeds("beekeeping")[0]
    command = ["crawl", "bees.toml", "--workers", "0", "--seed", f"{host}sitemap.xml", "--pages"]
    found = honeyguide(*command, "5")
    assert (found.code, found.err) == (0, "")
    assert f"\nseed {host}sitemap.xml: it is a sitemap of 13 URLs (followed like seeds: 13)\n" in found.out
    kept = Path("crawls/bees/topic.toml")
    kept.write_text(kept.read_text().replace("[fetch]", "[fetch]\ntypes = ['text/html', 'application/pdf']"))
    assert honeyguide("why", "crawls/bees", host).out.startswith(
        f"   sitemap  {host}sitemap.xml\n    listed  promised "
    )
    assert honeyguide(*command, "6").code == 0


def test_damage_is_a_failure_and_not_a_mistake_of_the_user(honeyguide: Command, topic: Path) -> None:
    honeyguide("crawl", "bees.toml", "--workers", "0")
    archive = Path("crawls/bees/pages-00000.warc.gz")
    archive.write_bytes(archive.read_bytes()[:-1])
    code, _, err = honeyguide("crawl", "bees.toml", "--pages", "20", "--workers", "0")
    assert code == 1
    assert err.startswith("honeyguide: crawls/bees/pages-00000.warc.gz: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crawl"], "no topic given; give a topic file, or --name, --seed and --keywords"),
        (["crawl", "nowhere.toml"], "nowhere.toml"),
        (["crawl", "wrong.toml"], "wrong.toml:2: "),
        (["crawl", "--name", "x"], "--seed: no seeds"),
        (["crawl", "--name", "x", "--seed", "http://", "--keywords", "honey"], "--seed 1: "),
        (["crawl", "--name", "x", "--seed", "http://a.example/"], "keywords"),
        (["crawl", "--name", "../x", "--seed", "http://a.example/", "--keywords", "honey"], "--name: "),
        (["crawl", "--name", "x", "--seed", "http://a.example/", "--keywords", "honey", "--pages", "-1"], "--pages: "),
        (
            ["crawl", "--name", "x", "--seed", "http://a.example/", "--keywords", "honey", "--strategy", "guess"],
            "--strategy: ",
        ),
        (["report", "nowhere"], "nowhere: does not contain a crawl"),
        (["export", "nowhere"], "nowhere: does not contain a crawl"),
    ],
)
def test_wrong_input_gets_one_line_and_writes_nothing(
    honeyguide: Command, tmp_path: Path, arguments: list[str], words: str
) -> None:
    (tmp_path / "wrong.toml").write_text('keywords = ["honey"]\nseads = ["http://a.example/"]\n')
    before = left_behind(tmp_path)
    code, out, err = honeyguide(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("honeyguide: ")
    assert words in err
    assert err.count("\n") == 1
    assert left_behind(tmp_path) == before


# ---- the others ----


def test_init_writes_a_file_once(honeyguide: Command) -> None:
    assert honeyguide("init", "graphs").code == 0
    text = Path("graphs.toml").read_text()
    assert "seeds" in text
    Path("graphs.toml").write_text("mine")
    refused = honeyguide("init", "graphs")
    assert (refused.code, Path("graphs.toml").read_text()) == (2, "mine")
    assert honeyguide("init", "graphs", "--force").code == 0
    assert Path("graphs.toml").read_text() == text


def test_report_export_and_why_read_a_crawl(honeyguide: Command, topic: Path) -> None:
    honeyguide("crawl", "bees.toml", "--pages", "40", "--workers", "0")
    assert honeyguide("report", "crawls/bees").code == 0
    assert Path("crawls/bees/report.html").stat().st_size > 1000
    with Crawl.open("crawls/bees") as crawl:
        found = next(crawl.pages()).url
    assert honeyguide("tell", "crawls/bees", "label", found, "yes").code == 0
    assert honeyguide("report", "crawls/bees", "--format", "md").out.strip() == "crawls/bees/report.md"
    assert "Precision 100.0%: 1 of 1 page marked" in Path("crawls/bees/report.md").read_text()
    assert honeyguide("report", "crawls/bees", "--format", "pdf").code == 2
    everything = honeyguide("export", "crawls/bees", "--all", "--no-text", "--out", "-")
    rows = [json.loads(line) for line in everything.out.splitlines()]
    assert len(rows) == 40
    assert {row["relevant"] for row in rows} == {True, False}
    assert all("text" not in row and row["language"] == "en" for row in rows)
    table = honeyguide("export", "crawls/bees", "--format", "csv", "--fields", "url, title", "--bom", "--out", "-")
    assert table.out.startswith("\ufeffurl,title\r\n")
    for options in (["--fields", "url"], ["--text", "full"], ["--content", "trafilatura"], ["--no-text"], ["--bom"]):
        refused = honeyguide("export", "crawls/bees", "--format", "warc", *options)
        assert (refused.code, refused.out) == (2, "")
        assert refused.err.startswith(f"honeyguide: {options[0]}: does not apply to the format warc; use it with ")
    wrong = honeyguide("export", "crawls/bees", "--fields", "url,colour")
    assert (wrong.code, "--fields: there is no field 'colour'; use some of url, title" in wrong.err) == (2, True)
    both = honeyguide("export", "crawls/bees", "--fields", "url,text", "--no-text")
    assert (both.code, both.err) == (2, "honeyguide: --no-text: --fields includes text; leave out one of the two\n")
    unknown = honeyguide("export", "crawls/bees", "--text", "html")
    assert (unknown.code, unknown.err) == (
        2,
        "honeyguide: --text: there is no 'html'; use plain or markdown or full\n",
    )
    exported = honeyguide("export", "crawls/bees", "--out", "-")
    assert (exported.code, exported.err) == (0, "")
    pages = [json.loads(line) for line in exported.out.splitlines()]
    assert pages
    why = honeyguide("why", "crawls/bees", pages[0]["url"])
    assert (why.code, pages[0]["url"] in why.out) == (0, True)


def test_version_and_help(honeyguide: Command) -> None:
    assert honeyguide("--version") == Said(0, f"honeyguide {VERSION}\n", "")
    out = honeyguide("--help").out
    assert [name for name in ("demo", "init", "crawl", "why", "report", "export") if name not in out] == []


def test_the_demo_and_then_its_web_served_and_crawled_as_it_says(tmp_path: Path, honeyguide: Command) -> None:
    code, out, _ = honeyguide("demo", "--pages", "300", "--budget", "40", "--workers", "0")
    assert code == 0
    assert [words for words in ("guide", "breadth-first", "harvest rate", "pages/s") if words not in out] == []
    assert Path(out.splitlines()[-1]).name == "report.html"
    assert Path(out.splitlines()[-1]).exists()

    command = [sys.executable, "-m", "honeyguide", "demo", "--serve", "--pages", "300", "--out", "served here"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert "behind the HTTP proxy http://127.0.0.1:" in server.stdout.readline()
        written, suggested = server.stdout.readline(), server.stdout.readline()
        crawled = honeyguide(*shlex.split(suggested.partition("honeyguide ")[2]), "--workers", "0")
        server.send_signal(signal.SIGINT)
        server.wait(30)
    assert server.returncode in (0, 130)
    assert written == "wrote served here/demo.toml, seeds.txt and labels.tsv (ground truth)\n"
    assert (crawled.code, "75 pages fetched" in crawled.out) == (0, True)
    # The web has its bad sides, as the README promises, and a crawl meets them.
    with Crawl.open("crawls/demo-beekeeping-300") as crawl:
        kinds = {kind for (kind,) in crawl.query("SELECT DISTINCT kind FROM events")}
    assert {"redirect", "failed", "refused"} <= kinds


def test_a_demo_that_is_interrupted_starts_no_other_crawl(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "honeyguide", "demo", "--pages", "20000", "--workers", "0"]
    begun = tmp_path / "crawls" / "demo" / "guide" / "crawl.sqlite"
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as demo:
        while not begun.exists() and demo.poll() is None:
            time.sleep(0.01)
        demo.send_signal(signal.SIGINT)
        out, _ = demo.communicate(timeout=60)
    assert demo.returncode == 130
    assert out.endswith("interrupted; run the same command again to start from scratch\n")
    assert not (tmp_path / "crawls" / "demo" / "breadth-first").exists()


def test_the_labels_of_the_demo_web(honeyguide: Command) -> None:
    said = honeyguide("demo", "--labels", "new/labels.tsv", "--pages", "300", "--seed", "8")
    assert said == Said(
        0, "wrote new/labels.tsv: the labels of 300 pages, for honeyguide compare --web demo:300:8\n", ""
    )
    web = DemoWeb(pages=300, seed=8)
    lines = Path("new/labels.tsv").read_text().splitlines()
    assert {line.split("\t")[0] for line in lines if line.endswith("\tsubject.chess")} == {*web.relevant_urls("chess")}
    assert not Path("crawls").exists()


# ---- what is easily overlooked ----


@pytest.mark.parametrize("arguments", ["strategies", "models", "strategies guide", "strategies mix", "models mlp"])
def test_lists_fit_eighty_columns_without_breaking_words(
    honeyguide: Command, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    monkeypatch.setenv("COLUMNS", "1000")
    whole = honeyguide(*arguments.split())
    monkeypatch.setenv("COLUMNS", "80")
    narrow = honeyguide(*arguments.split())
    assert narrow.code == 0
    assert max(map(len, narrow.out.splitlines())) <= 80
    assert narrow.out.split() == whole.out.split()
    assert len(narrow.out.splitlines()) >= len(whole.out.splitlines())
    assert not re.search(r"\b00\d\b", whole.out)


def test_strategies_name_the_method_that_they_come_from(honeyguide: Command) -> None:
    out = honeyguide("strategies").out
    for name, method in {"cbp-slc": "CBP-SLC", "otie": "OTIE", "genre": "genre-aware", "btw": "BTW"}.items():
        assert re.search(rf"^{re.escape(name)} +{method} +\w", out, re.MULTILINE)


def test_help_shows_what_is_in_brackets(honeyguide: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert "Topic file with an [examples] table." in honeyguide("train", "--help").out


def test_one_is_not_many(honeyguide: Command, topic: Path) -> None:
    assert "1 page fetched" in honeyguide("crawl", "bees.toml", "--pages", "1", "--workers", "0").out
    assert honeyguide("export", "crawls/bees", "--all").out.startswith("1 page written to ")
    assert (words.duplicates(1), words.duplicates(1234)) == ("1 duplicate", "1,234 duplicates")


def test_a_contact_that_is_none_is_refused(honeyguide: Command, topic: Path) -> None:
    code, out, err = honeyguide("crawl", "bees.toml", "--contact", "me", "--workers", "0")
    assert (code, out) == (2, "")
    assert err.startswith('honeyguide: --contact: contact must be an e-mail address or the URL of a page, not "me"; ')
    # What an earlier version has crawled with such a contact can still be read, and goes on with a better one.
    honeyguide("crawl", "bees.toml", "--pages", "3", "--workers", "0")
    kept = Path("crawls/bees/topic.toml")
    kept.write_text(kept.read_text().replace("[fetch]", '[fetch]\ncontact = "me"'))
    assert 'contact = "me"' in kept.read_text()
    assert honeyguide("report", "crawls/bees").code == 0
    assert honeyguide("crawl", "bees.toml", "--pages", "4", "--contact", "me@a.example", "--workers", "0").code == 0


def test_blocks_of_a_file_show_its_name_and_no_invented_address(honeyguide: Command) -> None:
    Path("page.html").write_text("<p>one two <a href='next/page.html'>next</a> <a href='http://a.example/'>a</a></p>")
    said = honeyguide("blocks", "page.html")
    assert (said.code, said.out) == (0, "1 block written to blocks.html\n")
    drawn = Path("blocks.html").read_text()
    assert "<p>page.html</p>" in drawn
    assert "<i>next/page.html</i>" in drawn
    assert "<i>http://a.example/</i>" in drawn
    assert re.findall(r"\w+://[^/<]*", drawn) == ["http://a.example"]
