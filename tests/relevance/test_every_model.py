"""What every relevance model must do, whatever it is: the checks that other packages' models are put through too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from honeyguide.errors import InputError
from honeyguide.relevance.base import whole
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import model_named, models
from honeyguide.relevance.text import Text
from honeyguide.testing import check_model
from honeyguide.testing.texts import BEES, TRAINS, bees, texts

MEANING = {"ssrm", "ssvsm", "embedding"}  # they know words that no example has
LEARNING = {"votes", "wvc", "pebl", "one-class"}
SLOW = {"vote"}  # its perceptron goes 500 times through all examples: a third of them has to do


def material(name: str) -> Material:
    examples = bees()
    few = replace(examples, positive=examples.positive[:10], negative=examples.negative[:20])
    return few if name in SLOW else examples


@pytest.mark.parametrize("name", models())
def test_it_keeps_the_rules(name: str) -> None:
    try:
        check_model(name, material=material(name), about=texts(BEES, 20, 9), others=texts(TRAINS, 20, 9))
    except InputError as missing:  # WordNet, or an extra
        if name not in MEANING:
            raise
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", sorted(LEARNING))
def test_it_keeps_the_rules_while_it_has_nothing_to_set_against_the_examples(name: str) -> None:
    alone = replace(bees(), positive=bees().positive[:12], negative=(), unlabelled=())
    check_model(name, material=alone, about=texts(BEES, 20, 9), others=texts(TRAINS, 20, 9))


def test_the_vector_space_model_keeps_the_rules_while_it_counts() -> None:
    counting = replace(bees(), relevance=replace(bees().relevance, idf="crawl"))
    check_model("vsm", material=counting, about=texts(BEES, 20, 9), others=texts(TRAINS, 20, 9))


@pytest.mark.parametrize("name", [name for name in models() if name not in MEANING])
def test_it_tells_the_topic_from_others_well_and_knows_no_word_it_has_not_seen(name: str) -> None:
    model = make_model(material(name), model_named(name))
    about, other = ([float(model.score(text, whole(text))[0]) for text in texts(of, 20, 9)] for of in (BEES, TRAINS))
    assert np.mean(about) > np.mean(other)
    assert np.mean(np.greater.outer(about, other)) > 0.9  # the chance that one of the topic scores higher
    strange = Text(["zzz"])
    assert model.score(strange, whole(strange)).tolist() == [0.0]
