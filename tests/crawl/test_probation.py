"""Which hosts are put on probation, and that nothing is lost by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from honeyguide.fetch.base import Request, Response
from honeyguide.topic import Topic

from .kit import PaperWeb, about, answer, html, run, topic

HOME = "http://home.example/"
START = ["home", "s0", "home"]
LIMITS = {"hosts_per_domain": 3, "domains_per_address": 3, "probation": 0.0}


def farm(host: str, count: int) -> dict[str, str]:
    """Pages each of which links to the next. `host` has a place for the number."""
    return {
        f"http://{host.format(number)}/": about(f"honey bee {number}", f"http://{host.format(number + 1)}/")
        for number in range(count)
    }


def others(count: int) -> dict[str, str]:
    """Pages of the home site, worse than those of a farm."""
    return {f"{HOME}{number}": about(f"wax {number}", f"/{number + 1}") for number in range(count)}


def at(address: str, pages: dict[str, str]) -> dict[str, Any]:
    """The same pages, from an address."""

    def served(body: str) -> Any:
        def respond(request: Request, _times: int) -> Response:
            response = answer(request.url, body)
            response.ip = address
            return response

        return respond

    return {url: served(body) for url, body in pages.items()}


def order(pages: dict[str, Any], folder: Path, wanted: Topic | None = None) -> list[str]:
    """The hosts in the order of their pages, up to the first label."""
    web = PaperWeb(pages)
    wanted = wanted or topic([HOME], scope=LIMITS, strategy={"name": "best-first"})
    result = run(wanted.with_settings(fetch={"robots": False}), folder, lambda: web)
    assert result.stop.kind in ("exhausted", "pages")
    return [url.split("/")[2].partition(".")[0] for url in web.asked]


def test_sub_domains_that_only_their_domain_links_to_come_last(tmp_path: Path) -> None:
    pages = {HOME: html("honey", "http://s0.farm.example/", "/0"), **others(10), **farm("s{}.farm.example", 8)}
    asked = order(pages, tmp_path)
    # Three hosts of the domain, and the one that is free at first; the home site; and then all others.
    assert asked == [*START, "s1", "s2", "s3", *["home"] * 10, "s4", "s5", "s6", "s7", "s8"]


def test_domains_at_one_address_that_only_it_links_to_come_last(tmp_path: Path) -> None:
    network = at("198.51.100.1", farm("s{}.example", 8))
    pages = {HOME: html("honey", "http://s0.example/", "/0"), **at("192.0.2.1", others(10)), **network}
    asked = order(pages, tmp_path)
    assert asked == [*START, "s1", "s2", "s3", *["home"] * 10, "s4", "s5", "s6", "s7", "s8"]


def test_sites_that_repeat_others_come_last(tmp_path: Path) -> None:
    text = " ".join(f"honey bee word{number}" for number in range(60))
    network = {f"http://s{number}.example/": html(text, f"http://s{number + 1}.example/") for number in range(8)}
    pages = {HOME: html("honey", "http://s0.example/", "/0"), **others(10), **network}
    asked = order(pages, tmp_path)
    # An original, a copy, and the one that is free; the home site; and then all others.
    assert [host for host in asked if host != "home"] == [f"s{number}" for number in range(9)]
    assert asked[4:15] == ["home"] * 11


def test_a_relevant_page_elsewhere_vouches_for_a_host(tmp_path: Path) -> None:
    pages = {
        HOME: html("honey", "http://s0.farm.example/", "/0"),
        **others(10),
        **farm("s{}.farm.example", 6),
        f"{HOME}3": about("honey bee", "/4", "http://s4.farm.example/"),
    }
    asked = order(pages, tmp_path)
    assert asked[:11] == [*START, "s1", "s2", "s3", "home", "home", "home", "s4", "home"]


def test_hosts_of_the_seeds_domains_are_trusted_however_many_they_are(tmp_path: Path) -> None:
    worse = {"http://s0.farm.example/worse": about("wax")}
    home = {"http://s0.farm.example/x": about("honey", "http://s0.farm.example/", "/worse")}
    pages = {**home, **worse, **farm("s{}.farm.example", 9)}
    wanted = topic(["http://s0.farm.example/x"], scope=LIMITS, strategy={"name": "best-first"})
    assert order(pages, tmp_path, wanted) == ["s0", "s0", *(f"s{number}" for number in range(1, 10)), "s0"]


def test_domains_that_the_scope_names_are_trusted(tmp_path: Path) -> None:
    pages = {HOME: html("honey", "http://s0.farm.example/", "/0"), **others(5), **farm("s{}.farm.example", 8)}
    scope = {**LIMITS, "allow_domains": ["farm.example", "home.example"]}
    asked = order(pages, tmp_path, topic([HOME], scope=scope, strategy={"name": "best-first"}))
    assert asked[:10] == [*START, *(f"s{number}" for number in range(1, 8))]


def test_no_limit_and_no_probation(tmp_path: Path) -> None:
    pages = {HOME: html("honey", "http://s0.farm.example/", "/0"), **others(5), **farm("s{}.farm.example", 8)}
    scope = {**LIMITS, "hosts_per_domain": 0}
    asked = order(pages, tmp_path, topic([HOME], scope=scope, strategy={"name": "best-first"}))
    assert asked[:10] == [*START, *(f"s{number}" for number in range(1, 8))]


def test_a_crawl_that_goes_on_knows_who_was_on_probation(tmp_path: Path) -> None:
    pages = {HOME: html("honey", "http://s0.farm.example/", "/0"), **others(10), **farm("s{}.farm.example", 8)}
    settings: dict[str, Any] = {"scope": LIMITS, "strategy": {"name": "best-first"}}
    asked = order(pages, tmp_path, topic([HOME], budget={"pages": 7}, **settings))
    asked += order(pages, tmp_path, topic([HOME], budget={"pages": 15}, **settings))
    assert asked[:6] == [*START, "s1", "s2", "s3"]
    assert asked[6:15].count("home") == 8  # one of the others is free in the second run
