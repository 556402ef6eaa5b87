"""Cross-validation, thresholds, what was learnt, and doubts about examples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from honeyguide.errors import InputError
from honeyguide.relevance.example_checks import check_examples
from honeyguide.relevance.learning import PUBootstrap
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import ENOUGH, choose, make_model
from honeyguide.relevance.text import Text
from honeyguide.relevance.top_terms import top_terms
from honeyguide.relevance.training import train
from honeyguide.relevance.validation import best_threshold, cross_validate, quality
from honeyguide.topic.material import material_of

from .corpus import BEES, SHARED, TRAINS, material, texts, topic


def flags(*values: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array(values, bool)


# ---- thresholds ----


def test_quality_by_hand() -> None:
    # At 0.5 three are chosen, two of them rightly, of three positive ones: P = R = F1 = 2/3. Of the 3 · 2 pairs of a
    # positive and another one the positive is higher in 5: (0.9, 0.8 and 0.3 against 0.6 and 0.1).
    found = quality(np.array([0.9, 0.8, 0.6, 0.3, 0.1]), flags(1, 1, 0, 1, 0), 0.5)
    assert (found.precision, found.recall, found.f1, found.auc) == pytest.approx((2 / 3, 2 / 3, 2 / 3, 5 / 6))


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.5, 0.9]), st.booleans()), min_size=2, max_size=30))
def test_auc_is_that_of_scikit_learn(pairs: list[tuple[float, bool]]) -> None:
    scores, positive = np.array([score for score, _ in pairs]), flags(*(flag for _, flag in pairs))
    expected = roc_auc_score(positive, scores) if 0 < positive.sum() < len(positive) else 0.5
    assert quality(scores, positive, 0.5).auc == pytest.approx(expected)


def test_the_best_threshold_by_hand() -> None:
    scores, positive = np.array([0.9, 0.8, 0.6, 0.3, 0.1]), flags(1, 1, 0, 1, 0)
    # F1 from 0.9, 0.8, 0.6, 0.3, 0.1 on: 2·1/(1+3), 4/5, 4/6, 6/7, 6/8. Best is 0.3; halfway to 0.1.
    assert best_threshold(scores, positive, labelled=True) == pytest.approx(0.2)
    # Recall² by share: (1/9)·3/1, (4/9)·3/1, (4/9)·3/2, 1·3/2, 1·3/3. Best is again 0.3 (1.5 against 1.33).
    assert best_threshold(scores, positive, labelled=False) == pytest.approx(0.2)
    # With another one at 0.3 too (of three): 4/3·4/3 = 1.78 from 0.8 on, against 4/3 from 0.3 on.
    assert best_threshold(np.append(scores, 0.3), np.append(positive, False), labelled=False) == pytest.approx(0.7)


def test_without_others_nine_of_ten_reach_it() -> None:
    scores = np.array([0.1, 0.3, 0.4, 0.5, 0.5, 0.6, 0.7, 0.8, 0.8, 0.9, 0.9])
    assert best_threshold(scores, np.ones(11, bool), labelled=False) == pytest.approx(0.3)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=2, max_size=30))
def test_no_threshold_has_a_better_f1(pairs: list[tuple[float, bool]]) -> None:
    scores, positive = np.array([score for score, _ in pairs]), flags(*(flag for _, flag in pairs))
    if 0 < positive.sum() < len(positive):
        chosen = quality(scores, positive, best_threshold(scores, positive, labelled=True)).f1
        assert chosen == pytest.approx(max(quality(scores, positive, at).f1 for at in scores.tolist()))


# ---- holding back ----


def test_every_example_is_judged_once_by_a_model_that_never_saw_it() -> None:
    positive, others = texts(BEES, 7, 1), texts(TRAINS, 11, 2)

    class Remembers:
        threshold = 0.5

        def __init__(self, seen: set[int]) -> None:
            self.seen = seen

        def score(self, text: Text, spans: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            assert id(text) not in self.seen
            return np.array([0.5])

    verdicts = cross_validate(positive, others, lambda yes, no: Remembers({*map(id, yes), *map(id, no)}), 3)
    assert [id(verdict.text) for verdict in verdicts] == [id(text) for text in (*positive, *others)]
    assert [verdict.positive for verdict in verdicts] == [True] * 7 + [False] * 11
    assert {verdict.fold for verdict in verdicts} == {0, 1, 2}


def test_training_measures_and_chooses() -> None:
    found = train(material())
    assert found.choice.model.name == "fields"
    assert found.against == "negative"
    assert len(found.folds()) == 5
    assert np.mean([fold.f1 for fold in found.folds()]) > 0.9
    at_threshold = dict(found.curve())[found.threshold].f1
    assert at_threshold == max(point.f1 for _, point in found.curve())


def test_an_example_under_the_wrong_label_is_found() -> None:
    own = material()
    stray = texts(TRAINS, 1, 77)[0]
    found = train(replace(own, positive=[*own.positive, stray]))
    assert found.wrong()[0].text is stray


@pytest.mark.parametrize(
    ("given", "name", "reason"),
    [
        ({}, "feedback", "there are words but no examples: the crawl's own pages add others"),
        ({"positive": texts(BEES, 2, 1)}, "vsm", f"too few examples to learn from (2; {ENOUGH} are needed)"),
        ({"positive": texts(BEES, 9, 1)}, "votes", "9 positive examples, to compare with the crawl's first pages"),
        (
            {"positive": texts(BEES, 9, 1), "unlabelled": texts(TRAINS, 9, 1)},
            "votes",
            "9 positive examples, to compare with the unlabelled ones",
        ),
        (
            {"positive": texts(BEES, 9, 1), "negative": texts(TRAINS, 8, 1)},
            "fields",
            "there are 9 positive and 8 negative examples",
        ),
    ],
)
def test_auto_picks_what_suits_and_says_why(given: dict[str, list[Text]], name: str, reason: str) -> None:
    choice = choose(material_of(topic(), **given))
    assert choice.model.name == name
    assert reason in choice.reason


def test_words_are_not_learnt_beside_frequencies() -> None:
    for idf in ("known", "crawl"):
        assert choose(material_of(topic(relevance={"idf": idf}))).model.name == "vsm"


def test_who_asks_for_a_method_gets_its_threshold() -> None:
    own = replace(material(relevance={"model": "wvc"}), negative=())
    assert train(own).threshold == 0.5
    auto = replace(material(), negative=())
    assert auto.relevance.model == "auto"
    assert train(auto).choice.model.name == "votes"
    assert train(auto).threshold != 0.5
    fixed = replace(material(relevance={"threshold": 0.7}), negative=())
    assert train(fixed).threshold == 0.7


@pytest.mark.parametrize(("model", "place"), [("svm", "examples.positive"), ("wvc", "examples.positive")])
def test_missing_examples_are_named(model: str, place: str) -> None:
    with pytest.raises(InputError, match=place):
        train(material_of(topic(relevance={"model": model}), negative=texts(TRAINS, 5, 1)))


# ---- what was learnt ----


@pytest.mark.parametrize("model", ["svm", "wvc", "vote"])
def test_top_terms_are_the_subjects(model: str) -> None:
    own = material(relevance={"model": model, "idf": "known"})
    for_it, against = top_terms(make_model(own), own, most=5)
    assert {word for word, _ in for_it} <= set(BEES)
    assert {word for word, _ in against} <= set(TRAINS)
    assert [weight for _, weight in for_it] == sorted((weight for _, weight in for_it), reverse=True)


def test_a_model_that_gathers_learns_from_pages() -> None:
    own = material_of(topic(), positive=texts(BEES, 12, 1))
    model = train(own).model
    assert isinstance(model, PUBootstrap)
    pages = [text.tokens(own.tokenizer) for text in (*texts(TRAINS, 50, 3), *texts(BEES, 10, 4))]
    after = model.learned(pages)
    assert after.threshold == model.threshold
    new = [*texts(BEES, 20, 5), *texts(TRAINS, 20, 6)]
    said = [after.score(text, np.array([[0, len(text)]], np.int32))[0] >= after.threshold for text in new]
    assert sum(said[:20]) >= 17
    assert sum(said[20:]) <= 2
    assert model.learned(pages).score(new[0], np.array([[0, 30]], np.int32)) == after.score(
        new[0], np.array([[0, 30]], np.int32)
    )


# ---- doubts ----


def doubted(own: Material) -> str:
    every = [*own.positive, *own.negative, *own.unlabelled]
    return "\n".join(check_examples(own, {id(text): f"page{number}" for number, text in enumerate(every)}))


def long(subject: list[str], count: int, seed: int) -> list[Text]:
    """Texts without any doubt about them."""
    return [Text([*text.words, *more.words]) for text, more in zip(
        texts(subject, count, seed), texts(subject, count, seed + 50), strict=True)]  # fmt: skip


def test_good_examples_raise_no_doubt() -> None:
    assert doubted(material_of(topic(), long(BEES, 30, 1), long(TRAINS, 60, 2))) == ""


def test_doubts() -> None:
    few = doubted(material_of(topic(), long(BEES, 3, 1)))
    assert f"3 positive examples are too few to learn from: add more, at least {ENOUGH}" in few
    assert "12 positive examples are few" in doubted(material_of(topic(), long(BEES, 12, 1)))
    assert "fewer negative examples (5) than positive ones (30)" in doubted(
        material_of(topic(), long(BEES, 30, 1), long(TRAINS, 5, 2))
    )
    good = long(BEES, 30, 1)
    assert "page30 is a near-duplicate of page4" in doubted(material_of(topic(), [*good, Text(good[4].words)]))
    assert "page4 is also a negative example (page35)" in doubted(
        material_of(topic(), good, [*long(TRAINS, 5, 2), Text(good[4].words)])
    )
    assert "page30 has only 2 words that count" in doubted(material_of(topic(), [*good, Text.of("the honey bee")]))
    stray = Text([f"other{number % 9}" for number in range(60)])
    assert "page30 is unlike the other examples" in doubted(material_of(topic(), [*good, stray]))


def test_many_doubts_are_not_all_said() -> None:
    good = long(BEES, 30, 1)
    said = doubted(material_of(topic(), [*good, *(Text(text.words) for text in good)]))
    assert said.count("is a near-duplicate") == 5
    assert "and 25 more like the last" in said


def test_shared_words_alone_are_nothing_to_learn() -> None:
    # Both sides say the same: no fold can be better than chance by much, and nothing breaks.
    found = train(material_of(topic(), texts(SHARED[:12], 20, 1), texts(SHARED[:12], 20, 2)))
    assert 0.2 < np.mean([fold.auc for fold in found.folds()]) < 0.8
