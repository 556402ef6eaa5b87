"""Checks that a relevance model follows the rules."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from honeyguide.page.spans import Spans, spans
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance, Scores, TitleAddressModel, whole
from honeyguide.relevance.learning import Learner
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import as_spec
from honeyguide.relevance.spec import ModelSpec
from honeyguide.relevance.text import Text
from honeyguide.testing.process import run_there
from honeyguide.testing.rules import expect, rule
from honeyguide.testing.texts import BEES, SHARED, TRAINS, bees, texts

_TOLERANCE = 1e-9
_MIN_AUC = 0.7
_OTHER_THRESHOLD = 0.625

_SCORE_THERE = """
import pickle, sys
model, texts, chosen = pickle.load(sys.stdin.buffer)
pickle.dump([model.score(text, of).tolist() for text, of in zip(texts, chosen)], sys.stdout.buffer)
"""


def check_model(
    model: str | ModelSpec | type,
    *,
    material: Material | None = None,
    about: Sequence[Text] = (),
    others: Sequence[Text] = (),
) -> None:
    """Check that a relevance model follows the rules.

    It returns one score per span, from 0 to 1, for any text; the score of a span does not depend on the other spans; a
    text of stop words only scores 0; the threshold is the one that is requested; the same material gives the same
    model, which gives the same scores after it was saved or sent to another process; and it distinguishes
    texts about its topic from others.

    Args:
        model: Its name, its path, its `ModelSpec`, or a class with a class method ``fit(material, threshold)``.
        material: The material to fit it to; by default keywords, terms and examples of an invented subject.
        about: With `material`, texts about its topic that are not among the examples.
        others: With `material`, texts about other subjects.

    Raises:
        AssertionError: A rule is broken; the message says which.
        InputError: There is no such model, or something that it needs is missing, such as WordNet.
    """
    spec = as_spec(model)
    if material is None:
        material, about, others = bees(), texts(BEES, 20, 9), texts(TRAINS, 20, 9)
    made = make_model(material, spec)
    with rule("a model has a summary and a threshold"):
        expect(spec.summary, "it has no summary")
        expect(0 < spec.threshold <= 1, f"its threshold is {spec.threshold}")
    with rule("the threshold is the one that is requested"):
        expect(made.threshold == (material.relevance.threshold or spec.threshold), f"it is {made.threshold}")
        changed = replace(material, relevance=replace(material.relevance, threshold=_OTHER_THRESHOLD))
        other = make_model(changed, spec).threshold
        expect(other == _OTHER_THRESHOLD, f"the topic requests {_OTHER_THRESHOLD}, but it is {other}")
    _check_scores(made)
    with rule("the same material gives the same model"):
        _expect_same(make_model(material, spec), made)
    _check_copies(made)
    if isinstance(made, Learner):
        _check_learner(made, material)
    if about and others:
        with rule("it distinguishes texts about the topic from others"):
            _expect_distinguished(made, about, others)


# ---- scores ----


def _probes() -> tuple[list[Text], list[Spans]]:
    """Texts of many kinds, and some spans of each: empty, equal and overlapping ones, in random order."""
    random = np.random.default_rng(0)
    vocabulary = [*BEES, *TRAINS, *SHARED[:5], "the", "unknown", "Ünïcödé", "蜂蜜", "42", "a\N{COMBINING ACUTE ACCENT}"]
    lengths = [1, 2, 3, 10, 30, 60, 400]
    found = [Text([str(word) for word in random.choice(vocabulary, length)]) for length in lengths]
    found += [Text([]), Text(["the", "of", "and"]), Text(["honey"] * 50)]
    found += [Text(found[3].words, "http://www.example.org/honey-bee/Swarm.html?id=3", "The honey bee")]
    chosen = []
    for text in found:
        pairs = np.sort(random.integers(0, len(text) + 1, (8, 2)), axis=1).tolist()
        chosen.append(spans([(0, len(text)), *map(tuple, pairs), (0, 0), (0, len(text))]))
    return found, chosen


def _check_scores(model: Relevance) -> None:
    for text, chosen in zip(*_probes(), strict=True):
        before = list(text.words)
        with rule("there is one score per span, from 0 to 1"):
            together = _scores(model.score(text, chosen), len(chosen))
            _scores(model.score(text, spans([])), 0)
            if isinstance(model, TitleAddressModel):
                _scores(model.titles(text, chosen), len(chosen))
                _scores(model.addresses(text, chosen), len(chosen))
        with rule("scoring does not change the text"):
            expect(list(text.words) == before, "its words have changed")
        with rule("the score of a span does not depend on the other spans"):
            for one, score in zip(chosen, together.tolist(), strict=True):
                alone = float(model.score(text, one.reshape(1, 2))[0])
                expect(abs(alone - score) <= _TOLERANCE, f"{one.tolist()} scores {alone} alone, {score} among others")
    with rule("a text of stop words only scores 0"):
        for nothing in (Text([]), Text(["the", "of", "and"])):
            (score,) = model.score(nothing, whole(nothing)).tolist()
            expect(score == 0, f"{' '.join(nothing.words)!r} scores {score}")


def _scores(found: Any, count: int) -> Scores:
    expect(isinstance(found, np.ndarray), f"a {type(found).__name__} is not an array")
    scores: Scores = found
    expect(scores.shape == (count,), f"for {count} spans the scores have the shape {scores.shape}")
    expect(np.issubdtype(scores.dtype, np.floating), f"they are {scores.dtype}, not floats")
    expect(bool(((scores >= 0) & (scores <= 1)).all()), f"some are out of range: {scores.tolist()}")
    return scores


def _expect_distinguished(model: Relevance, about: Sequence[Text], others: Sequence[Text]) -> None:
    high, low = ([float(model.score(text, whole(text))[0]) for text in group] for group in (about, others))
    auc = float(np.mean(np.greater.outer(high, low)))
    expect(auc >= _MIN_AUC, f"a text about the topic scores higher with a probability of only {auc:.2f}")


# ---- copies ----


def _expect_same(other: Relevance, model: Relevance) -> None:
    expect(other.threshold == model.threshold, f"the threshold is {other.threshold}, but was {model.threshold}")
    _expect_equal(_all_scores(other), _all_scores(model))


def _all_scores(model: Relevance) -> list[list[float]]:
    return [model.score(text, chosen).tolist() for text, chosen in zip(*_probes(), strict=True)]


def _expect_equal(others: list[list[float]], scores: list[list[float]]) -> None:
    for text, one, other in zip(_probes()[0], scores, others, strict=True):
        expect(one == other, f"{' '.join(text.words[:10])!r} scores {other}, but scored {one} before")


def _check_copies(model: Relevance) -> None:
    with rule("it is the same after it was saved and loaded"), tempfile.TemporaryDirectory() as folder:
        saved.save(model, Path(folder, "model"))
        _expect_same(saved.load(Path(folder, "model")), model)
    with rule("it is the same after it was sent to another process"):
        sent = pickle.dumps(model)
        _expect_same(pickle.loads(sent), model)  # noqa: S301 (made in the line before)
    with rule("it gives the same scores in another process"):
        there = pickle.loads(run_there(_SCORE_THERE, given=pickle.dumps((model, *_probes()))))  # noqa: S301 (our own)
        _expect_equal(there, _all_scores(model))


# ---- models that learn during a crawl ----


def _check_learner(model: Learner, material: Material) -> None:
    pages = material.tokens([*texts(BEES, 30, 5), *texts(TRAINS, 70, 6)])
    with rule("it learns the same from the same pages"):
        learned = model.learned(pages)
        _expect_same(model.learned(pages), learned)
    with rule("the model that it learns has the same threshold"):
        expect(learned.threshold == model.threshold, f"it is {learned.threshold}, but was {model.threshold}")
    _check_scores(learned)
    with rule("the model that it learns is the same after it was sent to another process"):
        _expect_same(pickle.loads(pickle.dumps(learned)), learned)  # noqa: S301 (made here)
