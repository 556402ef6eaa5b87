"""``crawl --again`` and ``changes``, as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from honeyguide.demo import DemoWeb, run_in_process, write_start_files

from .kit import Command


@pytest.fixture
def crawled(tmp_path: Path, honeyguide: Command) -> str:
    """A topic file; what is served is the demo web."""
    web = DemoWeb(pages=300, page_kb=1.0)
    with run_in_process(web) as server:
        topic = write_start_files(web, "beekeeping", server.address, tmp_path).topic
        with topic.open("a", encoding="utf-8") as file:
            file.write("\n[revisit]\nchance = 0.0\nsoonest = 0.0\n")
        assert honeyguide("crawl", str(topic), "--again", "--quiet").code == 2
        assert honeyguide("crawl", str(topic), "--pages", "8", "--workers", "0", "--quiet").code == 0
        said = honeyguide("crawl", str(topic), "--again", "--pages", "5", "--workers", "0", "--quiet")
    assert said.code == 0, said.err
    assert "5 pages revisited: 0 changed, 0 gone; 0 pages new" in said.out
    return str(topic)


def test_visiting_pages_again_and_what_came_of_it(crawled: str, honeyguide: Command) -> None:
    folder = next(str(path.parent) for path in Path("crawls").rglob("crawl.sqlite"))
    said = honeyguide("changes", folder)
    assert said.out.startswith("0 new, 0 changed, 0 gone since 20")
    said = honeyguide("changes", folder, "--since", "1h", "--all")
    assert "8 new, 0 changed, 0 gone" in said.out
    lines = honeyguide("changes", folder, "--since", "2020-01-01", "--all", "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["change"] for line in lines] == ["new"] * 8
    assert honeyguide("changes", folder, "--since", "2020-01-01T12:00+01:00").code == 0
    for wrong in (("--since", "yesterday"), ("--since", "5y"), ("--format", "xml")):
        said = honeyguide("changes", folder, *wrong)
        assert said.code == 2
        assert said.err.count("\n") == 1
    said = honeyguide("crawl", crawled, "--again", "--name", "other")
    assert (said.code, "there is no crawl in" in said.err) == (2, True)
