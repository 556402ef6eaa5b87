"""The files that contain the WARC records of a web.

A WACZ is a zip archive; a WARC that it stores as it is is read in place. One that it has compressed once more, or a
WARC file that was compressed as a whole, offers no way to read a single record: it is unpacked into the user's cache.
"""

from __future__ import annotations

import os
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from honeyguide.atomic_write import atomic_write
from honeyguide.cache import cache_folder
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.warc.packing import WARC_SUFFIXES, PackingError
from honeyguide.warc.part import Part, readable
from honeyguide.warc.read import unpacked_pieces

_LOCAL_HEADER = 30
_CHUNK = 1 << 20
_USUAL = 1 << 28  # bytes that anything may unpack to
_LARGEST_RATIO = 50  # of what it unpacks to, beyond that: pages are packed to a fifth or a tenth, bombs to a thousandth


def parts_of_crawl(folder: Path) -> list[Part]:
    """The archive of a crawl, in the order it was written."""
    files = sorted(path for path in folder.glob("pages-*.warc.*") if path.suffix in {".gz", ".zst"})
    return [Part.whole(path, f"{folder.name}/{path.name}") for path in files]


def parts_of_wacz(path: Path) -> list[Part]:
    """The WARC files inside, by name."""
    with readable(path):
        try:
            archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            raise InputError(str(path), "is not a WACZ file, or is damaged", "name another one") from None
    with archive:
        members = [info for info in archive.infolist() if _is_warc(info.filename)]
        if not members:
            raise InputError(str(path), "holds no WARC file under archive/", "name a WACZ file or a WARC file")
        return [_member(path, archive, info) for info in sorted(members, key=lambda info: info.filename)]


def _is_warc(name: str) -> bool:
    return name.startswith("archive/") and name.lower().endswith(WARC_SUFFIXES)


def _member(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Part:
    name = f"{path.name}:{info.filename}"
    if info.flag_bits & 1:
        raise InputError(str(path), f"{info.filename} is encrypted", "name an archive that anyone can read")
    if info.compress_type == zipfile.ZIP_STORED:
        with path.open("rb") as file:
            file.seek(info.header_offset)
            header = file.read(_LOCAL_HEADER)
            # The name and the extra field of the local header need not be as long as those of the directory.
            skip = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        start = info.header_offset + _LOCAL_HEADER + skip
        return Part(path, start, start + info.compress_size, name)

    def chunks() -> Iterator[bytes]:
        with archive.open(info) as source:
            while chunk := source.read(_CHUNK):
                yield chunk

    return Part.whole(
        _unpacked(f"{Part.whole(path).stamp}-{info.CRC:08x}", str(path), info.compress_size, chunks()), name
    )


def without_packing(part: Part) -> Part:
    """A plain file with the same records, for a part whose records cannot be read separately."""
    return Part.whole(_unpacked(part.stamp, str(part.path), part.end - part.start, unpacked_pieces(part)), part.name)


def _unpacked(stamp: str, place: str, packed: int, chunks: Iterator[bytes]) -> Path:
    """A file in the cache, made of the chunks unless it is there: whole or not at all. `packed` is its present size.

    Raises `InputError` when it is a bomb.
    """
    path = webs_folder() / f"{stamp}.warc"
    if path.exists():
        # In use; its time of change stays, since indexes know the file by it.
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
        return path
    most, size = max(_USUAL, _LARGEST_RATIO * packed), 0
    try:
        with atomic_write(path, parents=True) as draft:
            for chunk in chunks:
                size += len(chunk)
                if size > most:
                    problem = f"its {packed:,} bytes decompress to more than {most:,}"
                    raise InputError(place, problem, "decompress it yourself, if you trust it")
                draft.write(chunk)
    except OSError as error:
        raise HoneyguideError(f"{place}: cannot be unpacked into {path.parent}: {error.strerror or error}") from None
    except (zlib.error, zipfile.BadZipFile, EOFError, PackingError) as error:
        raise InputError(place, f"is damaged: {error}", "name another file, or fetch it again") from None
    return path


def webs_folder() -> Path:
    """The folder for indexes of webs and for unpacked files."""
    return cache_folder() / "webs"
