"""Pages that no page links to, which sitemaps and feeds list."""

from __future__ import annotations

import pickle
import re

import pytest

from honeyguide.demo import DemoWeb
from honeyguide.page.listing import read_listing

WEB = DemoWeb(seed=3, pages=400, listings=True, orphans=0.3)


def orphans() -> set[str]:
    return {url for url in WEB.page_urls() if WEB.is_orphan(url)}


def test_no_page_links_to_them_and_all_others_are_reached() -> None:
    reached = set(WEB.seeds("beekeeping"))
    waiting = list(reached)
    while waiting:
        url = waiting.pop()
        body = WEB.answer(url).body.decode()
        links = {found.replace("&amp;", "&") for found in re.findall(r'<a href="([^"]*)"', body)}
        assert links == {link.url for link in WEB.links(url)}
        waiting += links - reached
        reached |= links
    pages = set(WEB.page_urls())
    assert 60 < len(orphans()) < 120
    assert reached & pages == pages - orphans()


def test_sitemaps_list_them() -> None:
    listed: set[str] = set()
    for host in {url.split("/")[2] for url in WEB.page_urls()}:
        for url in WEB.listing_urls(host):
            answer = WEB.answer(url)
            listing = read_listing(answer.body, answer.header("content-type"), as_text=True)
            assert listing is not None
            listed.update(listing.addresses)
    assert len(orphans() & listed) > 0.8 * len(orphans())  # some sitemaps are out of date


def test_a_web_without_them_is_as_it_was_and_the_share_is_part_of_the_settings() -> None:
    plain = DemoWeb(seed=3, pages=400, listings=True)
    assert not any(plain.is_orphan(url) for url in plain.page_urls())
    assert pickle.loads(pickle.dumps(WEB)) == WEB
    with pytest.raises(ValueError, match="orphans is a share"):
        DemoWeb(orphans=1.5)
