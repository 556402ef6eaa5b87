"""One crawl of the demo web, and one dashboard that shows it, for all tests that only look."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from honeyguide.dashboard.source import CrawlSource
from honeyguide.demo import DemoWeb, faults

from .kit import SUBJECT, Browser, crawl_demo, dashboard, demo_topic, opened

BAD_SIDES = ("status-404", "status-410", "redirect-chain", "robots-disallow-refused", "meta-nofollow")


@pytest.fixture(scope="session")
def web() -> DemoWeb:
    return DemoWeb(pages=300)


@pytest.fixture(scope="session")
def folder(web: DemoWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of 150 pages that met some of the web's bad sides. Not to be changed."""
    path = tmp_path_factory.mktemp("crawls") / "bees"
    bad = [fault.url for fault in faults() if fault.name in BAD_SIDES]
    crawl_demo(web, path, demo_topic(web, 150, bad))
    return path


@pytest.fixture
def source(folder: Path) -> Iterator[CrawlSource]:
    with opened(folder) as found:
        yield found


@pytest.fixture(scope="session")
def browser(folder: Path, web: DemoWeb) -> Iterator[Browser]:
    """A browser at a dashboard of that crawl, which knows the targets, and has counted everything."""
    with dashboard(folder, list(web.relevant_urls(SUBJECT))) as found:
        deadline = time.monotonic() + 30
        while "being counted" in found.get("/seeds").text:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        yield found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Debian's chromium, driven by Playwright; what needs it is skipped where either is missing."""
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    missing = "Playwright is not installed: pip install 'honeyguide[browser]'"
    playwright = pytest.importorskip("playwright.sync_api", reason=missing)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()
