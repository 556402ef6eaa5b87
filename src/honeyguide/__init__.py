"""honeyguide: a focused web crawler.

import honeyguide

topic = honeyguide.Topic.make(name="graphs", seeds=["https://…"], keywords="graph theory, vertex, edge")
for page in honeyguide.crawl(topic, budget={"pages": 500}):
    print(page.relevance, page.url)
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from honeyguide.crawl.api import crawl  # not lazily: the package honeyguide.crawl would shadow it
from honeyguide.errors import HoneyguideError, InputError, PluginError
from honeyguide.version import VERSION

__version__ = VERSION

logging.getLogger(__name__).addHandler(logging.NullHandler())  # quiet, unless the program sets up logging

if TYPE_CHECKING:
    from honeyguide.lab.api import compare
    from honeyguide.store.crawl import Crawl
    from honeyguide.topic import Topic

__all__ = ["Crawl", "HoneyguideError", "InputError", "PluginError", "Topic", "__version__", "compare", "crawl"]

_ON_DEMAND = {"Crawl": "honeyguide.store.crawl", "Topic": "honeyguide.topic", "compare": "honeyguide.lab.api"}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: some take up to a second to import."""
    if name not in _ON_DEMAND:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_ON_DEMAND[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
