"""Strategies, which turn pages into priorities: reading, recipes, queues."""
