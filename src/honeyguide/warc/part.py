"""A range of a file that is a complete WARC: a whole file, or an uncompressed member of a zip archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

from honeyguide.errors import InputError
from honeyguide.warc.packing import Packing, PackingError, packing_of

_SAMPLE = 65_536


@dataclass(frozen=True)
class Part:
    """The bytes of a file from `start` to `end`, which contain WARC records."""

    path: Path
    start: int
    end: int
    name: str
    """The name to show to people."""

    @classmethod
    def whole(cls, path: Path, name: str = "") -> Part:
        """The part that is a whole file."""
        with readable(path):
            return cls(path, 0, path.stat().st_size, name or path.name)

    @cached_property
    def stamp(self) -> str:
        """A digest that changes with the content: of size, modification time, and the first and last 64 KiB.

        The bytes between are not hashed, which would take as long as reading the whole part; so a change there is not
        noticed if the modification time was reset.
        """
        with readable(self.path), self.path.open("rb") as file:
            content = blake2b(f"{self.end - self.start} {self.path.stat().st_mtime_ns} ".encode(), digest_size=16)
            file.seek(self.start)
            content.update(file.read(min(_SAMPLE, self.end - self.start)))
            file.seek(max(self.start, self.end - _SAMPLE))
            content.update(file.read(min(_SAMPLE, self.end - self.start)))
        return content.hexdigest()

    @cached_property
    def packing(self) -> Packing | None:
        """How the records are compressed; None if they are not. Raises `InputError` for a damaged file."""
        with readable(self.path), self.path.open("rb") as file:
            file.seek(self.start)
            try:
                return packing_of(file)
            except PackingError as error:
                raise InputError(str(self.path), f"is damaged: {error}", "download or create the file again") from None

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file. It is opened on each call: that is cheap, and a web may have thousands of files."""
        with readable(self.path), self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn errors of reading a file into an `InputError` that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(str(path), "there is no such file", "check its name") from None
    except IsADirectoryError:
        raise InputError(str(path), "is a folder", "name a file") from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(str(path), f"cannot be read: {reason}", "name a file that you can read") from None
