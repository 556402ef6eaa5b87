"""What the models of meaning cost, and how well they tell texts apart.

    taskset -c 1 python -m benchmarks.semantic [--newsgroups 20news-bydate.tar.xz] [--out results/semantic.md]

Pages are texts of 300 different words, made of WordNet's own definitions of nouns in their order, so each is new to the
model; anchors are runs of five words of them, sixty a page, in one call, before the page itself, so that nothing is
remembered of its words. Tokens are counted in: every page is a text that was never read.

With the archive of 20 Newsgroups also: how the models rank messages of eight groups for topics of a few words, and what
they give a text of the topic, one that is half of it, and one of another.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tarfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from time import process_time

os.environ["OMP_NUM_THREADS"] = "1"  # one core, also for matrix products: read when numpy is imported

import numpy as np
from numpy.typing import NDArray

from benchmarks import machine
from honeyguide.page.spans import Spans, spans
from honeyguide.page.words import split_words
from honeyguide.relevance.base import Relevance, whole
from honeyguide.relevance.semantic import find
from honeyguide.relevance.semantic.embedding import Embedding
from honeyguide.relevance.semantic.make import PAIRS, SIMILARITIES, word_similarity
from honeyguide.relevance.semantic.ssrm import Ssrm
from honeyguide.relevance.semantic.ssvsm import Ssvsm
from honeyguide.relevance.text import Text, stop_words
from honeyguide.relevance.vsm import Vsm

Make = Callable[[Text], Relevance]

TERMS = 300
ANCHORS, ANCHOR_WORDS = 60, 5
REACH = {"pages": 100, "anchors": 5000}
TOPIC = "honey bee hive nectar pollen colony queen insect flower wax"

TOPICS = {
    "rec.autos": "car engine driver road vehicle brakes",
    "sci.space": "space rocket orbit satellite moon shuttle launch",
    "rec.sport.hockey": "hockey team goal player ice league",
    "sci.med": "disease doctor patient medicine treatment",
    "sci.crypt": "encryption key cipher security privacy",
    "talk.politics.mideast": "israel arab jews war palestinian",
    "soc.religion.christian": "god christ church faith bible",
    "comp.graphics": "image graphics picture file format color",
}
MESSAGES = 60  # of each group


# ---- speed ----


def pages(nouns_only: bool) -> Iterator[list[str]]:
    """Word lists with 300 different words that count, from the definitions in WordNet's files."""
    _, files = find.find()
    stop, known = stop_words("english"), _lemmas(files.index) if nouns_only else None
    words: list[str] = []
    different: set[str] = set()
    for line in files.data.decode().splitlines():
        for word in split_words(line.partition(" | ")[2])[0]:
            if known is not None and word.lower() not in known:
                continue
            words.append(word)
            if word.lower() not in stop:
                different.add(word.lower())
            if len(different) == TERMS:
                yield words
                words, different = [], set()


def _lemmas(index: bytes) -> set[str]:
    return {line.partition(" ")[0] for line in index.decode().splitlines()}


def measured(model: Relevance, texts: list[list[str]], rounds: int) -> tuple[list[float], list[float]]:
    """Pages a second and anchors a second, of each round. The first tenth of the pages warms up."""
    warm_up = len(texts) // 10
    a_second: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for words in texts[:warm_up]:
            _score(model, words, whole(Text(words)))
        on_anchors = on_pages = 0.0
        for words in texts[warm_up:]:
            on_anchors += _score(model, words, _anchors(words))
            on_pages += _score(model, words, whole(Text(words)))
        count = len(texts) - warm_up
        a_second[0].append(count / on_pages)
        a_second[1].append(count * ANCHORS / on_anchors)
    return a_second


def _score(model: Relevance, words: list[str], chosen: Spans) -> float:
    text = Text(words)
    start = process_time()
    model.score(text, chosen)
    return process_time() - start


def _anchors(words: list[str]) -> Spans:
    step = (len(words) - ANCHOR_WORDS) / ANCHORS
    return spans((int(step * number), int(step * number) + ANCHOR_WORDS) for number in range(ANCHORS))


def speed(count: int, rounds: int) -> str:
    """The figures, as Markdown."""
    topic = Text.of(TOPIC)
    models: dict[str, Relevance] = {"VSM": Vsm.of(topic, "english", 0.2)}
    for name in ("wu-palmer", "embedding"):
        similarity = word_similarity(name, 0.0, "english")
        models |= {f"SSVSM {each}, {name}": Ssvsm.of(topic, "english", 0.2, similarity, pairs=each) for each in PAIRS}
        models[f"SSRM, {name}"] = Ssrm.of(topic, "english", 0.2, similarity)
    models["embedding"] = Embedding.of(topic, "english", 0.2)
    parts = []
    for what, nouns_only in (("of English", False), ("of nouns alone", True)):
        texts = list(islice(pages(nouns_only), count))
        length = sum(map(len, texts)) / len(texts)
        parts.append(
            f"## Pages {what}: {len(texts)}, of {TERMS} distinct words ({length:.0f} in total), topic of 10\n\n"
            "| one core, no cut-off | pages/s, median (lowest to highest) | goal | anchors/s | goal | met |\n"
            "|---|---|---|---|---|---|\n"
        )
        parts.extend(_row(name, *measured(model, texts, rounds)) for name, model in models.items())
        parts.append("\n")
    return "".join(parts)


def _row(name: str, a_page: list[float], an_anchor: list[float]) -> str:
    cells = [f"{np.median(each):,.0f} ({min(each):,.0f} to {max(each):,.0f})" for each in (a_page, an_anchor)]
    if not name.startswith("SSVSM"):
        return f"| {name} | {cells[0]} | | {cells[1]} | | |\n"
    reached = np.median(a_page) >= REACH["pages"] and np.median(an_anchor) >= REACH["anchors"]
    limits = [f"≥ {REACH[which]:,}" for which in ("pages", "anchors")]
    verdict = "yes" if reached else "**no**"
    return f"| {name} | {cells[0]} | {limits[0]} | {cells[1]} | {limits[1]} | {verdict} |\n"


# ---- quality ----


def messages(archive: Path) -> dict[str, list[list[str]]]:
    """The words of some messages of each group, without their headers."""
    bodies: dict[str, list[tuple[str, list[str]]]] = {group: [] for group in TOPICS}
    with tarfile.open(archive) as tar:
        for member in tar:
            group = Path(member.name).parent.name
            if group in bodies and "train" in member.name and (file := tar.extractfile(member)):
                _, _, body = file.read().decode("latin-1").partition("\n\n")
                bodies[group].append((member.name, split_words(body)[0]))
    if not all(bodies.values()):
        sys.exit(f"{archive.name}: not all groups are in it; name the archive 20news-bydate")
    chance = random.Random(3)
    return {group: [words for _, words in chance.sample(sorted(found), MESSAGES)] for group, found in bodies.items()}


def quality(archive: Path) -> str:
    """How well each model tells texts apart, as Markdown."""
    groups = messages(archive)
    makes: dict[str, Make] = {
        "VSM": partial(Vsm.of, language="english", threshold=0.2),
        "embedding": partial(Embedding.of, language="english", threshold=0.2),
    }
    cuts = {"wu-palmer": (0.0, 0.6, 0.8, 0.9), "path": (0.0, 0.2, 0.3), "li": (0.0, 0.5, 0.7), "embedding": (0.0, 0.4)}
    for name in SIMILARITIES:
        for cut in cuts[name]:
            near = word_similarity(name, cut, "english")
            for pairs in PAIRS:
                makes[f"SSVSM {pairs}, {name} ≥ {cut:g}"] = partial(
                    Ssvsm.of, language="english", threshold=0.2, similarity=near, pairs=pairs
                )
            makes[f"SSRM, {name} ≥ {cut:g}"] = partial(Ssrm.of, language="english", threshold=0.2, similarity=near)
    return (
        f"## 20 Newsgroups: {len(TOPICS)} topics of 5 to 7 words, {MESSAGES} messages of each\n\n"
        "AUC: the probability that a message of the group scores higher than one of another (0.5: chance). Scores are\n"
        "medians: of messages of the group, of messages whose second half is from another group, of other messages.\n"
        "Best F1: at the best single threshold for all topics.\n\n"
        "| model | AUC | of the topic | mixed | of another | best F1 | at threshold |\n|---|---|---|---|---|---|---|\n"
        + "".join(_compared(name, make, groups) for name, make in makes.items())
        + "\n"
    )


def _compared(name: str, make: Make, groups: dict[str, list[list[str]]]) -> str:
    chances, of_topic, mixed, of_another = [], [], [], []
    for group, words in TOPICS.items():
        model = make(Text.of(words))
        own = _scores(model, groups[group])
        others = [message for other, found in groups.items() if other != group for message in found]
        strange = _scores(model, others)
        halves = [
            [*message[: len(message) // 2], *other[len(other) // 2 :]]
            for message, other in zip(groups[group], others[:: len(others) // MESSAGES], strict=False)
        ]
        chances.append(np.mean(np.greater.outer(own, strange)) + np.mean(np.equal.outer(own, strange)) / 2)
        of_topic.append(own)
        of_another.append(strange)
        mixed.append(_scores(model, halves))
    medians = [float(np.median(np.concatenate(each))) for each in (of_topic, mixed, of_another)]
    threshold, best = _best(np.concatenate(of_topic), np.concatenate(of_another))
    cells = " | ".join(f"{value:.3f}" for value in (float(np.mean(chances)), *medians, best, threshold))
    print(name, cells, file=sys.stderr)
    return f"| {name} | {cells} |\n"


def _scores(model: Relevance, texts: list[list[str]]) -> NDArray[np.float64]:
    found = [Text(words) for words in texts]
    return np.array([model.score(text, whole(text))[0] for text in found])


def _best(own: NDArray[np.float64], strange: NDArray[np.float64]) -> tuple[float, float]:
    """The threshold with the best F1, and that."""
    thresholds = np.arange(0.005, 1.0, 0.005)
    right = (own >= thresholds[:, None]).sum(axis=1)
    taken = right + (strange >= thresholds[:, None]).sum(axis=1)
    scores = 2 * right / (taken + len(own))
    place = int(scores.argmax())
    return float(thresholds[place]), float(scores[place])


def main() -> int:
    """Measure, print and write down."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.semantic")
    parser.add_argument("--newsgroups", type=Path, help="the archive 20news-bydate.tar.xz")
    parser.add_argument("--pages", type=int, default=200, help="number of pages per round (default: 200)")
    parser.add_argument("--rounds", type=int, default=5, help="number of rounds (default: 5)")
    parser.add_argument("--out", type=Path, help="Markdown file to write")
    asked = parser.parse_args()
    if asked.newsgroups and not asked.newsgroups.is_file():
        sys.exit(f"{asked.newsgroups}: no such file; name the archive of 20 Newsgroups")
    text = "# Models of meaning\n\n" + speed(asked.pages, asked.rounds)
    if asked.newsgroups:
        text += quality(asked.newsgroups)
    text += machine.described("numpy", "scipy", "wordllama")
    print(text)
    if asked.out:
        asked.out.write_text(text, encoding="utf-8")
    return int("**no**" in text)


if __name__ == "__main__":
    raise SystemExit(main())
