"""The packages of examples/, installed into a fresh environment and used by the commands as a user types them."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from honeyguide.demo import DemoWeb, run_in_process

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.name for path in (ROOT / "examples").iterdir() if (path / "pyproject.toml").is_file())
WEB = DemoWeb(pages=400, page_kb=1.0)
SUBJECT = WEB.subjects[0]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with honeyguide and the examples, installed from copies of their sources.

    Nothing is downloaded: what they need is taken from the environment of the tests.
    """
    folder = tmp_path_factory.mktemp("examples")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (folder / "honeyguide").mkdir(exist_ok=True)
        shutil.copy(ROOT / name, folder / "honeyguide")
    ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT / "src", folder / "honeyguide" / "src", ignore=ignored)
    for name in NAMES:
        shutil.copytree(ROOT / "examples" / name, folder / name, ignore=ignored)
    venv.create(folder / "environment", symlinks=True)
    own = {"base": str(folder / "environment"), "platbase": str(folder / "environment")}
    beside = Path(sysconfig.get_path("purelib", vars=own), "beside.pth")
    beside.write_text("".join(f"{sysconfig.get_path(name)}\n" for name in ("purelib", "platlib")))
    programs = Path(sysconfig.get_path("scripts", vars=own))
    offline = ["--no-deps", "--no-build-isolation", "--no-index", "--no-cache-dir", "--disable-pip-version-check"]
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet", *offline]
    run([*pip, *(str(folder / name) for name in ("honeyguide", *NAMES))], folder)
    return programs


def run(command: list[str], folder: Path) -> str:
    """The standard output of a command that must succeed. It sees nothing of this process's own modules."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def topic(tmp_path: Path) -> Iterator[Path]:
    """A topic file that uses three of the examples, on a web that can be taken away."""
    keywords = json.dumps([*WEB.keywords(SUBJECT), r"bee\w+"])
    path = tmp_path / "bees.toml"
    with run_in_process(WEB) as server:
        path.write_text(
            f"""
            seeds = {json.dumps(WEB.seeds(SUBJECT))}
            keywords = {keywords}
            [budget]
            pages = 40
            [strategy]
            name = "link-position(window=30)"
            [relevance]
            model = "patterns"
            [fetch]
            fetcher = "cached"
            connections = 1
            proxy = "{server.address}"
            allow_networks = ["127.0.0.0/8"]
            delay = 0
            domain_delay = 0
            ip_delay = 0
            """
        )
        yield path


def order(crawl: Path) -> list[tuple[str, float]]:
    with closing(sqlite3.connect(crawl / "crawl.sqlite")) as database:
        return database.execute("SELECT url, relevance FROM pages JOIN urls USING (id) ORDER BY seq").fetchall()


def test_they_are_listed(programs: Path, tmp_path: Path) -> None:
    where = run([str(programs / "python"), "-c", "import honeyguide; print(honeyguide.__file__)"], tmp_path)
    assert Path(where).is_relative_to(programs.parent)
    assert "\nlink-position" in run([str(programs / "honeyguide"), "strategies"], tmp_path)
    assert "\npatterns" in run([str(programs / "honeyguide"), "models"], tmp_path)


def test_their_own_tests_pass(programs: Path, tmp_path: Path) -> None:
    places = [str(ROOT / "examples" / name) for name in NAMES]
    run([str(programs / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider", *places], tmp_path)


def test_a_crawl_and_its_export(programs: Path, topic: Path) -> None:
    honeyguide = str(programs / "honeyguide")
    folder = topic.parent
    run([honeyguide, "crawl", "bees.toml", "--quiet"], folder)
    fetched = order(folder / "crawls" / "bees")
    assert len(fetched) == 40
    assert max(relevance for _, relevance in fetched) > 0.5
    # What was fetched is there without the web, and the same crawl goes the same way.
    topic.write_text(topic.read_text().replace("127.0.0.1", "127.0.0.2"))
    run([honeyguide, "crawl", "bees.toml", "--name", "again", "--quiet"], folder)
    assert order(folder / "crawls" / "again") == fetched
    out = run([honeyguide, "export", "crawls/bees", "--format", "fts"], folder)
    with closing(sqlite3.connect(folder / "crawls" / "bees" / "export.sqlite")) as index:
        found = index.execute(
            "SELECT url FROM pages WHERE pages MATCH ?", [" OR ".join(WEB.keywords(SUBJECT))]
        ).fetchall()
    assert out.startswith(f"{len(found)} pages written to ")
    assert {url for (url,) in found} <= {url for url, _ in fetched}


def test_a_comparison(programs: Path, tmp_path: Path) -> None:
    rows = [f"{url}\tsubject.{SUBJECT}\n" for url in WEB.relevant_urls(SUBJECT)]
    (tmp_path / "labels.tsv").write_text("".join(rows), encoding="utf-8")
    strategies = ["link-position", "link-position(window=10):patterns", "text-window"]
    asked = [part for strategy in strategies for part in ("--strategy", strategy)]
    web = ["--web", "demo:400", "--labels", "labels.tsv", "--topic", f"subject.{SUBJECT}", "--seeds", "2"]
    run([str(programs / "honeyguide"), "compare", *web, "--pages", "40", "--model", "vsm", "--quiet", *asked], tmp_path)
    cells = json.loads((tmp_path / "comparison" / "results.json").read_text())["cells"]
    assert [cell["strategy"] for cell in cells] == strategies
    assert all(cell["pages"] == 40 for cell in cells)
    assert len({cell["order_digest"] for cell in cells}) == 3
