"""What a crawl has learnt and not yet applied."""

from __future__ import annotations

from enum import IntEnum


class OpenLesson(IntEnum):
    """What a crawl that has learnt something has not done yet."""

    NOTHING = 0
    PAGES = 1
    """Stored pages are to be judged again."""
    LINKS = 2
    """And their links, too."""

    @classmethod
    def stored(cls, value: object) -> OpenLesson:
        """From the database; everything is judged again if that makes no sense."""
        return cls(value) if value in (0, 1, 2) else cls.LINKS
