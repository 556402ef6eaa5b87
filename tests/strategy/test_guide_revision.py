"""guide, when pages are judged again: what it has learnt from them is as if they had been judged so at once."""

from __future__ import annotations

import numpy as np
import pytest

from honeyguide.crawl.replaying import take_number, unlimited_frontier
from honeyguide.frontier import Frontier, State
from honeyguide.strategy.guide.evidence import evidence_table
from honeyguide.strategy.guide.texts import TEXT_FEATURES
from honeyguide.strategy.link_table import LinkTable
from honeyguide.strategy.queues.base import PageElsewhere, RevisingQueue
from honeyguide.strategy.queues.checked import CheckedQueue
from honeyguide.strategy.reading import Reading

from .readings import reading

SEED = "http://seed.example/"
GUIDE = "guide(clarity=0)"  # what is clear in a crawl is learnt from every page once
HOSTS = ("x", "y")
COUNT = 8


def links(*urls: str, score: float = 0.5) -> LinkTable:
    return evidence_table(list(urls), np.full((len(urls), len(TEXT_FEATURES)), score, np.float32))


def first(host: str, number: int) -> str:
    return f"http://{host}.example/{number}"


def behind(host: str, number: int) -> str:
    return f"http://{host}.example/{number}/next"


def crawled(judged: dict[str, float]) -> tuple[Frontier, CheckedQueue, dict[str, int]]:
    """A crawl that has fetched pages of two hosts, whose links wait; by host, how relevant its pages are."""
    queue = CheckedQueue(GUIDE)
    frontier = unlimited_frontier(queue.merge)
    seed = frontier.offer(SEED, 1.0)
    queue.begin(frontier, [seed])
    firsts = [first(host, number) for number in range(COUNT) for host in HOSTS]
    visit(frontier, queue, seed, 0.1, links(*firsts))
    numbers = {}
    for number in range(COUNT):
        for host in HOSTS:
            url = first(host, number)
            numbers[url] = found = frontier.urls.find(url) or 0
            visit(frontier, queue, found, judged[host], links(behind(host, number)))
    return frontier, queue, numbers


def visit(frontier: Frontier, queue: CheckedQueue, number: int, relevance: float, table: LinkTable) -> None:
    take_number(frontier, number, 0.0)  # its turn, whatever it promises
    frontier.settle(number, State.DONE, 0.0)
    queue.page(frontier, number, reading(relevance, table), 0)


def promises(frontier: Frontier, host: str) -> list[float]:
    return [frontier.urls.priority(frontier.urls.find(behind(host, number)) or 0) for number in range(COUNT)]


def judge_again(frontier: Frontier, queue: CheckedQueue, numbers: dict[str, int], judged: dict[str, float]) -> None:
    for number in range(COUNT):
        for host in HOSTS:
            table = links(behind(host, number))
            queue.revise(frontier, numbers[first(host, number)], reading(judged[host], table))
    queue.rescore(frontier, 0, len(frontier))


def test_links_of_pages_that_are_irrelevant_after_all_come_last() -> None:
    frontier, queue, numbers = crawled({"x": 0.9, "y": 0.9})
    assert np.mean(promises(frontier, "x")) == pytest.approx(np.mean(promises(frontier, "y")), abs=0.1)
    judge_again(frontier, queue, numbers, {"x": 0.05, "y": 0.95})
    assert max(promises(frontier, "x")) < min(promises(frontier, "y"))


def test_judged_again_as_before_changes_next_to_nothing() -> None:
    frontier, queue, numbers = crawled({"x": 0.1, "y": 0.9})
    queue.rescore(frontier, 0, len(frontier))
    before = promises(frontier, "x") + promises(frontier, "y")
    judge_again(frontier, queue, numbers, {"x": 0.1, "y": 0.9})
    assert promises(frontier, "x") + promises(frontier, "y") == pytest.approx(before, abs=0.021)


def test_there_and_back_is_as_before() -> None:
    frontier, queue, numbers = crawled({"x": 0.1, "y": 0.9})
    queue.rescore(frontier, 0, len(frontier))
    before = promises(frontier, "x") + promises(frontier, "y")
    judge_again(frontier, queue, numbers, {"x": 0.9, "y": 0.1})
    judge_again(frontier, queue, numbers, {"x": 0.1, "y": 0.9})
    assert promises(frontier, "x") + promises(frontier, "y") == pytest.approx(before, abs=0.05)


def test_links_whose_texts_say_more_with_another_model_come_first() -> None:
    """As when keywords are added: the scores of links change, and those of the pages do not."""
    frontier, queue, numbers = crawled({"x": 0.5, "y": 0.5})
    queue.rescore(frontier, 0, len(frontier))
    before = promises(frontier, "x"), promises(frontier, "y")
    for again in (False, True):
        for number in range(COUNT):
            for host, score in (("x", 0.1), ("y", 0.9)):
                table = links(behind(host, number), score=score)
                queue.revise(frontier, numbers[first(host, number)], reading(0.5, table), links=again)
        queue.rescore(frontier, 0, len(frontier))
        now = promises(frontier, "x"), promises(frontier, "y")
        assert (now == before) is not again
    assert max(now[0]) < min(now[1])


@pytest.mark.parametrize("texts", [False, True])
def test_links_to_another_machine_are_corrected_there(texts: bool) -> None:
    """`texts`: the scores of links change; else those of pages."""
    here, queue, numbers = crawled({"x": 0.9, "y": 0.9})
    other = CheckedQueue(GUIDE)
    there = unlimited_frontier(other.merge)

    def page(host: str, relevance: float, score: float) -> Reading:
        return reading(relevance, links(*(f"http://far.example/{host}/{number}" for number in range(2)), score=score))

    def promise(host: str) -> float:
        return there.urls.priority(there.urls.find(f"http://far.example/{host}/1") or 0)

    for host in HOSTS:
        number = numbers[first(host, 0)]
        linking = PageElsewhere(there.note_elsewhere(first(host, 0), 1), page(host, 0.9, 0.5), queue.note(number))
        other.links(there, [linking], 0)
    other.share(queue.learnt())
    other.rescore(there, 0, len(there))
    assert promise("x") == pytest.approx(promise("y"), abs=0.05)
    for host, relevance in (("x", 0.05), ("y", 0.95)):
        again = page(host, 0.9, relevance) if texts else page(host, relevance, 0.5)
        before = queue.note(numbers[first(host, 0)])
        queue.revise(here, numbers[first(host, 0)], again, links=texts)
        other.revise_links(there, again, before, queue.note(numbers[first(host, 0)]), links=texts)
    other.rescore(there, 0, len(there))
    assert promise("x") < promise("y") - 0.05


def test_what_was_never_fetched_is_ignored() -> None:
    frontier, queue, _ = crawled({"x": 0.1, "y": 0.9})
    waiting = frontier.urls.find(behind("x", 0)) or 0
    queue.revise(frontier, waiting, reading(0.9, links("http://new.example/")))
    assert frontier.urls.find("http://new.example/") is None


def test_a_strategy_that_cannot_revise_goes_on() -> None:
    queue = CheckedQueue("best-first")
    frontier = Frontier(merge=queue.merge)
    number = frontier.offer(SEED, 1.0)
    queue.revise(frontier, number, reading(0.9))
    queue.rescore(frontier, 0, len(frontier))
    assert frontier.urls.priority(number) == 1.0
    assert isinstance(CheckedQueue("guide")._queue, RevisingQueue)
