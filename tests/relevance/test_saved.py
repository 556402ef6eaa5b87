"""Models on disk: whole or refused, and nothing is executed."""

from __future__ import annotations

import hashlib
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from honeyguide.errors import InputError
from honeyguide.relevance import saved
from honeyguide.relevance.base import Rescaled, whole
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
        (lambda path: change_json(path, version=99), r"model.json: is a model of format 99, not 1; train it again"),
        (lambda path: change_json(path, about={"f1": [1.0]}), "model.json: was changed after it was written"),
        (lambda path: change_json(path, model={"kind": "vsm"}), "model.json: was changed after it was written"),
        (lambda path: (path / saved.FILE).write_text("{"), "model.json: is damaged"),
        (lambda path: (path / saved.FILE).write_text("[]"), "model.json: is a model of format None"),
        (lambda path: (path / saved.FILE).unlink(), "bees.model: holds no model"),
        (lambda path: (path / "0.npy").unlink(), "0.npy: is missing"),
        (flip_a_bit, "0.npy: was changed after it was written"),
    ],
)
def test_what_is_not_whole_is_refused(folder: Path, harm: Callable[[Path], object], message: str) -> None:
    harm(folder)
    with pytest.raises(InputError, match=message):
        saved.load(folder)


@pytest.mark.parametrize("model", [{"kind": "os.system"}, {"kind": "vsm", "command": 1}, {"array": 9}])
def test_what_nobody_knows_is_refused_though_the_digest_fits(folder: Path, model: object) -> None:
    content = json.loads((folder / saved.FILE).read_text())
    parts = {"about": content["about"], "arrays": content["arrays"], "model": model}
    change_json(folder, model=model, digest=saved._digest(parts))
    with pytest.raises(InputError, match="holds a model that this version does not know"):
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
    with pytest.raises(InputError, match=r"0\.npy: is no array"):
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
