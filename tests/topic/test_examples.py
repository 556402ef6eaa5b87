"""Example pages from everything that can be named."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from honeyguide.errors import InputError
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.topic.examples import Example, ExampleSource, read_examples

RULES = UrlRules(UrlSettings())
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True)
class Answer:
    url: str
    body: bytes
    content_type: str = HTML


def no_network(urls: Sequence[str]) -> Mapping[str, ExampleSource]:
    raise AssertionError(urls)


def read(*names: str | Path) -> list[Example]:
    return read_examples(map(str, names), RULES, no_network)


def said(examples: list[Example]) -> list[str]:
    return [" ".join(example.text.words) for example in examples]


def refused(*names: str | Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read(*names)
    assert caught.value.remedy
    return caught.value


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---- files ----


def test_a_page(folder: Path) -> None:
    Path("page.html").write_text("<title>t</title><h1>Two words</h1><p>one<b>more</b> <script>no</script>and<p>last")
    (example,) = read("page.html")
    assert (example.place, example.text.url) == ("page.html", "")
    assert example.text.words == ["Two", "words", "onemore", "and", "last"]
    assert {2, 4} <= set(example.breaks.tolist())
    assert not {1, 3} & set(example.breaks.tolist())


def test_a_text(folder: Path) -> None:
    Path("page.txt").write_text("Two <words>\nand more\n \n\nlast & least")
    (example,) = read("page.txt")
    assert example.text.words == ["Two", "words", "and", "more", "last", "least"]
    assert example.breaks.tolist() == [4]


@pytest.mark.parametrize(
    "body",
    [
        "<meta charset=iso-8859-1><p>Élan".encode("latin-1"),
        "<p>Élan".encode("utf-16"),
        "<p>Élan".encode("utf-8-sig"),
        gzip.compress("<p>Élan".encode(), mtime=0),
    ],
)
def test_bytes_of_every_kind(folder: Path, body: bytes) -> None:
    Path("page").write_bytes(body)
    assert said(read("page")) == ["Élan"]


def test_patterns(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    for name in ("b.html", "a.html", "a/b/c.html", "a/d.txt", "x[1].html"):
        (folder / name).write_text(name.replace("/", " ").replace(".", " "))
    assert said(read("*.html")) == ["a html", "b html", "x 1 html"]
    assert said(read("**/*.html")) == ["a html", "a b c html", "b html", "x 1 html"]
    assert said(read(folder / "a" / "*")) == ["a d txt"]  # folders are not pages
    assert said(read("x[1].html")) == ["x 1 html"]  # a file's own name
    # In the order of the names, each once.
    assert said(read("b.html", "?.html", "b.html")) == ["b html", "a html"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("nowhere.html", "there is no such file"),
        ("nowhere.warc.gz", "there is no such file"),
        ("nothing/*.html", "matches no file"),
        ("folder", "is a folder"),
        ("folder.warc", "is a folder"),
        ("empty.html", "has no words"),
        ("empty.txt", "has no words"),
        ("script.html", "has no words"),
        ("image.png", "neither HTML, text nor PDF"),
        ("paper.pdf", "cannot be read: a PDF"),
        ("broken.html.gz", "gzip cannot decompress it"),
        ("ftp://a.example/", "is not the URL of a page"),
        ("http://", "is not the URL of a page"),
        ("a\0b", "cannot be read"),
        ("junk.warc", "is not a WARC file"),
        ("empty.warc", "contains no HTML page"),
    ],
)
def test_what_is_no_page_is_refused(folder: Path, name: str, problem: str) -> None:
    (folder / "folder").mkdir()
    (folder / "folder.warc").mkdir()
    packed = gzip.compress(b"<p>" + bytes(range(256)) * 9, mtime=0)
    for file, body in {
        "empty.html": b"",
        "empty.txt": b" \n\n ...",
        "script.html": b"<script>document.write('words')</script>",
        "image.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0",
        "paper.pdf": b"%PDF-1.5 words",
        "broken.html.gz": packed[:20] + b"\xff" * 20 + packed[40:],
        "junk.warc": b"not a WARC file at all\r\n\r\n",
        "empty.warc": b"",
    }.items():
        (folder / file).write_bytes(body)
    error = refused(name)
    assert problem in error.problem
    assert error.place == name


# ---- WARC files ----


def warc(path: Path, *answers: tuple[str, str, str, bytes, str]) -> None:
    """Writes responses: URL, status, content type, body, content encoding; and one that is not of HTTP."""
    records = [record("dns:a.example", "text/dns", b"1.2.3.4")]
    for url, status, kind, body, encoding in answers:
        fields = f"Content-Type: {kind}\r\n" + f"Content-Encoding: {encoding}\r\n" * bool(encoding)
        header = f"HTTP/1.1 {status}\r\n{fields}\r\n".encode()
        records.append(record(url, "application/http; msgtype=response", header + body))
    packed = path.suffix == ".gz"
    path.write_bytes(b"".join(gzip.compress(one, mtime=0) if packed else one for one in records))


def record(url: str, kind: str, content: bytes) -> bytes:
    header = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <{url}>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:x:{url}>\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return header.encode() + content + b"\r\n\r\n"


@pytest.mark.parametrize("name", ["crawl.warc", "crawl.warc.gz"])
def test_all_pages_of_a_warc_file(folder: Path, name: str) -> None:
    warc(
        Path(name),
        ("http://A.example/1", "200 OK", HTML, "<p>first é".encode(), ""),
        ("http://a.example/gone", "404 Not Found", HTML, b"<p>gone", ""),
        ("http://a.example/image", "200 OK", "image/png", b"<p>image", ""),
        ("http://a.example/empty", "200 OK", HTML, b"", ""),
        ("http://a.example/2", "200 OK", "application/xhtml+xml", gzip.compress(b"<p>second", mtime=0), "gzip"),
        ("http://a.example/3", "200 OK", "text/html;charset=latin-1", "<p>third é".encode("latin-1"), ""),
    )
    examples = read(name)
    assert said(examples) == ["first é", "second", "third é"]
    assert [example.text.url for example in examples] == [f"http://a.example/{number}" for number in (1, 2, 3)]
    assert examples[0].place == f"{name}: http://A.example/1"


def test_a_warc_file_without_pages(folder: Path) -> None:
    warc(Path("none.warc"), ("http://a.example/", "404 Not Found", HTML, b"<p>gone", ""))
    assert "contains no HTML page" in refused("none.warc").problem


def test_a_warc_file_that_is_compressed_as_a_whole(folder: Path) -> None:
    warc(Path("a.warc"), *((f"http://a.example/{i}", "200 OK", HTML, b"<p>page", "") for i in range(3)))
    Path("a.warc.gz").write_bytes(gzip.compress(Path("a.warc").read_bytes(), mtime=0))
    assert said(read("a.warc.gz")) == ["page"] * 3


def test_a_warc_file_that_is_cut_short(folder: Path) -> None:
    warc(Path("a.warc.gz"), *((f"http://a.example/{i}", "200 OK", HTML, b"<p>page", "") for i in range(3)))
    Path("a.warc.gz").write_bytes(Path("a.warc.gz").read_bytes()[:-20])
    assert said(read("a.warc.gz")) == ["page"] * 2


def test_a_damaged_warc_file(folder: Path) -> None:
    warc(Path("a.warc.gz"), *((f"http://a.example/{i}", "200 OK", HTML, b"<p>" + b"word " * 50, "") for i in range(9)))
    whole = Path("a.warc.gz").read_bytes()
    Path("a.warc.gz").write_bytes(whole[:600] + b"\0" * 300 + whole[900:])
    assert "is damaged" in refused("a.warc.gz").problem


# ---- addresses ----


def test_addresses_are_fetched_together(folder: Path) -> None:
    Path("page.html").write_text("file")
    asked: list[Sequence[str]] = []

    def fetch(urls: Sequence[str]) -> Mapping[str, ExampleSource]:
        asked.append(urls)
        return {url: Answer(f"{url}moved", f"<p>{url[-1]}".encode()) for url in urls}

    names = ["HTTP://a.example/x", "page.html", "http://a.example/y", "http://a.example/x#part"]
    examples = read_examples(names, RULES, fetch)
    assert asked == [["http://a.example/x", "http://a.example/y"]]
    assert said(examples) == ["x", "file", "y"]
    assert [(example.place, example.text.url) for example in examples] == [
        ("http://a.example/x", "http://a.example/xmoved"),
        ("page.html", ""),
        ("http://a.example/y", "http://a.example/ymoved"),
    ]


def test_an_address_without_an_answer_is_refused() -> None:
    with pytest.raises(InputError, match="could not be fetched"):
        read_examples(["http://a.example/x"], RULES, lambda _: {})
