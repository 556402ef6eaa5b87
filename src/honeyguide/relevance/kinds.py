"""What can be kept on disk: the models and what they are made of, by name.

Classes are named, not imported: most crawls need one of them, and some take a second to import.
"""

from __future__ import annotations

from importlib import import_module

_ROOM = "honeyguide.relevance"
_KINDS = {
    "bayes": "classifiers.bayes:KernelBayes",
    "counting": "learning:OnlineIdf",
    "embedding": "semantic.embedding:Embedding",
    "embedding similarity": "semantic.embeddings:EmbeddingSimilarity",
    "everything": "base:Everything",
    "features": "classifiers.features:Features",
    "fields": "classifiers.fields:Fields",
    "field": "classifiers.fields:Part",
    "frequencies": "frequencies:Frequencies",
    "gathering": "learning:PUBootstrap",
    "genre": "genre:Genre",
    "linear": "classifiers.linear:Linear",
    "linear vote": "classifiers.linear:LinearVote",
    "neural": "classifiers.neural:Neural",
    "rbf": "classifiers.rbf:Rbf",
    "ssrm": "semantic.ssrm:Ssrm",
    "ssvsm": "semantic.ssvsm:Ssvsm",
    "stretched": "base:Rescaled",
    "topic terms": "semantic.terms:TopicTerms",
    "vote": "classifiers.vote:Vote",
    "wordnet similarity": "semantic.similarity:WordNetSimilarity",
    "vsm": "vsm:Vsm",
}
_NAMES = {place: name for name, place in _KINDS.items()}


def kind(name: str) -> type:
    """The class that is kept under this name. Raises `KeyError` for any other."""
    module, _, attribute = _KINDS[name].partition(":")
    found: type = getattr(import_module(f"{_ROOM}.{module}"), attribute)
    return found


def name_of(kept: object) -> str:
    """The name under which something is kept."""
    of = type(kept)
    return _NAMES[f"{of.__module__.removeprefix(f'{_ROOM}.')}:{of.__name__}"]
