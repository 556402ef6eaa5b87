"""``python -m benchmarks.papers --webs FOLDER --corpora FOLDER``: repeat the experiments of all five papers.

Writes a report for each into results/papers, and docs/papers.md. That takes hours. Interrupted, it continues where it
stopped: finished trials are kept in build/papers, and a report is made again only if code or options have changed.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from time import monotonic

from benchmarks.papers.overview import overview
from honeyguide.lab.code import own_code

WIKI, WEBKB = "wikispeedia", "webkb-cornell-texas"
ON_WEBS = {
    "cash_crawl": (WIKI, WEBKB, "demo:2000"),
    "semantic_crawl": (WIKI, WEBKB, "demo:2000"),
    "genre_crawl": (WEBKB, WIKI, "demo:4000", "demo-lists:4000"),
    "terms_study": (WIKI, WEBKB),
    "genre_study": (WEBKB, WIKI, "demo:4000"),
    "genre_feedback": (WEBKB, WIKI, "demo:4000"),
    "windows_crawl": (WIKI, WEBKB),
    "blocks_crawl": (WIKI, WEBKB),
}
"""Experiments with crawls, the longest first, and the webs that each uses."""

ON_CORPORA = ("classifiers", "weighting", "reliable_negatives")
"""Experiments with classifiers alone."""


def main() -> int:
    """Run the experiments. 1 when one fails, 2 when the data are not there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("experiment", nargs="*", choices=[*ON_WEBS, *ON_CORPORA, []], help="(default: all)")
    parser.add_argument("--webs", type=Path, required=True, help="folder of the recorded webs and their labels")
    parser.add_argument("--corpora", type=Path, required=True, help="folder of Reuters-21578 and 20 Newsgroups")
    parser.add_argument("--out", type=Path, default=Path("results/papers"), help="(default: %(default)s)")
    parser.add_argument("--page", type=Path, default=Path("docs/papers.md"), help="(default: %(default)s)")
    parser.add_argument("--kept", type=Path, default=Path("build/papers"), help="(default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="experiments at a time (default: 1)")
    options = parser.parse_args()
    if missing := [path for path in (options.webs, options.corpora) if not path.is_dir()]:
        print(f"{missing[0]}: no such folder; name the folders of the data", file=sys.stderr)
        return 2
    names = options.experiment or [*ON_WEBS, *ON_CORPORA]
    options.kept.mkdir(parents=True, exist_ok=True)
    failed = []
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = {pool.submit(run, name, arguments(name, options), options.kept): name for name in names}
        for done, future in enumerate(as_completed(runs), start=1):
            said, is_failed = future.result()
            print(f"{done} of {len(runs)}: {runs[future]}: {said}", flush=True)
            failed += [runs[future]] if is_failed else []
    options.page.write_text(overview(options.out), encoding="utf-8")
    print(f"{options.page} written" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return int(bool(failed))


def arguments(name: str, options: argparse.Namespace) -> list[str]:
    """The options of an experiment."""
    common = ["--out", str(options.out), "--kept", str(options.kept / "trials")]
    if name in ON_CORPORA:
        corpora = options.corpora
        files = ["--reuters", str(corpora / "reuters21578.tar.xz"), "--news", str(corpora / "20news-bydate.tar.xz")]
        return [*files, *common]
    webs = []
    for web in ON_WEBS[name]:
        if web.startswith("demo"):
            webs += ["--web", web]
        else:
            path = options.webs / web
            webs += ["--web", f"{path}.warc.gz", "--labels", f"{path}.labels.tsv"]
    return [*webs, *common]


def run(name: str, options: Sequence[str], kept: Path) -> tuple[str, bool]:
    """Run an experiment, unless it was run with the same code and options: what to say of it, and whether it failed."""
    mark, log = kept / f"{name}.done", kept / f"{name}.log"
    state = f"{code()} {' '.join(options)}"
    if mark.is_file() and mark.read_text(encoding="utf-8") == state:
        return "nothing has changed", False
    began = monotonic()
    with log.open("w", encoding="utf-8") as out:
        command = [sys.executable, "-m", f"benchmarks.papers.{name}", *options]
        done = subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        return f"failed, see {log}", True
    mark.write_text(state, encoding="utf-8")
    return f"{(monotonic() - began) / 60:.0f} minutes", False


def code() -> str:
    """Differs when our code, or that of the experiments, does."""
    digest = hashlib.sha256(own_code().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    raise SystemExit(main())
