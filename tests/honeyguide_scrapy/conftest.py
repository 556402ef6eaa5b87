from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("scrapy")

from .kit import OPEN


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close what a test leaves open."""
    yield
    for crawl in list(OPEN):
        crawl.close()
