"""A piece of a file that is a WARC of its own: a whole file, or what a zip archive stores as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from honeyguide.errors import InputError
from honeyguide.warc.record import GZIP

_SAMPLE = 65_536


@dataclass(frozen=True)
class Part:
    """The bytes of a file from `start` to `end` hold WARC records."""

    path: Path
    start: int
    end: int
    name: str
    """For people."""

    @classmethod
    def whole(cls, path: Path, name: str = "") -> Part:
        """A file of its own."""
        with readable(path):
            return cls(path, 0, path.stat().st_size, name or path.name)

    @cached_property
    def stamp(self) -> str:
        """Changes when the content does: of size, time of change, and the first and last 64 KiB.

        The bytes between are not looked at, which would take as long as reading all of it; a file that was changed
        there, and had its time set back, is taken for the old one.
        """
        with readable(self.path), self.path.open("rb") as file:
            content = blake2b(f"{self.end - self.start} {self.path.stat().st_mtime_ns} ".encode(), digest_size=16)
            file.seek(self.start)
            content.update(file.read(min(_SAMPLE, self.end - self.start)))
            file.seek(max(self.start, self.end - _SAMPLE))
            content.update(file.read(min(_SAMPLE, self.end - self.start)))
        return content.hexdigest()

    @cached_property
    def packed(self) -> bool:
        """Whether the records are compressed with gzip."""
        return self.read(self.start, 2) == GZIP

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file. Opened anew each time: that costs little, and a web may have thousands of files."""
        with readable(self.path), self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """An `InputError` that names the file when it cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(str(path), "there is no such file", "check its name") from None
    except IsADirectoryError:
        raise InputError(str(path), "is a folder", "name a file") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(str(path), f"cannot be read: {reason}", "name a file that you can read") from None
