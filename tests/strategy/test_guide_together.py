"""guide, when links of several pages come from another machine at once: as if they came one page after the other."""

from __future__ import annotations

from struct import pack

import numpy as np
import pytest

from honeyguide.crawl.replaying import unlimited_frontier
from honeyguide.frontier import Frontier
from honeyguide.strategy.guide.evidence import evidence_table
from honeyguide.strategy.guide.joined_links import JoinedLinks
from honeyguide.strategy.guide.texts import TEXT_FEATURES
from honeyguide.strategy.queues.base import PageElsewhere
from honeyguide.strategy.queues.checked import CheckedQueue

from .readings import reading

PAGES: tuple[
    tuple[float, int, float, list[str]], ...
] = (  # outcome, links since a relevant page, what each link's texts say, and the links
    (0.9, 0, 0.8, ["x", "y"]),
    (0.1, 4, 0.3, ["z", "x"]),
    (0.5, 1, 0.6, []),
    (0.2, 2, 0.1, ["y", "v", "z", "w"]),
)


def url(name: str) -> str:
    return f"http://{name}.example/"


def offered(*, together: bool, max_depth: int = 0) -> tuple[Frontier, CheckedQueue]:
    queue = CheckedQueue("guide")
    frontier = unlimited_frontier(queue.merge)
    pages = []
    for place, (outcome, gap, score, links) in enumerate(PAGES):
        texts = np.full((len(links), len(TEXT_FEATURES)), score, np.float32)
        page = reading(outcome, evidence_table(list(map(url, links)), texts))
        number = frontier.note_elsewhere(url(f"page{place}"), place)
        pages.append(PageElsewhere(number, page, pack("<fB", outcome, gap)))
    for some in [pages] if together else [[page] for page in pages]:
        queue.links(frontier, some, max_depth)
    return frontier, queue


@pytest.mark.parametrize("max_depth", [0, 3])
def test_all_that_is_known_of_them_is_the_same(max_depth: int) -> None:
    found = []
    for together in (True, False):
        frontier, queue = offered(together=together, max_depth=max_depth)
        queue.rescore(frontier, 0, len(frontier))
        numbers = [frontier.urls.find(url(name)) for name in "xyzvw"]
        assert [number is not None for number in numbers] == [True] * 3 + [max_depth == 0] * 2
        known = [number for number in numbers if number is not None]
        found.append(
            [
                (
                    frontier.urls.url(number),
                    frontier.urls.url(frontier.urls.parent(number)),
                    frontier.urls.depth(number),
                    pytest.approx(frontier.urls.priority(number)),  # sums are rounded otherwise
                    queue.hand_over(number),
                )
                for number in known
            ]
        )
    assert found[0] == found[1]
    assert [page for _, page, *_ in found[0]][:3] == [url("page0"), url("page0"), url("page1")]
    assert [depth for _, _, depth, *_ in found[0]][:3] == [1, 1, 2]


def test_promises_are_those_that_everything_known_gives() -> None:
    """No link was offered, or left, at what the first page alone made of it."""
    frontier, queue = offered(together=True)
    before = [frontier.urls.priority(number) for number in range(len(frontier))]
    queue.rescore(frontier, 0, len(frontier))
    assert [frontier.urls.priority(number) for number in range(len(frontier))] == pytest.approx(before, abs=0.03)


def test_links_of_some_pages_are_joined() -> None:
    """The second page links to one URL of the first, and the third to nothing new."""
    joined = JoinedLinks([["a", "b"], ["c", "b", "d"], ["d", "a"]])
    assert joined.urls == ["a", "b", "c", "d"]
    assert [places.tolist() for places in joined.places] == [[0, 1], [2, 1, 3], [3, 0]]
    assert joined.counts(np.array([True, False, True, True])) == [1, 2, 0]
