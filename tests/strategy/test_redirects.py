"""What strategies that remember things make of redirects, failures and pages that are met twice."""

from __future__ import annotations

import pytest

from honeyguide.strategy.queues.column import FloatColumn

from .littleweb import LittleWeb, page

REMEMBERING = (
    "guide",
    "link-classifier(refit=1)",
    "host-bandit(refit=1)",
    "link-bandit(refit=1)",
    "tres",
    "opic(n=1)",
    "otie(n=1)",
    "vsm",
    "shark-search",
)


@pytest.mark.parametrize("strategy", REMEMBERING)
def test_every_page_behind_redirects_is_taken_once(strategy: str) -> None:
    web = LittleWeb(
        {
            "": page(60, **{"x.1": "s50", "gone": "s50", "x.2": "s50"}),
            "x.1": "-> y.1",
            "x.2": "-> x.3",
            "x.3": "-> y.1",
            "gone": "404",
            "y.1": page(90, **{"y.2": "s70", "x.1": "s70", "": "s70"}),
            "y.2": page(90, **{"y.1": "s70", "z.1": "s70"}),
            "z.1": page(90, **{"z.1": "s70"}),
        }
    )
    assert web.order(strategy, "").split(" ") == ["", "y.1", "y.2", "z.1"]


def test_of_two_links_that_lead_to_one_page_the_better_counts_for_cash() -> None:
    # p links to c twice: by its own name for .2, and by one that is known to lead there for .6; and to d for .6.
    web = LittleWeb(
        {
            "": page(50, x="s50", p="s50"),
            "x": "-> c",
            "p": page(50, x="s60", c="s20", d="s60"),
            "c": page(50),
            "d": page(50),
        }
    )
    promised = web.promised("otie(n=1, beta=0, window=0)", "")
    assert promised["d"] == pytest.approx(0.25)  # half of what p has; what c has is not spent twice


def test_pieces_of_a_column_are_kept_apart() -> None:
    # Whatever the order in which they come back, an old piece undoes nothing of a new one.
    column = FloatColumn("c")
    for number in range(3000):
        column[number] = float(number)
    kept = dict(column.dirty_state())
    assert {name: len(piece) for name, piece in kept.items()} == {"c/0": 8192, "c/1": 8192, "c/2": 8 * 952}
    column[1500] = -1.0
    ((name, piece),) = column.dirty_state()
    again = FloatColumn("c")
    again.restore({name: piece, "c/2": kept["c/2"], "c/0": kept["c/0"]})
    assert [again[number] for number in (0, 1023, 1024, 1500, 2999, 3000)] == [0, 1023, 1024, -1, 2999, 0]
    assert not list(again.dirty_state())
