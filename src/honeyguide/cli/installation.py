"""The installed packages: honeyguide, its requirements, and its extras, according to the package metadata."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata, version
from typing import Final

_PACKAGE: Final = "honeyguide"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OWN = re.compile(rf"{_PACKAGE}\s*\[([^\]]+)\]")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of the package."""

    name: str
    packages: dict[str, str | None]
    """Its packages, with the version of each that is installed, else None."""

    @property
    def is_installed(self) -> bool:
        """Whether all of its packages are installed."""
        return None not in self.packages.values()

    @property
    def remedy(self) -> str:
        """The command to install it."""
        return f'pip install "{_PACKAGE}[{self.name}]"'


def requirements() -> dict[str, str | None]:
    """The packages that honeyguide needs: the version of each that is installed, else None."""
    return {name: installed_version(name) for name, extra in _required() if extra is None}


def extras() -> list[Extra]:
    """All extras, by name."""
    names = sorted(metadata(_PACKAGE).get_all("Provides-Extra") or [])
    return [Extra(name, {one: installed_version(one) for one in _packages(name)}) for name in names]


def installed_version(package: str) -> str | None:
    """The version of an installed package; None if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def browser() -> str | None:
    """The path of a Chromium, or of Chrome; None if there is none."""
    return next(filter(None, map(shutil.which, _BROWSERS)), None)


def _packages(extra: str) -> list[str]:
    """The packages of an extra; an extra may consist of others."""
    found: dict[str, None] = {}
    open_extras, known = [extra], {extra}
    while open_extras:
        one = open_extras.pop()
        for text, of in _required(whole=True):
            if of != one:
                continue
            if own := _OWN.match(text):
                new = {name.strip() for name in own[1].split(",")} - known
                known |= new
                open_extras.extend(sorted(new))
            elif name := _NAME.match(text):
                found[name[0]] = None
    return list(found)


def _required(*, whole: bool = False) -> Iterator[tuple[str, str | None]]:
    """The names (or the whole texts) of all requirements, and the extra that each belongs to.

    Those for another system or another version of Python are left out if they are not installed.
    """
    for text in metadata(_PACKAGE).get_all("Requires-Dist") or []:
        requirement, _, marker = text.partition(";")
        extra = _EXTRA.search(marker)
        name = _NAME.match(requirement)
        if name is None:
            continue
        if _EXTRA.sub("", marker).strip(" ()") and installed_version(name[0]) is None:
            continue
        yield requirement.strip() if whole else name[0], extra[1] if extra else None
