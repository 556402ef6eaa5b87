"""A model that is fitted once for all shards: as a file in the crawl's folder, and as a message."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from honeyguide.atomic_write import atomic_write
from honeyguide.crawl.lessons import FittedElsewhere
from honeyguide.errors import HoneyguideError
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance

FILE: Final = "broadcast.zip"
"""In the folder of a crawl on several machines: the model that all shards use, unless it is still the first one."""
_HEADER: Final = "broadcast.json"


@dataclass(frozen=True, slots=True)
class Broadcast:
    """A model with its version, ready to be sent to the shards."""

    fitted: FittedElsewhere
    lesson: str
    """A hash of the labels and keywords that it was fitted to; "" if it has learnt from first pages only."""
    pages: int
    """The number of first pages that it has learnt from."""
    is_taught: bool
    """Whether it was fitted to labels or keywords, and so differs from the model of the first pages."""
    content: bytes
    """The files of the model, packed."""

    @classmethod
    def of(
        cls, model: Relevance, fitted: FittedElsewhere, *, lesson: str = "", pages: int = 0, is_taught: bool = False
    ) -> Broadcast:
        """Pack a model."""
        with _folder() as folder:
            saved.save(model, folder)
            files = {path.name: path.read_bytes() for path in folder.iterdir()}
        header = {**asdict(fitted), "lesson": lesson, "pages": pages, "is_taught": is_taught}
        data = BytesIO()
        with ZipFile(data, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(_HEADER, json.dumps(header))
            for name, content in files.items():
                archive.writestr(name, content)
        return cls(fitted, lesson, pages, is_taught, data.getvalue())

    def model(self) -> Relevance:
        """Unpack the model. Raises `InputError` when it cannot be used here."""
        with _folder() as folder, ZipFile(BytesIO(self.content)) as archive:
            folder.mkdir()
            for name in archive.namelist():
                if name != _HEADER and Path(name).name == name:
                    (folder / name).write_bytes(archive.read(name))
            return saved.load(folder)

    def write(self, folder: Path) -> None:
        """Store it in the folder of a crawl. It is on disk when this returns."""
        with atomic_write(folder / FILE, durable=True) as file:
            file.write(self.content)

    @classmethod
    def read(cls, folder: Path) -> Broadcast | None:
        """Return the model last stored in the folder of a crawl; None if there is none.

        Raises `HoneyguideError` when it is damaged.
        """
        path = folder / FILE
        try:
            content = path.read_bytes()
            with ZipFile(BytesIO(content)) as archive:
                header = json.loads(archive.read(_HEADER))
            fields = {name: header.pop(name) for name in ("lesson", "pages", "is_taught")}
            return cls(FittedElsewhere(**header), **fields, content=content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, BadZipFile) as error:
            raise HoneyguideError(f"{path}: is damaged ({error}); restore the file") from None


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary path for the files of a model."""
    with TemporaryDirectory(prefix="honeyguide-model-") as place:
        yield Path(place) / "model"
