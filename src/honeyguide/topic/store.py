"""How a crawl stores what it fetches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from honeyguide.settings import setting

GZIP: Final = "gzip"
ZSTD: Final = "zstd"


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """The ``[store]`` table: how a crawl stores what it fetches."""

    compression: str = setting(
        GZIP,
        "compression of the archive: gzip (.warc.gz), which every program reads, "
        "or zstd (.warc.zst), which is smaller and faster",
        choices=(GZIP, ZSTD),
    )
