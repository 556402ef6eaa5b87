"""Keywords that learn from the crawl's own pages which other words belong to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.model_schedule import ModelSchedule
from honeyguide.relevance.base import Relevance, in_language, whole
from honeyguide.relevance.classifiers.expansion import BOUNDARY, Expanded, halfway
from honeyguide.relevance.feedback import Feedback
from honeyguide.relevance.learning import Learner
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import model_named
from honeyguide.relevance.settings import RelevanceSettings
from honeyguide.relevance.text import Text
from honeyguide.relevance.vsm import Vsm
from honeyguide.strategy.reading import ReaderConfig
from honeyguide.testing.texts import BEES, SHARED, TRAINS


def pages(count: int, words: list[str], *more: str, seed: int = 0) -> list[Text]:
    """Pages of 60 of the words and some that all pages have, and a few more."""
    random = np.random.default_rng(seed)
    return [Text([*random.choice([*words, *SHARED[:20]], 60).tolist(), *more]) for _ in range(count)]


KEYWORD = "apiary"
ABOUT, OTHER = pages(10, BEES, KEYWORD, seed=1), pages(30, TRAINS, seed=2)
SEEN = [*ABOUT[:3], *OTHER[:10], *ABOUT[3:], *OTHER[10:]]


def feedback(keyword: str = KEYWORD, threshold: float = 0.0) -> Feedback:
    material = Material([keyword], relevance=RelevanceSettings(threshold=threshold))
    model = make_model(material, model_named("feedback"))
    assert isinstance(model, Feedback)
    return model


def learnt(model: Feedback, seen: list[Text]) -> Relevance:
    return model.learned(Material().tokens(seen))


def score(model: Relevance, text: Text) -> float:
    return float(model.score(text, whole(text))[0])


def test_pages_without_a_keyword_are_known_by_the_words_of_those_that_have_one() -> None:
    first = feedback()
    after = learnt(first, SEEN)
    unseen, others = pages(20, BEES, seed=3), pages(20, TRAINS, seed=4)
    assert {score(first, text) for text in (*unseen, *others)} == {0.0}
    assert min(score(after, text) for text in unseen) > max(score(after, text) for text in others)
    assert all(score(after, text) >= after.threshold for text in ABOUT)
    assert all(score(after, text) < after.threshold for text in (*OTHER, *others))


def test_the_threshold_of_the_topic_is_kept_and_means_more_or_less_than_halfway() -> None:
    usual, strict = learnt(feedback(), SEEN), learnt(feedback(threshold=0.6), SEEN)
    assert (usual.threshold, strict.threshold) == (BOUNDARY, 0.6)
    text = pages(1, BEES, seed=5)[0]
    assert score(usual, text) == score(strict, text)  # what counts as relevant differs, not what it looks like


def test_spans_are_scored_by_their_own_words() -> None:
    after = learnt(feedback(), SEEN)
    text = Text([BEES[0], BEES[1], TRAINS[0], TRAINS[1], KEYWORD])
    spans = np.array([[0, 2], [2, 4], [4, 5], [0, 5], [3, 3]], np.int32)
    alone = [score(after, Text(text.words[first:last])) for first, last in spans.tolist()]
    found = after.score(text, spans).tolist()
    assert found == pytest.approx(alone)
    assert found[1] == found[4] == 0.0 < found[0] < found[2]


@pytest.mark.parametrize("seen", [[], [Text([])] * 8, [Text(["wax"])], pages(1, TRAINS) * 8])
def test_pages_that_have_nothing_to_add_change_nothing(seen: list[Text]) -> None:
    model = feedback()
    assert learnt(model, seen) is model.interim


def test_keywords_that_find_relevant_pages_by_themselves_stay_as_they_are() -> None:
    model = feedback()
    frequent = pages(4, BEES, *[KEYWORD] * 6, seed=10)
    assert learnt(model, [*frequent, *OTHER]) is model.interim
    assert learnt(model, [*frequent[:3], *OTHER]) is not model.interim


def test_seeds_without_a_keyword_count_too() -> None:
    """The first pages are chosen by a person: they are trusted as much as the best of the others."""
    named, plain = pages(2, BEES, KEYWORD, seed=6), pages(5, BEES, seed=7)
    strange = pages(5, ["violin", "cello", "oboe"], seed=8)
    text = Text(["violin", "cello", "oboe"] * 10)
    after, late = learnt(feedback(), [*strange, *OTHER, *named]), learnt(feedback(), [*plain, *OTHER, *named, *strange])
    assert score(after, text) > score(late, text)


def test_texts_in_another_language_are_judged_by_the_keywords_alone() -> None:
    first = feedback("Bienenvolk")
    after = learnt(first, [*pages(4, BEES, "Bienenvolk", seed=9), *OTHER])
    assert isinstance(after, Expanded)
    text = Text.of("Bienenvölker")
    for model in (first, after):
        german = in_language(model, "german")
        assert isinstance(german, Vsm)
        assert score(german, text) > score(model, text) == 0.0
        assert in_language(model, "english") is model


def test_it_learns_at_its_own_milestones() -> None:
    schedule = ModelSchedule(ReaderConfig(feedback(), "best-first"))
    assert isinstance(schedule.config.model, Learner)
    samples = [tokens.tobytes() for tokens in Material().tokens(SEEN)]
    changed = [number for number in range(1, 41) if schedule.add(samples[number - 1])]
    assert changed == [milestone for milestone in Feedback.milestones if milestone <= 40]
    assert isinstance(schedule.config.model, Expanded)
    resumed = ModelSchedule(ReaderConfig(feedback(), "best-first"), Material().tokens(SEEN))
    text = pages(1, BEES, seed=5)[0]
    assert score(resumed.config.model, text) == score(schedule.config.model, text)


def test_examples_are_part_of_its_topic() -> None:
    material = Material([KEYWORD], positive=[Text(BEES)])
    model = make_model(replace(material), model_named("feedback"))
    assert score(model, Text(BEES)) > 0.5


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_halfway_is_among_the_scores(scores: list[float]) -> None:
    assert min(scores) <= halfway(np.array(scores)) <= max(scores)


def test_halfway_is_between_two_groups() -> None:
    assert 0.2 < halfway(np.array([0.1, 0.7, 0.15, 0.2, 0.8, 0.05])) < 0.7
