"""robots.txt that redirects to somewhere else: to pages of other sites, inside, and to other services."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from honeyguide.fetch.base import Failure, Request, Response

from .jumping import TimedWeb, run_jumping
from .kit import about, answer, rows, topic

HOME = "http://a.example/"
OTHER = "http://b.example/"
RULES = "User-agent: *\nDisallow: /1"


def to(target: str) -> Callable[[Request, int], Response]:
    return lambda request, _: answer(request.url, b"", ("Location", target), status=302)


def crawled(folder: Path, robots: Any, **others: Any) -> tuple[TimedWeb, Any]:
    """A crawl of a site with three pages, and the given robots.txt."""
    pages: dict[str, Any] = {HOME: about("honey", "/1", "/2"), f"{HOME}1": about("bee"), f"{HOME}2": about("comb")}
    pages |= {f"{HOME}robots.txt": robots, **{OTHER + name.replace("_", "."): page for name, page in others.items()}}
    web = TimedWeb(pages)
    return web, run_jumping(topic([HOME], fetch={"backoff": 1.0}), folder, web)


@pytest.mark.parametrize("target", [f"{OTHER}robots.txt", "/static/robots.txt"])
def test_another_robots_txt_or_a_file_of_the_same_site_is_asked_for_at_once(tmp_path: Path, target: str) -> None:
    pages = {"robots_txt": RULES, "static/robots.txt": RULES}
    web, outcome = crawled(tmp_path, to(target), **pages)
    web.pages = {**web.pages, f"{HOME}static/robots.txt": RULES}
    if target.startswith("/"):
        web.asked.clear()
        outcome = run_jumping(topic([HOME]), tmp_path / "again", web)
    assert web.asked[1].endswith(target)
    assert (outcome.tally.pages, outcome.tally.refused["robots"]) == (2, 1)


def test_a_page_of_another_site_is_asked_for_if_that_site_allows_it(tmp_path: Path) -> None:
    web, outcome = crawled(tmp_path, to(f"{OTHER}rules"), rules=RULES, robots_txt="User-agent: *\nDisallow: /x")
    assert web.asked[:3] == [f"{HOME}robots.txt", f"{OTHER}robots.txt", f"{OTHER}rules"]
    assert (outcome.tally.pages, outcome.tally.refused["robots"]) == (2, 1)
    assert web.asked.count(f"{OTHER}robots.txt") == web.asked.count(f"{OTHER}rules") == 1


def test_a_page_that_another_site_forbids_is_not_asked_for(tmp_path: Path) -> None:
    web, outcome = crawled(tmp_path, to(f"{OTHER}rules"), rules=RULES, robots_txt="User-agent: *\nDisallow: /")
    assert f"{OTHER}rules" not in web.asked
    assert (outcome.tally.pages, outcome.stop.kind) == (3, "exhausted")  # unavailable: everything is allowed
    assert web.asked.count(f"{HOME}robots.txt") == 1
    assert rows(tmp_path, "SELECT status FROM robots WHERE origin = 'http://a.example'") == [(403,)]


def test_sites_that_send_us_in_circles_have_no_robots_txt(tmp_path: Path) -> None:
    web, outcome = crawled(tmp_path, to(f"{OTHER}rules"), robots_txt=to(f"{HOME}rules"), rules=RULES)
    assert outcome.stop.kind == "exhausted"
    assert len(web.asked) < 10


def test_a_site_whose_rules_cannot_be_had_is_waited_for(tmp_path: Path) -> None:
    def busy(request: Request, times: int) -> Response:
        return answer(request.url, RULES if times > 2 else "", status=200 if times > 2 else 503)

    web, outcome = crawled(tmp_path, to(f"{OTHER}rules"), robots_txt=busy, rules=RULES)
    assert (outcome.tally.pages, outcome.tally.refused["robots"]) == (2, 1)
    assert web.asked.count(f"{OTHER}robots.txt") == 3


@pytest.mark.parametrize("target", ["http://10.0.0.1/robots.txt", "http://10.0.0.1/rules"])
def test_a_robots_txt_inside_is_asked_for_once(tmp_path: Path, target: str) -> None:
    def inside(request: Request, _: int) -> Failure:
        return Failure(request.url, "address", "10.0.0.1 is not public: private", transient=False)

    seeds = [f"{HOME}{number}" for number in range(8)]
    pages = {url: about("honey") for url in seeds} | {OTHER: about("bee"), f"{HOME}robots.txt": to(target)}
    web = TimedWeb({**pages, target: inside, "http://10.0.0.1/robots.txt": inside})
    outcome = run_jumping(topic([*seeds, OTHER]), tmp_path, web)
    assert web.asked_at("a.example") == web.asked_at(f"{HOME}robots.txt")
    assert len(web.asked_at("a.example")) == len(web.asked_at("10.0.0.1")) == 1
    assert (outcome.stop.kind, outcome.tally.errors["address"], outcome.tally.pages) == ("exhausted", 8, 1)


def test_a_robots_txt_on_the_port_of_another_service_is_not_asked_for(tmp_path: Path) -> None:
    web, outcome = crawled(tmp_path, to("http://b.example:25/robots.txt"))
    assert not any(":25" in url for url in web.asked)
    assert outcome.tally.pages == 3


@pytest.mark.parametrize("port", [22, 25, 6667, 10080])
def test_no_link_or_redirect_leads_to_the_port_of_another_service(tmp_path: Path, port: int) -> None:
    service = f"http://b.example:{port}/"
    pages = {HOME: to("/start"), f"{HOME}start": about("honey", service, "/moved"), f"{HOME}moved": to(service)}
    web = TimedWeb({**pages, "http://seed.example/": to(service)})
    outcome = run_jumping(topic([HOME, "http://seed.example/"]), tmp_path, web)
    assert not any(service in url for url in web.asked)
    assert dict(outcome.tally.refused) == {"port": 3}
