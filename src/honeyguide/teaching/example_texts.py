"""The texts of a topic's examples, kept with a crawl, so that its model can be fitted again without reading them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zipfile import BadZipFile

import numpy as np

from honeyguide.atomic_write import atomic_write
from honeyguide.errors import InputError
from honeyguide.relevance.material import Material
from honeyguide.relevance.text import Text, Tokenizer
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

FILE: Final = "examples.npz"
"""The name of the file in the folder of a crawl."""

_KINDS: Final = 3  # positive, negative, unlabelled


def save_examples(material: Material, path: Path) -> None:
    """Write the tokens, titles and addresses of all examples to a file."""
    sides = (material.positive, material.negative, material.unlabelled)
    texts = [text for side in sides for text in side]
    tokens = material.tokens(texts)
    data = io.BytesIO()
    np.savez_compressed(
        data,
        tokens=np.concatenate(tokens) if tokens else np.zeros(0, np.uint32),
        ends=np.cumsum([len(of) for of in tokens], dtype=np.int64),
        kinds=np.repeat(np.arange(_KINDS, dtype=np.int8), [len(side) for side in sides]),
        urls=np.array([text.url for text in texts], np.str_),
        titles=np.array([text.title for text in texts], np.str_),
    )
    with atomic_write(path) as file:
        file.write(data.getvalue())


def load_material(topic: Topic, path: Path) -> Material:
    """The material of a topic with the examples that `save_examples` wrote; without any if there is no file.

    Raises `InputError` when the file is not valid.
    """
    if not path.is_file():
        return material_of(topic)
    tokenizer = Tokenizer(topic.language)
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as found:
            tokens, kinds = np.split(found["tokens"].astype(np.uint32), found["ends"][:-1]), found["kinds"].tolist()
            names = zip(found["urls"].tolist(), found["titles"].tolist(), strict=True)
            texts = [_text(of, url, title, tokenizer) for of, (url, title) in zip(tokens, names, strict=True)]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise InputError(str(path), "cannot be read", "delete it, and train the model again") from error
    return material_of(topic, *(_of_kind(texts, kinds, kind) for kind in range(_KINDS)))


def _of_kind(texts: Sequence[Text], kinds: Sequence[int], kind: int) -> list[Text]:
    return [text for text, own in zip(texts, kinds, strict=True) if own == kind]


def _text(tokens: np.ndarray[tuple[int], np.dtype[np.uint32]], url: str, title: str, tokenizer: Tokenizer) -> Text:
    text = Text([""] * len(tokens), url, title)
    text.set_tokens(tokenizer, tokens)
    return text
