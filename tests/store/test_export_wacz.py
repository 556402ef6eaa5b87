"""WACZ, by the programs that check it and replay it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from honeyguide.errors import InputError
from honeyguide.lab.web import open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.store.crawl import Crawl
from honeyguide.store.export import ExportOptions, export

NEEDED = "make test installs it: pip install 'honeyguide[export-tests]'"
ROOT = Path(__file__).parents[2]

_ASK = """
import sys
from pywb.apps.frontendapp import FrontEndApp
from werkzeug.test import Client

client = Client(FrontEndApp())
for url in sys.argv[1:]:
    answer = client.get("/bees/id_/" + url)
    print(answer.status_code, len(answer.get_data()))
"""


def test_without_the_extra(demo_crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wacz", None)
    with pytest.raises(InputError, match=r'format: wacz needs wacz; pip install "honeyguide\[wacz\]"'):
        export(demo_crawl, "wacz", tmp_path / "out")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="session")
def wacz(demo_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("wacz", reason=NEEDED)
    path = tmp_path_factory.mktemp("wacz") / "bees.wacz"
    with Crawl.open(demo_folder) as crawl:
        assert export(crawl, "wacz", path, ExportOptions(relevant_only=False)) == 100
    assert list(path.parent.iterdir()) == [path]
    return path


def test_the_list_of_pages_has_their_fields(wacz: Path, demo_crawl: Crawl) -> None:
    with zipfile.ZipFile(wacz) as archive:
        head, *rows = map(json.loads, archive.read("pages/pages.jsonl").splitlines())
        about = json.loads(archive.read("datapackage.json"))
        stored = {info.filename: info.compress_type for info in archive.infolist()}
    assert (head["format"], head["hasText"]) == ("json-pages-1.0", True)
    assert about["title"] == "bees"
    assert stored["archive/pages.warc.gz"] == zipfile.ZIP_STORED
    for row, page in zip(rows, demo_crawl.pages(relevant=False), strict=True):
        assert (row["url"], row["title"], row["relevance"]) == (page.url, page.title, page.relevance)
        assert row["text"] == page.text
        assert "fetched" not in row
        assert row["ts"].endswith("Z")


def validated(path: Path) -> str:
    """What the command of the package says. Its warnings would be errors in this process."""
    command = [sys.executable, "-W", "ignore", "-m", "wacz", "validate", "-f", str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_wacz_validate(wacz: Path, demo_crawl: Crawl, tmp_path: Path) -> None:
    assert "Validation succeeded" in validated(wacz)
    assert export(demo_crawl, "wacz", tmp_path / "none.wacz", ExportOptions(language=("ja",))) == 0
    assert "Validation succeeded" in validated(tmp_path / "none.wacz")


def test_it_is_a_web_of_the_lab(wacz: Path, demo_crawl: Crawl) -> None:
    web = open_web([str(wacz)], UrlRules(UrlSettings()))
    for page in demo_crawl.pages(relevant=False, most=5):
        answer = web.response(page.url)
        assert answer is not None
        assert answer.body == page.stored.body


def test_pywb_replays_it(wacz: Path, demo_crawl: Crawl, tmp_path: Path) -> None:
    """It has requirements of its own, so that it is in an environment of its own: `make test` makes it."""
    manager = shutil.which("wb-manager", path=f"{ROOT / '.venv' / 'pywb' / 'bin'}")
    if manager is None:
        pytest.skip("pywb is not installed: make test installs it into .venv/pywb")
    for arguments in (["init", "bees"], ["add", "bees", "--unpack-wacz", str(wacz)]):
        subprocess.run([manager, *arguments], cwd=tmp_path, check=True, capture_output=True)
    pages = [page for page in demo_crawl.pages(relevant=False, most=3) if not page.row.truncated]
    urls = [*(page.url for page in pages), "http://a.example/not-there"]
    asked = [str(Path(manager).parent / "python"), "-c", _ASK, *urls]
    said = subprocess.run(asked, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    answers = [line.split() for line in said.splitlines() if line[:3] in {"200", "404"}]
    assert [status for status, _ in answers] == [*["200"] * len(pages), "404"]
    assert [int(size) for _, size in answers[:-1]] == [len(page.stored.body) for page in pages]
