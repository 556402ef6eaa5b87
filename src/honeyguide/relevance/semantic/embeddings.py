"""Words as vectors: the embeddings that are bundled with the package wordllama (extra ``semantics``)."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from honeyguide.errors import InputError
from honeyguide.relevance.semantic.similarity import Matrix, with_stems
from honeyguide.relevance.semantic.terms import FieldsOnly, Terms

_MOST_WORDS = 20_000  # in the memory cache, at 1 KB each

# Unit vectors are rounded to multiples of this, so that sums of products of them are exact in float64: in whatever
# order a matrix product adds (it depends on its size and on the machine), a pair of words gets the same cosine.
_GRID = 2.0**-20


class WordVectors:
    """The vector of any word: the sum of the vectors of the word pieces that the embeddings have for it."""

    def __init__(self, pieces: NDArray[np.float32], tokenizer: Any, digest: str) -> None:
        self.digest = digest
        """Identifies the embeddings."""
        self._pieces = pieces
        self._tokenizer = tokenizer
        self._known: dict[str, int] = {}
        self._sums = np.empty((0, pieces.shape[1]), np.float32)

    def of(self, words: Sequence[str]) -> NDArray[np.float32]:
        """One vector per word."""
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        if len(self._known) + len(new) > len(self._sums):  # a crawl never stops meeting new words
            new = list(dict.fromkeys(words))
            self._known = {}
            self._sums = np.empty((max(_MOST_WORDS, len(new)), self._pieces.shape[1]), np.float32)
        for place, word in enumerate(new, len(self._known)):
            self._sums[place] = self._sum(word)
            self._known[word] = place
        return self._sums[[self._known[word] for word in words]]

    def _sum(self, word: str) -> NDArray[np.float32]:
        # One by one: for batches the tokenizer starts threads, which is not worth it for a few new words.
        numbers = self._tokenizer.encode(word, add_special_tokens=False).ids
        total: NDArray[np.float32] = self._pieces[numbers].sum(axis=0)
        return total


def load_vectors(digest: str = "") -> WordVectors:
    """The embeddings in the package wordllama, with the given digest if there is one. Never from the network."""
    try:
        with _root_logger_as_it_is():
            import wordllama  # noqa: PLC0415 (an extra)
    except ImportError:
        raise InputError("embeddings", "need the package wordllama", 'pip install "honeyguide[semantics]"') from None
    vectors = WordVectors(*_read(wordllama.WordLlama, Path(wordllama.__file__).parent))
    if digest and vectors.digest != digest:
        raise InputError(
            "wordllama",
            "has other embeddings than those the model was trained with",
            "install the version used for training, or train again",
        )
    return vectors


@cache
def _read(loader: Any, package: Path) -> tuple[NDArray[np.float32], Any, str]:
    """Word pieces, tokenizer and digest, read once per process."""
    # The loader looks for weights in the package, but for the tokenizer in the cache folder only: both are in the
    # package.
    try:
        loaded = loader.load(cache_dir=package, disable_download=True)
    except FileNotFoundError:
        raise InputError("wordllama", "contains no embeddings", 'pip install "honeyguide[semantics]"') from None
    return loaded.embedding, loaded.tokenizer, hashlib.sha256(loaded.embedding.tobytes()).hexdigest()[:32]


@contextmanager
def _root_logger_as_it_is() -> Iterator[None]:
    """Undo the logging set-up that importing wordllama does for the whole process."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)


@dataclass(eq=False)
class EmbeddingSimilarity(FieldsOnly):
    """The cosine of two words' vectors; 0 if it is negative, or less than the cut-off."""

    cutoff: float
    digest: str
    """The digest of the embeddings: with others, the same text would get other scores."""

    def __post_init__(self) -> None:
        self._vectors  # noqa: B018 (what is not here should be said now, not when the first page is scored)

    @classmethod
    def of(cls, cutoff: float) -> EmbeddingSimilarity:
        """The similarity by the installed embeddings."""
        return cls(cutoff, load_vectors().digest)

    @cached_property
    def _vectors(self) -> WordVectors:
        return load_vectors(self.digest)

    def between(self, rows: Terms, columns: Terms, /) -> Matrix:
        """The similarity of each pair: see `honeyguide.relevance.semantic.similarity.Similarity`."""
        one = self._directions(rows)
        cosines = one @ (one if rows is columns else self._directions(columns)).T
        matrix = np.clip(cosines, 0.0, 1.0).astype(np.float32)
        matrix[matrix < self.cutoff] = 0.0
        return with_stems(matrix, rows, columns)

    def _directions(self, terms: Terms) -> NDArray[np.float64]:
        vectors = self._vectors.of(terms.words).astype(np.float64)
        lengths = np.sqrt((vectors**2).sum(axis=1, keepdims=True))
        units = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        rounded: NDArray[np.float64] = np.rint(units / _GRID) * _GRID
        return rounded
