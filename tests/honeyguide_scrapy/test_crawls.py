"""The example spider in a real Scrapy, on the demo web."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from honeyguide.demo.process import read_visits, run_in_process
from honeyguide.demo.web import DemoWeb

SPIDER = Path(__file__).parents[2] / "examples" / "scrapy" / "topic_spider.py"
SUBJECT = "beekeeping"
LABEL = f"subject.{SUBJECT}"


def run_spider(folder: Path, proxy: str, *arguments: str) -> str:
    """Run the example in a folder. Returns what it has logged."""
    command = [sys.executable, "-m", "scrapy", "runspider", str(SPIDER), "-s", "TELNETCONSOLE_ENABLED=False"]
    done = subprocess.run(
        [*command, *arguments],
        cwd=folder,
        env={**os.environ, "http_proxy": proxy},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr


def test_a_spider_finds_what_it_looks_for_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    web = DemoWeb(pages=300)
    seeds, labels = web.seeds(SUBJECT), dict(web.labels())
    (tmp_path / "topic.toml").write_text(f"keywords = {json.dumps(list(web.keywords(SUBJECT)))}\n")
    arguments = ["-a", f"start={','.join(seeds)}", "-s", "JOBDIR=job", "-s", "CONCURRENT_REQUESTS=4"]
    log = tmp_path / "visits.jsonl"
    with run_in_process(web, log=log) as server:
        for run in ("one", "two"):
            logged = run_spider(
                tmp_path, server.address, *arguments, "-s", "CLOSESPIDER_PAGECOUNT=30", "-o", f"{run}.jsonl"
            )
            assert "Traceback" not in logged
            assert ("resuming: " in logged) == (run == "two")
    # Scrapy asks for start pages in every run, and does not filter them.
    urls = [f"http://{visit.host}{visit.target}" for visit in read_visits(log) if visit.target != "/robots.txt"]
    urls = [url for url in urls if url not in seeds]
    assert 50 <= len(urls) < 70
    assert len(set(urls)) == len(urls)
    relevant = sum(labels.get(url) == LABEL for url in urls)
    there_are = sum(label == LABEL for label in labels.values())
    assert relevant > 0.6 * there_are  # by chance it would be 0.2
    items = [
        json.loads(line) for run in ("one", "two") for line in (tmp_path / f"{run}.jsonl").read_text().splitlines()
    ]
    assert {item["url"] for item in items} <= {*urls, *seeds}
    assert sum(labels.get(item["url"]) == LABEL for item in items) > 0.8 * relevant


def test_a_missing_topic_ends_the_spider_with_one_line(tmp_path: Path) -> None:
    logged = run_spider(tmp_path, "", "-a", "start=http://127.0.0.1:9/", "-s", "LOG_LEVEL=ERROR")
    assert re.fullmatch(r"\S+ \S+ \[honeyguide\.scrapy\] ERROR: topic\.toml: [^\n]+\n", logged)
    assert list(tmp_path.iterdir()) == []


def test_without_scrapy_the_extra_is_named() -> None:
    program = "import sys; sys.modules['scrapy'] = None; import honeyguide.scrapy"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith('honeyguide.scrapy: needs Scrapy; pip install "honeyguide[scrapy]"')


@pytest.mark.parametrize("name", ["SCHEDULER", "HONEYGUIDE_TOPIC"])
def test_the_documentation_shows_the_settings(name: str) -> None:
    page = (SPIDER.parents[2] / "docs" / "scrapy.md").read_text(encoding="utf-8")
    assert f"{name} = " in page
