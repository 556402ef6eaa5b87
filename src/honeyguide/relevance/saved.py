"""A model on disk: a folder of arrays and one JSON file.

    model.json    what the model is, its plain values, and a digest of every array
    0.npy ...     its arrays

A model that can be saved is a dataclass whose fields are arrays, plain values (strings, numbers, Booleans, None),
lists, tuples and dicts (with string keys) of these, and other such dataclasses. A class is saved as its import path,
``package.module:Class``. Loading imports that module and builds dataclasses from numbers and text: nothing in the
files is executed, and nothing but dataclasses is called.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from honeyguide.atomic_write import atomic_folder
from honeyguide.errors import InputError
from honeyguide.plugins import described, load_object
from honeyguide.relevance.base import Relevance

FOLDER = "model"
"""The folder of a crawl's model, in the crawl's folder."""

TAUGHT = "taught"
"""The folder of the model that has learnt from the labels of a crawl, in the crawl's folder."""

KEYWORDS = "keywords"
"""The metadata entry with the keywords of the topic, as a list, if the model of a crawl was made from these."""

FILE = "model.json"
VERSION = 3
"""The version of the format. Increased if an older model would be read wrongly."""

_LARGEST = 4 << 30  # bytes of a file: more than the largest embeddings have
_OURS = "honeyguide."
_REMEDY = "train it again"
_KEEPABLE = "use arrays, strings, numbers, lists, tuples and dicts of them, and dataclasses"


def check(model: Relevance) -> None:
    """Refuse a model that cannot be saved; nothing is written.

    Raises:
        InputError: As `save` does.
    """
    _encoded(model)


def fingerprint(model: Relevance) -> str:
    """The same for two models if they score every text alike and have the same threshold.

    Raises:
        InputError: As `save` does.
    """
    encoded, arrays = _encoded(model)
    return _digest({"arrays": [hashlib.sha256(data).hexdigest() for data in arrays], "model": encoded})


def with_threshold(model: Relevance, threshold: float) -> Relevance:
    """The same model with another threshold."""
    changed: Relevance = dataclasses.replace(model, threshold=threshold)  # type: ignore[type-var]
    return changed


def save(model: Relevance, folder: Path, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a model as a folder, atomically, replacing an existing one.

    Args:
        model: A dataclass, as described above.
        folder: Where it goes. Its parent folders are created.
        about: Saved beside it, for `read_about`.

    Raises:
        InputError: The model cannot be saved: the message names the field. Nothing is written then.
    """
    encoded, arrays = _encoded(model)
    digests = [hashlib.sha256(data).hexdigest() for data in arrays]
    content = {"about": metadata or {}, "arrays": digests, "model": encoded}
    content = {"version": VERSION, "digest": _digest(content), **content}
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    with atomic_folder(folder, durable=True) as draft:
        for number, data in enumerate(arrays):
            (draft / f"{number}.npy").write_bytes(data)
        (draft / FILE).write_text(text, encoding="utf-8")


def load(folder: Path) -> Relevance:
    """The model that `save` wrote.

    Raises:
        InputError: The folder is not a model, has another format, was changed since, or needs a package that cannot be
            imported.
    """
    content = _content(folder)
    arrays = [_array(folder / f"{number}.npy", digest) for number, digest in enumerate(content["arrays"])]
    try:
        model: Relevance = _decoded(content["model"], arrays, str(folder))
        if not callable(getattr(model, "score", None)):
            raise TypeError(f"{type(model).__name__} is not a model")
    except InputError:
        raise
    except Exception as error:
        problem = f"contains a model that this version does not know ({described(error)})"
        raise InputError(str(folder), problem, _REMEDY) from error
    return model


def read_about(folder: Path) -> dict[str, Any]:
    """The metadata saved with a model."""
    found: dict[str, Any] = _content(folder)["about"]
    return found


# ---- values as JSON, in which every object names its type ----


def _encoded(model: object) -> tuple[Any, list[bytes]]:
    """A model as JSON values, and its arrays as files. Raises `InputError` for what could not be loaded again."""
    name = type(model).__name__
    if not dataclasses.is_dataclass(model) or isinstance(model, type):
        problem = f"{name} is not a dataclass, so it cannot be saved with a crawl"
        raise InputError("model", problem, f"make it a dataclass; in its fields, {_KEEPABLE}")
    arrays: list[np.ndarray[Any, Any]] = []
    encoded = _value(model, name, arrays)
    try:
        _decoded(encoded, arrays, name)
    except InputError:
        raise
    except Exception as error:
        problem = f"cannot be rebuilt from its fields: {described(error)}"
        raise InputError(name, problem, "let its __init__ take all fields, as that of a dataclass does") from error
    return encoded, [_npy(array) for array in arrays]


def _value(value: Any, place: str, arrays: list[np.ndarray[Any, Any]]) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list):
        return [_value(item, f"{place}[{number}]", arrays) for number, item in enumerate(value)]
    if isinstance(value, tuple):
        return {"tuple": _value(list(value), place, arrays)}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": {key: _value(item, f"{place}[{key!r}]", arrays) for key, item in value.items()}}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        given = [field.name for field in dataclasses.fields(value) if field.init]
        parts = {name: _value(getattr(value, name), f"{place}.{name}", arrays) for name in given}
        return {"dataclass": _path_of(type(value), place), "fields": parts}
    raise InputError(place, f"a value of type {type(value).__name__} cannot be saved", _KEEPABLE)


def _path_of(kind: type, place: str) -> str:
    path = f"{kind.__module__}:{kind.__qualname__}"
    try:
        found = load_object(path, place)
    except InputError:
        found = None
    if found is not kind:
        raise InputError(
            place, f"the class {path} could not be imported again", "define it at the top level of a module"
        )
    return path


def _decoded(value: Any, arrays: Sequence[np.ndarray[Any, Any]], place: str) -> Any:
    if isinstance(value, list):
        return [_decoded(item, arrays, place) for item in value]
    if not isinstance(value, dict):
        return value
    match value:
        case {"array": int(number)}:
            return arrays[number]
        case {"tuple": list(items)}:
            return tuple(_decoded(items, arrays, place))
        case {"dict": dict(items)}:
            return {key: _decoded(item, arrays, place) for key, item in items.items()}
        case {"dataclass": str(path), "fields": dict(parts)}:
            return _class_at(path, place)(**{name: _decoded(part, arrays, place) for name, part in parts.items()})
    raise ValueError(f"{', '.join(value)} has no known meaning")


def _class_at(path: str, place: str) -> type:
    """The dataclass at a path; nothing else is ever called."""
    try:
        found = load_object(path, place)
    except InputError:
        if path.startswith(_OURS):  # a class of another version of honeyguide: there is nothing to install
            raise ValueError(f"there is no {path}") from None
        raise
    if not isinstance(found, type) or not dataclasses.is_dataclass(found):
        raise ValueError(f"{path} is not a dataclass")
    return found


# ---- files ----


def _content(folder: Path) -> dict[str, Any]:
    path = folder / FILE
    try:
        content = json.loads(_read(path).decode())
    except OSError:
        raise InputError(str(folder), "contains no model", _REMEDY) from None
    except (ValueError, RecursionError):
        raise InputError(str(path), "is damaged", _REMEDY) from None
    if not isinstance(content, dict) or content.get("version") != VERSION:
        found = content.get("version") if isinstance(content, dict) else None
        raise InputError(str(path), f"is a model of format {found}, not {VERSION}", _REMEDY)
    if content.get("digest") != _digest({name: content.get(name) for name in ("about", "arrays", "model")}):
        raise InputError(str(path), "was changed after it was written", _REMEDY)
    if not isinstance(content["about"], dict) or not isinstance(content["arrays"], list):
        raise InputError(str(path), "is damaged", _REMEDY)
    return content


def _read(path: Path) -> bytes:
    """The content of a regular file. Raises `OSError` for anything else, such as a pipe, which would never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:  # noqa: PTH123 (a descriptor, not a path)
        metadata = os.fstat(descriptor)
        if not stat.S_ISREG(metadata.st_mode) or metadata.st_size > _LARGEST:
            raise OSError(f"{path} is not a file of a model")
        return file.read()


def _npy(array: np.ndarray[Any, Any]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def _array(path: Path, digest: str) -> Any:
    try:
        data = _read(path)
    except OSError:
        raise InputError(str(path), "is missing", _REMEDY) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise InputError(str(path), "was changed after it was written", _REMEDY)
    try:
        return np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError, MemoryError):  # MemoryError: a small file may claim to be a large array
        raise InputError(str(path), "is not an array", _REMEDY) from None


def _digest(content: Mapping[str, Any]) -> str:
    """The digest of plain values, independent of the order and spacing in which they were written."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
