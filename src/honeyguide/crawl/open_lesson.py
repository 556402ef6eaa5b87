"""Unfinished work after a crawl has learnt something."""

from __future__ import annotations

from enum import IntEnum


class OpenLesson(IntEnum):
    """What a crawl has to judge again, because its model has learnt something."""

    NOTHING = 0
    PAGES = 1
    """Stored pages."""
    LINKS = 2
    """Stored pages and their links."""

    @classmethod
    def stored(cls, value: object) -> OpenLesson:
        """Parse the value in the database; everything is judged again if it is invalid."""
        return cls(value) if value in (0, 1, 2) else cls.LINKS
