"""The online link classifier: its model by hand, the words it learns from, what it exists for, and that it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.crawl.readers import reader_config
from honeyguide.errors import InputError
from honeyguide.frontier import Frontier, State
from honeyguide.relevance.base import AcceptAll
from honeyguide.strategy.link_words import MOST, WORDS
from honeyguide.strategy.queues.link_classifier import LinkClassifierQueue
from honeyguide.strategy.queues.logistic import Logistic
from honeyguide.strategy.queues.outcomes import OutcomeLog
from honeyguide.strategy.queues.rows import RowStore
from honeyguide.strategy.reading import Document, Reader, Reading
from honeyguide.strategy.registry import strategy_named
from honeyguide.topic import Topic

from .littleweb import HOME, LittleWeb, fetched_of_demo, page

# ---- the model ----


def rows(*words: list[int]) -> Any:
    return np.array([[*row, *[0] * (4 - len(row))] for row in words], np.uint16)


def test_with_no_outcomes_the_chance_is_the_guess() -> None:
    found = Logistic(100, 1.0).chances(rows([], [7], [7, 8]), np.array([0.3, 0.5, 1.0]))
    assert found.tolist() == pytest.approx([0.3, 0.5, 0.98])  # nothing is ever taken to be certain


def test_chances_by_hand() -> None:
    # One outcome, 1, of word 5, guessed at .5, so that its log odds are 0. With r = 1 - chance, the slopes are 0 where
    # b = r and w = r (stiffness 1): the margin is 2r, and r = 1 / (1 + e^2r) = .3374. So the chance of word 5 is
    # sigmoid(.6748) = .663, of no word sigmoid(.3374) = .584, of 5 and another sigmoid(.3374 + .3374 / √2) = .640.
    model = Logistic(100, 1.0)
    model.fit(rows([5]), np.array([0.5]), np.array([1.0]))
    found = model.chances(rows([5], [], [6], [5, 6]), np.full(4, 0.5))
    assert found.tolist() == pytest.approx([0.663, 0.584, 0.584, 0.640], abs=0.003)
    # An outcome of 0 is the same the other way round; what was learnt before is forgotten.
    model.fit(rows([6]), np.array([0.5]), np.array([0.0]))
    assert model.chances(rows([6], [5]), np.full(2, 0.5)).tolist() == pytest.approx([0.337, 0.416], abs=0.003)


outcomes = st.lists(
    st.tuples(st.lists(st.integers(1, 9), max_size=4, unique=True), st.floats(0, 1), st.booleans()),
    min_size=1,
    max_size=20,
)


@settings(deadline=None, max_examples=25)
@given(outcomes, st.randoms())
def test_neither_the_order_of_words_nor_of_outcomes_counts(outcomes: Any, random: Any) -> None:
    mixed = [(random.sample(words, len(words)), guess, outcome) for words, guess, outcome in outcomes]
    random.shuffle(mixed)
    found = []
    for seen in (outcomes, mixed):
        model = Logistic(10, 1.0)
        model.fit(
            rows(*(one[0] for one in seen)), np.array([one[1] for one in seen]), np.array([one[2] for one in seen])
        )
        found.append(model.chances(rows(*([word] for word in range(10))), np.full(10, 0.5)))
    assert ((found[0] > 0) & (found[0] < 1)).all()
    assert found[0].tolist() == pytest.approx(found[1].tolist(), abs=0.02)


def test_a_stiff_mind_stays_with_its_guesses() -> None:
    loose, stiff = Logistic(10, 0.1), Logistic(10, 1e6)
    for model in (loose, stiff):
        model.fit(rows([1], [2]), np.array([0.2, 0.2]), np.array([1.0, 0.0]))
    assert stiff.chances(rows([1]), np.array([0.2])).tolist() == pytest.approx([0.2], abs=1e-3)
    assert loose.chances(rows([1]), np.array([0.2]))[0] > 0.4


def test_rows_are_kept_in_pieces() -> None:
    kind = np.dtype([("a", np.float32), ("b", np.uint16, 2)])
    table = RowStore("t", kind)
    table[np.array([3, 300])] = np.array([(1.5, (1, 2)), (2.5, (3, 4))], kind)
    kept = dict(table.dirty_state())
    assert len(kept) == 2
    assert not dict(table.dirty_state())
    other = RowStore("t", kind)
    other.restore({**kept, "u/0": b""})
    found = other[np.array([3, 300, 9])]
    assert found["a"].tolist() == [1.5, 2.5, 0.0]
    assert found["b"].tolist() == [[1, 2], [3, 4], [0, 0]]


def test_outcomes_are_kept_in_order_and_say_when_to_fit_again() -> None:
    log = OutcomeLog("o")
    for number in range(60):
        log.add(3 * number, number % 4 == 0)
    numbers, is_relevant = log.latest(3, until=58)
    assert (numbers.tolist(), is_relevant.tolist()) == ([165, 168, 171], [False, True, False])
    again = OutcomeLog("o")
    again.restore(dict(log.dirty_state()))
    assert (len(again), again.latest(1)[0].tolist()) == (60, [177])
    # Of 50 a fifth is 10, and 60 - 50 = 10; of 51 it is 10 as well, but there are 9 more only.
    assert [log.is_refit_due(fitted, 5) for fitted in (50, 51)] == [True, False]
    assert [log.is_refit_due(fitted, 30) for fitted in (30, 31)] == [True, False]


# ---- the words of links ----


def read(html: str, asked: str = "link-classifier") -> Reading:
    topic = Topic.make(name="t", seeds=[HOME], keywords="x", strategy={"name": asked})
    return Reader(reader_config(topic, AcceptAll())).read(Document(HOME, html.encode(), "text/html; charset=utf-8"))


def words_of(html: str, asked: str = "link-classifier") -> list[set[int]]:
    """Of each link the numbers of its words."""
    return [set(row.tolist()) - {0} for row in read(html, asked).links[WORDS]]


def test_stems_count_and_each_field_has_its_own_numbers() -> None:
    # The addresses are "a example" and a name; "a" and "the" are stop words.
    far = f"<p>{'word ' * 30}</p>"
    one, other, around, address = words_of(
        f"<p><a href=/quince>Recipes</a></p>{far}<p><a href=/rowan>the recipe</a></p>{far}"
        f"<p>a recipe <a href=/sorbus></a></p>{far}<p><a href=/recipe></a></p>",
        "link-classifier(window=4)",
    )
    shared = one & other
    assert len(shared) == 3  # recip, the host's name, "word" near it
    assert len(one) == len(other) == 4  # and the last of its address
    assert len(shared - around - address) == 1
    assert len(around & address) == 2  # in other fields it is another word: only the host's name and "word" are shared


def test_all_links_to_a_url_and_images_speak() -> None:
    apart = "<p>the of and</p>" * 10
    (once,) = words_of('<a href="/q">honey cake</a>')
    (twice,) = words_of(f'<a href="/q">honey</a>{apart}<a href="/q">cake</a>')
    (shown,) = words_of('<a href="/q"><img src="i.png" alt="honey cake"></a>')
    assert once == twice == shown


def test_words_are_spread_over_all_numbers() -> None:
    links = "".join(f'<a href="/{number:x}">w{number:x}q</a>' for number in range(0x10000, 0x10000 + 400))
    numbers = set().union(*words_of(links, "link-classifier(window=0)"))
    shares = np.bincount(np.array(list(numbers)) >> 14, minlength=4) / len(numbers)  # by quarters of what 16 bits hold
    assert shares.tolist() == pytest.approx([0.25] * 4, abs=0.1)


def test_a_link_has_so_many_words_and_no_more() -> None:
    many = " ".join(f"w{chr(97 + place % 26)}{chr(97 + place // 26)}" for place in range(200))
    (found,) = words_of(f'<p>{many} <a href="/one/two/three/four/five/six/seven/eight/nine">{many}</a> {many}</p>')
    assert len(found) == MOST
    assert words_of("<p>nothing") == []


@settings(deadline=None)
@given(st.text(alphabet="<>a/= href'\"bimgalt &;\n0", max_size=200))
def test_any_page_has_a_row_of_words_for_each_link(text: str) -> None:
    reading = read(f"<p>{text}<a href=/x>y</a>{text}")
    assert reading.links[WORDS].shape == (len(reading.links), MOST)


# ---- orders ----

PROMISING = (
    "link-classifier(beta=1, window=0, refit=1)"  # the guess is what the page is worth; anchor and address count
)


def test_worked_out_on_paper() -> None:
    # home is worth .50: so is every guess, and its log odds are 0. Each link has three words: its colour, the host's
    # name and its own. oak is first, and is not relevant: as above, b = -.3374, and each of its words weighs
    # -.3374 / √3. elm shares two of them: sigmoid(-.3374 - .3374 · 2/3) = .363; ash and fir one:
    # sigmoid(-.3374 - .3374 / 3) = .389. So ash is next, and is relevant. By symmetry the host's name and b now weigh
    # nothing; colours and own names weigh r / √3, ash's up and oak's down, with r = 1 / (1 + e^(2r/3)) = .4291. So fir
    # has sigmoid(.4291 / 3) = .536 and is next, elm sigmoid(-.4291 / 3) = .464.
    web = LittleWeb(
        {
            "": page(50, oak="red", elm="red", ash="blue", fir="blue"),
            **{name: page(0 if name in ("oak", "elm") else 90) for name in ("oak", "elm", "ash", "fir")},
        }
    )
    found = web.promised(PROMISING, "")
    assert list(found) == ["", "oak", "ash", "fir", "elm"]
    assert list(found.values())[:4] == pytest.approx([1.0, 0.5, 0.389, 0.536], abs=0.005)


def test_before_anything_is_learnt_links_are_as_page_and_window_say() -> None:
    web = LittleWeb({"": page(20, a="s30", b="s90", c="s60"), **{name: page(0) for name in "abc"}})
    found = web.promised("link-classifier(beta=0.5, window=0, refit=100)", "")
    assert found == pytest.approx({"": 1.0, "b": 0.55, "c": 0.4, "a": 0.25})


def test_of_several_links_the_most_promising_counts_and_seeds_stay_first() -> None:
    web = LittleWeb(
        {
            "": page(20, a="s30", b="s50", other="s10"),
            "b": page(90, a="s80"),
            "a": page(0, b="s99"),
            "other": page(0),
        }
    )
    found = web.promised("link-classifier(beta=0, window=0, refit=100)", "", "other")
    assert found == pytest.approx({"": 1.0, "other": 1.0, "b": 0.5, "a": 0.8})


def test_a_redirect_leads_its_words_on() -> None:
    # What the red link leads to by a redirect is not relevant: that counts against its other red link, met first.
    web = LittleWeb(
        {
            "": page(50, oak="red"),
            "oak": "-> far.oak",
            "far.oak": page(0, elm="red", ash="blue"),
            "elm": page(0),
            "ash": page(0),
        }
    )
    assert web.order(PROMISING, "") == " far.oak ash elm"


def test_it_learns_a_word_that_neither_page_nor_topic_has() -> None:
    # Links that say "recipe" lead to relevant pages, those that say "news" do not; all else is the same or random.
    names = [f"p{chr(97 + place // 26)}{chr(97 + place % 26)}" for place in range(120)]
    links = {name: f"{'recipe' if place % 3 == 0 else 'news'} of {name[::-1]}" for place, name in enumerate(names)}
    web = LittleWeb(
        {"": page(20, **links), **{name: page(90 if "recipe" in text else 5) for name, text in links.items()}}
    )
    found = {}
    for strategy in ("link-classifier", "best-first", "link-context-prediction"):
        steps = web.crawl(strategy, "", budget={"pages": 51}).steps
        found[strategy] = sum(step.relevant for step in steps)
    assert found["best-first"] == found["link-context-prediction"] == 17  # each third
    assert found["link-classifier"] >= 35  # of 40


def test_links_that_lie_too_deep_and_pages_without_any_break_nothing() -> None:
    web = LittleWeb({"": page(50, "a", "b"), "a": page(50, "c"), "b": "", "c": page(50)})
    assert len(web.crawl("link-classifier(refit=1)", "", scope={"max_depth": 1}).steps) == 3
    assert len(web.crawl("link-classifier(refit=1)", "").steps) == 4


# ---- cost, and going on ----


class Counting(Frontier):
    changes = 0

    def change(self, number: int, priority: float) -> None:
        self.changes += 1
        super().change(number, priority)


def test_waiting_links_are_looked_at_again_in_bounded_numbers() -> None:
    frontier, queue = Counting(), LinkClassifierQueue(1.0, 1)
    queue.begin(frontier, [frontier.offer(HOME, 1.0)])
    queue.page(frontier, 0, read("".join(f'<a href="/{one}">w{one % 7}</a>' for one in range(1000))), 0)
    assert len(frontier) == 1001
    reading, changes = read(""), []
    assert frontier.take(0.0) == [0]
    frontier.settle(0, State.DONE, 0.0)
    for step in range(1, 21):
        (number,) = frontier.take(10.0 * step)
        frontier.settle(number, State.DONE, 10.0 * step)
        reading.relevant = number % 7 == 1
        before = frontier.changes
        queue.page(frontier, number, reading, 0)
        changes.append(frontier.changes - before)
    assert max(changes) <= 64
    assert sum(changes) > 500


def test_a_crawl_in_pieces_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.strategy.queues.link_classifier._RESCORED", 5)  # so that the rotation matters
    strategy = "link-classifier(refit=7, window=6, beta=0.5)"
    whole = fetched_of_demo(tmp_path / "whole", strategy, 90)
    assert fetched_of_demo(tmp_path / "pieces", strategy, 1, 7, 24, 50, 51, 90) == whole
    assert len(whole) == 90
    assert len({priority for _, priority in whole}) > 50


@pytest.mark.parametrize("asked", ["refit=0", "refit=1.5", "stiffness=0", "beta=2", "window=-1", "alpha=1"])
def test_wrong_parameters_are_refused(asked: str) -> None:
    with pytest.raises(InputError):
        strategy_named(f"link-classifier({asked})")
