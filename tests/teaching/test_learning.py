"""What is kept of labels and examples, and the model that is made from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honeyguide.errors import InputError
from honeyguide.page.spans import spans
from honeyguide.relevance import saved
from honeyguide.relevance.base import whole
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text
from honeyguide.strategy.link_table import NO_LINKS
from honeyguide.strategy.reading import Reading
from honeyguide.teaching.example_texts import load_material, save_examples
from honeyguide.teaching.labels import Label, read_labels, write_labels
from honeyguide.teaching.refit import corrected, is_due, refit
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

BEES, BADGERS = "honey hive queen nectar pollen", "honey sett claws mammal burrow"


def page(words: str, number: int) -> Text:
    return Text(f"{words} word{number} other{number}".split(), f"http://a.example/{number}", words.split()[1])


def pages(words: str, count: int) -> list[Text]:
    return [page(words, number) for number in range(count)]


def topic(**tables: Any) -> Topic:
    return Topic.make(name="bees", seeds=["http://a.example/"], keywords="honey", **tables)


def test_labels_come_back_as_they_were_written(tmp_path: Path) -> None:
    labels = {
        url: Label(url, relevant, by, 1_700_000_000.0)
        for url, relevant, by in (("http://a.example/", True, "ann"), ("http://b.example/%C3%A4", False, "machine: x"))
    }
    write_labels(tmp_path, labels)
    assert read_labels(tmp_path) == labels
    assert read_labels(tmp_path / "nowhere") == {}


@pytest.mark.parametrize("line", ["http://a.example/\tperhaps", "\tyes", "http://a.example/\tno\tann\tyesterday"])
def test_a_line_that_is_no_label_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "labels.tsv").write_text(f"# head\n{line}\n")
    with pytest.raises(InputError, match="line 2"):
        read_labels(tmp_path)


def test_keywords_become_a_learnt_model_that_scores_links_as_before() -> None:
    material = material_of(topic(relevance={"threshold": 0.02}))
    first = make_model(material)
    assert refit(material, pages(BEES, 1), [], first) is not None  # an example more for the words
    model = refit(material, pages(BEES, 6), pages(BADGERS, 6), first)
    assert model is not None
    assert model.threshold == 0.5  # that of the topic was for the words
    bee, badger = page(BEES, 77), page(BADGERS, 78)
    assert model.score(bee, whole(bee))[0] > 0.5 > model.score(badger, whole(badger))[0]
    part = spans([(0, 1), (1, 3)])
    assert model.score(badger, part).tolist() == first.score(badger, part).tolist()


def test_answers_move_a_model_of_examples_and_it_can_be_saved(tmp_path: Path) -> None:
    others = pages("stock market bank money trade", 6)
    material = material_of(topic(), pages(BEES, 6), others)
    first = make_model(material)
    model = refit(material, [], pages(BADGERS, 6), first)
    assert model is not None
    badger = page(BADGERS, 99)
    assert model.score(badger, whole(badger))[0] < first.score(badger, whole(badger))[0]
    saved.save(model, tmp_path / "taught")
    again = saved.load(tmp_path / "taught")
    assert again.score(badger, whole(badger)).tolist() == model.score(badger, whole(badger)).tolist()


def test_too_few_of_one_kind_teach_nothing() -> None:
    material = material_of(topic(relevance={"model": "fields"}))
    assert refit(material, pages(BEES, 6), pages(BADGERS, 1), make_model(material_of(topic()))) is None


def test_examples_are_kept_without_their_words(tmp_path: Path) -> None:
    wanted = topic()
    material = material_of(wanted, pages(BEES, 5), pages(BADGERS, 7), [page("what ever", 1)])
    save_examples(material, tmp_path / "examples.npz")
    again = load_material(wanted, tmp_path / "examples.npz")
    assert [len(side) for side in (again.positive, again.negative, again.unlabelled)] == [5, 7, 1]
    bee = page(BEES, 50)
    scores = [make_model(one).score(bee, whole(bee)) for one in (material, again)]
    assert np.array_equal(scores[0], scores[1])
    assert load_material(wanted, tmp_path / "none").positive == Material().positive
    (tmp_path / "examples.npz").write_bytes(b"PK\x03\x04 no such file")
    with pytest.raises(InputError, match="cannot be read"):
        load_material(wanted, tmp_path / "examples.npz")


def test_a_label_decides_whatever_the_model_says() -> None:
    for threshold in (0.02, 0.5, 0.9):
        for relevance in (0.0, threshold, 1.0):
            read = Reading("", "", 0, b"", relevance, relevance >= threshold, False, NO_LINKS, threshold=threshold)
            yes, no = corrected(read, True), corrected(read, False)
            assert yes.relevant
            assert not no.relevant
            assert no.relevance < threshold < yes.relevance


def test_a_model_is_fitted_again_less_and_less_often() -> None:
    assert [number for number in range(101) if is_due(number)] == [5, 10, 20, 35, 50, 75, 100]
