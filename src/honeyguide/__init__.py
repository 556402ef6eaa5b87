"""honeyguide: a focused web crawler.

import honeyguide

topic = honeyguide.Topic.make(name="graphs", seeds=["https://…"], keywords="graph theory, vertex, edge")
for page in honeyguide.crawl(topic, budget={"pages": 500}):
    print(page.relevance, page.url)
"""

from honeyguide.crawl.api import crawl
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store.crawl import Crawl
from honeyguide.topic import Topic
from honeyguide.version import VERSION

__version__ = VERSION

__all__ = ["Crawl", "HoneyguideError", "InputError", "Topic", "__version__", "crawl"]
