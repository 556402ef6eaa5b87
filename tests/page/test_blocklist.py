"""What a blocklist matches, and what can be put on one."""

from __future__ import annotations

import pytest

from honeyguide.errors import InputError
from honeyguide.page.blocklist import Blocklist, block_entry


@pytest.mark.parametrize(
    ("entry", "blocked", "allowed"),
    [
        (
            "b.example",
            ["http://b.example/", "https://www.b.example:8080/x?y"],
            ["http://bb.example/", "http://example/"],
        ),
        ("b.example/forum/*", ["http://b.example/forum/1", "http://x.b.example/forum/"], ["http://b.example/forum"]),
        ("b.example/page", ["http://b.example/page"], ["http://b.example/page?x=1", "http://b.example/pages"]),
        ("/print/*", ["http://b.example/print/x", "http://c.example/print/"], ["http://b.example/a/print/x"]),
        ("*sid=*", ["http://b.example/a?sid=1"], ["http://sid=.example/a"]),
        ("192.0.2.1", ["http://192.0.2.1/"], ["http://1.192.0.2.1.example/"]),
    ],
)
def test_an_entry_blocks_a_host_or_paths(entry: str, blocked: list[str], allowed: list[str]) -> None:
    found = Blocklist([entry])
    assert [url for url in (*blocked, *allowed) if found.blocks(url)] == blocked


def test_any_entry_is_enough() -> None:
    found = Blocklist(["b.example/x", "b.example/y", "b.example/x", "c.example", "c.example/x", "/z"])
    assert found.entries == ("b.example/x", "b.example/y", "c.example", "c.example/x", "/z")
    assert [found.blocks(f"http://{rest}") for rest in ("b.example/x", "b.example/y", "b.example/z")] == [True] * 3
    assert found.blocks("http://c.example/other")
    assert not found.blocks("http://b.example/other")


def test_an_empty_list_blocks_nothing() -> None:
    assert not Blocklist()
    assert not Blocklist().blocks("http://b.example/")


@pytest.mark.parametrize(
    ("written", "entry"),
    [
        (" WWW.B.Example ", "www.b.example"),
        ("https://b.example/", "b.example"),
        ("b.example/", "b.example"),
        ("http://b.example/a*", "b.example/a*"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("*/x", "*/x"),
    ],
)
def test_entries_have_one_spelling(written: str, entry: str) -> None:
    assert block_entry(written) == entry


@pytest.mark.parametrize("written", ["", " ", "https://", "b.example:8080", "user@b.example", "two words", "?x=1"])
def test_what_could_never_match_is_refused(written: str) -> None:
    with pytest.raises(InputError, match="write a host such as"):
        block_entry(written)
