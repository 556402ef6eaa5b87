"""Pages are marked from where they are listed: with one key, with a tap, and without any script. In a real browser."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from honeyguide.demo import DemoWeb
from honeyguide.store.crawl import Crawl
from honeyguide.store.inbox import pending

from .kit import Browser, Running, Tab, dashboard, until


@pytest.fixture
def own(folder: Path, tmp_path: Path) -> Path:
    """A crawl that may be told something."""
    return shutil.copytree(folder, tmp_path / "bees", ignore=shutil.ignore_patterns("watch.sqlite*"))


@pytest.fixture
def view(own: Path) -> Iterator[Browser]:
    with dashboard(own) as browser:
        yield browser


def sent(folder: Path, count: int) -> list[tuple[str, ...]]:
    """The commands that have arrived, once there are so many."""
    found = until(lambda: (all_of_them := pending(folder)) and len(all_of_them) >= count and all_of_them)
    assert {one.command.name for one in found} == {"label"}
    return [one.command.arguments for one in found]


def selected(tab: Tab) -> Any:
    return tab.page.locator(".rows li:focus-within")


def pressed(place: Any) -> list[str]:
    return [one.get_attribute("data-answer") for one in place.locator("[aria-pressed=true]").all()]


def urls_of(folder: Path, *numbers: str | None) -> list[str]:
    with Crawl.open(folder) as crawl:
        known = dict(crawl.query("SELECT id, url FROM urls"))
    return [known[int(number or -1)] for number in numbers]


@pytest.mark.parametrize("path", ["/", "/pages?q=honey", "/host/1"])
def test_one_key_marks_the_selected_page(chromium: Any, view: Browser, own: Path, path: str) -> None:
    with chromium.new_context() as context:
        tab = Tab(context, view)
        tab.open(path)
        key = tab.page.keyboard.press
        key("y")  # nothing is selected yet
        assert "Choose a page first" in tab.page.locator("#said").inner_text()
        key("j")
        key("j")
        first = selected(tab).get_attribute("data-id")
        key("y")
        assert pressed(selected(tab)) == ["yes"]
        assert "Marked as relevant: " in tab.page.locator("#said").inner_text()
        key("ArrowDown")
        second = selected(tab).get_attribute("data-id")
        assert second != first
        key("n")
        key("y")  # before the first one has been answered
        key("k")
        assert selected(tab).get_attribute("data-id") == first
        key("u")
        assert pressed(selected(tab)) == []
        one, other = urls_of(own, first, second)
        assert sorted(sent(own, 4)) == sorted([(one, "yes"), (one, "forget"), (other, "no"), (other, "yes")])
        tab.open(path)  # and so it is shown from then on
        assert pressed(tab.page.locator(f"li[data-id='{second}']")) == ["yes"]
        assert pressed(tab.page.locator(f"li[data-id='{first}']")) == []
        tab.check()


def test_the_selected_row_can_be_seen(chromium: Any, view: Browser) -> None:
    look = "one => [getComputedStyle(one).boxShadow, getComputedStyle(one).backgroundColor]"
    for scheme in ("light", "dark"):
        with chromium.new_context(color_scheme=scheme) as context:
            tab = Tab(context, view)
            before = tab.page.locator(".rows li").first.evaluate(look)
            tab.page.keyboard.press("j")
            after = selected(tab).evaluate(look)
            assert all(one != other for one, other in zip(before, after, strict=True))
            assert "relevant" in tab.page.locator(".keys").inner_text()


def test_the_view_of_a_page_has_the_same_keys(chromium: Any, view: Browser, own: Path) -> None:
    with chromium.new_context() as context:
        tab = Tab(context, view)
        tab.open("/page/0")
        tab.page.keyboard.press("n")
        assert pressed(tab.page.locator(".alone")) == ["no"]
        assert sent(own, 1) == [(*urls_of(own, "0"), "no")]
        tab.page.get_by_role("button", name="Not relevant").click()  # pressed again: taken back
        assert pressed(tab.page.locator(".alone")) == []
        assert sent(own, 2)[1][1] == "forget"


def test_a_page_is_marked_by_a_tap_at_the_width_of_a_phone(chromium: Any, view: Browser, own: Path) -> None:
    size = {"width": 360, "height": 740}
    with chromium.new_context(viewport=size, has_touch=True, is_mobile=True) as context:
        tab = Tab(context, view)
        tab.open("/pages")
        assert not tab.page.locator(".keys").is_visible()
        row = tab.page.locator(".rows li").nth(2)
        button = row.get_by_role("button", name="Not relevant")
        box = button.bounding_box()
        assert box["height"] >= 32
        assert box["x"] + box["width"] <= 360
        button.tap()
        assert pressed(row) == ["no"]
        assert sent(own, 1) == [(*urls_of(own, row.get_attribute("data-id")), "no")]


def test_a_screen_reader_is_told_which_page_a_button_is_about(chromium: Any, view: Browser) -> None:
    with chromium.new_context() as context:
        tab = Tab(context, view)
        tab.open("/pages")
        row = tab.page.locator(".rows li").first
        title = row.locator(".title a").inner_text()
        group = row.get_by_role("group", name=title, exact=True)
        group.get_by_role("button", name="Relevant", exact=True, pressed=False).press("Enter")
        assert group.get_by_role("button", name="Relevant", exact=True, pressed=True).count() == 1
        assert title in tab.page.get_by_role("status").last.inner_text()


def test_without_scripts_a_mark_leads_back_to_the_list(chromium: Any, view: Browser, own: Path) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        tab = Tab(context, view)
        tab.open("/pages?q=honey&show=relevant")
        row = tab.page.locator(".rows li").first
        number = row.get_attribute("data-id")
        row.get_by_role("button", name="Not relevant").click()
        assert tab.page.url.startswith(f"{tab.origin}/pages?q=honey&show=relevant&told=")
        assert "takes effect when the crawl is run again" in tab.page.locator(".told").inner_text()
        assert pressed(tab.page.locator(f"li[data-id='{number}']")) == ["no"]
        assert sent(own, 1) == [(*urls_of(own, number), "no")]


def test_a_mark_that_is_refused_is_taken_back_and_said(chromium: Any, view: Browser, own: Path) -> None:
    with chromium.new_context() as context:
        tab = Tab(context, view)
        tab.page.evaluate("document.querySelector('#marks [name=form_token]').value = 'of another dashboard'")
        tab.page.keyboard.press("j")
        tab.page.keyboard.press("y")
        until(lambda: "has refused it (403)" in tab.page.locator("#said").inner_text())
        assert pressed(selected(tab)) == []
        assert not pending(own)


def test_marks_change_the_order_of_what_waits(chromium: Any, web: DemoWeb, tmp_path: Path) -> None:
    """Five pages of each kind, told to be what the crawl thinks they are not."""
    folder = tmp_path / "bees"
    crawl = Running(web, folder, 400)
    crawl.gate.allowed = 40
    crawl.thread.start()

    def waiting() -> list[str]:
        with Crawl.open(folder) as stored:
            sql = "SELECT url FROM urls WHERE state = 0 ORDER BY priority DESC, id LIMIT 20"
            return [url for (url,) in stored.query(sql)]

    def judged() -> list[dict[str, Any]]:
        with Crawl.open(folder) as stored:
            return [
                json.loads(text) for (text,) in stored.query("SELECT detail FROM events WHERE kind = 'judged again'")
            ]

    try:
        until(lambda: crawl.session.begun.is_set() and crawl.gate.allowed <= 0)
        with dashboard(folder) as view, chromium.new_context() as context:
            until(lambda: view.get("/pages?show=other").text.count("data-seq") >= 5)
            before = waiting()
            tab = Tab(context, view)
            for path, key in (("/pages?show=other", "y"), ("/pages?show=relevant", "n")):
                tab.open(path)
                for _ in range(5):
                    tab.page.keyboard.press("j")
                    with tab.page.expect_response("**/control"):
                        tab.page.keyboard.press(key)
            until(lambda: (found := judged()) and found[-1]["gained"] + found[-1]["lost"])
            until(lambda: waiting() != before)
            tab.check()
    finally:
        crawl.stop()
