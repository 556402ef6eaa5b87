"""Questions about a crawl on disk, whether it runs or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final

from honeyguide.frontier import State
from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl
from honeyguide.teaching.questions import OURS, Candidate, chooser_named

_BEST: Final = 100  # most promising waiting URLs: the pages where they were found are worth a question
_NEAR: Final = 2000  # pages nearest to the threshold that are considered


def questions(crawl: Crawl, asked: Collection[str], way: str = OURS) -> Iterator[Candidate]:
    """Yield pages to ask about, the most informative ones first, until all have been asked about.

    Args:
        crawl: The crawl, opened for reading.
        asked: URLs of pages to skip.
        way: The name of the method of choosing them.
    """
    chooser, hosts = chooser_named(way), Counter(map(host_of, asked))
    left = _candidates(crawl, asked)
    while left:
        chosen = chooser.choose(left, hosts)
        left.remove(chosen)
        hosts[chosen.host] += 1
        yield chosen


def _candidates(crawl: Crawl, asked: Collection[str]) -> list[Candidate]:
    threshold, behind = crawl.model.threshold, _behind(crawl)
    sql = (
        "SELECT pages.id, seq, url, relevance FROM pages JOIN urls USING (id) WHERE duplicate_of IS NULL "
        "ORDER BY abs(relevance - ?) LIMIT ?"
    )
    found = {row[0]: row for row in crawl.query(sql, threshold, _NEAR + len(asked))}
    one = "SELECT pages.id, seq, url, relevance FROM pages JOIN urls USING (id) WHERE pages.id = ?"
    for number in behind.keys() - found.keys():
        found.update({row[0]: row for row in crawl.query(one, number)})
    return [
        Candidate(seq, url, host_of(url), relevance, threshold, behind[number])
        for number, seq, url, relevance in sorted(found.values())
        if url not in asked
    ]


def _behind(crawl: Crawl) -> Counter[int]:
    """How many of the most promising waiting URLs were found on each page."""
    sql = "SELECT parent FROM urls WHERE state = ? AND parent >= 0 ORDER BY priority DESC LIMIT ?"
    return Counter(parent for (parent,) in crawl.query(sql, int(State.WAITING), _BEST))
