"""Relevance models whose failures are reported by name, and never pass for low scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from honeyguide.errors import plugin_errors
from honeyguide.page.spans import Spans
from honeyguide.relevance.base import Relevance, Scores, TitleAddressModel, whole
from honeyguide.relevance.text import Text

_ROUNDING = 1e-6  # tolerance beyond [0, 1] for scores with rounding errors


class CheckedModel:
    """Calls a model. Its exceptions, or a wrong number of scores, become a `PluginError` that names the model.

    Attributes that only the model has can be read here too.
    """

    def __init__(self, model: Relevance, name: str) -> None:
        self._model = model
        self._name = name
        self.threshold = model.threshold

    def score(self, text: Text, spans: Spans) -> Scores:
        """One score per span."""
        return self._ask(self._model.score, text, spans)

    def relevance(self, text: Text) -> float:
        """The score of a whole text, a number in [0, 1]; anything else is a `PluginError`."""
        with plugin_errors("model", self._name, text.url):
            score = float(self.score(text, whole(text))[0])
            if not -_ROUNDING <= score <= 1 + _ROUNDING:  # also true for NaN
                raise ValueError(f"returned {score} as the relevance of the page, which is not in [0, 1]")
            return score

    def _ask(self, method: Callable[[Text, Spans], Scores], text: Text, spans: Spans) -> Scores:
        try:
            scores = method(text, spans)
            if len(scores) != len(spans):
                raise ValueError(f"returned {len(scores)} scores for {len(spans)} spans")
        except Exception:
            with plugin_errors("model", self._name, text.url):  # entered only now: links are scored by the thousand
                raise
        return scores

    def __getattr__(self, name: str) -> Any:
        if name == "_model":  # not there yet, in a copy that is being made
            raise AttributeError(name)
        return getattr(self._model, name)


class CheckedTitleAddressModel(CheckedModel):
    """`CheckedModel` for a model that scores titles and addresses differently from texts."""

    def __init__(self, model: Relevance, name: str) -> None:
        super().__init__(model, name)
        self._naming = cast("TitleAddressModel", model)

    def titles(self, text: Text, spans: Spans) -> Scores:
        """One score per span; each span is the title of a page about which nothing else is known."""
        return self._ask(self._naming.titles, text, spans)

    def addresses(self, text: Text, spans: Spans) -> Scores:
        """One score per span; each span is the address of a page about which nothing else is known."""
        return self._ask(self._naming.addresses, text, spans)


def checked_model(model: Relevance, name: str) -> CheckedModel:
    """A model whose failures are reported under its name."""
    return CheckedTitleAddressModel(model, name) if isinstance(model, TitleAddressModel) else CheckedModel(model, name)


def model_name(asked: str, model: Relevance) -> str:
    """The name of a model: as specified; for "auto" and "" its class, with the module if it is of another package."""
    if asked not in {"", "auto"}:
        return asked
    kind = type(model)
    is_ours = kind.__module__.partition(".")[0] == __name__.partition(".")[0]
    return kind.__qualname__ if is_ours else f"{kind.__module__}:{kind.__qualname__}"
