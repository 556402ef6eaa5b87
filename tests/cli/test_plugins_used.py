"""A package that brings a model and a strategy, used by the commands as a user types them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from honeyguide.atomic_write import is_draft
from honeyguide.demo import DemoWeb, run_in_process

from .kit import Command, Said

WEB = DemoWeb(pages=200, page_kb=1.0)
SUBJECT = WEB.subjects[1]

MODELS = '''
from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(eq=False)
class Share:
    """The share of words that are the topic's, from one in ten on."""

    words: tuple[str, ...]
    threshold: float = 0.1

    @classmethod
    def fit(cls, material, threshold):
        return cls(tuple(sorted({word.lower() for word in material.words().words})), threshold)

    def score(self, text, spans):
        own = np.cumsum([0, *(word.lower() in self.words for word in text.words)])
        first, last = spans.T
        return np.minimum((own[last] - own[first]) / np.maximum(last - first, 1), 1.0)
'''

STRATEGIES = """
from honeyguide.strategy.recipe import Recipe
from honeyguide.strategy.rules import inherited

KEEN = Recipe("keen", "bees-plugin", "as best-first", lambda _values: inherited, parts="page", model="share")
"""

ENTRIES = """
[honeyguide.models]
share = bees_plugin.models:Share

[honeyguide.strategies]
keen = bees_plugin.strategies:KEEN
"""


def install(site: Path, name: str, entries: str, files: dict[str, str]) -> None:
    """As pip would leave a package behind."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entries)
    for path, text in files.items():
        (site / path).parent.mkdir(exist_ok=True)
        (site / path).write_text(text)


@pytest.fixture(scope="module")
def proxy() -> Iterator[str]:
    with run_in_process(WEB) as server:
        yield server.address


@pytest.fixture
def folder(tmp_path: Path, proxy: str) -> Path:
    """A topic, the labels of the demo web, a package that works, and one that does not."""
    files = {"__init__.py": "", "models.py": MODELS, "strategies.py": STRATEGIES}
    install(tmp_path / "site", "bees_plugin", ENTRIES, {f"bees_plugin/{name}": text for name, text in files.items()})
    broken = "open('imported', 'w').close()\nraise RuntimeError('this plug-in\\nis too old')\n"
    entries = "[honeyguide.models]\nbroken = broken_plugin:Model\n[honeyguide.strategies]\nsad = broken_plugin:SAD\n"
    install(tmp_path / "site", "broken_plugin", entries, {"broken_plugin.py": broken})
    (tmp_path / "bees.toml").write_text(
        f"""
        seeds = {json.dumps(WEB.seeds(SUBJECT))}
        keywords = {json.dumps(WEB.keywords(SUBJECT))}
        [budget]
        pages = 30
        [fetch]
        proxy = "{proxy}"
        allow_networks = ["127.0.0.0/8"]
        delay = 0
        domain_delay = 0
        ip_delay = 0
        """
    )
    rows = [f"{url}\tsubject.{SUBJECT}\n" for url in WEB.relevant_urls(SUBJECT)]
    (tmp_path / "labels.tsv").write_text("".join(rows), encoding="utf-8")
    return tmp_path


class User:
    """Types commands in a folder, where the packages are installed, or not."""

    def __init__(self, folder: Path, honeyguide: Command, installed: Callable[[Path], Any]) -> None:
        self._folder = folder
        self._honeyguide = honeyguide
        self._installed = installed

    def types(self, *arguments: str, site: bool = True) -> Said:
        """Runs a command."""
        with self._installed(self._folder / ("site" if site else "nothing")):
            said = self._honeyguide(*arguments)
        assert "Traceback" not in said.err
        return said

    def crawls(self, *options: str, site: bool = True) -> Said:
        """Runs a crawl, without worker processes unless the options say otherwise."""
        return self.types("crawl", "bees.toml", "--quiet", "--workers", "0", *options, site=site)


@pytest.fixture
def user(folder: Path, honeyguide: Command, installed: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    return User(folder, honeyguide, installed)


@pytest.mark.parametrize("model", ["share", "bees_plugin.models:Share"])
def test_a_crawl(folder: Path, user: User, model: str) -> None:
    done = subprocess.run(
        [
            sys.executable, "-m", "honeyguide", "crawl", "bees.toml", "--quiet", "--workers", "0",
            "--model", model, "--strategy", "keen", "--pages", "10",
        ],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder / "site"), *sys.path])},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    kept = folder / "crawls" / "bees"
    assert f'model = "{model}"' in (kept / "topic.toml").read_text()
    assert "bees_plugin.models:Share" in (kept / "model" / "model.json").read_text()
    assert not any(is_draft(path.name) for path in kept.rglob("*"))
    # It goes on, with workers too, and what it has left can be looked at where the package is not.
    code, out, err = user.crawls("--model", model, "--strategy", "keen", "--workers", "1")
    assert code == 0, err
    assert "30 pages fetched" in out
    code, out, err = user.types("export", "crawls/bees", "--format", "jsonl", "--all", site=False)
    assert code == 0, err


def test_the_strategy_brings_its_model(folder: Path, user: User) -> None:
    code, _, err = user.crawls("--strategy", "bees_plugin.strategies:KEEN", "--pages", "3")
    assert code == 0, err
    assert "bees_plugin.models:Share" in (folder / "crawls" / "bees" / "model" / "model.json").read_text()


def test_without_the_package_a_crawl_cannot_go_on_and_says_why(folder: Path, user: User) -> None:
    topic = folder / "bees.toml"
    topic.write_text(topic.read_text() + '[relevance]\nmodel = "bees_plugin.models:Share"\n')
    assert user.crawls("--pages", "3")[0] == 0
    before = sorted(path.name for path in (folder / "crawls" / "bees").iterdir())
    code, _, err = user.crawls("--pages", "5", site=False)
    assert code == 2
    line = len(topic.read_text().splitlines())
    assert err.startswith(
        f"honeyguide: bees.toml:{line}: there is no module bees_plugin (for bees_plugin.models:Share); "
    )
    assert sorted(path.name for path in (folder / "crawls" / "bees").iterdir()) == before


WHY = "RuntimeError: this plug-in is too old; repair or update"


@pytest.mark.parametrize(
    ("option", "name", "message"),
    [
        ("--model", "broken", f"the model 'broken' from the package broken-plugin cannot be used: {WHY} broken-plugin"),
        ("--strategy", "sad", f"the strategy 'sad' from the package broken-plugin cannot be used: {WHY} broken-plugin"),
        ("--model", "broken_plugin:Model", f"broken_plugin cannot be imported: {WHY} the package broken_plugin"),
        ("--model", "bees_plugin.models:Shore", "bees_plugin.models has no Shore; did you mean Share?"),
        ("--model", "bees_plugin.strategies:KEEN", "bees_plugin.strategies:KEEN is not a valid model"),
        ("--model", "shore", "no model 'shore'; did you mean share?"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    folder: Path, user: User, option: str, name: str, message: str
) -> None:
    code, _, err = user.crawls(option, name)
    assert code == 2
    assert err.startswith(f"honeyguide: {option}: {message}")
    assert len(err.strip().splitlines()) == 1
    assert not (folder / "crawls").exists()


def test_a_broken_package_is_nothing_to_who_does_not_use_it(folder: Path, user: User) -> None:
    code, _, err = user.crawls("--model", "vsm", "--strategy", "best-first", "--pages", "3")
    assert (code, err) == (0, "")
    assert not (folder / "imported").exists()


@pytest.mark.parametrize(("command", "name"), [("models", "share"), ("strategies", "keen")])
def test_the_lists(folder: Path, user: User, command: str, name: str) -> None:
    code, out, err = user.types(command)
    assert code == 0
    assert f"\n{name}" in out
    assert "of the package broken-plugin cannot be used: RuntimeError: this plug-in is too old" in err
    code, out, _ = user.types(command, name)
    assert code == 0
    assert out.startswith(name)


def test_a_comparison_and_its_judge(folder: Path, user: User) -> None:
    strategies = ["keen", "best-first:share", "best-first:bees_plugin.models:Share", "bees_plugin.strategies:KEEN:vsm"]
    asked = [part for strategy in strategies for part in ("--strategy", strategy)]
    web = ("--web", "demo:200", "--labels", "labels.tsv", "--topic", f"subject.{SUBJECT}")
    split = ("--seeds", "2", "--examples", "4", "--pages", "40", "--quiet", "--out", "out", "--jobs", "2")
    code, _, err = user.types("compare", *web, *split, *asked, "--model", "bees_plugin.models:Share")
    assert code == 0, err
    cells = json.loads((folder / "out" / "results.json").read_text())["cells"]
    assert [cell["strategy"] for cell in cells] == strategies
    assert all(cell["pages"] == 40 for cell in cells)
    assert len({cell["order_digest"] for cell in cells[:3]}) == 1
    assert cells[3]["order_digest"] != cells[0]["order_digest"]  # by another model
    code, _, err = user.types(
        "compare", *web, *split[:-4], "--out", "other", *asked[:2], "--judge", "bees_plugin.models:Share:0.001"
    )
    assert code == 2
    assert "the model share would judge the crawls that it steers" in err
    judged = ("--strategy", "best-first:vsm", "--judge", "bees_plugin.models:Share:0.001", "--out", "other")
    code, _, err = user.types("compare", *web, *split[:-4], *judged)
    assert code == 0, err


def test_training(folder: Path, user: User) -> None:
    for name, words in (("good", "honey bee hive"), ("bad", "train rail coal")):
        (folder / name).mkdir()
        for number in range(6):
            (folder / name / f"{number}.html").write_text(f"<p>{words} page {number} common text of {number} words")
    (folder / "hives.toml").write_text(
        'seeds = ["https://www.example.org/"]\nkeywords = "honey, hive"\n'
        '[relevance]\nmodel = "bees_plugin.models:Share"\n'
        '[examples]\npositive = ["good/*.html"]\nnegative = ["bad/*.html"]\n'
    )
    code, out, err = user.types("train", "hives.toml", "--quiet")
    assert code == 0, err
    assert "model: bees_plugin.models:Share, The share of words that are the topic's, from one in ten on." in out
    assert (folder / "hives.model" / "model.json").is_file()
