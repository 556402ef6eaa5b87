"""honeyguide: a focused web crawler.

import honeyguide

topic = honeyguide.Topic.make(name="graphs", seeds=["https://…"], keywords="graph theory, vertex, edge")
for page in honeyguide.crawl(topic, budget={"pages": 500}):
    print(page.relevance, page.url)
"""

from typing import TYPE_CHECKING, Any

from honeyguide.crawl.api import crawl
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic
from honeyguide.version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from honeyguide.lab.api import compare

__all__ = ["Crawl", "HoneyguideError", "InputError", "Topic", "__version__", "compare", "crawl"]


def __getattr__(name: str) -> Any:
    """`compare` on demand: the lab needs scikit-learn and scipy, which take a second to import."""
    if name == "compare":
        from honeyguide.lab.api import compare  # noqa: PLC0415

        return compare
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
