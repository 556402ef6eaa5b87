"""How the CBP-SLC paper's (000) classifier experiments are set up here, and what their scripts are told.

The paper says neither which documents are labelled nor which are judged. Here, for each topic against the rest:

- 30 % of the positive and 30 % of the negative documents, drawn at random, are the test set;
- half of the other positive documents are P; the rest of them hides in U, among all the other negative documents;
- F is that of the test set, and ERR that of the positives hidden in U;
- everything is done for several draws, of which the mean counts; ± is one standard error over the topics.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from benchmarks.papers.corpora import Corpus, newsgroups, reuters

TEST = 0.3
LABELLED = 0.5


@dataclass(frozen=True, slots=True)
class Trial:
    """One topic of a corpus in one draw."""

    topic: int
    draw: int
    counts: csr_array
    known: NDArray[np.int64]
    """PU labels: 1 for P, 0 for U."""
    truth: NDArray[np.bool_]
    test_counts: csr_array
    test_truth: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Options:
    """What a script is told."""

    reuters: Path
    news: Path
    draws: int
    out: Path

    def corpora(self) -> Iterator[Corpus]:
        """Both, one after the other."""
        for read, path in ((reuters, self.reuters), (newsgroups, self.news)):
            corpus = read(path)
            print(corpus.described(), file=sys.stderr)
            yield corpus


def options(name: str, about: str) -> Options:
    """From the command line. Ends the program when an archive is not there."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.papers.{name}", description=about)
    parser.add_argument("--reuters", type=Path, required=True, help="archive of Reuters-21578 (its .sgm files, tar)")
    parser.add_argument("--news", type=Path, required=True, help="archive of 20 Newsgroups, by date (tar)")
    parser.add_argument("--draws", type=int, default=3, help="how often P, U and the test set are drawn (default: 3)")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for table and plot")
    asked = parser.parse_args()
    for path in (asked.reuters, asked.news):
        if not path.is_file():
            sys.exit(f"{path}: no such file; name the archive of the corpus")
    return Options(asked.reuters, asked.news, asked.draws, asked.out)


def trials(corpus: Corpus, draws: int) -> Iterator[Trial]:
    """Each topic in each draw, with a line of progress."""
    for topic, name in enumerate(corpus.topics):
        print(f"{corpus.name}: {name}", file=sys.stderr)
        for draw in range(draws):
            yield drawn(corpus, topic, draw)


def drawn(corpus: Corpus, topic: int, draw: int) -> Trial:
    """The same for the same numbers."""
    random = np.random.default_rng([draw, topic])
    belongs = corpus.belongs[:, topic]
    positive, negative = (random.permutation(np.flatnonzero(belongs == side)) for side in (True, False))
    test_positives, test_negatives = round(TEST * len(positive)), round(TEST * len(negative))
    labelled = positive[test_positives:][: round(LABELLED * (len(positive) - test_positives))]
    is_test = np.zeros(len(belongs), np.bool_)
    is_test[positive[:test_positives]] = True
    is_test[negative[:test_negatives]] = True
    known = np.zeros(len(belongs), np.int64)
    known[labelled] = 1
    return Trial(
        topic,
        draw,
        corpus.counts[~is_test],
        known[~is_test],
        belongs[~is_test],
        corpus.counts[is_test],
        belongs[is_test],
    )
