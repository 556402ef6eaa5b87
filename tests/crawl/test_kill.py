"""SIGKILL at random moments costs nothing: the crawl ends as if it had never been disturbed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.reliability.kills import KILLED, Place, differences, kill_and_look, requested_again, served

from honeyguide.demo import DemoWeb

from .kit import rows


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    web = DemoWeb(pages=300, page_kb=6.0, faults=False)
    # Slow enough for the kills to hit it, quick enough for a test.
    with served(tmp_path, web, list(web.seeds(web.subjects[0])), connections=4, delay=0.02) as place:
        yield place


@pytest.mark.parametrize(("times", "most_visits", "workers"), [(6, 80, 0), (4, 80, 1)])
def test_killed_many_times_it_ends_as_if_undisturbed(place: Place, times: int, most_visits: int, workers: int) -> None:
    draw = random.Random(20)
    gaps = [draw.randrange(most_visits) for _ in range(times - 2)]
    # Twice while it opens its folder: the first time there is nothing yet, later there is everything to reload.
    kills = [kill_and_look(place, visits, number, workers) for number, visits in enumerate([0, *gaps, 0])]
    done = [kill for kill in kills if kill is not None]
    assert len(done) == times, "it ended before it could be killed"
    place.crawlers.finish(KILLED, workers)
    again = requested_again(place, done)
    place.crawlers.finish("undisturbed")

    killed, undisturbed = place.crawl(KILLED), place.crawl("undisturbed")
    assert differences(killed, undisturbed) == []
    assert again == []
    assert len(rows(killed, "SELECT 1 FROM pages")) == 300
    assert done[-1].settled, "no kill came late enough to have something to lose"
    # Several files, so that kills came before, at and after the change from one to the next.
    assert len(list(killed.glob("pages-*.warc.gz"))) > 2
    assert len(rows(killed, "SELECT 1 FROM events WHERE kind = 'start'")) > times // 2
