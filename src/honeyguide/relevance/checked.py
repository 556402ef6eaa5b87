"""Relevance models whose failures are reported by name, and never pass for low scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np

from honeyguide.errors import plugin_errors
from honeyguide.page.spans import Spans, distinct, words_in
from honeyguide.relevance.base import Relevance, Scores, TitleAddressModel, keyword_scores, whole
from honeyguide.relevance.text import Text

_MANY_WORDS = 1 << 18  # in the spans of one call
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
        return self._call(self._model.score, text, spans)

    def keyword_scores(self, text: Text, spans: Spans) -> Scores:
        """One score per span, by the topic's own words alone."""
        return self._call(partial(keyword_scores, self._model), text, spans)

    def relevance(self, text: Text) -> float:
        """The score of a whole text, a number in [0, 1]; anything else is a `PluginError`."""
        with plugin_errors("model", self._name, text.url):
            score = float(self.score(text, whole(text))[0])
            if not -_ROUNDING <= score <= 1 + _ROUNDING:  # also true for NaN
                raise ValueError(f"returned {score} as the relevance of the page, which is not in [0, 1]")
            return score

    def _call(self, method: Callable[[Text, Spans], Scores], text: Text, spans: Spans) -> Scores:
        words = words_in(spans)
        if words <= min(len(text), _MANY_WORDS):  # typical of anchors and addresses, hardly any of which are equal
            return self._call_once(method, text, spans)
        different, which = distinct(spans)  # links share blocks, parents and headings, each of which is scored once
        if len(different) < len(spans):
            return self._call_in_parts(method, text, different)[which]
        return self._call_in_parts(method, text, spans)

    def _call_in_parts(self, method: Callable[[Text, Spans], Scores], text: Text, spans: Spans) -> Scores:
        """Score spans in parts of bounded length, since a model may make a copy of each span."""
        ends = (spans[:, 1] - spans[:, 0]).cumsum(dtype=np.int64)
        if ends[-1] <= _MANY_WORDS:
            return self._call_once(method, text, spans)
        parts = np.split(spans, np.flatnonzero(np.diff(ends // _MANY_WORDS)) + 1)
        return np.concatenate([self._call_once(method, text, part) for part in parts])

    def _call_once(self, method: Callable[[Text, Spans], Scores], text: Text, spans: Spans) -> Scores:
        try:
            scores = method(text, spans)
            if len(scores) != len(spans):
                raise ValueError(f"returned {len(scores)} scores for {len(spans)} spans")
        except Exception:
            with plugin_errors("model", self._name, text.url):  # only here: there are thousands of links
                raise
        return scores

    def __getattr__(self, name: str) -> Any:
        if name == "_model":  # not set yet, while a copy is being made
            raise AttributeError(name)
        return getattr(self._model, name)


class CheckedTitleAddressModel(CheckedModel):
    """`CheckedModel` for a model that scores titles and addresses differently from texts."""

    def __init__(self, model: Relevance, name: str) -> None:
        super().__init__(model, name)
        self._naming = cast("TitleAddressModel", model)

    def titles(self, text: Text, spans: Spans) -> Scores:
        """One score per span; each span is the title of a page about which nothing else is known."""
        return self._call(self._naming.titles, text, spans)

    def addresses(self, text: Text, spans: Spans) -> Scores:
        """One score per span; each span is the address of a page about which nothing else is known."""
        return self._call(self._naming.addresses, text, spans)


def checked_model(model: Relevance, name: str) -> CheckedModel:
    """A model whose failures are reported under its name."""
    return CheckedTitleAddressModel(model, name) if isinstance(model, TitleAddressModel) else CheckedModel(model, name)


def model_name(spec: str, model: Relevance) -> str:
    """The name of a model: as specified; for "auto" and "" its class, with the module if it is of another package."""
    if spec not in {"", "auto"}:
        return spec
    kind = type(model)
    is_ours = kind.__module__.partition(".")[0] == __name__.partition(".")[0]
    return kind.__qualname__ if is_ours else f"{kind.__module__}:{kind.__qualname__}"
