"""Topics: what a crawl looks for, topic files, and the template for a new one."""

from honeyguide.topic.source_location import Key, SourceLocation, dotted
from honeyguide.topic.template import dump, template
from honeyguide.topic.topic import TABLES, Topic, changes, flat

__all__ = ["TABLES", "Key", "SourceLocation", "Topic", "changes", "dotted", "dump", "flat", "template"]
