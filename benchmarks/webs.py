"""Virtual webs: how long indexing and opening take, and what memory a large one costs.

    python -m benchmarks.webs [--web W.warc.gz ...] [--gigabytes 1] [--out results/webs.md]

The webs named are indexed in an empty cache and opened again. A large web is made in a temporary folder: a WARC file,
not compressed, with as many addresses of the demo web as give that size, all different; its pages are a few hundred
of that web, over and over, since to make every one would take longer than to measure. Each step runs in a process of
its own on one core.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import machine
from honeyguide.demo import DemoWeb
from honeyguide.lab.web import open_web
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

RULES = UrlRules(UrlSettings())
INDEX_SECONDS, OPEN_SECONDS, MEGABYTES = 10.0, 0.5, 500
PAGES_READ = 2_000
DIFFERENT = 500
GIGABYTE = 1_000_000_000


def main() -> int:
    """1 when a figure is not reached."""
    options = _arguments()
    if options.step:
        print(json.dumps(_step(options.step, options.web[0])))
        return 0
    with TemporaryDirectory() as scratch:
        rows = [_measured(web, Path(scratch)) for web in options.web]
        if options.gigabytes:
            large = Path(scratch, "large.warc")
            began = time.perf_counter()
            make_large_web(large, int(options.gigabytes * GIGABYTE))
            print(f"made in {time.perf_counter() - began:.0f} s", flush=True)
            rows.append(_measured(str(large), Path(scratch)))
    page, good = _page(rows)
    print(page)
    if options.out:
        options.out.write_text(page, encoding="utf-8")
    return 0 if good else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.webs")
    parser.add_argument("--web", action="append", default=[], help="a WARC file; may be repeated")
    parser.add_argument("--gigabytes", type=float, default=1.0, help="size of the large web; 0 = none (%(default)s)")
    parser.add_argument("--out", type=Path, help="file for the page, such as results/webs.md")
    parser.add_argument("--step", choices=("open", "read"), help=argparse.SUPPRESS)
    return parser.parse_args()


# ---- the large web ----


def make_large_web(path: Path, size: int) -> None:
    """Write a WARC file of about `size` bytes, with a record for each page of a demo web of that many pages."""
    sample = DemoWeb(pages=DIFFERENT)
    bodies = [sample.answer(url).body for url in sample.page_urls()]
    mean = sum(map(len, bodies)) / len(bodies) + 350  # the heads
    web = DemoWeb(pages=int(size / mean) + 1)
    # Pages of the web itself, whose links lead all over it.
    step = max(web.pages // DIFFERENT, 1)
    chosen = [url for number, url in enumerate(web.page_urls()) if number % step == 0][:DIFFERENT]
    answers = cycle([b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + web.answer(url).body for url in chosen])
    with path.open("wb") as file:
        for url, block in zip(web.page_urls(), answers, strict=False):
            head = (
                f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
            )
            file.write(head.encode() + block + b"\r\n\r\n")


# ---- measuring ----


def _measured(web: str, scratch: Path) -> dict[str, float | str]:
    """A row of the table. The first opening finds an empty cache."""
    cache = TemporaryDirectory(dir=scratch)
    with cache:
        first, again, read = (_run(step, web, Path(cache.name)) for step in ("open", "open", "read"))
    return {
        "name": Path(web).name,
        "bytes": Path(web).stat().st_size,
        "urls": first["urls"],
        "index": first["seconds"],
        "index_memory": first["memory"],
        "open": again["seconds"],
        "open_memory": again["memory"],
        "read": read["seconds"],
        "read_memory": read["memory"],
    }


def _run(step: str, web: str, cache: Path) -> dict[str, float]:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "benchmarks.webs", "--step", step, "--web", web]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _step(step: str, source: str) -> dict[str, float]:
    began = time.perf_counter()
    web = open_web([source], RULES)
    seconds = time.perf_counter() - began
    if step == "read":
        chosen = set(random.Random(7).sample(range(len(web)), min(PAGES_READ, len(web))))
        urls = [url for number, url in enumerate(web.urls()) if number in chosen]
        random.Random(7).shuffle(urls)
        began = time.perf_counter()
        for url in urls:
            response = web.response(url)
            assert response is not None
            page = parse(decode(response.body, response.header("content-type")), url, RULES)
            sum(link in web for link in page.links.url)
        seconds = (time.perf_counter() - began) / len(urls)
    return {"urls": len(web), "seconds": seconds, "memory": _peak()}


def _peak() -> float:
    """The most MB this program had in memory. Not from getrusage, which counts the process that started it too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def _page(rows: list[dict[str, float | str]]) -> tuple[str, bool]:
    figures = (
        f"Goals: indexed in ≤ {INDEX_SECONDS:.0f} s (the named webs), reopened in ≤ {OPEN_SECONDS} s, "
        f"memory ≤ {MEGABYTES} MB."
    )
    head = (
        "| web | size, MB | URLs | indexed, s | (peak, MB) | reopened, s | (peak, MB) "
        f"| read, parse, look up links: ms per page, {PAGES_READ:,} random pages | (peak, MB) |"
    )
    lines = ["# Virtual webs", "", machine.described("numpy", "selectolax"), figures, "", head]
    lines.append("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    good = True
    for row in rows:
        values = {name: float(value) for name, value in row.items() if name != "name"}
        lines.append(
            f"| {row['name']} | {values['bytes'] / 1e6:,.1f} | {values['urls']:,.0f} | {values['index']:.2f} "
            f"| {values['index_memory']:.0f} | {values['open']:.4f} | {values['open_memory']:.0f} "
            f"| {values['read'] * 1000:.2f} | {values['read_memory']:.0f} |"
        )
        peak = max(values["index_memory"], values["open_memory"], values["read_memory"])
        good &= values["open"] <= OPEN_SECONDS and peak <= MEGABYTES
        good &= values["index"] <= INDEX_SECONDS or row["name"] == "large.warc"
    peaks = (
        "Peaks are those of the whole process (maximum resident set), including about 65 MB for Python and its "
        "libraries; pages of mapped files are included, although the system can reclaim them."
    )
    lines += ["", peaks]
    return "\n".join([*lines, ""]), good


if __name__ == "__main__":
    raise SystemExit(main())
