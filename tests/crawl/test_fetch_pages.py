"""Single pages, fetched as a crawl that follows no link."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.crawl.fetch_pages import fetch_pages
from honeyguide.crawl.model_store import Examples, ModelPaths, keep_model, kept_model, read_material, ready_model
from honeyguide.errors import InputError
from honeyguide.fetch.base import Failure
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.models import make_model
from honeyguide.topic.material import material_of

from .kit import PaperWeb, about, answer, rows, topic

ONE, TWO, OLD, GONE = (f"http://a.example/{name}" for name in ("one", "two", "old", "gone"))
WEB = {
    ONE: about("honey bees", "http://a.example/onward"),
    TWO: about("wasps"),
    OLD: answer(OLD, b"", ("Location", "/older"), status=301),
    "http://a.example/older": answer("http://a.example/older", b"", ("Location", "/two"), status=302),
    "http://a.example/onward": about("never asked for"),
}
TOPIC = topic(["http://seed.example/"])


def test_pages_come_back_by_the_address_that_was_asked(tmp_path: Path) -> None:
    web = PaperWeb(WEB)
    found = fetch_pages([ONE, OLD, GONE], tmp_path / "bees.examples", TOPIC.urls, TOPIC.fetch, fetcher=lambda: web)
    assert {asked: page.url for asked, page in found.items()} == {ONE: ONE, OLD: TWO}
    assert b"honey bees" in found[ONE].body
    assert found[ONE].content_type == "text/html; charset=utf-8"
    assert "http://a.example/onward" not in web.asked


def test_what_is_kept_is_not_asked_for_again(tmp_path: Path) -> None:
    fetch_pages([ONE], tmp_path / "bees.examples", TOPIC.urls, TOPIC.fetch, fetcher=lambda: PaperWeb(WEB))
    web = PaperWeb(WEB)
    found = fetch_pages([ONE, TWO], tmp_path / "bees.examples", TOPIC.urls, TOPIC.fetch, fetcher=lambda: web)
    assert set(found) == {ONE, TWO}
    assert web.asked_pages == [TWO]


def test_no_answer_at_all_is_the_examples_fault(tmp_path: Path) -> None:
    nowhere = dict.fromkeys([ONE, "http://a.example/robots.txt"], Failure(ONE, "dns", "no such name", transient=False))
    with pytest.raises(InputError, match=r"examples: .* could not be reached"):
        fetch_pages([ONE], tmp_path / "bees.examples", TOPIC.urls, TOPIC.fetch, fetcher=lambda: PaperWeb(nowhere))
    assert not (tmp_path / "bees.examples").exists()


def test_several_that_do_not_answer_are_named_for_what_they_are(tmp_path: Path) -> None:
    nowhere = dict.fromkeys(
        [ONE, TWO, "http://a.example/robots.txt"], Failure(ONE, "dns", "no such name", transient=False)
    )
    with pytest.raises(InputError) as caught:
        fetch_pages([ONE, TWO], tmp_path / "bees.examples", TOPIC.urls, TOPIC.fetch, fetcher=lambda: PaperWeb(nowhere))
    assert str(caught.value) == (
        "examples: none of the 2 examples could be reached (a.example: name does not resolve (2)); "
        "check the addresses, the network and fetch.proxy"
    )


def test_whatever_they_say_they_count_as_wanted(tmp_path: Path) -> None:
    folder = tmp_path / "bees.examples"
    fetch_pages([ONE, TWO], folder, TOPIC.urls, TOPIC.fetch, fetcher=lambda: PaperWeb(WEB))
    assert rows(folder, "SELECT relevance, relevant FROM pages") == [(1.0, 1)] * 2


def test_examples_from_the_web_and_from_files(tmp_path: Path) -> None:
    (tmp_path / "own.html").write_text(about("honey comb"))
    wanted = topic(
        ["http://seed.example/"],
        examples={"positive": [ONE, str(tmp_path / "own.html")], "negative": [OLD]},
    )
    web = PaperWeb(WEB)
    examples = read_material(wanted, tmp_path / "bees.examples", fetcher=lambda: web)
    assert [text.words[:2] for text in examples.material.positive] == [["honey", "bees"], ["honey", "comb"]]
    assert [examples.place_of[id(text)] for text in examples.material.negative] == [OLD]
    assert sorted(web.asked_pages) == sorted([ONE, OLD, "http://a.example/older", TWO])  # once, for both kinds


def test_an_example_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    wanted = topic(["http://seed.example/"], examples={"positive": [ONE, GONE]})
    with pytest.raises(InputError, match=f"{GONE}: could not be fetched"):
        read_material(wanted, tmp_path / "bees.examples", fetcher=lambda: PaperWeb(WEB))


def test_files_are_named_as_a_user_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.html").write_text(about("honey comb"))
    wanted = topic(["http://seed.example/"], examples={"positive": [str(tmp_path / "own.html")]})
    examples = read_material(wanted, tmp_path / "bees.examples")
    assert list(examples.place_of.values()) == ["own.html"]
    assert not (tmp_path / "bees.examples").exists()  # nothing was fetched


# ---- the model beside a topic ----


def test_a_model_that_was_trained_is_not_fitted_again(tmp_path: Path) -> None:
    (tmp_path / "own.html").write_text(about("honey comb"))
    wanted = topic(["http://seed.example/"], examples={"positive": [str(tmp_path / "own.html")]})
    paths = ModelPaths.beside(tmp_path / "bees.toml")
    fitted = []

    def fit(examples: Examples) -> Relevance:
        fitted.append([text.words[:2] for text in examples.material.positive])
        return make_model(material_of(TOPIC))

    assert ready_model(TOPIC, tmp_path / "none", paths, fit) is None  # neither a model nor examples
    model = ready_model(wanted, tmp_path / "none", paths, fit)
    assert model is not None
    assert fitted == [[["honey", "comb"]]]
    keep_model(model, wanted, paths.model, {})
    assert ready_model(wanted, tmp_path / "none", paths, fit) is not None
    assert len(fitted) == 1


def test_places() -> None:
    assert ModelPaths.beside(Path("a/bees.toml")) == ModelPaths(Path("a/bees.model"), Path("a/bees.examples"))
    assert ModelPaths.beside(Path("crawls/v1.2")) == ModelPaths(Path("crawls/v1.2.model"), Path("crawls/v1.2.examples"))


def test_a_model_is_found_for_its_own_topic_alone(tmp_path: Path) -> None:
    folder = tmp_path / "bees.model"
    assert kept_model(TOPIC, folder) is None
    keep_model(make_model(material_of(TOPIC)), TOPIC, folder, {"model": "vsm"})
    assert saved.read_about(folder)["model"] == "vsm"
    found = kept_model(TOPIC, folder)
    assert found is not None
    assert found.threshold == 0.15
    other_budget = TOPIC.with_settings(budget={"pages": 3})
    assert kept_model(other_budget, folder) is not None
    stricter = kept_model(TOPIC.with_settings(relevance={"threshold": 0.6}), folder)
    assert stricter is not None
    assert stricter.threshold == 0.6
    with pytest.raises(InputError, match=r"was trained with other values of keywords, examples\.positive"):
        kept_model(TOPIC.with_settings(keywords="wasps", examples={"positive": ["x.html"]}), folder)
