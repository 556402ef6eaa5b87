"""Who is let in: the token, the cookie, the Host header, and requests that change something."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from honeyguide.dashboard.access import Access
from honeyguide.store.inbox import pending

from .kit import Browser, dashboard

VIEWS = ("/", "/pages", "/hosts", "/host/1", "/waiting", "/seeds", "/map", "/page/0", "/events")
FILES = ("/static/dashboard.css", "/static/dashboard.js")


@pytest.mark.parametrize("path", [*VIEWS, *FILES, "/nowhere"])
def test_nothing_is_shown_without_the_token(browser: Browser, path: str) -> None:
    answer = browser.get(path, Cookie="")
    assert answer.status == 403
    assert "propolis" not in answer.text
    assert browser.get(path, Cookie="honeyguide=x").status == 403
    forged = browser.cookie.partition("=")[0] + "=" + "0" * 64
    assert browser.get(path, Cookie=forged).status == 403


def test_the_token_is_exchanged_for_a_cookie(browser: Browser) -> None:
    answer = browser.get(f"/map?token={browser.token}", Cookie="")
    assert answer.status == 303
    assert answer.headers["Location"] == "/map"
    given = answer.headers["Set-Cookie"]
    assert "HttpOnly" in given
    assert "SameSite=Strict" in given
    assert browser.token not in given
    for text in ("", "x", browser.token[:-1], f"{browser.token}x", "%C3%A9", "%ED%A0%80", "%00"):
        refused = browser.get(f"/?token={text}", Cookie="")
        assert refused.status == 403
        assert "Set-Cookie" not in refused.headers


def test_a_wrong_token_is_refused_whatever_the_cookie(browser: Browser) -> None:
    assert browser.get("/?token=wrong").status == 403


def test_no_page_contains_the_token(browser: Browser) -> None:
    for path in VIEWS[:-1]:
        assert browser.token not in browser.get(path).text


@pytest.mark.parametrize("path", ["/", "/page/0", "/nowhere", "/static/dashboard.css", "/pages?after=x"])
@pytest.mark.parametrize("cookie", [True, False])
def test_every_answer_has_the_headers(browser: Browser, path: str, cookie: bool) -> None:
    headers = browser.get(path, **({} if cookie else {"Cookie": ""})).headers
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
    for directive in ("base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'", "connect-src 'self'"):
        assert directive in policy
    assert "unsafe" not in policy
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "name", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "evil.example:80", ""]
)
def test_another_host_name_is_refused(browser: Browser, name: str) -> None:
    answer = browser.get("/", Host=name)
    assert answer.status == 421
    assert "propolis" not in answer.text
    assert browser.get(f"/?token={browser.token}", Host=name).status == 421


@pytest.mark.parametrize("name", ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8080", "192.168.1.7"])
def test_an_address_is_known(browser: Browser, name: str) -> None:
    assert browser.get("/", Host=name).status == 200


def test_a_name_that_was_asked_for_is_known() -> None:
    access = Access("crawler.internal")
    assert access.is_host_known("crawler.internal:8000")
    assert not access.is_host_known("other.internal:8000")


def own(browser: Browser) -> dict[str, str]:
    return {"Origin": f"http://{browser.host}"}


def test_a_form_of_the_dashboard_is_accepted(browser: Browser, folder: Path) -> None:
    token = browser.form_token
    for headers in (
        own(browser),
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "same-origin"},
    ):
        answer = browser.post("/control", {"form_token": token, "command": "fly", "back": "/hosts"}, **headers)
        assert answer.status == 303
        assert answer.headers["Location"].startswith("/hosts?told=")


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://{host}"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://{host}"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://{host}"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    ],
)
def test_a_request_from_elsewhere_changes_nothing(browser: Browser, folder: Path, headers: dict[str, str]) -> None:
    form = {"form_token": browser.form_token, "command": "block", "argument": "example.org"}
    sent = {name: value.format(host=browser.host) for name, value in headers.items()}
    assert browser.post("/control", form, **sent).status == 403
    assert not pending(folder)


@pytest.mark.parametrize("token", [None, "", "x", "0" * 64])
def test_a_request_without_the_form_token_changes_nothing(browser: Browser, folder: Path, token: str | None) -> None:
    form = {"command": "block", "argument": "example.org", **({} if token is None else {"form_token": token})}
    assert browser.post("/control", form, **own(browser)).status == 403
    assert not pending(folder)


def test_a_request_without_the_cookie_changes_nothing(browser: Browser, folder: Path) -> None:
    form = {"form_token": browser.form_token, "command": "block", "argument": "example.org"}
    assert browser.post("/control", form, Cookie="", **own(browser)).status == 403
    assert not pending(folder)


def test_nothing_changes_by_a_link(browser: Browser, folder: Path) -> None:
    assert browser.get(f"/control?form_token={browser.form_token}&command=block&argument=example.org").status == 405
    assert not pending(folder)


@pytest.mark.parametrize(
    "back", ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:x", "/pages\r\nX: y"]
)
def test_a_form_leads_back_to_the_dashboard_only(browser: Browser, back: str) -> None:
    form = {"form_token": browser.form_token, "command": "fly", "back": back}
    assert browser.post("/control", form, **own(browser)).headers["Location"].startswith("/?told=")


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/..%2f..%2fserver.py",
        "/static/%2e%2e/%2e%2e/crawl.sqlite",
        "/static//etc/passwd",
        "/../crawl.sqlite",
        "/crawl.sqlite",
        "/page/../../topic.toml",
        "/page/-1",
        "/page/99999999999999999999",
        "/page/999999999999999",
        "/page/0x1",
        "/host/0",
        "/pages?show=everything",
        "/pages?order=size",
        "/pages?host=nowhere.example",
        "/pages?site=nowhere.example",
        "/pages?after=1",
        "/pages?after=nan,1",
        "/pages?after=1,99999999999999999999999",
        "/hosts?order=name",
        "/hosts?after=1;drop",
    ],
)
def test_there_is_nothing_elsewhere(browser: Browser, path: str) -> None:
    answer = browser.get(path)
    assert answer.status == 404
    assert "There is nothing here" in answer.text


def test_the_token_is_in_no_log(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), dashboard(folder) as one:
        one.get(f"/pages?token={one.token}")
        one.get(f"/nowhere?token={one.token}x")
        one.send("GET", f"/?token={one.token}", {"Host": "evil.example"})
    assert one.token not in caplog.text
