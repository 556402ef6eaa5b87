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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from benchmarks.papers.corpora import Corpus, newsgroups, reuters
from benchmarks.papers.replays import once
from benchmarks.papers.report import Values

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
    kept: Path | None

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
    parser.add_argument("--out", type=Path, default=Path("results/papers"), help="folder for table and plot")
    parser.add_argument("--kept", type=Path, help="keep finished trials in this folder, and go on from there")
    asked = parser.parse_args()
    for path in (asked.reuters, asked.news):
        if not path.is_file():
            sys.exit(f"{path}: no such file; name the archive of the corpus")
    return Options(asked.reuters, asked.news, asked.draws, asked.out, asked.kept)


def measured(
    name: str, corpus: Corpus, asked: Options, measure: Callable[[Trial], Mapping[str, float]]
) -> dict[str, Values]:
    """Each measure of every topic (row) in every draw (column), with a line of progress for each topic.

    Trials that were finished before, under the same name, are read from `asked.kept`.
    """

    def cell(topic: int, draw: int) -> dict[str, Any]:
        key = (name, corpus.described(), corpus.topics[topic], draw)
        (found,) = once(asked.kept, key, lambda: [dict(measure(drawn(corpus, topic, draw)))])
        return found

    rows = []
    for topic, title in enumerate(corpus.topics):
        print(f"{corpus.name}: {title}, topic {topic + 1} of {len(corpus.topics)}", file=sys.stderr)
        rows.append([cell(topic, draw) for draw in range(asked.draws)])
    return {key: np.array([[one[key] for one in row] for row in rows]) for key in rows[0][0]}


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
