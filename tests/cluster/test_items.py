"""What travels between shards comes out as it went in, however many pages share a message."""

from __future__ import annotations

import numpy as np

from honeyguide.cluster import items
from honeyguide.crawl.neighbours import HERE
from honeyguide.frontier import PromiseHistogram
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.reading import Reading


def page(number: int, links: int, **columns: np.ndarray) -> items.PageLinks:
    urls = [f"http://a{number}.example/{link}" for link in range(links)]
    reading = Reading(
        title="not sent",
        language="en",
        words=3,
        signature=b"",
        relevance=0.25 * (number % 4),
        relevant=number % 2 == 0,
        noindex=number % 3 == 0,
        directory=number % 5 == 0,
        threshold=0.5,
        links=LinkTable(urls, np.arange(links, dtype=np.float64) / 8, columns),
    )
    own = items.restricted(reading, reading.links, links + number)
    return items.PageLinks(f"http://p{number}.example/", number, b"\x01\xff", number % 2 == 1, number % 3 == 1, own)


def test_pages_that_travel_together_stay_apart() -> None:
    sent = [page(number, 1 + number % 4, region=np.full(1 + number % 4, number, np.uint8)) for number in range(70)]
    sent.append(page(69, 2)._replace(note=b"before now", revision=items.LINKS_TOO))
    sent.append(page(70, 2, texts=np.ones((2, 3), np.float32)))  # another table cannot be joined with these
    passed = items.PassedLinks(["a", "b"])
    for one in sent:
        passed.add(one, np.ones(len(one.reading.links), np.intp))
    contents = [content for receiver, content in passed.take() if receiver == "b"]
    assert 3 <= len(contents) < len(sent) // 10
    assert [item for content in contents for item in items.unpack(content)] == sent
    assert not passed


def test_each_shard_gets_its_own_links() -> None:
    """Of five links of one page and three of another, each with one more that is not sent."""
    passed = items.PassedLinks(["a", "b", "c"])
    passed.add(page(1, 6, place=np.arange(6, dtype=np.uint8)), np.array([1, 2, 2, 1, 2, HERE]))
    passed.add(page(2, 4, place=np.arange(4, dtype=np.uint8)), np.array([1, 1, HERE, 1]))
    found = [
        (receiver, one)
        for receiver, content in passed.take()
        for one in items.unpack(content)
        if isinstance(one, items.PageLinks)
    ]
    told = [(receiver, one.parent, one.reading.links_elsewhere) for receiver, one in found]
    # The pages have one and two links beside those in their tables.
    assert told == [("b", "http://p1.example/", 5), ("b", "http://p2.example/", 3), ("c", "http://p1.example/", 4)]
    assert [one.reading.links["place"].tolist() for _, one in found] == [[0, 3], [0, 1, 3], [1, 2, 4]]
    assert [url[-1] for url in found[1][1].reading.links.urls] == ["0", "1", "3"]


def test_credits_and_single_items() -> None:
    found = [items.Credit("http://a.example/", 2, 1.5), items.Credit("http://b.example/", 1, 0.0)]
    assert items.unpack(items.pack_credits(found)) == found
    assert items.unpack(items.pack(found[0])) == found[:1]
    assert items.unpack(items.pack(page(4, 3))) == [page(4, 3)]


def test_points_can_be_counted_and_taken_away_again() -> None:
    histogram = PromiseHistogram()
    histogram.add_points(((0.75, 3), (-0.5, 2)))
    histogram.add_points(((0.25, 4),))
    histogram.add_points(((0.75, 3),), -1)
    assert histogram.count == 6
    assert [count for _, count in histogram.points(8)] == [4, 2]
