"""WordNet: how it is found and read, and how similar its words are, worked out by hand on an invented one."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Callable, Mapping
from math import exp, tanh
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from honeyguide.cache import cache_folder
from honeyguide.errors import InputError
from honeyguide.relevance.semantic import find
from honeyguide.relevance.semantic.similarity import WordNetSimilarity
from honeyguide.relevance.semantic.terms import Terms, TopicTerms
from honeyguide.relevance.semantic.wordnet import Files
from honeyguide.relevance.text import Text

Write = Callable[[Path, Mapping[str, tuple[str, str]]], Path]


def terms(*words: str) -> Terms:
    return TopicTerms.of(Text(words), "english").terms


def similar(similarity: WordNetSimilarity, one: str, other: str) -> float:
    return float(similarity.between(terms(one), terms(other))[0, 0])


# ---- similarity ----


@pytest.mark.parametrize(
    ("one", "other", "depth", "steps"),
    [
        ("car", "truck", 3, 2),  # over vehicle
        ("car", "bee", 2, 4),  # over thing
        ("car", "law", 1, 5),  # over entity
        ("car", "vehicle", 3, 1),  # what lies above is what they have in common
        ("entity", "law", 1, 2),
        ("herbie", "truck", 3, 3),  # an instance of a car is one step further
        # Of two synsets of a word the nearer one counts: a bug is an animal beside a bee, a flaw beside a law.
        ("bug", "bee", 3, 2),
        ("bug", "law", 2, 2),
        # A robot is right under thing and under vehicle: the shortest way counts to each.
        ("robot", "bee", 2, 3),
        ("robot", "car", 3, 2),
        ("robot", "thing", 2, 1),
        ("robot", "android", 4, 1),  # and the longest way to it is its depth
    ],
)
def test_worked_out_by_hand(invented: Path, one: str, other: str, depth: int, steps: int) -> None:
    wu_palmer, path, li = (WordNetSimilarity.of(name, 0.0, str(invented)) for name in ("wu-palmer", "path", "li"))
    # With the depths of both on the way over what they have in common: (depth + a) + (depth + b), a + b steps.
    assert similar(wu_palmer, one, other) == pytest.approx(2 * depth / (2 * depth + steps), abs=1e-6)
    assert similar(path, one, other) == pytest.approx(1 / (1 + steps), abs=1e-6)
    assert similar(li, one, other) == pytest.approx(exp(-0.2 * steps) * tanh(0.6 * depth), abs=1e-6)
    assert similar(li, other, one) == similar(li, one, other)


@pytest.mark.parametrize("measure", ["wu-palmer", "path", "li"])
@pytest.mark.parametrize(
    ("one", "other", "value"),
    [
        ("car", "auto", 1.0),  # a shared synset
        ("bug", "flaw", 1.0),
        ("car", "cars", 1.0),  # the same stem
        ("zork", "zorks", 1.0),  # also of words that WordNet does not know
        ("zork", "zork", 1.0),
        ("zork", "car", 0.0),
        ("zork", "blorb", 0.0),
        ("nihility", "car", 0.0),  # under another root
        ("unheard", "car", 0.0),  # an irregular form of a word that is not there
    ],
)
def test_the_same_and_the_unknown(invented: Path, measure: str, one: str, other: str, value: float) -> None:
    assert similar(WordNetSimilarity.of(measure, 0.0, str(invented)), one, other) == value


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("trucks", "truck"),
        ("lorries", "lorry"),
        ("axes", "axis axe"),  # irregular: both words, as the list has it
        ("oxen", "ox"),
        ("tools", "bee"),  # whatever the list says: the rules do not count then
        ("women", "woman"),
        ("bosses", "boss"),
        ("boss", "boss"),  # no plural of "bos": such forms are left alone
        ("Truck", "truck"),
    ],
)
def test_a_form_stands_for_its_words(invented: Path, form: str, words: str) -> None:
    path = WordNetSimilarity.of("path", 0.0, str(invented))
    others = ("car", "bos", "law", "axis", "axe", "entity")
    expected = [max(similar(path, word, other) for word in words.split()) for other in others]
    found = [similar(path, form, other) for other in others]
    assert found == expected


def test_below_the_cut_off_there_is_nothing(invented: Path) -> None:
    similarity = WordNetSimilarity.of("wu-palmer", 0.5, str(invented))
    assert similar(similarity, "car", "truck") == 0.75
    assert similar(similarity, "car", "bee") == 0.5
    assert similar(similarity, "car", "law") == 0.0
    assert similar(WordNetSimilarity.of("path", 0.6, str(invented)), "oxes", "ox") == 1.0


def test_all_pairs_at_once_are_each_pair_alone(invented: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    similarity = WordNetSimilarity.of("wu-palmer", 0.0, str(invented))
    words = "bug car auto bees zork law robot truck axes nihility entity boss".split()
    some = terms(*words)
    together = similarity.between(some, some)
    assert together.tolist() == [[similar(similarity, one, other) for other in some.words] for one in some.words]
    monkeypatch.setattr("honeyguide.relevance.semantic.similarity._MOST_AT_ONCE", 3)
    assert (similarity.between(some, some) == together).all()
    assert similarity.between(some, terms("car", "zork")).shape == (len(words), 2)
    assert similarity.between(terms(), some).shape == (0, len(words))


def test_it_goes_to_other_processes_as_its_fields(invented: Path) -> None:
    similarity = WordNetSimilarity.of("li", 0.1, str(invented))
    similar(similarity, "car", "bee")
    sent = pickle.dumps(similarity)
    assert len(sent) < 1000
    assert similar(pickle.loads(sent), "car", "bee") == similar(similarity, "car", "bee")


# ---- finding ----


def test_where_it_is_looked_for(
    tmp_path: Path, invented: Path, a_cache: Path, write_synsets: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"honeyguide wordnet.*apt install wordnet-base.*nltk.*relevance.wordnet"):
        find.find()
    assert find.look() is None

    def put(place: Path) -> Path:
        return write_synsets(place, {"entity": (f"entity word{len(str(place))}", "")})

    system = put(tmp_path / "system")
    monkeypatch.setattr(find, "OF_THE_SYSTEM", (tmp_path / "nowhere", system))
    assert find.find()[0] == system
    home = put(tmp_path / "home" / "nltk_data" / "corpora" / "wordnet")
    assert find.find()[0] == home
    told = put(tmp_path / "data" / "corpora" / "wordnet")
    monkeypatch.setenv("NLTK_DATA", os.pathsep.join([str(tmp_path / "nowhere"), str(tmp_path / "data")]))
    assert find.find()[0] == told
    own = put(a_cache / "wordnet")
    assert find.find()[0] == own
    monkeypatch.setenv("HONEYGUIDE_WORDNET", str(told))
    assert find.find()[0] == told
    assert find.find(str(invented))[0] == invented


def test_a_place_that_is_given_must_have_it(tmp_path: Path, invented: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find, "OF_THE_SYSTEM", (invented,))
    with pytest.raises(InputError, match=f"^{tmp_path}: contains no WordNet"):
        find.find(str(tmp_path))
    (invented / "data.noun").unlink()
    with pytest.raises(InputError, match="is not on this machine"):
        find.find()


def test_nltks_archive_is_read_in_place(tmp_path: Path, invented: Path) -> None:
    archive = tmp_path / "home" / "nltk_data" / "corpora" / "wordnet.zip"
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as file:
        for path in invented.iterdir():
            file.write(path, f"wordnet/{path.name}")
    path, files = find.find()
    assert path == archive
    assert files.digest == find.find(str(invented))[1].digest
    archive.write_bytes(b"PK but no archive")
    assert find.look() is None


# ---- the cache ----


def test_arrays_are_made_once(invented: Path, a_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = find.load(str(invented))
    (kept,) = a_cache.iterdir()
    assert first.digest in kept.name

    def never(files: Files, place: str) -> None:
        pytest.fail("made a second time")

    monkeypatch.setattr(find, "fold", never)
    again = find.load(str(invented))
    for name in first.nouns.__slots__:
        assert (getattr(again.nouns, name) == getattr(first.nouns, name)).all()
    for path in invented.iterdir():
        path.unlink()
    assert len(find.load("", first.digest).nouns.forms) == len(first.nouns.forms)


def test_damaged_arrays_are_made_again(invented: Path, a_cache: Path) -> None:
    good = find.load(str(invented)).nouns
    (kept,) = a_cache.iterdir()
    content = kept.read_bytes()
    for damage in (
        b"",
        content[: len(content) // 2],
        content.replace(good.concept.tobytes(), bytes(good.concept.nbytes)),
    ):
        kept.write_bytes(damage)
        assert (find.load(str(invented)).nouns.concept == good.concept).all()
        assert kept.read_bytes() == content


def test_a_cache_that_cannot_be_written_is_no_matter(invented: Path, a_cache: Path) -> None:
    a_cache.parent.mkdir(exist_ok=True)
    a_cache.write_text("a file where the folder should be")
    assert similar(WordNetSimilarity.of("path", 0.0, str(invented)), "car", "auto") == 1.0


def test_a_relative_cache_is_as_none(tmp_path: Path, a_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder() == a_cache
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == tmp_path / "home" / ".cache" / "honeyguide"


def test_another_wordnet_is_refused(tmp_path: Path, invented: Path, a_cache: Path, write_synsets: Write) -> None:
    made = WordNetSimilarity.of("path", 0.0, str(invented))
    other = write_synsets(tmp_path / "other", {"entity": ("entity car", "")})
    digest = find.load(str(other)).digest
    assert digest != made.digest
    for path in a_cache.iterdir():
        path.unlink()
    with pytest.raises(InputError, match=f"^{other}: is not the WordNet.*relevance.wordnet"):
        WordNetSimilarity("path", 0.0, made.digest, str(other))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.noun", "00000001 03 n 01 entity 0 001 @ 99999999 n 0000 | above is nothing\n"),
        ("data.noun", "00000001 03 n 01 entity 0 001 @ 00000001 n 0000 | above itself\n"),
        ("data.noun", "<html>moved</html>\n"),
        ("data.noun", b"\xff\xfe\x00"),
        ("index.noun", "car n 1 1 @ 1 0 77777777  \n"),
        ("index.noun", "car\n"),
    ],
)
def test_what_is_no_wordnet_is_refused(invented: Path, a_cache: Path, name: str, content: str | bytes) -> None:
    (invented / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=f"^{invented}: contains no WordNet that can be read"):
        find.load(str(invented))
    assert not a_cache.exists()


# ---- the real one ----


@pytest.fixture
def real(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WordNetSimilarity:
    found = find.look()
    if found is None:
        pytest.skip("WordNet is not on this machine: honeyguide wordnet")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return WordNetSimilarity.of("wu-palmer", 0.0, str(found[0]))


def test_the_real_one(real: WordNetSimilarity) -> None:
    nouns = real._nouns
    assert len(nouns.depth) > 50_000
    assert nouns.depth.min() == 1
    assert (np.diff(nouns.forms.astype(np.int64)) > 0).all()
    assert crc32(b"honey") in nouns.forms
    # A dog is a canine, a cat a feline, and both are carnivores, which are at depth 12 in WordNet 3.0.
    assert similar(real, "dog", "cat") == pytest.approx(24 / 28, abs=0.03)
    assert similar(real, "automobile", "car") == 1.0
    assert similar(real, "geese", "goose") == 1.0
    assert similar(real, "bee", "wasp") > similar(real, "bee", "parliament")
