"""Crawls that meet PDF, plain text and office documents, good and bad ones."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.session import Session
from honeyguide.crawl.worker_process import ReadingLimits
from honeyguide.page import document
from honeyguide.topic import Topic

from .kit import Command
from .pdfs import assembled, forms, pdf
from .webs import HTML, html, serve, write_topic

PDF = "application/pdf"
WORDS = ["honey bee", "beehive"]
GUIDE = pdf(
    [
        [
            "Keeping a honey bee colony",
            "A beehive is opened in spring, and the honey bee is fed if its beehive is light.",
        ],
        ["About honey bee swarms", "More is at http://127.0.0.1:PORT/written for keepers of a beehive."],
    ],
    links=[(1, 0, "http://127.0.0.1:PORT/swarms")],
    title="The beehive in spring",
)
SWARM = "A honey bee swarm leaves its beehive in May, and the old queen of the honey bee goes with it."


def crawl(honeyguide: Command, pages: dict[str, tuple[str, bytes]], *options: str) -> str:
    """Crawl a site into crawls/bees. Returns its address."""
    links = [(path, f"honey bee, beehive: {path[1:]}") for path in pages]
    served = {"/": html("Bees", f"{SWARM} A honey bee in a beehive.", *links)}
    with serve(served) as site:
        port = site.rpartition(":")[2].encode()
        served |= {path: (kind, body.replace(b"PORT", port)) for path, (kind, body) in pages.items()}
        served |= {path: html(path, f"{SWARM} This is {path}.") for path in ("/swarms", "/written", "/from-text")}
        write_topic(Path("bees.toml"), site, WORDS)
        said = honeyguide("crawl", "bees.toml", "--quiet", *options)
        assert said.code == 0, said.err
    return site


def exported(honeyguide: Command, site: str) -> dict[str, dict[str, Any]]:
    assert honeyguide("export", "crawls/bees", "--format", "jsonl", "--out", "bees.jsonl").code == 0
    rows = [json.loads(line) for line in Path("bees.jsonl").read_text(encoding="utf-8").splitlines()]
    return {row["url"].removeprefix(site): row for row in rows}


@pytest.mark.parametrize("workers", ["0", "1"])
def test_pdf_and_plain_text_are_pages_with_links(honeyguide: Command, workers: str) -> None:
    pytest.importorskip("pypdfium2")
    text = f"Notes on the beehive\n\n{SWARM}\nSee http://127.0.0.1:PORT/from-text, and <this>.\n"
    site = crawl(
        honeyguide,
        {
            "/guide.pdf": (PDF, GUIDE),
            "/notes.txt": ("text/plain; charset=utf-8", text.encode()),
            "/letter.docx": ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"PK\3\4"),
            "/letter": ("application/msword", b"\xd0\xcf\x11\xe0"),
        },
        "--workers",
        workers,
    )
    found = exported(honeyguide, site)
    assert found.keys() == {"/", "/guide.pdf", "/notes.txt", "/swarms", "/written", "/from-text"}
    guide = found["/guide.pdf"]
    assert (guide["title"], guide["author"], guide["date"]) == ("The beehive in spring", "A. Keeper", "2024-05-01")
    assert guide["page_count"] == 2
    assert "A beehive is opened in spring" in guide["text"]
    assert found["/notes.txt"]["title"] == "Notes on the beehive"
    assert "<this>" in found["/notes.txt"]["text"]

    why = honeyguide("why", "crawls/bees", f"{site}/swarms").out
    assert f"{site}/guide.pdf" in why  # it was found there
    why = honeyguide("why", "crawls/bees", f"{site}/letter.docx").out
    assert "an office document (Word, Excel, PowerPoint, OpenDocument), which is not read" in why
    listed = honeyguide("urls", "crawls/bees", "--state", "refused").out
    assert any("/letter" in line and "office" in line for line in listed.splitlines()), listed
    assert honeyguide("report", "crawls/bees", "--format", "md").code == 0
    assert "an office document" in Path("crawls/bees/report.md").read_text(encoding="utf-8")


def test_bad_documents_are_named_and_the_crawl_goes_on(honeyguide: Command) -> None:
    pytest.importorskip("pypdfium2")
    locked = "/Encrypt << /Filter /Standard /V 1 /R 2 /O (%s) /U (%s) /P -4 >>" % (("x" * 32,) * 2)
    endless = assembled(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 2000000000 >>"])
    nested = assembled(["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Kids {'[' * 9999}{']' * 9999} /Count 9 >>"])
    site = crawl(
        honeyguide,
        {
            "/cut.pdf": (PDF, GUIDE[:300]),
            "/locked.pdf": (PDF, pdf([["honey bee"]], extra=locked)),
            "/endless.pdf": (PDF, endless),
            "/nested.pdf": (PDF, nested),
            "/none.pdf": (PDF, b"Not Found"),
            "/page.pdf": (PDF, html("Page", f"{SWARM} It is a page.")[1]),
            "/hidden": (HTML, pdf([[f"{SWARM} Hidden."]])),
            "/bytes.pdf": ("application/octet-stream", pdf([[f"{SWARM} Bytes."]])),
            "/zip": (HTML, b"PK\3\4 and so on"),
        },
        "--workers",
        "0",
    )
    assert exported(honeyguide, site).keys() == {"/", "/page.pdf", "/hidden", "/bytes.pdf"}
    failed = {
        "/cut.pdf": "a PDF that is damaged, or incomplete",
        "/locked.pdf": "a PDF that is encrypted, and needs a password",
        "/endless.pdf": "a PDF",
        "/nested.pdf": "a PDF",
        "/none.pdf": "sent as a PDF, but it is not one",
        "/zip": "a ZIP archive or an office document, which is not read",
    }
    listed = honeyguide("urls", "crawls/bees", "--state", "failed").out
    for path, reason in failed.items():
        why = honeyguide("why", "crawls/bees", f"{site}{path}").out
        assert "failed" in why, path
        assert reason in why, path
        assert f"{site}{path}" in listed


def test_a_pdf_that_never_ends_costs_itself_alone_also_without_workers(tmp_path: Path) -> None:
    pytest.importorskip("pypdfium2")
    import uvloop

    with serve(
        {
            "/": html("Bees", SWARM, ("/bomb.pdf", "honey bee"), ("/on", "beehive")),
            "/bomb.pdf": (PDF, forms(40)),
            "/on": html("On", f"{SWARM} On."),
        }
    ) as site:
        write_topic(tmp_path / "bees.toml", site, WORDS)
        session = Session(
            Topic.load(tmp_path / "bees.toml"), tmp_path / "bees", workers=0, limits=ReadingLimits(seconds=1.0)
        )
        result = uvloop.run(session.run())
    assert result.tally.pages == 2
    assert result.tally.errors == {"reader": 1}


def test_without_the_extra_the_reason_names_it(honeyguide: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "find_spec", lambda _name: None)
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    document.reads_pdf.cache_clear()
    try:
        pages = {"/guide.pdf": (PDF, GUIDE), "/guide": (PDF, GUIDE), "/hidden": (HTML, GUIDE)}
        site = crawl(honeyguide, pages, "--workers", "0")
        for path in pages:
            why = honeyguide("why", "crawls/bees", f"{site}{path}").out
            assert "honeyguide[pdf]" in why, path
    finally:
        document.reads_pdf.cache_clear()


def test_a_pdf_can_be_an_example(honeyguide: Command) -> None:
    pytest.importorskip("pypdfium2")
    Path("good.pdf").write_bytes(GUIDE)
    Path("bad.pdf").write_bytes(GUIDE[:200])
    for name, code, said in (("good", 0, "good.pdf"), ("bad", 2, "bad.pdf: cannot be read: a PDF that is damaged")):
        Path("bees.toml").write_text(
            f"seeds = ['http://a.example/']\nkeywords = ['bee']\n[examples]\npositive = ['{name}.pdf']\n"
        )
        result = honeyguide("train", "bees.toml")
        assert result.code == code, result.err
        if code:
            assert said in result.err
