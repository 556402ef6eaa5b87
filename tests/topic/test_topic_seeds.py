"""Seeds: lists and files of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.errors import InputError
from honeyguide.topic import Topic


def seeds(*urls: str) -> tuple[str, ...]:
    return Topic.make(name="g", seeds=urls, keywords="x").seeds


def load(folder: Path, value: str) -> Topic:
    path = folder / "graphs.toml"
    path.write_text(f"keywords = 'x'\nseeds = {value}\n", encoding="utf-8")
    return Topic.load(path)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("  HTTP://A.example:80/x#part ", "http://a.example/x"),
        ("a.example", "https://a.example/"),
        ("a.example/x?y=1", "https://a.example/x?y=1"),
        ("a.example:8080/x", "https://a.example:8080/x"),
        ("www.a.example?q", "https://www.a.example/?q"),
        ("bücher.example/x", "https://xn--bcher-kva.example/x"),
        ("http://localhost:8000/", "http://localhost:8000/"),
    ],
)
def test_spellings(written: str, canonical: str) -> None:
    assert seeds(written) == (canonical,)


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        ("", "is not a URL"),
        ("example", "is not a URL"),
        ("//a.example/x", "is not a URL"),
        ("/path/page.html", "is not a URL"),
        ("a b.example", "is not a URL"),
        ("mailto:me@a.example", "is not an address on the web"),
        ("a.example:x/y", "is not an address on the web"),
        ("ftp://a.example/", "is not an address on the web"),
        ("localhost:8000", "is not an address on the web"),
        ("javascript:alert(1)", "is not an address on the web"),
        ("https://", "is not a valid URL"),
        ("https://a b.example/", "is not a valid URL"),
        ("http://a.example:99999/", "is not a valid URL"),
        ("https://example.org/your-first-seed", "is still the placeholder"),
        ("example.org/your-second-seed#x", "is still the placeholder"),
    ],
)
def test_refused_with_the_place_of_the_seed(written: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        seeds("https://a.example/", written)
    assert error.value.place == "seeds[1]"
    assert error.value.problem.endswith(problem)
    assert error.value.remedy


def test_duplicates_go_and_the_order_stays() -> None:
    assert seeds("b.example", "https://a.example/", "https://b.example/#x") == (
        "https://b.example/",
        "https://a.example/",
    )


def test_a_bad_seed_in_a_list_is_found_on_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        load(tmp_path, '[\n  "https://a.example/",\n  # "https://b.example/",\n  "nothing",\n]')
    assert error.value.place == f"{tmp_path / 'graphs.toml'}:5"


def test_a_file_of_seeds(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    text = "\ufeff# my seeds\n\nhttps://a.example/#top\r\n  b.example/x   # a comment\n\t# another\nhttps://a.example/"
    (tmp_path / "lists" / "seeds.txt").write_text(text, encoding="utf-8")
    expected = ("https://a.example/", "https://b.example/x")
    assert load(tmp_path, '"lists/seeds.txt"').seeds == expected
    made = Topic.make(name="g", seeds=tmp_path / "lists" / "seeds.txt", keywords="x")
    assert made.seeds == expected


def test_a_bad_line_in_a_file_of_seeds(tmp_path: Path) -> None:
    (tmp_path / "seeds.txt").write_text("# seeds\n\nhttps://a.example/\nb c\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        load(tmp_path, '"seeds.txt"')
    assert error.value.place == f"{tmp_path / 'seeds.txt'}:4"


def test_files_of_seeds_that_help_nobody(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("# nothing yet\n", encoding="utf-8")
    (tmp_path / "latin.txt").write_bytes(b"https://a.example/\nhttps://b.example/\xe4\n")
    for value, place, problem in [
        ('"missing.txt"', "graphs.toml:2", "there is no file"),
        ('"."', "graphs.toml:2", "is a folder"),
        ('""', "graphs.toml:2", "is a folder"),
        ('"empty.txt"', "empty.txt", "there are no seeds"),
        ('"latin.txt"', "latin.txt:2", "not UTF-8 text"),
        ('"https://a.example/"', "graphs.toml:2", "seeds must be a list of URLs, not one URL"),
    ]:
        with pytest.raises(InputError) as error:
            load(tmp_path, value)
        assert error.value.place == str(tmp_path / place)
        assert problem in error.value.problem
        assert error.value.remedy
