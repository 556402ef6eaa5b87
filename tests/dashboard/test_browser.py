"""The dashboard in a real browser: Debian's chromium, driven by Playwright. Skipped where either is missing."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from honeyguide.crawl.session import Session
from honeyguide.demo import DemoWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.store.folder import is_running

from .kit import Browser, Tab, dashboard, demo_topic

GRAVE = ("serious", "critical")


def test_a_crawl_is_watched_to_its_end(chromium: Any, web: DemoWeb, tmp_path: Path) -> None:
    topic = demo_topic(web, 60, fetch={"delay": 0.05, "patience": 60.0})
    session = Session(topic, tmp_path / "bees", fetcher=lambda: DemoFetcher(web, topic.fetch), workers=0)
    crawl = threading.Thread(target=lambda: asyncio.run(session.run()))
    crawl.start()
    try:
        while not session.begun.is_set() or not is_running(tmp_path / "bees"):
            crawl.join(0.01)
        with dashboard(tmp_path / "bees") as one, chromium.new_context() as context:
            tab = Tab(context, one)
            assert "token" not in tab.page.url
            expect = pytest.importorskip("playwright.sync_api").expect
            expect(tab.page.locator("#state")).to_contain_text("The budget of 60 pages is used up", timeout=60_000)
            expect(tab.page.locator("#stream")).to_contain_text("page 60 ", timeout=20_000)
            expect(tab.page.locator("#figures")).to_contain_text("60")
            tab.page.locator("#stream .title a").first.click()
            expect(tab.page.locator(".block").first).to_be_visible(timeout=20_000)
            assert tab.page.locator(".block .score").count() == tab.page.locator(".block").count()
            tab.page.keyboard.press("/")
            tab.page.keyboard.type("honey")
            tab.page.keyboard.press("Enter")
            expect(tab.page).to_have_url(f"{tab.origin}/pages?q=honey")
            tab.page.keyboard.press("j")
            assert tab.page.evaluate("document.activeElement.closest('.title') !== null")
            tab.page.keyboard.press("g")
            tab.page.keyboard.press("m")
            expect(tab.page).to_have_url(f"{tab.origin}/map")
            tab.check()
    finally:
        crawl.join()


def test_a_hostile_page_in_the_same_browser_changes_nothing(chromium: Any, browser: Browser, folder: Path) -> None:
    """Another site's page, even one on another port of this machine, can neither read nor control a crawl."""
    from http.server import BaseHTTPRequestHandler, HTTPServer

    from honeyguide.store.inbox import pending

    target = f"http://{browser.host}"
    fields = {"command": "block", "argument": "x.example", "form_token": browser.form_token}
    inputs = "".join(f"<input name={name} value={value}>" for name, value in fields.items())
    form = f"<form id=f method=post action={target}/control>{inputs}</form>"

    class Hostile(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<title>evil</title>{form}".encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Hostile) as evil, chromium.new_context() as context:
        thread = threading.Thread(target=evil.serve_forever)
        thread.start()
        try:
            Tab(context, browser)  # the cookie is in this browser now
            page = context.new_page()
            page.goto(f"http://127.0.0.1:{evil.server_address[1]}/")
            read = page.evaluate(f"fetch('{target}/', {{credentials: 'include'}}).then(r => r.text(), () => 'refused')")
            assert read == "refused"
            page.evaluate("document.getElementById('f').submit()")
            page.wait_for_url(f"{target}/control")
            assert "Not allowed" in page.content()
        finally:
            evil.shutdown()
            thread.join()
    assert not pending(folder)


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The script of axe-core, installed by npm into a temporary folder."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    place = tmp_path_factory.mktemp("axe")
    done = subprocess.run(
        ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "axe-core"],
        cwd=place, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    script = place / "node_modules" / "axe-core" / "axe.min.js"
    if done.returncode or not script.is_file():
        pytest.skip("npm cannot install axe-core")
    return script.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("scheme", "options", "paths"),
    [
        ("light", "{}", ("/", "/pages", "/hosts", "/seeds", "/map", "/page/0")),
        ("dark", "{runOnly: ['color-contrast']}", ("/", "/pages", "/map", "/page/0")),
    ],
)
def test_no_serious_fault_of_accessibility(
    chromium: Any, browser: Browser, axe: str, scheme: str, options: str, paths: tuple[str, ...]
) -> None:
    with chromium.new_context(color_scheme=scheme, bypass_csp=True) as context:
        tab = Tab(context, browser)
        for path in paths:
            tab.open(path)
            tab.page.evaluate(axe)
            found = tab.page.evaluate(f"axe.run({options})")["violations"]
            assert not [(path, one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in GRAVE]


@pytest.mark.parametrize("width", [360, 1200])
def test_nothing_is_wider_than_the_screen(chromium: Any, browser: Browser, width: int) -> None:
    with chromium.new_context(viewport={"width": width, "height": 800}) as context:
        tab = Tab(context, browser)
        for path in ("/", "/pages", "/hosts", "/host/1", "/waiting", "/seeds", "/map", "/page/0"):
            tab.open(path)
            assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, path
        tab.check()
