"""What is wanted: the topic, its file, and the text of a new one."""

from honeyguide.topic.source_location import Key, SourceLocation, dotted
from honeyguide.topic.template import dump, template
from honeyguide.topic.topic import TABLES, Topic, changes, flat

__all__ = ["TABLES", "Key", "SourceLocation", "Topic", "changes", "dotted", "dump", "flat", "template"]
