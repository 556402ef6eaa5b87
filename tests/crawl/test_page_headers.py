"""What a server says about a page, in headers, reaches its reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kit import PaperWeb, about, answer, rows, run, topic

HOME, NEXT = "http://home.example/", "http://home.example/next"


@pytest.mark.parametrize(
    ("headers", "relevant", "followed"),
    [
        ((), True, True),
        ((("X-Robots-Tag", "noindex"),), False, True),
        ((("X-Robots-Tag", "nofollow"),), True, False),
        ((("x-robots-tag", "noindex"), ("X-Robots-Tag", "nofollow")), False, False),
        ((("X-Other", "noindex, nofollow"),), True, True),
    ],
)
def test_robots_tags(tmp_path: Path, headers: tuple[tuple[str, str], ...], relevant: bool, followed: bool) -> None:
    pages = {HOME: answer(HOME, about("honey and bee", NEXT), *headers), NEXT: about("bee")}
    run(topic([HOME]), tmp_path / "c", lambda: PaperWeb(pages))
    found = dict(rows(tmp_path / "c", "SELECT url, relevant FROM pages JOIN urls USING (id)"))
    assert bool(found[HOME]) is relevant
    assert (NEXT in found) is followed
