"""The crawlers of 004: running means and anchors, worked out on paper, and what meaning finds that words miss."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honeyguide.relevance.semantic.similarity import with_stems
from honeyguide.relevance.semantic.ssvsm import Ssvsm
from honeyguide.relevance.text import Text
from honeyguide.relevance.vsm import Vsm
from honeyguide.strategy.registry import recipes

from .littleweb import LittleWeb, fetched_of_demo, page

# home .60 → a (anchor .20), b (no anchor), c (.80);  c .20 → b (.40), d (.10);  a 0 → d (0), b (.30);  b .90 → e (none)
WEB = LittleWeb(
    {
        "": page(60, a="s20", b="", c="s80"),
        "a": page(0, d="s00", b="s30"),
        "b": page(90, e="", c="s99"),
        "c": page(20, b="s40", d="s10"),
        "d": page(0),
        "e": page(0),
    }
)


def test_worked_out_on_paper() -> None:
    # With λ = .5, of home: a .30 + .10 = .40, b .30, c .30 + .40 = .70: c is next.
    # c brings d: .10 + .05 = .15; and says of b: mean (.60 + .20) / 2 = .40, best anchor .40: .20 + .20 = .40. a has
    # as much and was met first. a says of d: mean .10, anchor .10: .05 + .05 = .10; of b: mean (.60 + .20 + 0) / 3,
    # anchor .40: .1333 + .20 = .3333, which is next. b brings e: .45. Then d.
    found = WEB.promised("vsm", "")
    assert list(found) == ["", "c", "a", "b", "e", "d"]
    assert list(found.values()) == pytest.approx([1.0, 0.7, 0.4, 1 / 3, 0.45, 0.1])


def test_pages_alone_and_anchors_alone() -> None:
    # Pages alone: a, b, c have .60, and come as they were met. a's 0 gives d 0 and takes b down to .30, so c is next,
    # which gives d a mean of .10 and b one of (.60 + 0 + .20) / 3; b gives e .90.
    found = WEB.promised("ssrm(lambda=1)", "")
    assert list(found) == ["", "a", "c", "b", "e", "d"]
    assert list(found.values()) == pytest.approx([1.0, 0.6, 0.6, 0.8 / 3, 0.9, 0.1])
    # Anchors alone: c .80, then b, which c calls .40, then a .20, d .10, e 0.
    found = WEB.promised("ssvsm(lambda=0)", "")
    assert list(found.items()) == [("", 1.0), ("c", 0.8), ("b", 0.4), ("a", 0.2), ("d", 0.1), ("e", 0.0)]


def test_seeds_keep_their_place() -> None:
    web = LittleWeb({"a": page(10, b="s20", c=""), "b": page(0), "c": page(0)})
    assert web.promised("vsm", "a", "b") == {"a": 1.0, "b": 1.0, "c": 0.05}


def test_pages_that_link_to_a_redirect_link_to_its_target() -> None:
    # home .80: old .40 + .35 = .75, x .40 + .30 = .70, new .40. old leads to new, which then has mean (.80 + .80) / 2
    # and anchor .70: .75, and is next. far .40 (met by home) is led to by x, known too: (.80 + .80) / 2, anchor .60.
    web = LittleWeb(
        {
            "": page(80, old="s70", x="s60", new="", far="", other="s10"),
            "old": "-> new",
            "x": "-> far",
            "new": page(0, other=""),
            "far": page(0),
            "other": page(0),
        }
    )
    found = web.promised("vsm", "")
    assert list(found) == ["", "new", "far", "other"]
    assert list(found.values()) == pytest.approx([1.0, 0.75, 0.7, 0.5 * 0.4 + 0.05])


def test_a_target_nobody_knew_goes_on_with_what_led_to_it() -> None:
    # home gives x and z .40 + .30 each. x leads to y, which waits with .70 behind z, met earlier. z links to y:
    # mean (.80 + .10) / 2 = .45, anchor still .60: .225 + .30.
    web = LittleWeb({"": page(80, x="s60", z="s60"), "z": page(10, y=""), "x": "-> y", "y": page(0)})
    found = web.promised("vsm", "")
    assert list(found) == ["", "z", "y"]
    assert list(found.values()) == pytest.approx([1.0, 0.7, 0.525])


@dataclass
class Synonyms:
    """Words for the same thing are the same; all others have nothing to do with each other."""

    same: tuple[str, ...] = ("car", "auto", "automobile")

    def between(self, rows: Any, columns: Any) -> Any:
        """Of each pair."""
        one, other = (np.array([word in self.same for word in terms.words]) for terms in (rows, columns))
        return with_stems(np.outer(one, other).astype(np.float32), rows, columns)


def test_meaning_finds_a_page_of_synonyms_that_words_miss() -> None:
    dull = [f"dull{place}" for place in range(4)]
    web = LittleWeb(
        {
            "": f"<p>welcome</p>{''.join(f'<a href=/{name}>law</a> ' for name in dull)}<a href=/autos>auto</a>",
            **{name: f"<p>law {name} <a href=/below-{name}>stone</a></p>" for name in dull},
            **{f"below-{name}": f"<p>stone {name}</p>" for name in dull},
            "autos": "<p>auto automobile <a href=/more>automobile</a></p>",
            "more": "<p>automobile auto auto</p>",
        }
    )
    topic = Text(["car"])
    words = web.crawl("vsm", "", model=Vsm.of(topic, "english", 0.15))
    meaning = web.crawl("ssvsm", "", model=Ssvsm.of(topic, "english", 0.295, Synonyms()))
    found = [step.url.rpartition("/")[2] for step in meaning.steps]
    assert found[:3] == ["", "autos", "more"]
    assert [step.relevant for step in meaning.steps] == [False, True, True, *[False] * 8]
    # To words all is alike: the page comes after the other links, what it leads to last, and neither is recognised.
    assert [step.url.rpartition("/")[2] for step in words.steps][5] == "autos"
    assert words.steps[-1].url.endswith("/more")
    assert not words.tally.relevant


@pytest.mark.parametrize("strategy", ["vsm", "ssvsm(lambda=0.8)"])
def test_a_crawl_in_pieces_is_the_same(tmp_path: Path, strategy: str) -> None:
    whole = fetched_of_demo(tmp_path / "whole", strategy, 50)
    assert len(whole) == 50
    assert fetched_of_demo(tmp_path / "pieces", strategy, 1, 6, 19, 20, 50) == whole


def test_links_deeper_than_allowed_are_not_added_and_known_ones_take_notice() -> None:
    # From home (.60): a .30 + .20, b .30. a, at depth 1, brings nothing new, but takes b down: (.60 + .20) / 2 · .5.
    web = LittleWeb({"": page(60, a="s40", b=""), "a": page(20, b="", c="s90"), "b": page(0), "c": page(0)})
    found = web.promised("vsm", "", scope={"max_depth": 1})
    assert list(found.items()) == [("", 1.0), ("a", pytest.approx(0.5)), ("b", pytest.approx(0.2))]


def test_the_recipes_name_their_models() -> None:
    for name in ("vsm", "ssrm", "ssvsm"):
        assert recipes()[name].model == name
