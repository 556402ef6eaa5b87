"""A model that was fitted once for all shards: as a file of the whole crawl, and as a message."""

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
"""In the folder of a crawl on several machines: the model that all of its shards use, unless it is the first one."""
_ABOUT: Final = "broadcast.json"


@dataclass(frozen=True, slots=True)
class Broadcast:
    """A model with its version. It can be sent, and tells nobody more than once."""

    fitted: FittedElsewhere
    lesson: str
    """What it has learnt: the same for the same labels and keywords; "" if nothing but first pages."""
    pages: int
    """How many first pages it has learnt from."""
    is_taught: bool
    """Whether it is another model than that of the first pages."""
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
        about = {**asdict(fitted), "lesson": lesson, "pages": pages, "is_taught": is_taught}
        data = BytesIO()
        with ZipFile(data, "w", ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr(_ABOUT, json.dumps(about))
            for name, content in files.items():
                archive.writestr(name, content)
        return cls(fitted, lesson, pages, is_taught, data.getvalue())

    def model(self) -> Relevance:
        """Unpack the model. Raises `InputError` when it cannot be used here."""
        with _folder() as folder, ZipFile(BytesIO(self.content)) as archive:
            folder.mkdir()
            for name in archive.namelist():
                if name != _ABOUT and Path(name).name == name:
                    (folder / name).write_bytes(archive.read(name))
            return saved.load(folder)

    def write(self, folder: Path) -> None:
        """Keep it in the folder of a crawl. It is on disk when this returns."""
        with atomic_write(folder / FILE, durable=True) as file:
            file.write(self.content)

    @classmethod
    def read(cls, folder: Path) -> Broadcast | None:
        """The one that was last kept in the folder of a crawl; None if none was.

        Raises `HoneyguideError` when it is damaged.
        """
        path = folder / FILE
        try:
            content = path.read_bytes()
            with ZipFile(BytesIO(content)) as archive:
                about = json.loads(archive.read(_ABOUT))
            own = {name: about.pop(name) for name in ("lesson", "pages", "is_taught")}
            return cls(FittedElsewhere(**about), **own, content=content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, BadZipFile) as error:
            raise HoneyguideError(f"{path}: is damaged ({error}); restore the file") from None


@contextmanager
def _folder() -> Iterator[Path]:
    """A path for the files of a model, for a moment."""
    with TemporaryDirectory(prefix="honeyguide-model-") as place:
        yield Path(place) / "model"
