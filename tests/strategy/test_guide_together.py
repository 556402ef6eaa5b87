"""guide, when links of several pages come from another machine at once: as if they came one page after the other."""

from __future__ import annotations

from dataclasses import replace
from struct import pack, unpack

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


# ---- what is learnt together ----


def read(*relevances: float) -> tuple[Frontier, CheckedQueue]:
    """A queue that has learnt from pages with such likenesses to the topic."""
    queue = CheckedQueue("guide")
    frontier = unlimited_frontier(queue.merge)
    queue.begin(frontier, [])
    for place, relevance in enumerate(relevances):
        visit(frontier, queue, f"page{place}", relevance)
    return frontier, queue


def visit(frontier: Frontier, queue: CheckedQueue, name: str, relevance: float) -> float:
    """Visit a page. Returns its outcome."""
    number = frontier.offer(url(name), 1.0)
    links = evidence_table([], np.zeros((0, len(TEXT_FEATURES)), np.float32))
    queue.page(frontier, number, replace(reading(relevance, links), likeness=True, threshold=0.15), 0)
    return float(unpack("<fB", queue.note(number))[0])


def test_a_page_has_the_same_outcome_on_all_machines() -> None:
    """Wherever it is, it is compared with what the pages of the whole crawl reach."""
    (rich, rich_queue), (poor, poor_queue) = read(0.5, 0.4, 0.6), read(0.06, 0.02, 0.03)
    learnt = rich_queue.learnt(), poor_queue.learnt()
    rich_queue.share(learnt[1])
    poor_queue.share(learnt[0])
    outcome = visit(rich, rich_queue, "page", 0.1)
    assert 0 < outcome < 1
    assert visit(poor, poor_queue, "page", 0.1) == pytest.approx(outcome, abs=0.05)  # each page moves its own estimate


def test_sums_of_an_earlier_version_are_restored() -> None:
    """It did not share what the pages of the crawl reach."""
    (_, queue), (_, other) = read(0.5, 0.4, 0.6), read(0.06, 0.02)
    queue.share(other.learnt())
    state = dict(queue.dirty_state())
    size = len(state["others"]) - 4 * 8
    resumed = CheckedQueue("guide")
    resumed.restore(unlimited_frontier(resumed.merge), {**state, "others": state["others"][:size]})
    assert len(resumed.learnt()) == len(queue.learnt())
    assert resumed.learnt()[:-4] == pytest.approx(queue.learnt()[:-4])
