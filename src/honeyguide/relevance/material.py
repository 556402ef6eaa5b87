"""The material that a model is made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from honeyguide.relevance.frequencies import Frequencies
from honeyguide.relevance.settings import RelevanceSettings, TermSettings
from honeyguide.relevance.text import Text, TokenForm, Tokenizer, Tokens, topic_language


@dataclass(frozen=True, slots=True)
class Material:
    """Everything known about the topic: words, terms, the texts of examples, and the relevance settings."""

    keywords: Sequence[str] = ()
    description: str = ""
    positive: Sequence[Text] = ()
    """Texts that are about the topic."""
    negative: Sequence[Text] = ()
    """Texts that are not about the topic."""
    unlabelled: Sequence[Text] = ()
    """Texts that may or may not be about the topic."""
    terms: TermSettings = field(default_factory=TermSettings)
    relevance: RelevanceSettings = field(default_factory=RelevanceSettings)
    preferred: str = ""
    """The model to use if the settings leave it open ("auto"), such as the one that a strategy is defined with."""
    preferred_idf: str = ""
    """The weight of rare words to use if the settings leave it open ("auto"), in the same way."""
    tokenizer: Tokenizer = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokenizer", Tokenizer(self.language))

    @property
    def language(self) -> str:
        """The language of the topic's words."""
        return topic_language(self.relevance.language, ())

    @property
    def idf(self) -> str:
        """The weight of rare words: one, known or crawl."""
        return (self.preferred_idf or "one") if self.relevance.idf == "auto" else self.relevance.idf

    def words(self) -> Text:
        """The words of keywords and description."""
        return Text.of(*self.keywords, self.description)

    def tokens(self, texts: Sequence[Text]) -> list[Tokens]:
        """The stems of each text."""
        return [text.tokens(self.tokenizer) for text in texts]

    def frequencies(self, form: TokenForm = TokenForm.STEM) -> Frequencies:
        """The document frequencies known before the crawl."""
        if self.idf == "one":
            return Frequencies.none()
        tokenizer = Tokenizer(self.language, form)
        examples = (*self.positive, *self.negative, *self.unlabelled)
        return Frequencies.prior(tokenizer).seeing(text.tokens(tokenizer) for text in examples)
