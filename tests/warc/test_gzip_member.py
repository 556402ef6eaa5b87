"""Gzip members: what the standard library makes of them."""

from __future__ import annotations

import gzip
import os

import pytest

from honeyguide.warc.gzip_member import STORED, gzip_member


@pytest.mark.parametrize("level", [STORED, 2])
@pytest.mark.parametrize("size", [0, 1, 2048, 2049, 65_534, 65_535, 65_536, 131_070, 131_071, 300_000])
def test_a_member_holds_the_data(level: int, size: int) -> None:
    data = os.urandom(size)
    assert gzip.decompress(gzip_member(data, level)) == data


def test_members_can_follow_each_other() -> None:
    both = gzip_member(b"honey" * 20_000, STORED) + gzip_member(b"bees" * 20_000, 2)
    assert gzip.decompress(both) == b"honey" * 20_000 + b"bees" * 20_000


def test_text_becomes_shorter_unless_it_is_stored() -> None:
    for size in (1000, 100_000):
        assert len(gzip_member(b"a" * size, 2)) < size < len(gzip_member(b"a" * size, STORED))
