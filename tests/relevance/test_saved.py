"""Models on disk: whole or refused, and nothing is executed."""

from __future__ import annotations

import hashlib
import importlib
import json
import pickle
import sys
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honeyguide.errors import InputError
from honeyguide.page.spans import Spans
from honeyguide.relevance import saved
from honeyguide.relevance.base import Rescaled, Scores, whole
from honeyguide.relevance.models import make_model
from honeyguide.relevance.text import Text
from honeyguide.relevance.vsm import Vsm

from .corpus import material

MODEL = Rescaled(make_model(material()), 0.3, 0.5)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    saved.save(MODEL, tmp_path / "bees.model", {"f1": [0.5, 0.25], "why": "examples"})
    return tmp_path / "bees.model"


def test_a_folder_of_arrays_and_json(folder: Path) -> None:
    assert {path.suffix for path in folder.iterdir()} == {".npy", ".json"}
    assert saved.read_about(folder) == {"f1": [0.5, 0.25], "why": "examples"}
    for path in folder.glob("*.npy"):
        np.load(path, allow_pickle=False)


def change_json(path: Path, **changed: object) -> None:
    content = json.loads((path / saved.FILE).read_text())
    (path / saved.FILE).write_text(json.dumps({**content, **changed}))


def flip_a_bit(path: Path) -> None:
    data = bytearray((path / "0.npy").read_bytes())
    data[-1] ^= 1
    (path / "0.npy").write_bytes(data)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: change_json(path, version=99), r"model.json: is a model of format 99, not 3; train it again"),
        (lambda path: change_json(path, about={"f1": [1.0]}), "model.json: was changed after it was written"),
        (lambda path: change_json(path, model={"dict": {}}), "model.json: was changed after it was written"),
        (lambda path: (path / saved.FILE).write_text("{"), "model.json: is damaged"),
        (lambda path: (path / saved.FILE).write_text("[]"), "model.json: is a model of format None"),
        (lambda path: (path / saved.FILE).unlink(), "bees.model: contains no model"),
        (lambda path: (path / "0.npy").unlink(), "0.npy: is missing"),
        (flip_a_bit, "0.npy: was changed after it was written"),
    ],
)
def test_what_is_not_whole_is_refused(folder: Path, harm: Callable[[Path], object], message: str) -> None:
    harm(folder)
    with pytest.raises(InputError, match=message):
        saved.load(folder)


def change_model(folder: Path, model: object) -> None:
    """As somebody would who knows how digests are made."""
    content = json.loads((folder / saved.FILE).read_text())
    parts = {"about": content["about"], "arrays": content["arrays"], "model": model}
    change_json(folder, model=model, digest=saved._digest(parts))


def a(path: str, **fields: object) -> dict[str, object]:
    return {"dataclass": path, "fields": fields}


@pytest.mark.parametrize(
    "model",
    [
        a("os:system", command="exit 3"),
        a("pytest:fail", reason="it was called"),
        a("builtins:dict", x=1),
        a("subprocess:Popen", args="false"),
        a("honeyguide.relevance.vsm:Vsm", command=1),
        a("honeyguide.relevance.vsm:Gone"),
        a("honeyguide.gone:Vsm"),
        {"array": 9},
        {"kind": "vsm"},
        {"dataclass": "honeyguide.relevance.vsm:Vsm"},
    ],
)
def test_what_nobody_knows_is_refused_though_the_digest_fits(folder: Path, model: object) -> None:
    change_model(folder, model)
    with pytest.raises(InputError, match=r"bees\.model: contains a model that this version does not know .*; train it"):
        saved.load(folder)


class Bomb:
    """Says so when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return (pytest.fail, ("code was executed",))


def test_no_array_is_unpickled(folder: Path) -> None:
    bomb = pickle.dumps(np.array([Bomb()], object))
    (folder / "0.npy").write_bytes(bomb)
    content = json.loads((folder / saved.FILE).read_text())
    arrays = [hashlib.sha256(bomb).hexdigest(), *content["arrays"][1:]]
    parts = {"about": content["about"], "arrays": arrays, "model": content["model"]}
    change_json(folder, arrays=arrays, digest=saved._digest(parts))
    with pytest.raises(InputError, match=r"0\.npy: is not an array"):
        saved.load(folder)


def test_a_new_model_takes_the_place_of_the_old(folder: Path) -> None:
    saved.save(Vsm.of(Text.of("bees"), "english", 0.25), folder)
    assert saved.load(folder).threshold == 0.25
    assert saved.read_about(folder) == {}
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_a_stretched_score_keeps_its_order() -> None:
    # 0.3 becomes 0.5: below it scores grow by 5/3, above it 0.7 is pressed into 0.5.
    text = Text.of("honey bee tree stone")
    (inner,) = MODEL.model.score(text, whole(text))
    (outer,) = MODEL.score(text, whole(text))
    assert outer == pytest.approx(inner * 5 / 3 if inner < 0.3 else 0.5 + (inner - 0.3) * 5 / 7)


# ---- models of other packages ----


class Scoring:
    """What all of these have in common."""

    threshold = 0.5

    def score(self, text: Text, spans: Spans) -> Scores:
        return np.zeros(len(spans))


@dataclass(eq=False)
class Part:
    weights: np.ndarray[Any, Any]
    kind: str
    """A name that the format might have had for itself."""


@dataclass(eq=False)
class Mine(Scoring):
    parts: list[Part]
    by_word: dict[str, float]
    shape: tuple[int, ...]
    array: None = None
    threshold: float = 0.5
    derived: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.derived = len(self.parts)


def test_a_model_of_another_package_comes_back_as_it_was(tmp_path: Path) -> None:
    parts = [Part(np.arange(6, dtype=np.float32).reshape(2, 3), "dict"), Part(np.array(["é"]), "array")]
    saved.save(Mine(parts, {"dataclass": 1.5, "蜂": 2.0}, (1, 2)), tmp_path / "model")
    loaded = saved.load(tmp_path / "model")
    assert isinstance(loaded, Mine)
    assert (loaded.by_word, loaded.shape, loaded.array, loaded.derived) == (
        {"dataclass": 1.5, "蜂": 2.0},
        (1, 2),
        None,
        2,
    )
    for part, other in zip(loaded.parts, parts, strict=True):
        assert part.kind == other.kind
        assert part.weights.dtype == other.weights.dtype
        np.testing.assert_array_equal(part.weights, other.weights)


@dataclass(eq=False)
class Odd(Scoring):
    value: Any


@dataclass(eq=False)
class Needy(Scoring):
    extra: InitVar[int]

    def __post_init__(self, extra: int) -> None:
        pass


def local_model() -> Any:
    @dataclass(eq=False)
    class Local(Scoring):
        x: int = 0

    return Local()


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Scoring(), "model: Scoring is not a dataclass, so it cannot be saved with a crawl; make it a dataclass"),
        (Odd, "model: type is not a dataclass"),
        (Odd({1, 2}), "Odd.value: a value of type set cannot be saved; use arrays"),
        (Odd(Odd([1, (2, b"x")])), "Odd.value.value[1][1]: a value of type bytes cannot be saved"),
        (Odd({"a": {"b": print}}), "Odd.value['a']['b']: a value of type builtin_function_or_method cannot be saved"),
        (Odd({1: 2}), "Odd.value: a value of type dict cannot be saved"),
        (Odd(np.array([Scoring()])), "Odd.value: a value of type ndarray cannot be saved"),
        (Odd(Odd), "Odd.value: a value of type type cannot be saved"),
        (local_model(), "Local: the class "),
        (Odd(local_model()), "Odd.value: the class "),
        (Needy(1), "Needy: cannot be rebuilt from its fields: TypeError: "),
    ],
)
def test_what_could_not_be_loaded_again_is_refused_before_anything_is_written(
    tmp_path: Path, model: Any, message: str
) -> None:
    for keep in (saved.check, lambda model: saved.save(model, tmp_path / "crawl" / "model")):
        with pytest.raises(InputError) as refused:
            keep(model)
        assert str(refused.value).startswith(message)
    assert list(tmp_path.iterdir()) == []


PACKAGE = """
from dataclasses import dataclass
import numpy as np

@dataclass
class Model:
    threshold: float
    def score(self, text, spans):
        return np.full(len(spans), 0.75)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of somebody's, and a model of its in the folder ``model``."""
    path = tmp_path / "somebodys.py"
    path.write_text(PACKAGE)
    monkeypatch.syspath_prepend(tmp_path)
    from somebodys import Model  # type: ignore[import-not-found]

    saved.save(Model(0.25), tmp_path / "model")
    yield path
    sys.modules.pop("somebodys", None)


def forget(package: Path) -> None:
    sys.modules.pop("somebodys", None)
    importlib.invalidate_caches()


def test_loading_imports_the_package_that_the_model_is_of(package: Path) -> None:
    forget(package)
    loaded = saved.load(package.parent / "model")
    assert loaded.threshold == 0.25
    assert loaded.score(Text(["x"]), whole(Text(["x"]))).tolist() == [0.75]


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: path.unlink(), r"there is no module somebodys .*; install the package that contains it"),
        (lambda path: path.write_text("1 / 0"), r"somebodys cannot be imported: ZeroDivisionError: division by zero"),
        (lambda path: path.write_text("Modell = 1"), r"somebodys has no Model; did you mean Modell\?"),
        (lambda path: path.write_text("def Model(**k): raise SystemExit"), "somebodys:Model is not a dataclass"),
        (lambda path: path.write_text(PACKAGE.replace("threshold:", "limit:")), "does not know .*unexpected keyword"),
    ],
)
def test_a_package_that_is_not_what_it_was(package: Path, harm: Callable[[Path], object], message: str) -> None:
    harm(package)
    forget(package)
    with pytest.raises(InputError, match=rf"model: .*{message}"):
        saved.load(package.parent / "model")


def test_a_disk_that_is_full_leaves_the_old_model_and_no_draft(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="no space left"):
        saved.save(Vsm.of(Text.of("bees"), "english", 0.25), folder)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert saved.load(folder).threshold == MODEL.threshold
