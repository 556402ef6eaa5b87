"""Every command and every Python example of README and docs is run: in one folder, as a reader would, page by page.

The web outside is a small one on paper, and nothing waits for a host's delay. Large numbers are replaced by small ones
(`IN_SMALL`); what is not run at all is in `NOT_RUN`, with the reason.
"""

from __future__ import annotations

import logging
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest

from honeyguide.cli.main import main
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.frontier import Limit, Politeness
from honeyguide.store.crawl import Crawl

ROOT = Path(__file__).parents[2]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
}

NOT_RUN = {
    "make test": "runs this very test",
    "make demo": "sets up an environment; `honeyguide demo` is run by tests/cli/test_cli.py",
    "pip install": "needs the network; tests/examples/ installs the packages of examples/ and uses them",
    "honeyguide demo --serve": "serves until Ctrl-C; tests/cli/test_cli.py serves it, and crawls it as it says",
    "honeyguide watch": "serves until Ctrl-C; tests/cli/test_watch.py",
    "honeyguide crawl graphs.toml --watch": "opens a dashboard; tests/cli/test_watch.py",
    "honeyguide crawl graphs.toml --cluster": "starts Ray, or needs a cluster; tests/cluster/test_ray.py",
    "honeyguide serve-web": "serves until Ctrl-C; tests/cli/test_serve_web.py",
    "honeyguide label": "asks in the terminal; tests/crawl/test_label_command.py answers",
    "honeyguide wordnet": "may download WordNet; tests/cli/test_wordnet_command.py",
    "python benchmarks/debian_web.py": "downloads packages of Debian",
    "python -m benchmarks.term_labels": "reads a recorded web; tests/benchmarks/test_term_labels.py labels another",
    "jq": "another program, which need not be there; tests/cli/test_logging.py reads the file as it does",
    "honeyguide crawl advisories.toml --model patterns": "needs a package of examples/; tests/examples/ runs it",
    'honeyguide crawl bees.toml --strategy "link-position': "needs a package of examples/; tests/examples/ runs it",
    "honeyguide compare --web demo:2000 --topic subject.beekeeping --strategy link-position": "the same",
    "honeyguide compare --web demo:2000 --topic subject.beekeeping --strategy best-first:patterns": "the same",
    "honeyguide export crawls/bees --format fts": "the same",
}
"""The commands that are not run, by how they begin, and why."""

NOT_RUN_PYTHON = {
    "docs/blocks.md": "needs Playwright and a browser",
    "docs/extending.md": "its code is that of examples/, and test_extending.py runs the rest",
    "docs/relevance.md": "tests/testing/test_documented.py runs it",
}

IN_SMALL = {
    "demo:2000": "demo:100",
    "--repeats 5 --jobs 2": "--repeats 1 --quiet",
    "--answers 0,25,50": "--answers 0,4 --pages 20 --seeds 2 --examples 4 --quiet",
    "repeats=3": "repeats=1, seeds=2, examples=4",
    "--strategy best-first:my_package": "--pages 20 --seeds 2 --examples 4 --quiet --strategy best-first:my_package",
    " URL": " https://en.wikipedia.org/wiki/Graph_theory",
    "example.org/page": "en.wikipedia.org/wiki/Graph_theory",
    " --reason timeout": "",  # nothing times out in it
    "LABEL": "graphs",
    "crawls/NAME": "crawls/graphs",
    "--genre-terms 12": "--genre-terms 3",
}

_FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANY_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^    (?:\$ )?((?:honeyguide|make|pip|python|sqlite3|jq) (?:.*\\\n)*.*)", re.MULTILINE)


TOPIC, EXAMPLES = (text for kind, text in _FENCED.findall(PAGES["README.md"]) if kind == "toml")


def commands(page: str) -> list[str]:
    """The commands that a page shows, in its order."""
    return _COMMAND.findall(_ANY_FENCE.sub("", PAGES[page]))


def reason(command: str) -> str:
    """Why a command is not run; "" if it is."""
    return next((why for beginning, why in NOT_RUN.items() if command.startswith(beginning)), "")


def small(text: str) -> str:
    for large, little in IN_SMALL.items():
        text = text.replace(large, little)
    return text


def expanded(command: str) -> list[str]:
    """The arguments that a shell would give to the program: without comments, with patterns filled in."""
    done = subprocess.run(["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


class SmallInternet:
    """Answers for all hosts: a page about graphs at each address, which leads to a few others."""

    def __init__(self, *_: object) -> None:
        pass

    async def fetch(self, request: Request) -> Response | Failure:
        status, body = (404, b"") if request.url.endswith("/robots.txt") else (200, page_at(request.url).encode())
        headers = (("Content-Type", "text/html; charset=utf-8"),)
        return Response(request.url, status, "", headers, body, body, (("User-Agent", "test"),), started=1.7e9)

    async def close(self) -> None:
        pass


def page_at(url: str) -> str:
    number = sum(url.encode())
    about = "graph theory vertex edge hive honey bee" if number % 3 else "a page on something else"
    own = " ".join(f"word{number}x{place}" for place in range(30))
    links = "".join(f'<p><a href="https://site{(number + step) % 12}.org/">graph {step}</a>' for step in range(1, 4))
    return f"<title>Page {number}</title><p>{about} {own} command synopsis{links}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A reader's folder, with the files that the pages speak of."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("honeyguide.fetch.http.HttpFetcher", SmallInternet)
    monkeypatch.setattr("honeyguide.cli.blocks.HttpFetcher", SmallInternet)
    free = Limit(1, 0.0)
    frontiers, results = (import_module(f"honeyguide.{name}") for name in ("crawl.frontier_for", "lab.results"))
    monkeypatch.setattr(frontiers, "politeness", lambda *_: Politeness(free, free, free))
    monkeypatch.setattr(results, "to_frame", dict)  # pandas need not be there
    prepare(tmp_path)
    loggers = [(logger, logger.level, logger.handlers[:]) for logger in map(logging.getLogger, (None, "honeyguide"))]
    yield tmp_path
    for logger, level, handlers in loggers:  # docs/logging.md sets them up
        logger.setLevel(level)
        logger.handlers[:] = handlers
    for name in ("my_package.models", "my_package"):
        sys.modules.pop(name, None)


def prepare(folder: Path) -> None:
    for kind, count in (("good", 4), ("bad", 4), ("syllabi", 4), ("git-doc", 1)):
        (folder / kind).mkdir()
        for number in range(count):
            (folder / kind / f"git-{number}.html").write_text(page_at(f"{kind} {3 * number + (kind == 'bad')}"))
    (folder / "news").mkdir()
    for number in range(2):
        (folder / "news" / f"{number}.html").write_text(f"<p>weather on day {number}")
    (folder / "right.txt").write_text("".join(f"https://site{number}.org/\n" for number in range(5)))
    (folder / "postgresql").mkdir()
    for name in ("createindex", "dropindex", "alterindex", "reindex", "cluster"):
        (folder / "postgresql" / f"sql-{name}.html").write_text(page_at(name))
    (folder / "bees.toml").write_text(
        'seeds = ["https://site1.org/"]\nkeywords = ["hive", "honey"]\n'
        '[terms]\ngenre = ["synopsis"]\n[examples]\npositive = ["good/*.html"]\nnegative = ["bad/*.html"]\n'
    )
    (folder / "my_package").mkdir()
    (code,) = re.findall(r"```python\n# my_package/models.py\n(.*?)```", PAGES["docs/relevance.md"], re.DOTALL)
    (folder / "my_package" / "models.py").write_text(code)
    (folder / "graphs.toml").write_text(TOPIC)


def run(command: str, patch: pytest.MonkeyPatch) -> None:
    if command.startswith("sqlite3"):
        _, _, file, query = expanded(command)
        with closing(sqlite3.connect(file)) as database:
            assert database.execute(query).fetchall()
        return
    arguments = expanded(command)
    if arguments[1] == "crawl":  # a process of its own is no part of what is shown
        arguments += ["--workers", "0", "--quiet"]
    patch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code in (None, 0), command


def run_python(code: str) -> None:
    here = code.replace("honeyguide.crawl(", "honeyguide.crawl(workers=0, topic=")
    exec(compile(here, "docs", "exec", dont_inherit=True), {"__name__": "shown"})


def follow(page: str, patch: pytest.MonkeyPatch) -> int:
    """Do what a page shows, from top to bottom. Returns how much of it was done."""
    steps = [
        *((found.start(), "python", found[2]) for found in _FENCED.finditer(PAGES[page]) if found[1] == "python"),
        *((PAGES[page].index(command), "command", command) for command in commands(page)),
    ]
    done = 0
    for _, kind, text in sorted(steps):
        if kind == "command" and not reason(text):
            run(small(text), patch)
        elif kind == "python" and page not in NOT_RUN_PYTHON:
            run_python(small(text))
        else:
            continue
        done += 1
    return done


def test_what_the_readme_shows(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "graphs.toml").write_text(TOPIC + EXAMPLES)
    urls = [f"https://site{number}.org/" for number in range(12)]
    (here / "labels.tsv").write_text("".join(f"{url}\tgraphs\n" for url in urls))
    assert follow("README.md", monkeypatch) == 16
    assert (here / "blocks.html").exists()
    assert (here / "comparison" / "report.html").exists()
    with Crawl.open("crawls/graphs") as crawl:
        assert crawl.count()


@pytest.mark.parametrize("page", [page for page in PAGES if page != "README.md"])
def test_what_a_page_shows(page: str, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "crawls/" in "".join(commands(page)) or page == "docs/lab.md":
        name = "--name guide --out crawls/demo" if page == "docs/terms.md" else ""
        run(f"honeyguide crawl graphs.toml {name}", monkeypatch)
    if page == "docs/lab.md":
        run("honeyguide export crawls/graphs --all --format warc --out W.warc.gz", monkeypatch)
        with Crawl.open("crawls/graphs") as crawl:
            urls = [stored.url for stored in crawl.pages(relevant=False)]
        labels = ("graphs", "subject.Science.Biology", "subject.Mathematics")
        Path("labels.tsv").write_text("".join(f"{url}\t{label}\n" for url in urls[2:] for label in labels))
        Path("urls.txt").write_text("\n".join(urls))
        Path("seeds.txt").write_text(urls[0])
    follow(page, monkeypatch)


def test_what_is_not_run_is_shown_somewhere() -> None:
    shown = [command for page in PAGES for command in commands(page)]
    assert len(shown) > 25
    assert [beginning for beginning in NOT_RUN if not any(one.startswith(beginning) for one in shown)] == []
    assert [page for page in NOT_RUN_PYTHON if "```python" not in PAGES[page]] == []
    everything = "\n".join(PAGES.values())
    assert [text for text in IN_SMALL if text not in everything] == []
