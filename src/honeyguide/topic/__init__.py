"""What is wanted: the topic, its file, and the text of a new one."""

from honeyguide.topic.places import Key, Place, dotted
from honeyguide.topic.template import dump, template
from honeyguide.topic.topic import TABLES, Topic, changes, flat

__all__ = ["TABLES", "Key", "Place", "Topic", "changes", "dotted", "dump", "flat", "template"]
