"""Crawling from Python: pages as they come."""

from __future__ import annotations

import asyncio
import gc
import pickle
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import honeyguide
from honeyguide.fetch.base import Failure, Request, Response

from .kit import PaperWeb, about, check_archive, check_tables, html, rows, topic

HOME = "http://a.example/"
AHEAD = 64 + 8  # pages that may wait for their taker, and those under way


def web_of(count: int) -> PaperWeb:
    """A page that links to `count` others; every third of them is not about honey."""
    pages = {HOME: about("honey", *(f"/{place}" for place in range(count)))}
    subjects = ["granite", "honey bee", "bee honey"]
    pages |= {f"{HOME}{place}": about(f"{subjects[place % 3]} {place}") for place in range(count)}
    return PaperWeb(pages)


def crawling(out: Path, web: PaperWeb, **options: Any) -> Any:
    fetch = {"connections": 8, "per_host": 8, "per_domain": 8, **options.pop("fetch", {})}
    wanted = topic([HOME], relevance={"threshold": 0.1}, fetch=fetch)
    return honeyguide.crawl(wanted, out=out, fetcher=lambda: web, **{"workers": 0, **options})


def test_yields_the_relevant_pages_once_each(tmp_path: Path) -> None:
    run = crawling(tmp_path, web_of(30))
    pages = list(run)
    assert sorted(page.url for page in pages) == sorted([HOME, *(f"{HOME}{place}" for place in range(30) if place % 3)])
    assert all(page.relevant and page.relevance >= 0.1 and not page.duplicate_of for page in pages)
    assert {page.parent for page in pages} == {"", HOME}
    assert {page.depth for page in pages} == {0, 1}
    assert run.result.stop.kind == "exhausted"
    with honeyguide.Crawl.open(tmp_path / "test") as crawl:
        assert {page.url for page in crawl.pages()} == {page.url for page in pages}


def test_yields_all_pages_if_asked_to(tmp_path: Path) -> None:
    assert len(list(crawling(tmp_path, web_of(30), all_pages=True))) == 31


def test_pages_have_their_text_at_once_and_when_the_crawl_is_over(tmp_path: Path) -> None:
    web = web_of(3)
    same = str(web.pages[f"{HOME}1"])
    web.pages = {**web.pages, f"{HOME}2": same}
    texts, pages = {}, []
    for page in crawling(tmp_path, web, all_pages=True):
        if page.depth:  # the first pages are read at once, before anything is committed
            texts[page.url] = page.text
        pages.append(page)
    assert "honey bee 1" in texts[f"{HOME}1"]
    assert texts[f"{HOME}2"] == texts[f"{HOME}1"]  # its record in the archive has no body of its own
    assert all("text" not in vars(page) for page in pages if not page.depth)
    copies = pickle.loads(pickle.dumps(pages))
    with honeyguide.Crawl.open(tmp_path / "test") as crawl:
        stored = {page.url: page.full_text for page in crawl.pages(relevant=False)}
        assert {page.url: page.full_text for page in copies} == stored


def test_single_settings_can_be_changed(tmp_path: Path) -> None:
    run = crawling(tmp_path, web_of(30), all_pages=True, budget={"pages": 5})
    assert len(list(run)) == 5
    assert run.result.stop.kind == "pages"


def test_nothing_happens_before_the_first_page_is_asked_for(tmp_path: Path) -> None:
    web = web_of(3)
    run = crawling(tmp_path, web)
    iter(run)
    assert web.asked == []
    assert list(tmp_path.iterdir()) == []


def test_leaving_the_loop_saves_and_the_same_call_goes_on(tmp_path: Path) -> None:
    web = web_of(60)
    seen = []
    for page in crawling(tmp_path, web, all_pages=True):
        seen.append(page.url)
        if len(seen) == 10:
            break
    folder = tmp_path / "test"
    kept = {url for (url,) in rows(folder, "SELECT url FROM pages JOIN urls USING (id)")}
    assert set(seen) <= kept
    check_tables(folder)
    rest = [page.url for page in crawling(tmp_path, web, all_pages=True)]
    assert set(rest) == set(web.pages) - kept
    assert len(rest) + len(kept) == 61
    check_tables(folder)
    check_archive(folder)


def test_an_exception_in_the_loop_saves_too(tmp_path: Path) -> None:
    def fail() -> None:
        for page in crawling(tmp_path, web_of(60), all_pages=True):
            raise ZeroDivisionError(page.url)

    with pytest.raises(ZeroDivisionError):
        fail()
    assert rows(tmp_path / "test", "SELECT value FROM meta WHERE key = 'stop'") == [("interrupted",)]
    check_tables(tmp_path / "test")


def test_a_finished_crawl_yields_nothing_more(tmp_path: Path) -> None:
    run = crawling(tmp_path, web_of(6))
    assert len(list(run)) == 5
    assert list(run) == []
    assert run.result.stop.kind == "exhausted"


def test_a_taker_who_is_slow_is_waited_for(tmp_path: Path) -> None:
    web = web_of(400)
    taken = 0
    for _ in crawling(tmp_path, web, all_pages=True):
        taken += 1
        if taken == 1:  # let the crawl run as far ahead as it will
            asked = -1
            while asked != len(web.asked_pages):
                asked = len(web.asked_pages)
                time.sleep(0.1)
            assert asked >= 64
            (thread,) = (thread for thread in threading.enumerate() if thread.name == "honeyguide")
            assert thread.daemon  # whoever ends the program need not wait for it
        assert len(web.asked_pages) - taken <= AHEAD + 8
    assert taken == 401


def test_a_topic_with_examples_is_crawled_with_a_model_that_learnt_from_them(tmp_path: Path) -> None:
    # The words of the topic say nothing of wax: only the examples do.
    good, bad = "wax candle wick taper", "slate granite basalt quartz"
    for kind, words in (("good", good), ("bad", bad)):
        for number in range(6):
            (tmp_path / f"{kind}{number}.html").write_text(about(f"{words} {words} {kind}{number}"))
    examples = {"positive": [str(tmp_path / "good*.html")], "negative": [str(tmp_path / "bad*.html")]}
    web = PaperWeb({HOME: about(f"{good} {good}", "/bad"), f"{HOME}bad": about(f"{bad} {bad}")})
    wanted = topic([HOME], examples=examples)
    pages = list(honeyguide.crawl(wanted, out=tmp_path / "out", fetcher=lambda: web, all_pages=True, workers=0))
    assert [(page.url, page.relevant) for page in pages] == [(HOME, True), (f"{HOME}bad", False)]


class Hanging(PaperWeb):
    """A web with a page that never comes."""

    async def fetch(self, request: Request) -> Response | Failure:
        if request.url.endswith("/hangs"):
            await asyncio.Event().wait()
        return await super().fetch(request)


@pytest.mark.parametrize("kind", ["for", "async for"])
def test_leaving_the_loop_does_not_wait_for_what_is_under_way(tmp_path: Path, kind: str) -> None:
    web = Hanging({HOME: about("honey", "/hangs"), "http://b.example/": about("honey bee")})
    wanted = topic(["http://b.example/", HOME], fetch={"connections": 4})
    began = time.monotonic()
    run = honeyguide.crawl(wanted, out=tmp_path, fetcher=lambda: web, all_pages=True, workers=0)
    found = []
    if kind == "async for":
        found = asyncio.run(some(run, 2))
    else:
        for page in run:
            found.append(page.url)
            if len(found) == 2:
                break
    assert sorted(found) == [HOME, "http://b.example/"]
    assert time.monotonic() - began < 8  # pages under way have ten seconds when a crawl is stopped kindly


# ---- in an event loop ----


async def some(run: Any, most: int) -> list[str]:
    pages: AsyncIterator[Any] = aiter(run)
    found = []
    async for page in pages:
        found.append(page.url)
        if len(found) == most:
            break
    await pages.aclose()  # type: ignore[attr-defined] # it is a generator, which can be closed at a known moment
    return found


def test_async_iteration(tmp_path: Path) -> None:
    run = crawling(tmp_path, web_of(30))
    assert len(asyncio.run(some(run, 1000))) == 21
    assert run.result.stop.kind == "exhausted"


def test_leaving_an_async_loop_saves_and_the_same_call_goes_on(tmp_path: Path) -> None:
    web = web_of(60)

    async def twice() -> tuple[list[str], list[str]]:
        first = await some(crawling(tmp_path, web, all_pages=True), 10)
        check_tables(tmp_path / "test")
        return first, await some(crawling(tmp_path, web, all_pages=True), 1000)

    first, second = asyncio.run(twice())
    assert len(first) == 10
    assert not set(first) & set(second)
    assert sorted(web.asked_pages) == sorted(web.pages)
    check_tables(tmp_path / "test")


def test_leaving_an_async_loop_without_closing_it_saves_too(tmp_path: Path) -> None:
    async def leave() -> None:
        async for _ in crawling(tmp_path, web_of(60)):
            break

    asyncio.run(leave())
    assert rows(tmp_path / "test", "SELECT value FROM meta WHERE key = 'stop'") == [("interrupted",)]
    check_tables(tmp_path / "test")


def test_an_async_loop_that_was_left_can_be_followed_by_another_at_once(tmp_path: Path) -> None:
    web = web_of(60)

    async def one_by_one() -> list[str]:
        found = []
        for _ in range(3):
            async for page in crawling(tmp_path, web, all_pages=True):
                found.append(page.url)
                break
        found += [page.url async for page in crawling(tmp_path, web, all_pages=True)]
        return found

    found = asyncio.run(one_by_one())
    assert len(set(found)) == len(found) > 3
    assert sorted(web.asked_pages) == sorted(web.pages)
    check_tables(tmp_path / "test")


def test_two_async_loops_over_one_folder_are_refused(tmp_path: Path) -> None:
    async def both() -> None:
        async for _ in crawling(tmp_path, web_of(60)):
            async for _ in crawling(tmp_path, web_of(60)):
                pass

    with pytest.raises(honeyguide.HoneyguideError, match="is being crawled"):
        asyncio.run(both())


def test_an_async_taker_who_is_slow_is_waited_for(tmp_path: Path) -> None:
    web = web_of(400)

    async def main() -> None:
        taken = 0
        async for _ in crawling(tmp_path, web, all_pages=True):
            taken += 1
            if taken == 1:
                for _ in range(5000):  # turns of the event loop: more than the whole crawl needs
                    await asyncio.sleep(0)
            assert len(web.asked_pages) - taken <= AHEAD + 8
        assert taken == 401

    asyncio.run(main())


# ---- what is wrong ----


def test_wrong_settings_are_refused_at_the_call(tmp_path: Path) -> None:
    with pytest.raises(honeyguide.InputError, match=r"budget\.pages"):
        crawling(tmp_path, web_of(3), budget={"pages": -1})
    with pytest.raises(honeyguide.InputError, match=r"nowhere\.toml"):
        honeyguide.crawl(tmp_path / "nowhere.toml", out=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_another_topic_in_the_folder_is_refused_at_the_call(tmp_path: Path) -> None:
    list(crawling(tmp_path, web_of(3)))
    with pytest.raises(honeyguide.InputError, match="was crawled with other settings for keywords"):
        crawling(tmp_path, web_of(3), keywords="granite")


@pytest.mark.parametrize("kind", ["for", "async for"])
def test_seeds_that_cannot_be_reached_are_refused_when_asked_for_a_page(tmp_path: Path, kind: str) -> None:
    def gone(request: Request, _: int) -> Failure:
        return Failure(request.url, "connect", "refused", transient=False)

    run = crawling(tmp_path, PaperWeb({HOME: gone, f"{HOME}robots.txt": gone}))
    take = list if kind == "for" else lambda run: asyncio.run(some(run, 1))
    with pytest.raises(honeyguide.InputError, match="could not be reached"):
        take(run)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wrong", [{"proxy": "nonsense"}, {"allow_networks": ["nowhere"]}])
def test_settings_of_the_network_that_make_no_sense_are_refused_with_the_first_page(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    run = honeyguide.crawl(topic([HOME], fetch=wrong), out=tmp_path)
    with pytest.raises(honeyguide.InputError, match=next(iter(wrong))):
        list(run)
    assert list(tmp_path.iterdir()) == []


def test_a_topic_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / "bees.toml").write_text(f'seeds = ["{HOME}"]\nkeywords = ["honey"]\n[fetch]\ndelay = 0\n')
    web = PaperWeb({HOME: html("honey bee")})
    pages = list(honeyguide.crawl(tmp_path / "bees.toml", out=tmp_path / "out", fetcher=lambda: web))
    assert [page.url for page in pages] == [HOME]
    assert (tmp_path / "out" / "bees" / "crawl.sqlite").exists()


def test_the_collector_is_left_as_it_was(tmp_path: Path) -> None:
    before = gc.get_threshold()
    list(crawling(tmp_path, web_of(3)))
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
