"""The models of meaning: against small cases worked out by hand, and against the formulas written out plainly."""

from __future__ import annotations

import pickle
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.page.spans import spans
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.learning import Learner
from honeyguide.relevance.material import Material
from honeyguide.relevance.models import make_model
from honeyguide.relevance.registry import model_named
from honeyguide.relevance.semantic.embeddings import EmbeddingSimilarity
from honeyguide.relevance.semantic.make import PAIRS, SIMILARITIES, embedding, ssrm, ssvsm, word_similarity
from honeyguide.relevance.semantic.similarity import Similarity, WordNetSimilarity
from honeyguide.relevance.semantic.ssrm import Ssrm
from honeyguide.relevance.semantic.ssvsm import Ssvsm
from honeyguide.relevance.semantic.terms import TopicTerms
from honeyguide.relevance.settings import RelevanceSettings
from honeyguide.relevance.text import Text, Tokenizer
from honeyguide.relevance.vsm import Vsm
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

# Wu and Palmer's similarities in the invented WordNet: car, truck 6/8; car, bee and truck, bee 4/8; car, auto and
# truck, lorry 1; "zork" and "blorb" are not in it.
WORDS = "car cars auto truck lorry bee wasp law robot axes zork blorb the".split()
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(Text)
topics = st.lists(st.sampled_from(WORDS[:-1]), min_size=1, max_size=6).map(Text)
borrowed = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture
def wu_palmer(invented: Path) -> WordNetSimilarity:
    return WordNetSimilarity.of("wu-palmer", 0.0, str(invented))


def score(model: Relevance, text: str | Text) -> float:
    text = Text(text.split()) if isinstance(text, str) else text
    (found,) = model.score(text, whole(text))
    return float(found)


def sem(similarity: Similarity, one: str, other: str) -> float:
    first, second = (TopicTerms.of(Text([word]), "english").terms for word in (one, other))
    return float(similarity.between(first, second)[0, 0])


# ---- SSRM ----


@pytest.mark.parametrize(
    ("topic", "text", "value"),
    [
        ("car", "truck", 0.75),
        ("car", "auto", 1.0),
        ("car", "truck bee", (0.75 + 0.5) / 2),
        # (2 · 0.75 + 1 · 0) / (2 · 1 + 1 · 1)
        ("car", "truck truck zork", 0.5),
        # Pairs (truck, car) 2 · 0.75, (truck, bee) 2 · 0.5, (car, car) 1, (car, bee) 0.5, of a weight of 3 · 2
        ("car bee", "truck truck car", (1.5 + 1.0 + 1.0 + 0.5) / 6),
        ("car", "zork", 0.0),
        ("car", "the", 0.0),
        ("car", "", 0.0),
    ],
)
def test_ssrm_worked_out_by_hand(wu_palmer: WordNetSimilarity, topic: str, text: str, value: float) -> None:
    assert score(Ssrm.of(Text(topic.split()), "english", 0.3, wu_palmer), text) == pytest.approx(value, abs=1e-6)


# ---- SSVSM ----


@pytest.mark.parametrize(
    ("topic", "text", "symmetric", "union", "cross"),
    [
        # Sem² = 9/16. Over both terms: the text's length² 1 + 9/16, the topic's too; 9/16 / (25/16). Over one pair: 1.
        # Symmetric, pairs (c,c), (c,t), (t,c), (t,t): text 0, 3/4, 3/4, 2; topic 2, 3/4, 3/4, 0. Product 18/16; both
        # lengths² 4 + 18/16.
        ("car", "truck", 18 / 82, 9 / 25, 1.0),
        # All alike: length² of the text is 2 (with car, with itself), of the topic 2; product 1.
        # Symmetric: text 0, 1, 1, 2; topic 2, 1, 1, 0. Product 2; both lengths² 6.
        ("car", "auto", 1 / 3, 0.5, 1.0),
        ("car", "car", 1.0, 1.0, 1.0),
        # Union: product 1 + 9/16, text 2 · 25/16, topic 25/16; cross: 25/16 throughout. Symmetric: text 2, 3/2, 3/2, 2;
        # topic 2, 3/4, 3/4, 0. Product 4 + 9/4 = 25/4; text 8 + 9/2 = 25/2; topic 4 + 9/8 = 41/8.
        ("car", "car truck", (25 / 4) / sqrt(25 / 2 * 41 / 8), sqrt(0.5), 1.0),
        # Terms {car, truck, zork}. Product: 9/16. Text: truck (9/16 + 1) + zork 1; topic: car (1 + 9/16).
        # Symmetric: product 18/16; text (c,t) twice 9/16, (t,t) 4, (z,z) 4; topic (c,c) 4, (c,t) twice 9/16.
        (
            "car",
            "truck zork",
            (18 / 16) / sqrt((18 / 16 + 8) * (18 / 16 + 4)),
            (9 / 16) / sqrt((25 / 16 + 1) * (25 / 16)),
            1.0,
        ),
        # Terms {bee, car, truck}, Sem² of car and truck 9/16, of bee and either 1/4. Text: truck twice. Product:
        # 2 · 9/16 + 2 · 1/4. Text's length²: 4 · (1 + 9/16 + 1/4); topic's: car (1 + 9/16 + 1/4) + bee (1 + 1/2).
        # Cross: text 4 · (9/16 + 1/4), topic 9/16 + 1/4.
        # Symmetric, with D and T before Sem in brackets: (t,t) [4, 0]; (c,t) twice [2, 1]; (b,t) twice [2, 1]; (c,c)
        # [0, 2]; (b,b) [0, 2]; (b,c) twice [0, 2]. Product 4 · 13/16, text 16 + 8 · 13/16, topic 2 · 13/16 + 8 + 2.
        (
            "car bee",
            "truck truck",
            (4 * 13 / 16) / sqrt((16 + 8 * 13 / 16) * (2 * 13 / 16 + 10)),
            (2 * 13 / 16) / sqrt(4 * 29 / 16 * (29 / 16 + 24 / 16)),
            (2 * 13 / 16) / sqrt(4 * 13 / 16 * (13 / 16)),
        ),
        ("car", "zork", 0.0, 0.0, 0.0),
        ("car", "the", 0.0, 0.0, 0.0),
        ("car", "", 0.0, 0.0, 0.0),
    ],
)
def test_ssvsm_worked_out_by_hand(
    wu_palmer: WordNetSimilarity, topic: str, text: str, symmetric: float, union: float, cross: float
) -> None:
    expected = {"symmetric": symmetric, "union": union, "cross": cross}
    made = {pairs: Ssvsm.of(Text(topic.split()), "english", 0.3, wu_palmer, pairs=pairs) for pairs in PAIRS}
    assert {pairs: score(model, text) for pairs, model in made.items()} == pytest.approx(expected, abs=1e-6)


@borrowed
@given(topics, topics, st.lists(texts, max_size=3))
def test_the_symmetric_reading_is_a_similarity_of_equals(
    wu_palmer: WordNetSimilarity, one: Text, other: Text, seen: list[Text]
) -> None:
    frequencies = Frequencies.none().seeing([each.tokens(Tokenizer("english")) for each in seen])
    first, second = (Ssvsm.of(each, "english", 0.3, wu_palmer, frequencies) for each in (one, other))
    assert score(first, one) == pytest.approx(1.0, abs=1e-12)
    assert score(first, other) == pytest.approx(score(second, one), abs=1e-12)


@pytest.mark.parametrize("pairs", PAIRS)
def test_without_a_common_term_it_is_not_zero(wu_palmer: WordNetSimilarity, pairs: str) -> None:
    model = Ssvsm.of(Text(["car", "bee"]), "english", 0.3, wu_palmer, pairs=pairs)
    text = "lorry wasp"
    assert score(model, text) > 0.2
    assert score(Vsm.of(Text(["car", "bee"]), "english", 0.3), text) == 0.0


@pytest.mark.parametrize("pairs", PAIRS)
def test_with_synonyms_of_other_frequencies_it_is_not_one(wu_palmer: WordNetSimilarity, pairs: str) -> None:
    model = Ssvsm.of(Text("car car car truck".split()), "english", 0.3, wu_palmer, pairs=pairs)
    assert score(model, "auto lorry lorry lorry") < 0.99
    assert score(model, "auto lorry lorry lorry") < score(model, "auto auto auto lorry")


@borrowed
@given(st.data())
def test_where_no_two_words_are_similar_it_is_the_vector_space_model(
    wu_palmer: WordNetSimilarity, data: st.DataObject
) -> None:
    words = st.sampled_from("zork blorb quux vim emacs car".split())  # one is in WordNet, but beside none that is
    topic, text, *seen = (Text(data.draw(st.lists(words, min_size=1, max_size=8))) for _ in range(5))
    frequencies = Frequencies.none().seeing([each.tokens(Tokenizer("english")) for each in seen])
    expected = pytest.approx(score(Vsm.of(topic, "english", 0.3, frequencies), text), abs=1e-12)
    for pairs in ("symmetric", "union"):
        assert score(Ssvsm.of(topic, "english", 0.3, wu_palmer, frequencies, pairs), text) == expected


def plainly(model: Ssvsm | Ssrm, text: Text) -> float:
    """The formulas of the spec, word for word, with f / max f, pair by pair."""
    stems = Tokenizer("english")

    def weights(words: Counter[str]) -> dict[str, float]:
        most = max(words.values(), default=1)
        return {
            word: count / most * float(model.topic.frequencies.idf(stems([word]))[0]) for word, count in words.items()
        }

    of_text = weights(Counter(word for word in text.words if word != "the"))
    of_topic = weights(Counter(dict(zip(model.topic.words, model.topic.counts.tolist(), strict=True))))
    cross = list(product(of_text, of_topic))
    near = {pair: sem(model.similarity, *pair) for pair in product({*of_text, *of_topic}, repeat=2)}
    if isinstance(model, Ssrm):
        above = sum(of_text[i] * of_topic[j] * near[i, j] for i, j in cross)
        below = sum(of_text[i] * of_topic[j] for i, j in cross)
        return above / below if below else 0.0
    d, t = ({term: weights.get(term, 0.0) for term in {*of_text, *of_topic}} for weights in (of_text, of_topic))
    both = [
        ((d[i] + d[j]) * near[i, j], (t[i] + t[j]) * near[i, j])
        if model.pairs == "symmetric"
        else (d[i] * near[i, j], t[j] * near[i, j])
        for i, j in (cross if model.pairs == "cross" else near)
    ]
    lengths = [sqrt(sum(each[side] ** 2 for each in both)) for side in (0, 1)]
    return sum(one * other for one, other in both) / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@borrowed
@given(topics, texts, st.sampled_from(["ssrm", *PAIRS]), st.lists(texts, max_size=3), st.sampled_from([0.0, 0.6]))
def test_the_formulas_written_out(
    invented: Path, topic: Text, text: Text, kind: str, seen: list[Text], cutoff: float
) -> None:
    frequencies = Frequencies.none().seeing([each.tokens(Tokenizer("english")) for each in seen])
    similarity = WordNetSimilarity.of("wu-palmer", cutoff, str(invented))
    model = (
        Ssrm.of(topic, "english", 0.3, similarity, frequencies)
        if kind == "ssrm"
        else Ssvsm.of(topic, "english", 0.3, similarity, frequencies, kind)
    )
    assert score(model, text) == pytest.approx(plainly(model, text), abs=1e-6)
    assert 0.0 <= score(model, text) <= 1.0


@borrowed
@given(topics, texts, st.sampled_from(["ssrm", *PAIRS]), st.data())
def test_all_spans_at_once_are_each_span_alone(
    wu_palmer: WordNetSimilarity, topic: Text, text: Text, kind: str, data: st.DataObject
) -> None:
    place = st.integers(0, len(text))
    chosen = spans(data.draw(st.lists(st.tuples(place, place).map(lambda pair: (min(pair), max(pair))), max_size=8)))

    def made() -> Ssrm | Ssvsm:
        if kind == "ssrm":
            return Ssrm.of(topic, "english", 0.3, wu_palmer)
        return Ssvsm.of(topic, "english", 0.3, wu_palmer, pairs=kind)

    fresh, used = made(), made()
    score(used, text)  # what it remembers of the page may make it faster, never different
    together = fresh.score(text, chosen)
    assert used.score(text, chosen).tolist() == together.tolist()
    alone = [score(fresh, Text(text.words[first:last])) for first, last in chosen.tolist()]
    assert together.tolist() == pytest.approx(alone, abs=1e-12)


def test_many_spans_are_scored_in_parts(wu_palmer: WordNetSimilarity, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Text("car truck bee zork law wasp auto robot".split() * 3)
    chosen = spans([(first, last) for first in range(24) for last in range(first, 24)])
    model = Ssvsm.of(Text(["car", "bee"]), "english", 0.3, wu_palmer)
    expected = model.score(text, chosen).tolist()
    for limit in ("_MOST_PAIRS", "MOST_TERMS"):
        with monkeypatch.context() as patch:
            patch.setattr(f"honeyguide.relevance.semantic.ssvsm.{limit}", 8)
            assert model.score(text, chosen).tolist() == pytest.approx(expected, abs=1e-12)


def test_of_too_many_words_the_heaviest_count(wu_palmer: WordNetSimilarity, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.relevance.semantic.ssvsm.MOST_TERMS", 2)
    model = Ssvsm.of(Text(["car"]), "english", 0.3, wu_palmer)
    assert score(model, "truck truck truck zork bee bee law") == score(model, "truck truck truck bee bee")
    text = Text("truck truck bee zork zork car".split())
    both = model.score(text, spans([(0, 6), (4, 6)]))
    assert both.tolist() == pytest.approx([score(model, "truck truck zork zork"), score(model, "zork car")], abs=1e-12)


# ---- embeddings ----


@pytest.fixture
def wordllama() -> None:
    pytest.importorskip("wordllama", reason='pip install "honeyguide[semantics]"')


@pytest.mark.usefixtures("wordllama")
def test_words_as_vectors() -> None:
    near = word_similarity("embedding", 0.0, "english")
    assert sem(near, "car", "car") == 1.0
    assert sem(near, "car", "cars") == 1.0  # the same stem
    assert sem(near, "car", "automobile") > 0.4 > sem(near, "car", "parliament") >= 0.0
    assert sem(near, "bees", "tax") == 0.0  # their cosine is -0.19
    with_cut = word_similarity("embedding", 0.4, "english")
    assert sem(with_cut, "car", "automobile") == sem(near, "car", "automobile")
    assert sem(with_cut, "car", "parliament") == 0.0
    some = TopicTerms.of(Text("car automobile parliament bee honey zork".split()), "english").terms
    together = near.between(some, some)
    assert together.tolist() == [[sem(near, one, other) for other in some.words] for one in some.words]
    assert together.min() >= 0.0


@pytest.mark.usefixtures("wordllama")
def test_the_words_that_are_remembered_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    words = "car automobile parliament bee honey zork".split()
    some = TopicTerms.of(Text(words), "english").terms
    near = word_similarity("embedding", 0.0, "english")
    expected = [sem(near, "car", word) for word in words], near.between(some, some).tolist()
    monkeypatch.setattr("honeyguide.relevance.semantic.embeddings._MOST_WORDS", 3)
    near = word_similarity("embedding", 0.0, "english")
    assert ([sem(near, "car", word) for word in words], near.between(some, some).tolist()) == expected


@pytest.mark.usefixtures("wordllama")
def test_the_embedding_model_is_the_cosine_of_wordllamas_own_vectors() -> None:
    import wordllama

    model = embedding(Material(["honey bees"]), 0.3)
    own = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    for text in ("honey from hives", "insects collect nectar", "bees bees honey"):
        words = [word for word in text.split() if word != "from"]
        # Its vector of a text is the mean over the pieces of all words.
        one, other = (own.embed(" ".join(each))[0].astype(float) for each in (["honey", "bees"], words))
        cosine = one @ other / sqrt((one @ one) * (other @ other))
        assert score(model, text) == pytest.approx(cosine, abs=1e-5)
    assert score(model, "honey bees") == pytest.approx(1.0)
    assert score(model, "engine tax") == 0.0  # of words whose cosines with both are negative
    assert score(model, "") == 0.0
    assert score(model, "the of") == 0.0


@pytest.mark.usefixtures("wordllama")
def test_embedding_spans_at_once_are_each_span_alone() -> None:
    model = embedding(Material(["honey bees"]), 0.3)
    text = Text("the keeper of bees opened a hive full of honey".split())
    chosen = [(0, 10), (0, 1), (3, 3), (3, 7), (9, 10)]
    alone = [score(model, Text(text.words[first:last])) for first, last in chosen]
    assert model.score(text, spans(chosen)).tolist() == pytest.approx(alone, abs=1e-9)
    assert model.score(text, spans([])).tolist() == []


def test_without_the_package_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    for make in (lambda: embedding(Material(["bees"]), 0.3), lambda: word_similarity("embedding", 0, "german")):
        with pytest.raises(InputError, match=r'pip install "honeyguide\[semantics\]"'):
            make()


@pytest.mark.usefixtures("wordllama")
def test_other_embeddings_are_refused() -> None:
    with pytest.raises(InputError, match="other embeddings than those the model was trained with"):
        EmbeddingSimilarity(0.0, "another digest")


# ---- making and keeping ----


def made(similarity: str, invented: Path) -> list[Relevance]:
    given = RelevanceSettings(similarity=similarity, cutoff=0.2, wordnet=str(invented))
    words, seen = ["honey bees, cars and cars"], [Text(["bee", "law"])]
    by_pairs = [replace(given, pairs=pairs, idf="known") for pairs in PAIRS]
    return [
        ssrm(Material(words, relevance=given), 0.3),
        *(ssvsm(Material(words, unlabelled=seen, relevance=each), 0.3) for each in by_pairs),
    ]


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_a_model_scores_the_same_when_it_was_kept_or_sent(invented: Path, tmp_path: Path, similarity: str) -> None:
    if similarity == "embedding":
        pytest.importorskip("wordllama")
    models = made(similarity, invented)
    if similarity == "embedding":
        models.append(embedding(Material(["honey bees"]), 0.3))
    text = Text.of("The truck that brought the wasps and the bees, an auto; by law.")
    for number, model in enumerate(models):
        expected = model.score(text, spans([(0, 5), (0, len(text))])).tolist()
        saved.save(model, tmp_path / str(number))
        sent = pickle.dumps(model)
        assert len(sent) < 3000
        for other in (saved.load(tmp_path / str(number)), pickle.loads(sent)):
            assert other.threshold == 0.3
            assert other.score(text, spans([(0, 5), (0, len(text))])).tolist() == expected
        assert len(set(expected)) == 2


def test_a_kept_model_without_its_wordnet_is_refused(invented: Path, tmp_path: Path, a_cache: Path) -> None:
    (model, *_) = made("path", invented)
    saved.save(model, tmp_path / "model")
    for path in (*a_cache.iterdir(), *invented.iterdir()):
        path.unlink()
    with pytest.raises(InputError, match="contains no WordNet"):
        saved.load(tmp_path / "model")


def test_wordnet_has_english_words_only(invented: Path) -> None:
    with pytest.raises(InputError, match=r'no german words; use similarity = "embedding"'):
        word_similarity("path", 0.0, "german", str(invented))
    word_similarity("path", 0.0, "porter", str(invented))


@pytest.mark.usefixtures("a_cache")
def test_a_topic_of_nothing_but_stop_words_is_refused() -> None:
    nothing = Material(["the, of, and"])
    for make in (ssrm, ssvsm, embedding):
        with pytest.raises(InputError, match="only stop words"):
            make(nothing, 0.3)


@pytest.mark.usefixtures("a_cache")
def test_without_wordnet_the_remedies_are_named() -> None:
    with pytest.raises(InputError, match="WordNet: is not on this machine; run `honeyguide wordnet`"):
        ssrm(Material(["bees"]), 0.3)


@pytest.mark.parametrize("make", [ssrm, ssvsm])
def test_it_counts_words_during_a_crawl(invented: Path, make: Callable[[Material, float], Relevance]) -> None:
    # Of "car" and "bee" as topic, and as likely in the text: when every page says "car", "bee" is what tells.
    given = RelevanceSettings(idf="crawl", cutoff=1.0, wordnet=str(invented))
    model = make(Material(["car, bee"], relevance=given), 0.3)
    assert isinstance(model, Learner)
    learned = model.learned([Tokenizer("english")(["car", "law"])] * 100)
    assert score(model, "car zork") == pytest.approx(score(model, "bee zork"))
    assert score(learned, "bee zork") > 1.2 * score(learned, "car zork")
    assert learned.threshold == 0.3


@pytest.mark.parametrize("name", ["ssrm", "ssvsm"])
def test_a_topic_can_ask_for_it(invented: Path, name: str) -> None:
    settings = {"model": name, "similarity": "path", "cutoff": 0.2, "wordnet": str(invented)}
    topic = Topic.make(name="bees", seeds=["http://a.example/"], keywords="bee, car", relevance=settings)
    model = make_model(material_of(topic))
    text = Text.of("wasp auto law")
    near, far = model.score(text, spans([(0, 2), (2, 3)])).tolist()
    assert near > far
    assert model.threshold == model_named(name).threshold
