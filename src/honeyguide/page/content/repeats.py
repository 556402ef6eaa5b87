"""Text that many pages of a site share is not the content of any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from hashlib import blake2b
from typing import Final

from honeyguide.page.content.features import TextBlocks

SAMPLE: Final = 24
"""Number of pages of a site that are compared: enough to find shared blocks."""
LEAST_PAGES: Final = 3
"""Minimum number of pages of a site for finding repeated blocks."""
_LEAST_SHARE: Final = 0.3
_LONGEST: Final = 80  # words: a longer block that is on several pages is more likely to be the same article


def block_keys(blocks: TextBlocks) -> list[int]:
    """A number for the text of each block, the same in every process; 0 for a block that is too long to be compared."""
    return [block_key(blocks, number) for number in range(len(blocks))]


def block_key(blocks: TextBlocks, number: int) -> int:
    """The number for the text of one block."""
    if blocks.words[number] > _LONGEST:
        return 0
    return int.from_bytes(blake2b(blocks.text(number).encode(errors="replace"), digest_size=8).digest())


def repeated_keys(pages: Iterable[Iterable[int]]) -> AbstractSet[int]:
    """The keys that at least three pages have, and at least three in ten of the pages given; each page counts once."""
    counts: Counter[int] = Counter()
    number = 0
    for keys in pages:
        number += 1
        counts.update(set(keys))
    least = max(LEAST_PAGES, _LEAST_SHARE * number)
    return frozenset(key for key, count in counts.items() if key and count >= least)
