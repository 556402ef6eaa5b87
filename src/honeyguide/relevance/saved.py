"""A model on disk: a folder of arrays and one JSON file. Loading reads numbers and text, and executes nothing.

    model.json    what the model is, its plain values, and a digest of every array
    0.npy ...     its arrays

Whatever can be kept is a dataclass that `honeyguide.relevance.kinds` names: its fields are arrays, plain values and
other such dataclasses.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from honeyguide.errors import InputError
from honeyguide.relevance.base import Relevance
from honeyguide.relevance.kinds import kind, name_of

FOLDER = "model"
"""Of a crawl's model, in the crawl's folder."""

FILE = "model.json"
VERSION = 1
"""Of the format. Raised when an older model would be read wrongly."""

_ARRAY, _KIND = "array", "kind"
_REMEDY = "train it again"


def save(model: Relevance, folder: Path, about: Mapping[str, Any] | None = None) -> None:
    """Write a model as a folder, in place of the one that may be there.

    `about` is kept beside it (see `read_about`). The new folder stands complete under another name before the old
    one goes: a model that is there is whole.
    """
    draft = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    arrays: list[str] = []

    def written(value: Any) -> Any:
        if dataclasses.is_dataclass(value):
            parts = {field.name: written(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {_KIND: name_of(value), **parts}
        if isinstance(value, np.ndarray):
            buffer = io.BytesIO()
            np.save(buffer, value, allow_pickle=False)
            (draft / f"{len(arrays)}.npy").write_bytes(buffer.getvalue())
            arrays.append(hashlib.sha256(buffer.getvalue()).hexdigest())
            return {_ARRAY: len(arrays) - 1}
        if isinstance(value, list | tuple):
            return [written(item) for item in value]
        return value

    content = {"about": about or {}, "arrays": arrays, "model": written(model)}
    content = {"version": VERSION, "digest": _digest(content), **content}
    (draft / FILE).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    draft.rename(folder)


def load(folder: Path) -> Relevance:
    """The model that `save` wrote. Raises `InputError` for what is not one, is of another version, or was changed."""
    content = _content(folder)
    arrays = [_array(folder / f"{number}.npy", digest) for number, digest in enumerate(content["arrays"])]

    def read(value: Any) -> Any:
        if isinstance(value, list):
            return [read(item) for item in value]
        if not isinstance(value, dict):
            return value
        if _ARRAY in value:
            return arrays[value[_ARRAY]]
        parts = {name: read(part) for name, part in value.items() if name != _KIND}
        return kind(value[_KIND])(**parts)

    try:
        model: Relevance = read(content["model"])
    except (KeyError, IndexError, TypeError, ValueError):
        raise InputError(str(folder), "holds a model that this version does not know", _REMEDY) from None
    return model


def read_about(folder: Path) -> dict[str, Any]:
    """What was kept beside a model."""
    found: dict[str, Any] = _content(folder)["about"]
    return found


def _content(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise InputError(str(folder), "holds no model", _REMEDY) from None
    except ValueError:
        raise InputError(str(path), "is damaged", _REMEDY) from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        found = content.get("version") if isinstance(content, dict) else None
        raise InputError(str(path), f"is a model of format {found}, not {VERSION}", _REMEDY)
    if content.get("digest") != _digest({name: content.get(name) for name in ("about", "arrays", "model")}):
        raise InputError(str(path), "was changed after it was written", _REMEDY)
    return content


def _array(path: Path, digest: str) -> Any:
    try:
        data = path.read_bytes()
    except OSError:
        raise InputError(str(path), "is missing", _REMEDY) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise InputError(str(path), "was changed after it was written", _REMEDY)
    try:
        return np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError):
        raise InputError(str(path), "is no array", _REMEDY) from None


def _digest(content: Mapping[str, Any]) -> str:
    """Of plain values, whatever order and spacing they were written in."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
