"""The other sources of virtual webs: a crawl's folder, WACZ files, folders of HTML, the demo web, several at once."""

from __future__ import annotations

import asyncio
import zipfile
from pathlib import Path

import pytest

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.archive import ArchiveFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.settings import FetchSettings
from honeyguide.lab.web import VirtualWeb, open_web
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic

from .warcs import Record, page, redirect, write

RULES = UrlRules(UrlSettings())
A, B = "http://a.example/", "http://b.example/x"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "honeyguide" / "webs"


def opened(*sources: Path | str) -> VirtualWeb:
    return open_web([str(source) for source in sources], RULES)


def body(web: VirtualWeb, url: str) -> bytes:
    response = web.response(url)
    assert response is not None
    return response.body


# ---- a crawl ----


def test_a_crawl_is_a_web_of_its_pages(tmp_path: Path) -> None:
    demo = DemoWeb(pages=100, page_kb=1.0)
    impolite = {"delay": 0.0, "domain_delay": 0.0, "ip_delay": 0.0}
    topic = Topic.make(
        name="bees",
        seeds=demo.seeds("beekeeping"),
        keywords=demo.keywords("beekeeping"),
        budget={"pages": 30},
        fetch=impolite,
    )
    asyncio.run(Session(topic, tmp_path / "bees", fetcher=lambda: DemoFetcher(demo, topic.fetch), workers=0).run())
    web = opened(tmp_path / "bees")
    with Crawl.open(tmp_path / "bees") as crawl:
        pages = list(crawl.pages(relevant=False, duplicates=True))
        assert sorted(web.urls()) == sorted(stored.url for stored in pages)
        for stored in pages:  # some repeat others and lie in the archive as revisits
            assert body(web, stored.url) == stored.stored.body == demo.answer(stored.url).body
    assert len(pages) == 30
    assert web.name == "bees"


# ---- WACZ ----


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_is_read_in_place_or_unpacked(tmp_path: Path, cache: Path, method: int) -> None:
    one = write(tmp_path / "1.warc.gz", [page(A, "one")])
    two = write(tmp_path / "2.warc", [page(A, "again"), page(B, "two")], packed=False)
    path = tmp_path / "w.wacz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("datapackage.json", "{}")
        archive.write(two, "archive/2.warc")
        archive.write(one, "archive/1.warc.gz")
        archive.write(one, "other/3.warc.gz")
    for _ in range(2):
        web = opened(path)
        assert list(web.urls()) == [A, B]
        assert b"one" in body(web, A)
        assert b"two" in body(web, B)
        assert len(list(cache.glob("*.warc"))) == (0 if method == zipfile.ZIP_STORED else 2)
        assert len([entry for entry in cache.iterdir() if entry.is_dir()]) == 1  # indexed once
    assert web.name == "w.wacz"


def test_what_is_no_wacz_is_refused(tmp_path: Path) -> None:
    broken, empty = tmp_path / "broken.wacz", tmp_path / "empty.wacz"
    broken.write_bytes(b"PK\x03\x04 no more")
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("datapackage.json", "{}")
    for path, problem in ((broken, "is not a WACZ file"), (empty, "holds no WARC file under archive/")):
        with pytest.raises(InputError, match=problem):
            opened(path)
    with pytest.raises(InputError, match="there is no such file"):
        opened(tmp_path / "nowhere.wacz")


def test_a_damaged_wacz_is_refused_and_leaves_nothing(tmp_path: Path, cache: Path) -> None:
    path = tmp_path / "w.wacz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/1.warc", b"".join(page(f"{A}{number}", "x" * 99).plain for number in range(50)))
    content = bytearray(path.read_bytes())
    content[200] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(InputError, match="is damaged"):
        opened(path)
    assert list(cache.iterdir()) == []


# ---- a folder of HTML ----


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    for name, text in {"index.html": "home", "a b.htm": "spaced", "sub/index.html": "sub", "sub/x.xhtml": "x"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "style.css").write_text("p {}")
    return folder


def test_a_folder_stands_for_an_address(pages: Path) -> None:
    web = opened(f"{pages}=http://Docs.example/v1")
    base = "http://docs.example/v1/"
    assert list(web.urls()) == [
        *(base + name for name in ("a%20b.htm", "index.html", "sub/index.html", "sub/x.xhtml")),
        base,
        f"{base}sub/",
    ]
    assert len(web) == 6
    assert body(web, f"{base}a%20b.htm") == b"spaced"
    moved = web.response(f"{base}sub/")
    assert moved is not None
    assert (moved.status, moved.header("location")) == (301, f"{base}sub/index.html")
    assert f"{base}style.css" not in web
    assert web.response(f"{base}style.css") is None


def test_names_of_files_are_quoted(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "50% of #1?.html").write_text("half")
    web = opened(f"{tmp_path}/pages=http://a.example/")
    assert list(web.urls()) == ["http://a.example/50%25%20of%20%231%3F.html"]
    assert body(web, "http://a.example/50%25%20of%20%231%3F.html") == b"half"


def test_a_folder_that_changes_is_another_web(pages: Path) -> None:
    before = opened(f"{pages}=http://a.example/").digest
    assert opened(f"{pages}=http://a.example/").digest == before
    (pages / "index.html").write_text("changed")
    web = opened(f"{pages}=http://a.example/")
    assert web.digest != before
    (pages / "index.html").unlink()
    with pytest.raises(HoneyguideError, match=r"index.html: cannot be read"):
        web.response("http://a.example/index.html")


def test_a_folder_without_pages_or_address_is_refused(tmp_path: Path, pages: Path) -> None:
    (tmp_path / "empty").mkdir()
    for source, problem in (
        (f"{tmp_path}/empty=http://a.example/", "holds no HTML file"),
        (f"{tmp_path}/nowhere=http://a.example/", "there is no such folder"),
        (f"{pages}=http://a.example/?q=", "is not a valid URL prefix"),
        (f"{pages}", "say what it stands for"),
    ):
        with pytest.raises(InputError, match=problem):
            opened(source)


# ---- the demo web ----


def test_the_demo_web_answers_as_it_does_over_http() -> None:
    demo = DemoWeb(pages=300, seed=9)
    web = opened("demo:300:9")
    urls = list(web.urls())
    assert len(web) == len(urls) == 300
    assert all(url in web for url in urls)
    for url in urls[:20]:
        fetched = asyncio.run(DemoFetcher(demo).fetch(Request(url)))
        response = web.response(url)
        assert isinstance(fetched, Response)
        assert response is not None
        assert (response.body, response.raw, response.headers) == (fetched.body, fetched.raw, fetched.headers)
    for url in (demo.faulty_seed, "http://nowhere.example/", f"https{urls[0][4:]}", f"{urls[0]}robots.txt"):
        assert url not in web
        assert web.response(url) is None
    assert web.digest != opened("demo:300").digest


def test_a_demo_web_that_is_too_small_is_refused() -> None:
    with pytest.raises(InputError, match="too small"):
        opened("demo:5")


# ---- several ----


def test_several_sources_are_one_web(tmp_path: Path, pages: Path) -> None:
    one = write(tmp_path / "1.warc.gz", [page("http://a.example/index.html", "recorded"), redirect(A, B)])
    two = write(tmp_path / "2.warc.gz", [page(A, "page")])
    web = opened(f"{pages}=http://a.example/", one, "demo:100", two)
    urls = list(web.urls())
    assert len(web) == len(urls) == len(set(urls)) == 6 + 0 + 100
    assert body(web, "http://a.example/index.html") == b"home"  # the folder was named first
    assert all(url in web for url in urls)
    assert "http://nowhere.example/" not in web
    assert web.response("http://nowhere.example/") is None
    assert web.name == "pages as http://a.example/, 1.warc.gz, 2.warc.gz, demo:100:7"
    assert web.digest != opened(one, two, f"{pages}=http://a.example/", "demo:100").digest


def test_notes_of_all_are_told(tmp_path: Path) -> None:
    path = tmp_path / "w.warc.gz"
    path.write_bytes(page(A, "one").packed + page(B, "two").packed[:-5])
    web = opened("demo:100", path)
    assert len(web) == 101
    assert len(web.notes) == 1


# ---- the fetcher ----


def fetch(fetcher: ArchiveFetcher, request: Request) -> Response | Failure:
    return asyncio.run(fetcher.fetch(request))


def test_the_fetcher_answers_for_the_web(tmp_path: Path) -> None:
    plain = Record("http://a.example/notes", b"some text", headers=(("Content-Type", "text/plain"),))
    web = opened(write(tmp_path / "w.warc.gz", [page(A, "one"), redirect(B, A), plain]))
    fetcher = ArchiveFetcher(web, now=lambda: 5.0)
    got = fetch(fetcher, Request(A))
    assert isinstance(got, Response)
    assert (got.status, got.started, got.elapsed, got.ip) == (200, 5.0, 0.0, "")
    assert b"one" in got.body
    moved = fetch(fetcher, Request(B))
    assert isinstance(moved, Response)
    assert moved.header("location") == A
    missing = fetch(fetcher, Request("http://a.example/missing"))
    assert missing == Failure("http://a.example/missing", "connect", "not in this web", transient=False, started=5.0)
    robots = fetch(fetcher, Request("http://a.example/robots.txt", any_type=True))
    assert isinstance(robots, Response)
    assert robots.status == 404
    html_only = ArchiveFetcher(web, FetchSettings(types=("text/html",)))
    skipped = fetch(html_only, Request(plain.url))
    assert isinstance(skipped, Response)
    assert (skipped.skipped, skipped.body, skipped.raw) == ("type", b"", b"")
    read = fetch(fetcher, Request(plain.url))
    assert isinstance(read, Response)
    assert (read.skipped, read.body) == ("", b"some text")
    asyncio.run(fetcher.close())
