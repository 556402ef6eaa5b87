"""How much memory an export takes, by its format and by how many pages the crawl has.

    python -m benchmarks.export_memory [--pages 500 2000 8000] [--format jsonl parquet warc] [--out PAGE]

A demo web is crawled until the crawl has so many pages, and exported with ``honeyguide export``, each time in a process
of its own, of which the peak is taken.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import machine
from benchmarks.arguments import written
from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.topic import Topic

FORMATS = ("jsonl", "parquet", "warc")
SUBJECT = "beekeeping"
# Not by getrusage, whose maximum a process inherits from the one that started it.
_PROGRAM = """
import re, sys, time
from honeyguide.cli.main import main
try:
    main()
finally:
    memory = re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1]
    print(memory, time.process_time(), file=sys.stderr)
"""
QUICK = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0, "backoff": 0.0, "connections": 8}


def grow(folder: Path, web: DemoWeb, pages: int) -> None:
    """Crawl until there are so many pages."""
    topic = Topic.make(
        name=folder.name,
        seeds=web.seeds(SUBJECT),
        keywords=web.keywords(SUBJECT),
        budget={"pages": pages},
        strategy={"name": "breadth-first"},
        fetch=QUICK,
    )
    asyncio.run(Session(topic, folder, fetcher=lambda: DemoFetcher(web), workers=0).run())


def peak(folder: Path, form: str, out: Path) -> tuple[float, float]:
    """The largest resident size of an export, in MiB, and its CPU seconds."""
    arguments = ["export", str(folder), "--all", "--format", form, "--out", str(out)]
    done = subprocess.run([sys.executable, "-c", _PROGRAM, *arguments], check=True, capture_output=True, text=True)
    memory, seconds = done.stderr.split("\n")[-2].split()
    return int(memory) / 1024, float(seconds)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.export_memory")
    parser.add_argument("--pages", type=int, nargs="+", default=[500, 2000, 8000])
    parser.add_argument("--format", nargs="+", default=list(FORMATS))
    parser.add_argument("--page-kb", type=float, default=20.0)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    web = DemoWeb(seed=5, pages=2 * max(asked.pages), page_kb=asked.page_kb)
    found: dict[str, list[str]] = {form: [] for form in asked.format}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "crawl")
        for pages in sorted(asked.pages):
            grow(folder, web, pages)
            for form in asked.format:
                memory, seconds = peak(folder, form, Path(place, f"{pages}.{form}"))
                found[form].append(f"{memory:.0f} ({1000 * seconds / pages:.1f})")
                print(pages, form, found[form][-1], file=sys.stderr, flush=True)
    heads = " | ".join(f"{pages:,} pages" for pages in sorted(asked.pages))
    lines = [
        "# Memory of exports",
        "",
        f"Peak memory of `honeyguide export --all`, in MiB, by the size of the crawl (pages of {asked.page_kb:g} kB);",
        "in parentheses the CPU time, in ms per page. Parquet is written in row groups of 2,000 pages or 8 million",
        "characters of text, whichever comes first; one row group is in memory at a time.",
        "",
        f"| format | {heads} |",
        f"|---{'|---' * len(asked.pages)}|",
        *(f"| {form} | {' | '.join(cells)} |" for form, cells in found.items()),
        "",
        machine.described("pyarrow"),
        "",
    ]
    return written("\n".join(lines), asked.out)


if __name__ == "__main__":
    sys.exit(main())
