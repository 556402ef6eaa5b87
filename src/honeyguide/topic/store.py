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
        "how answers are compressed in the archive: gzip, which every program reads, as .warc.gz files, "
        "or zstd, smaller and faster, as .warc.zst files",
        choices=(GZIP, ZSTD),
    )
