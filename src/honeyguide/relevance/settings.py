"""Settings of the relevance model and of the material it is made from."""

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
    negative: tuple[str, ...] = setting(
        (), "pages that are not about the topic, preferably ones that are easily mistaken for it"
    )
    unlabelled: tuple[str, ...] = setting(
        (), "pages that may or may not be about the topic; used when there are no negative ones"
    )


@dataclass(frozen=True, slots=True)
class TermSettings:
    """The ``[terms]`` table: terms of the kind of page that is wanted (genre) and of its subject (content).

    `honeyguide terms` proposes them from example pages.
    """

    genre: tuple[str, ...] = setting(
        (), "words and phrases that are typical of the kind of page", example='["course syllabus", "grading"]'
    )
    content: tuple[str, ...] = setting(
        (), "words and phrases that are typical of the subject", example='["hash table", "binary tree"]'
    )
    url: tuple[str, ...] = setting((), "words in the URLs of such pages", example='["syllabus", "course"]')
    genre_weight: float = setting(5.0, "weight of the genre, relative to the content", minimum=0)
    content_weight: float = setting(5.0, "weight of the content, relative to the genre", minimum=0)
    text_weight: float = setting(7.0, "weight of genre and content, relative to the URL", minimum=0)
    url_weight: float = setting(3.0, "weight of the URL, relative to genre and content", minimum=0)


@dataclass(frozen=True, slots=True)
class RelevanceSettings:
    """The ``[relevance]`` table."""

    model: str = setting(
        AUTO,
        f"relevance model: one of {', '.join(_MODELS)} (auto: chosen by what the topic provides), or one of another "
        "package; `honeyguide models` explains them",
        example="package.module:Model",
    )
    threshold: float = setting(
        0.0, "lowest score of a relevant page; 0: the default of the model", minimum=0, maximum=1
    )
    idf: str = setting(
        "auto",
        "weight of rare words; one: all words count the same; known: by their frequency in the language and the "
        "examples; crawl: also by their frequency on the first pages of the crawl; auto: as the strategy is defined "
        "(vsm, ssrm and ssvsm: crawl), else one",
        choices=("auto", "one", "known", "crawl"),
    )
    similarity: str = setting(
        "wu-palmer",
        "ssrm and ssvsm: similarity measure of two words; embedding needs the extra honeyguide[semantics]",
        choices=("wu-palmer", "path", "li", "embedding"),
    )
    cutoff: float = setting(
        0.0,
        "ssrm and ssvsm: lower similarities count as 0; best on news: 0.9, 0.3, 0.7, 0 for the four measures",
        minimum=0,
        maximum=1,
    )
    pairs: str = setting(
        "symmetric",
        "ssvsm: how text and topic become vectors over pairs of words; symmetric: both in the same way; union: the "
        "text by one word of a pair, the topic by the other; cross: the same, but only for pairs of a word of the text "
        "and a word of the topic",
        choices=("symmetric", "union", "cross"),
    )
    wordnet: str = setting("", "folder with the WordNet files, if it is not in one of the usual places")
    language: str = setting(
        "auto",
        "language of the topic, for stemming and stop words; auto: the first of scope.languages, otherwise english. "
        "Keywords are compared with each page in the page's own language",
        example="german",
    )
