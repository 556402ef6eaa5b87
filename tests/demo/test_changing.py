"""A demo web that changes by the clock."""

from __future__ import annotations

import asyncio
import pickle
from statistics import fmean

from honeyguide.demo import DemoWeb
from honeyguide.demo.changing import DAY, ChangingWeb
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Request, Response

BEGIN = 1.7e9
WEB = ChangingWeb(DemoWeb(pages=600), BEGIN, 60.0)


def at(url: str, day: float) -> bytes:
    return WEB.answer(url, 1, BEGIN + day * DAY).body


def test_a_page_changes_when_it_says_so_and_at_no_other_time() -> None:
    some = [url for url in WEB.page_urls() if WEB.exists(url, 0.0)][::7]
    assert sum(len(WEB.changes(url)) for url in some) > 200
    for url in some:
        before = 0.0
        for day in WEB.changes(url)[:5]:
            assert at(url, day - 1e-5) == at(url, before + 1e-5)
            assert at(url, day + 1e-5) != at(url, day - 1e-5)
            before = day


def test_kinds_of_pages_change_at_different_rates() -> None:
    days: dict[str, list[int]] = {kind: [] for kind in ("home", "hub", "article")}
    for url in WEB.page_urls():
        page = WEB.web.page_of(url)
        if page is not None and page.kind in days:
            days[page.kind].append(len(WEB.edits(url)))
    home, hub, article = (fmean(counts) for counts in days.values())
    assert home > 2 * hub > 6 * article


def test_pages_appear_are_linked_to_and_disappear() -> None:
    born = [url for url in WEB.page_urls() if not WEB.exists(url, 0.0)]
    gone = [url for url in WEB.page_urls() if WEB.exists(url, 0.0) and not WEB.exists(url, 60.0)]
    assert len(born) > 15
    assert len(gone) > 5
    there = [page for page in WEB.page_urls() if WEB.exists(page, 0.0)]
    hubs = {link.url: page for page in reversed(there) for link in WEB.web.links(page)}  # the first that links to it
    for url in born:
        hub = hubs[url]
        assert WEB.answer(url, 1, BEGIN).status == 404
        assert f'href="{url}"'.encode() not in at(hub, 0.0)
        assert WEB.answer(url, 1, BEGIN + 60 * DAY).status == 200
        assert f'href="{url.replace("&", "&amp;")}"'.encode() in at(hub, 59.9)
    assert {WEB.answer(url, 1, BEGIN + 60 * DAY).status for url in gone} == {404, 410}


def test_sitemaps_list_pages_when_they_have_appeared() -> None:
    born = [url for url in WEB.page_urls() if not WEB.exists(url, 0.0)]
    for url in born:
        host = "/".join(url.split("/")[:3])
        entry = f"<loc>{url.replace('&', '&amp;')}</loc>".encode()
        assert entry not in at(f"{host}/sitemap.xml", 0.0)
        assert entry in at(f"{host}/sitemap.xml", 59.9)


def test_the_first_day_is_the_web_that_does_not_change_and_all_processes_see_the_same() -> None:
    same = [url for url in WEB.page_urls() if at(url, 0.0) == WEB.web.answer(url).body]
    assert len(same) > 150  # of the others, some links are not there yet
    other = pickle.loads(pickle.dumps(WEB))
    assert all(other.answer(url, 1, BEGIN + 20 * DAY) == WEB.answer(url, 1, BEGIN + 20 * DAY) for url in same[::20])


def test_the_fetcher_answers_conditional_requests_by_the_clock() -> None:
    url = next(url for url in WEB.page_urls() if WEB.changes(url) and WEB.exists(url, 0) and WEB.exists(url, 59))
    change = WEB.changes(url)[0]
    day = 0.0

    def get(etag: str = "") -> Response:
        fetcher = DemoFetcher(WEB, clock=lambda: BEGIN + day * DAY)
        answer = asyncio.run(fetcher.fetch(Request(url, etag=etag)))
        assert isinstance(answer, Response)
        return answer

    etag = get().header("etag")
    day = change - 1e-3
    assert (get(etag).status, get(etag).raw) == (304, b"")
    day = change + 1e-3
    assert get(etag).status == 200
    assert get().header("etag") != etag
