"""Which model says what a page is worth, and what it is made from."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.relevance.registry import AUTO, OWN
from honeyguide.settings import setting

_MODELS = (AUTO, *(spec.name for spec in OWN))


@dataclass(frozen=True, slots=True)
class ExampleSettings:
    """The ``[examples]`` table: pages that are about the topic, and pages that are not.

    Each is a URL, a file (HTML or plain text), a pattern such as "pages/*.html", or a WARC file, whose pages all count.
    """

    positive: tuple[str, ...] = setting(
        (), "pages about the topic", example='["https://example.org/bees", "good/*.html"]'
    )
    negative: tuple[str, ...] = setting((), "pages that are not about it, best such as are easily taken for it")
    unlabelled: tuple[str, ...] = setting((), "pages of which nobody knows; without negative ones they help to learn")


@dataclass(frozen=True, slots=True)
class TermSettings:
    """The ``[terms]`` table: what tells the kind of page that is wanted (genre), and what its subject (content).

    `honeyguide terms` proposes them from example pages.
    """

    genre: tuple[str, ...] = setting(
        (), "words and phrases of the kind of page", example='["course syllabus", "grading"]'
    )
    content: tuple[str, ...] = setting((), "words and phrases of the subject", example='["hash table", "binary tree"]')
    url: tuple[str, ...] = setting((), "words that the addresses of such pages have", example='["syllabus", "course"]')
    genre_weight: float = setting(5.0, "how much the genre counts beside the content", minimum=0)
    content_weight: float = setting(5.0, "how much the content counts beside the genre", minimum=0)
    text_weight: float = setting(7.0, "how much genre and content count beside the address", minimum=0)
    url_weight: float = setting(3.0, "how much the address counts beside genre and content", minimum=0)


@dataclass(frozen=True, slots=True)
class RelevanceSettings:
    """The ``[relevance]`` table."""

    model: str = setting(
        AUTO,
        f"how a text is compared with the topic; one of {', '.join(_MODELS)} (auto: by what the topic gives), or a "
        "model of another package; `honeyguide models` explains them",
        example="package.module:Model",
    )
    threshold: float = setting(
        0.0, "score from which a page counts as relevant; 0: as the model has it", minimum=0, maximum=1
    )
    idf: str = setting(
        "one",
        "how much more rare words count than common ones; one: not at all; known: as the language and the examples "
        "say; crawl: as the crawl's first pages say too",
        choices=("one", "known", "crawl"),
    )
    similarity: str = setting(
        "wu-palmer",
        "ssrm and ssvsm: what says how near two words are; embedding needs the extra honeyguide[semantics]",
        choices=("wu-palmer", "path", "li", "embedding"),
    )
    cutoff: float = setting(
        0.0,
        "ssrm and ssvsm: words less near than this are not near at all; best on news: 0.9, 0.3, 0.7, 0 by similarity",
        minimum=0,
        maximum=1,
    )
    pairs: str = setting(
        "union", "ssvsm: which pairs of words count; cross: a text's with the topic's", choices=("union", "cross")
    )
    wordnet: str = setting("", "folder of WordNet's files, where it is in none of the usual places")
    language: str = setting("english", "language of the topic's words: decides stems and stop words")
