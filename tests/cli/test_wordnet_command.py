"""`honeyguide wordnet`: what it finds, fetches, says and keeps."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from honeyguide.cli.main import main

# Three synsets in the format of the real files, each numbered by the offset of its line.
DATA = """\
  1 This line is the licence.
00000030 03 n 01 entity 0 002 ~ 00000104 n 0000 ~ 00000172 n 0000 | it is
00000104 05 n 02 bee 0 honeymaker 0 001 @ 00000030 n 0000 | it hums
00000172 05 n 01 wasp 0 001 @ 00000030 n 0000 | it stings
"""
INDEX = """\
  1 This line is the licence.
bee n 1 1 @ 1 0 00000104
entity n 1 1 ~ 1 0 00000030
honeymaker n 1 1 @ 1 0 00000104
wasp n 1 1 @ 1 0 00000172
"""
NAMES = ("index.noun", "data.noun", "noun.exc")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without WordNet, without Debian's programs and without NLTK."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setitem(sys.modules, "nltk", None)
    for name in ("HONEYGUIDE_WORDNET", "NLTK_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("honeyguide.relevance.semantic.find.OF_THE_SYSTEM", ())
    return tmp_path / "cache" / "honeyguide"


@pytest.fixture
def dictionary(tmp_path: Path) -> Path:
    folder = tmp_path / "dictionary"
    folder.mkdir()
    for name, content in zip(NAMES, (INDEX, DATA, ""), strict=True):
        (folder / name).write_text(content)
    return folder


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["honeyguide", "wordnet", *arguments])
        with pytest.raises(SystemExit) as left:
            main()
    code = left.value.code
    return code if isinstance(code, int) else 0, *capfd.readouterr()


def program(tmp_path: Path, name: str, script: str) -> None:
    path = tmp_path / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
    path.chmod(0o755)


def test_a_folder_is_taken_and_kept(cache: Path, dictionary: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, "--from", str(dictionary))
    # Forms: bee bees entity entities entitys honeymaker honeymakers wasp wasps.
    assert (code, err) == (0, "")
    assert out == f"WordNet is ready: 9 noun forms, 3 senses (copied from {dictionary})\n"
    for name in NAMES:
        assert (cache / "wordnet" / name).read_bytes() == (dictionary / name).read_bytes()
        (dictionary / name).unlink()
    code, out, err = run(capfd)
    assert (code, err) == (0, "")
    assert out == f"WordNet is ready: 9 noun forms, 3 senses (found in {cache / 'wordnet'})\n"


def test_another_folder_takes_the_place_of_the_first(
    cache: Path, dictionary: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    run(capfd, "--from", str(dictionary))
    (dictionary / "index.noun").write_text(INDEX.replace("wasp", "hornet"))
    assert run(capfd, "--from", str(dictionary))[0] == 0
    assert "hornet" in (cache / "wordnet" / "index.noun").read_text()
    assert sorted(path.name.partition("-")[0] for path in cache.iterdir()) == ["nouns", "nouns", "wordnet"]


@pytest.mark.parametrize("damage", ["missing", "nonsense"])
def test_a_folder_without_it_is_refused(
    cache: Path, dictionary: Path, damage: str, capfd: pytest.CaptureFixture[str]
) -> None:
    if damage == "missing":
        (dictionary / "data.noun").unlink()
    else:
        (dictionary / "data.noun").write_text("nonsense\n")
    code, out, err = run(capfd, "--from", str(dictionary))
    assert (code, out) == (2, "")
    assert err.startswith(f"honeyguide: {dictionary}: contains no WordNet")
    assert err.count("\n") == 1
    assert not cache.exists()


def test_a_cache_that_cannot_be_written(cache: Path, dictionary: Path, capfd: pytest.CaptureFixture[str]) -> None:
    cache.parent.mkdir()
    cache.write_text("a file where the folder should be")
    code, out, err = run(capfd, "--from", str(dictionary))
    assert (code, out) == (1, "")
    assert err.startswith(f"honeyguide: {cache / 'wordnet'}: cannot be written")
    assert "XDG_CACHE_HOME" in err


def test_debians_package_needs_no_root(
    cache: Path, dictionary: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    program(tmp_path, "apt-get", "touch wordnet-base_1_all.deb")
    program(
        tmp_path, "dpkg-deb", f'test -f "$2" && mkdir -p "$3/usr/share" && cp -r {dictionary} "$3/usr/share/wordnet"'
    )
    code, out, err = run(capfd)
    assert (code, err) == (0, "")
    assert out == "WordNet is ready: 9 noun forms, 3 senses (downloaded from Debian's wordnet-base)\n"
    assert (cache / "wordnet" / "data.noun").read_text() == DATA


def test_elsewhere_nltk_has_it(
    cache: Path,
    dictionary: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    program(tmp_path, "apt-get", "exit 100")

    def download(name: str, *, download_dir: str, quiet: bool) -> bool:
        archive = Path(download_dir, "corpora", f"{name}.zip")
        archive.parent.mkdir()
        with zipfile.ZipFile(archive, "w") as file:
            for path in dictionary.iterdir():
                file.write(path, f"{name}/{path.name}")
        return True

    nltk = ModuleType("nltk")
    nltk.download = download  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nltk", nltk)
    code, out, err = run(capfd)
    assert (code, err) == (0, "")
    assert out == "WordNet is ready: 9 noun forms, 3 senses (downloaded from NLTK)\n"
    assert (cache / "wordnet" / "data.noun").read_text() == DATA


def test_where_nobody_has_it_both_remedies_are_named(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capfd)
    assert (code, out) == (1, "")
    assert "no apt-get" in err
    assert "NLTK: not installed" in err
    assert "apt install wordnet-base" in err
    assert "nltk.downloader wordnet" in err
    assert err.count("\n") == 1
    assert not cache.exists()

    program(tmp_path, "apt-get", "exit 100")
    nltk = ModuleType("nltk")
    nltk.download = lambda *_, **__: False  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "nltk", nltk)
    assert "apt-get wordnet-base failed; NLTK: its download failed" in run(capfd)[2]

    program(tmp_path, "apt-get", "touch wordnet-base_1_all.deb")
    program(tmp_path, "dpkg-deb", 'mkdir "$3"')
    assert "Debian's wordnet-base: lacks index.noun or data.noun" in run(capfd)[2]
