"""What a browser gains and costs: pages rendered where they need it, never, or always, on a web of both kinds of pages.

    python -m benchmarks.browser [--pages 120] [--web 600] [--scripted 0.4] [--out results/browser.md]

Needs Debian's chromium and `pip install -e ".[browser]"`. Each crawl is a process of its own, on the demo web, a share
of whose hosts send nothing but scripts; CPU time is that of all its processes, those of the browser included.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.demo import DemoWeb, run_in_process
from honeyguide.demo.scripts import is_scripted
from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl
from honeyguide.store.renderings import rendering_totals
from honeyguide.topic import Topic

SUBJECT = "beekeeping"
MODES = ("never", "auto", "always")


def crawl(mode: str, pages: int, web: DemoWeb, proxy: str, folder: Path) -> None:
    """One crawl, in this process."""
    from honeyguide.crawl.session import Session

    plain = (url for url in web.relevant_urls(SUBJECT) if not is_scripted(web.seed, host_of(url), web.scripted))
    topic = Topic.make(
        name="bees",
        seeds=list(islice(plain, 3)),
        keywords=web.keywords(SUBJECT),
        budget={"pages": pages},
        fetch={"proxy": proxy, "delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "browser": mode},
        browser={"seconds": 120.0, "share": 1.0},
    )
    asyncio.run(Session(topic, folder, workers=1).run())


def measured(mode: str, pages: int, web: DemoWeb, proxy: str) -> dict[str, float]:
    """What a crawl in a process of its own finds and costs."""
    with TemporaryDirectory() as place:
        folder = Path(place, "crawl")
        given = json.dumps([mode, pages, web.pages, web.scripted, proxy, str(folder)])
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
        subprocess.run([sys.executable, "-m", "benchmarks.browser", "--one", given], check=True, env=environment)
        seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        with Crawl.open(folder) as done:
            meta: dict[str, Any] = done.meta
            totals = rendering_totals(done)
            found = sum(web.relevant(page.url, SUBJECT) for page in done.pages())
            requests = int(meta["answers"])
            return {
                "pages": meta["pages"],
                "requests": requests,
                "rendered": totals.tried,
                "words": totals.words,
                "links": totals.links,
                "found": found,
                "seconds": seconds,
                "cpu": cpu,
            }


def table(results: dict[str, dict[str, float]], relevant: int) -> str:
    """The results as Markdown."""
    base = results["never"]["cpu"] / max(results["never"]["pages"], 1)
    heads = ["", "pages", "requests", "rendered", "words gained", "links gained", "relevant found", "recall"]
    heads += ["found per 100 requests", "found per minute", "pages/s", "CPU s per rendered page"]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for mode, one in results.items():
        rendered = one["rendered"]
        extra = f"{(one['cpu'] - base * one['pages']) / rendered:.2f}" if rendered else "-"
        lines.append(
            f"| {mode} | {one['pages']:.0f} | {one['requests']:.0f} | {rendered / max(one['pages'], 1):.0%} "
            f"| {one['words']:,.0f} | {one['links']:,.0f} | {one['found']:.0f} | {one['found'] / relevant:.2f} "
            f"| {100 * one['found'] / one['requests']:.1f} | {60 * one['found'] / one['seconds']:.1f} "
            f"| {one['pages'] / one['seconds']:.2f} | {extra} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        mode, pages, size, scripted, proxy, folder = json.loads(sys.argv[2])
        crawl(mode, pages, DemoWeb(pages=size, scripted=scripted), proxy, Path(folder))
        return
    parser = argparse.ArgumentParser(prog="python -m benchmarks.browser")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    parser.add_argument("--pages", type=int, default=120, help="pages of each crawl")
    parser.add_argument("--web", type=int, default=600, help="pages of the web")
    parser.add_argument(
        "--scripted", type=float, default=0.4, help="share of the hosts whose pages are written by scripts"
    )
    given = parser.parse_args()
    web = DemoWeb(pages=given.web, scripted=given.scripted)
    relevant = sum(1 for _ in web.relevant_urls(SUBJECT))
    with run_in_process(web) as server:
        results = {mode: measured(mode, given.pages, web, server.address) for mode in MODES}
    text = f"""# Pages that need a browser

{machine.described("playwright", "aiohttp")}
A demo web of {given.web:,} pages, {given.scripted:.0%} of whose hosts send empty pages that scripts fill in; crawls of
{given.pages:,} pages with `guide` from the same seeds, which need no scripts, without delays; {relevant} pages are
relevant. `rendered` is the share of pages rendered in a browser, two at a time. The CPU time per rendered page is the
additional time over a crawl of as many pages without a browser, including all processes of the browser.

{table(results, relevant)}
Without a browser, pages written by scripts are empty, and pages that only they link to are not found. `auto` renders
pages with few words and much script. Scripts and data count as requests; a script is requested once per crawl.
Wall-clock times depend on other load on the machine: compare them only between rows.
"""
    written(text, given.out)


if __name__ == "__main__":
    main()
