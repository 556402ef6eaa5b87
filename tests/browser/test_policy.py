"""Which requests of a page are let through."""

from __future__ import annotations

from honeyguide.browser.policy import PagePolicy
from honeyguide.browser.settings import BrowserSettings

PAGE = "https://www.shop.example/page"


def refusal(url: str, method: str = "GET", kind: str = "fetch") -> str:
    return PagePolicy(PAGE, BrowserSettings()).refusal(url, method, kind)


def test_scripts_and_data_of_the_site_and_of_listed_hosts() -> None:
    for kind in ("script", "stylesheet", "xhr", "fetch", "document"):
        assert refusal("https://api.shop.example/x", kind=kind) == ""
        assert refusal("https://unpkg.com/react", kind=kind) == ""


def test_nothing_else() -> None:
    assert refusal("https://tracker.example/x") == "site"
    assert refusal("http://169.254.169.254/") == "site"
    assert refusal("https://notunpkg.com/") == "site"
    assert refusal("https://shop.example:25/") == "site"
    assert refusal("file:///etc/passwd") == "scheme"
    assert refusal("https://shop.example/x", method="POST") == "method"
    for kind in ("image", "media", "font", "ping", "websocket", "eventsource", "manifest", "other"):
        assert refusal("https://shop.example/x", kind=kind) == "kind"


def test_limits_of_count_and_size() -> None:
    policy = PagePolicy(PAGE, BrowserSettings(requests=2, max_bytes=100))
    assert [policy.refusal("https://shop.example/x", "GET", "script") for _ in range(3)] == ["", "", "limit"]
    policy = PagePolicy(PAGE, BrowserSettings(max_bytes=100))
    policy.received(100)
    assert policy.refusal("https://shop.example/x", "GET", "script") == "limit"
