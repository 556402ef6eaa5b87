"""Reuters-21578 and 20 Newsgroups as the CBP-SLC paper (000) uses them, read straight from their archives.

What the paper leaves open, and what is done here:

- Reuters: it has "9980 documents from the most populous 10 topics". That is the number of pairs of a document and one
  of these topics in the "ModApte" split, its training and its test part together: 9,980 pairs, of 9,035 documents. So
  these are the documents; one with several topics is positive for each of them.
- Newsgroups: it has 9,840 documents of 10 groups, not said which. Here: two of comp, rec and three of sci, one of misc,
  soc and talk, 9,830 documents. Of a message the subject and the body count; who writes from where does not.
"""

from __future__ import annotations

import html
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from honeyguide.page.words import split_words
from honeyguide.relevance.text import Tokenizer, counted

GROUPS = """
    comp.graphics comp.windows.x misc.forsale rec.autos rec.sport.hockey sci.crypt sci.med sci.space
    soc.religion.christian talk.politics.mideast
""".split()

_STORY = re.compile(r"<REUTERS([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_TOPIC = re.compile(r"<D>(.*?)</D>")
_TEXT = re.compile(r"<TEXT[^>]*>(.*)</TEXT>", re.DOTALL)
_TAG = re.compile(r"</?[A-Z]+>")
_SUBJECT = re.compile(r"^Subject:(.*)$", re.MULTILINE)

Document = tuple[str, frozenset[str]]
"""Text and topics."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents as counts of terms, and which topics each belongs to."""

    name: str
    topics: list[str]
    counts: csr_array
    belongs: NDArray[np.bool_]  # document × topic

    def described(self) -> str:
        """Its size, in a sentence."""
        documents, terms = self.counts.shape
        pairs = int(self.belongs.sum())
        return f"{self.name}: {documents:,} documents ({pairs:,} if each counts once a topic), {terms:,} terms"


def reuters(archive: Path) -> Corpus:
    """The stories of the ModApte split that have one of its ten most frequent topics."""
    stories = [
        (text, frozenset(topics))
        for _, content in _files(archive, re.compile(r"\.sgm$"))
        for attributes, text, topics in _stories(content)
        if 'TOPICS="YES"' in attributes and 'LEWISSPLIT="NOT-USED"' not in attributes
    ]
    most = [topic for topic, _ in Counter(topic for _, topics in stories for topic in topics).most_common(10)]
    return _corpus("Reuters-21578", most, (story for story in stories if not story[1].isdisjoint(most)))


def newsgroups(archive: Path) -> Corpus:
    """The messages of ten groups."""
    return _corpus("20 Newsgroups", GROUPS, _messages(archive))


def _stories(content: str) -> Iterator[tuple[str, str, list[str]]]:
    for attributes, story in _STORY.findall(content):
        topics, text = _TOPICS.search(story), _TEXT.search(story)
        assert topics is not None
        assert text is not None
        yield attributes, html.unescape(_TAG.sub(" ", text[1])), _TOPIC.findall(topics[1])


def _messages(archive: Path) -> Iterator[Document]:
    for place, content in _files(archive, re.compile(rf"/({'|'.join(map(re.escape, GROUPS))})/\d+$")):
        header, _, body = content.partition("\n\n")
        subject = _SUBJECT.search(header)
        yield f"{subject[1] if subject else ''}\n{body}", frozenset([place[1]])


def _files(archive: Path, wanted: re.Pattern[str]) -> list[tuple[re.Match[str], str]]:
    """How the name of each wanted file in the archive matches, and what is in it, in the order of the names."""
    with tarfile.open(archive) as tar:
        found = [
            (match, file.read().decode("latin-1"))
            for member in tar
            if (match := wanted.search(member.name)) and (file := tar.extractfile(member))
        ]
    if not found:
        sys.exit(f"{archive.name}: no file in it is named as in {wanted.pattern}; name the archive of that corpus")
    return sorted(found, key=lambda one: one[0].string)


def _corpus(name: str, topics: list[str], documents: Iterable[Document]) -> Corpus:
    tokenizer = Tokenizer("english")
    rows, labels = [], []
    for text, belongs in documents:
        words, _ = split_words(text)
        rows.append(counted(tokenizer(words)))
        labels.append([topic in belongs for topic in topics])
    terms, columns = np.unique(np.concatenate([tokens for tokens, _ in rows]), return_inverse=True)
    starts = np.cumsum([0, *(len(tokens) for tokens, _ in rows)], dtype=np.int32)  # as LIBLINEAR and LIBSVM take them
    counts = np.concatenate([numbers for _, numbers in rows])
    matrix = csr_array((counts, columns.astype(np.int32), starts), shape=(len(rows), len(terms)), dtype=np.float64)
    return Corpus(name, topics, matrix, np.array(labels))
