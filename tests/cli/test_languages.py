"""Crawls in other languages than English, from keywords to the report."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .kit import Command
from .webs import html, serve, write_topic

GERMAN = {
    "/": html(
        "Imkerei im Überblick",
        "Die Imkerei beschäftigt sich mit der Haltung, der Vermehrung und der Züchtung von Honigbienen sowie mit der "
        "Gewinnung von Honig und weiteren Produkten, die von den Bienen stammen.\n"
        "Wer ein Bienenvolk hält, sieht im Sommer jede Woche nach ihm. Ein Bienenvolk, das unter einem Obstbaum steht, "
        "braucht im Mai viel Platz: An einem blühenden Obstbaum findet ein Bienenvolk an einem Tag mehr als sonst.",
        ("/voelker", "Wie stark die Völker im Frühjahr sind"),
        ("/english", "The same in English"),
        ("/fahrplan", "Fahrplan der Museumsbahn"),
        ("/kurz", "Kontakt"),
    ),
    # Every word of the topic is inflected here, in ways that only a stemmer for German knows.
    "/voelker": html(
        "Starke Völker",
        "Aus schwachen Bienenvölkern werden selten gute Honige gewonnen, und so gilt die Sorge des Imkers im Frühjahr "
        "vor allem den Vorräten. Die Imkerinnen und die Imker der Gegend wiegen die Bienenvölker deshalb jede Woche.\n"
        "Sind die Waben leer, so wird gefüttert, bis die ersten Weiden und Obstbäume blühen.",
        ("/schwarm", "Wenn Bienenvölker schwärmen"),
    ),
    "/schwarm": html(
        "Der Schwarm",
        "Im Mai teilen sich starke Bienenvölker: Die alte Königin zieht mit der Hälfte der Bienen aus, und der Imker "
        "fängt den Schwarm ein, bevor er weiterfliegt. In seiner neuen Wohnung baut er sofort Waben für den Honig.",
    ),
    "/english": html(
        "Beekeeping",
        "A Bienenvolk is what a keeper in the south calls a colony of bees, and an Obstbaum is a fruit tree. The "
        "keeper looks after the hives in the summer, and leaves enough of the honey for the winter.\n"
        "Bienenvolk and Obstbaum are the words that a visitor from abroad will hear most often in the spring.",
        ("/only-english", "Only linked from the English page"),
    ),
    "/only-english": html("Bees", "The bees of a hive gather nectar from the flowers within a few miles of it. " * 4),
    "/fahrplan": html(
        "Fahrplan",
        "Die Züge der Museumsbahn fahren von Mai bis Oktober an jedem Sonntag um zehn, um zwölf und um drei Uhr. "
        "Fahrkarten gibt es nur im Zug, und Fahrräder werden im Gepäckwagen ohne Aufpreis befördert.",
    ),
    "/kurz": html("Kontakt", "Bienenvolk: 0711 1234"),
}
WORDS = ["Bienenvolk", "Obstbaum"]


@pytest.fixture
def german(tmp_path: Path) -> Path:
    return tmp_path / "bienen.toml"


def found(honeyguide: Command, crawl: str, site: str) -> dict[str, str]:
    """The paths of the relevant pages, with their texts."""
    assert honeyguide("export", crawl, "--format", "jsonl", "--out", "found.jsonl").code == 0
    rows = [json.loads(line) for line in Path("found.jsonl").read_text(encoding="utf-8").splitlines()]
    return {row["url"].removeprefix(site): row["text"] for row in rows}


def test_pages_and_keywords_are_compared_in_the_language_of_the_page(honeyguide: Command, german: Path) -> None:
    with serve(GERMAN) as site:
        write_topic(german, site, WORDS)
        assert honeyguide("crawl", str(german), "--quiet", "--workers", "0").code == 0
    paths = found(honeyguide, "crawls/bienen", site)
    assert paths.keys() >= {"/", "/voelker", "/schwarm", "/english"}
    assert "/fahrplan" not in paths
    assert "Bienenvölkern" in paths["/voelker"]
    assert honeyguide("report", "crawls/bienen", "--format", "md").code == 0
    report = Path("crawls/bienen/report.md").read_text(encoding="utf-8")
    assert "**Bienenvölker**" in report  # the words of the topic are marked in any of their forms
    languages = report.partition("## Languages")[2].partition("\n## ")[0]
    assert "| de | 3 | 3 |" in languages


def test_only_pages_in_the_languages_of_the_scope_count_and_are_followed(honeyguide: Command, german: Path) -> None:
    with serve(GERMAN) as site:
        write_topic(german, site, WORDS, "[scope]\nlanguages = ['de']\n")
        assert honeyguide("crawl", str(german), "--quiet", "--workers", "0").code == 0
        paths = found(honeyguide, "crawls/bienen", site)
        assert paths.keys() >= {"/", "/voelker", "/schwarm", "/kurz"}  # the language of the last is unknown
        assert "/english" not in paths

        why = honeyguide("why", "crawls/bienen", f"{site}/english").out
        assert "not relevant" in why
        assert "Its language is en, and only pages in de count as relevant (scope.languages)." in why
        assert "1  on a page in another language (scope.languages)" in why
        why = honeyguide("why", "crawls/bienen", f"{site}/only-english").out
        assert "found, but not followed: on a page in another language (scope.languages)" in why

        assert honeyguide("report", "crawls/bienen", "--format", "md").code == 0
        report = Path("crawls/bienen/report.md").read_text(encoding="utf-8")
        assert "on a page in another language (scope.languages) | 1" in report
        assert "Only pages in de, and those whose language is unknown, count" in report

        # With another language, stored pages are judged again, and what was left out of them is followed.
        write_topic(german, site, WORDS, "[scope]\nlanguages = ['de', 'en']\n")
        said = honeyguide("crawl", str(german), "--workers", "0")
        assert said.code == 0
        assert "scope.languages" in said.err + said.out
    assert "/english" in found(honeyguide, "crawls/bienen", site)
    assert "fetched" in honeyguide("why", "crawls/bienen", f"{site}/only-english").out


def test_a_crawl_that_finds_nothing_for_its_languages_says_so(honeyguide: Command, german: Path) -> None:
    with serve(GERMAN) as site:
        write_topic(german, site, WORDS, "[scope]\nlanguages = ['ja']\n")
        said = honeyguide("crawl", str(german), "--workers", "0")
    assert "pages in other languages than those of scope.languages do not count" in said.out + said.err


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[scope]\nlanguages = ['de', 'jp']", '"jp" is not the code of a language; write "ja"'),
        ("[scope]\nlanguages = ['German']", '"German" is not the code of a language; write "de"'),
        ("[scope]\nlanguages = ['deu']", '"deu" is not the code of a language; write "de"'),
        ("[scope]\nlanguages = ['de-AT']", '"de-AT" is not the code of a language; write "de"'),
        ("[scope]\nlanguages = ['?']", '"?" is not the code of a language; write codes such as "en", "de" or "ja"'),
        ("[relevance]\nlanguage = 'de'", "there is no stemmer for 'de'; write \"german\""),
    ],
)
def test_what_is_no_language_is_refused(honeyguide: Command, german: Path, table: str, message: str) -> None:
    write_topic(german, "http://a.example", WORDS, table)
    said = honeyguide("crawl", str(german), "--workers", "0")
    assert said.code == 2
    assert message in said.err
    assert "bienen.toml:" in said.err
