"""Parts (strategies, models, fetchers, export formats) provided by other packages.

They are found by name, through an entry point, or by the path of an object: ``package.module:NAME``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from honeyguide.errors import InputError

_NAME = re.compile(r"[^\s():,=]+")


class Named(Protocol):
    """Anything that has a name."""

    @property
    def name(self) -> str:
        """The name by which users refer to it."""
        ...


Part = TypeVar("Part", bound=Named)


@dataclass(frozen=True, slots=True)
class Broken:
    """An entry point whose part cannot be used."""

    name: str
    """The name of the entry point."""
    package: str
    problem: str


@dataclass(frozen=True, slots=True)
class _Brought(Generic[Part]):
    """The parts that the installed packages provide."""

    parts: Mapping[str, Part]
    modules: Mapping[str, str]
    """The module of each part, by the name of the part."""
    broken: tuple[Broken, ...]


class Registry(Generic[Part]):
    """All parts of one kind: built-in ones, those of installed packages, and any object at a given path.

    Packages are imported only when a name that is not built in, or the list of all parts, is requested: a package that
    cannot be imported does not affect users who do not use it.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        own: Iterable[Part],
        read: Callable[[object, str], Sequence[Part]],
        expected: str,
    ) -> None:
        """Register the built-in parts; nothing else is imported yet.

        Args:
            kind: The word for a part in messages, such as "strategy".
            group: The entry point group of packages that provide such parts.
            own: The built-in parts. Packages cannot reuse their names.
            read: Returns the parts that an object represents, or none if it is not such an object. Its second argument
                is the name or the path by which the object was found.
            expected: A description of such an object, for messages.
        """
        self._kind = kind
        self._group = group
        self._own = {part.name: part for part in own}
        self._read = read
        self._expected = expected

    def named(self, name: str, place: str, also: Sequence[str] = ()) -> Part:
        """The part with this name or path.

        Args:
            name: A name, or a path: ``package.module:NAME``.
            place: Where the name was given, for messages.
            also: Other names that are accepted there: messages list them first.

        Raises:
            InputError: There is no such part, or the package that provides it cannot be imported.
        """
        if ":" in name:
            return self._at(name, place)
        found = self._own.get(name) or self._brought.parts.get(name)
        if found is None:
            raise self._unknown(name, place, also)
        return found

    def every(self) -> Mapping[str, Part]:
        """All parts that have a name, built-in ones first."""
        return MappingProxyType({**self._own, **self._brought.parts})

    def broken(self) -> tuple[Broken, ...]:
        """The entry points that cannot be used, and why."""
        return self._brought.broken

    def module(self, name: str) -> str:
        """The name of the module that provides a part.

        Args:
            name: A name, or a path: ``package.module:NAME``.

        Returns:
            The name of the module; "" for a built-in part and for an unknown name.
        """
        if ":" in name:
            return name.partition(":")[0]
        return "" if name in self._own else self._brought.modules.get(name, "")

    def _at(self, path: str, place: str) -> Part:
        found = self._read(load_object(path, place), path)
        if len(found) != 1:
            problem = f"{path} defines more than one {self._kind}" if found else f"{path} is not a valid {self._kind}"
            raise InputError(place, problem, f"specify one: {self._expected}")
        return found[0]

    @cached_property
    def _brought(self) -> _Brought[Part]:
        parts: dict[str, Part] = {}
        modules: dict[str, str] = {}
        broken: list[Broken] = []
        for entry in sorted(entry_points(group=self._group), key=lambda entry: (entry.name, entry.value)):
            try:
                found = self._read(entry.load(), entry.name)
            except Exception as error:  # noqa: BLE001 (importing another package can raise anything)
                broken.append(Broken(entry.name, _package_of(entry), described(error)))
                continue
            if not found:
                broken.append(Broken(entry.name, _package_of(entry), f"{entry.value} is not {self._expected}"))
            for part in found:
                if not _NAME.fullmatch(part.name):
                    problem = f"{part.name!r} is not a valid name: it contains a space, bracket, colon, comma or ="
                    broken.append(Broken(entry.name, _package_of(entry), problem))
                elif part.name in self._own or part.name in parts:
                    problem = f"there is another {self._kind} named {part.name}"
                    broken.append(Broken(entry.name, _package_of(entry), problem))
                else:
                    parts[part.name] = part
                    modules[part.name] = entry.module
        return _Brought(parts, modules, tuple(broken))

    def _unknown(self, name: str, place: str, also: Sequence[str]) -> InputError:
        broken = self.broken()
        for one in broken:
            if one.name == name:
                problem = f"the {self._kind} {name!r} from the package {one.package} cannot be used: {one.problem}"
                return InputError(place, problem, f"repair or update {one.package}")
        known = [*also, *self.every()]
        close = get_close_matches(name, known, n=1)
        names = ", ".join(known)
        guess = f"did you mean {close[0]}? There are {names}" if close else ""
        remedy = guess or f"use one of {names}, or package.module:NAME"
        if broken:
            remedy += "; not usable: " + ", ".join(f"{one.name} from {one.package} ({one.problem})" for one in broken)
        return InputError(place, f"no {self._kind} {name!r}", remedy)


def load_object(path: str, place: str) -> object:
    """Import a module and return the object at a path such as ``package.module:NAME``.

    Args:
        path: The module's name, a colon, and a name in the module; dotted for an attribute of a class.
        place: Where the path was given, for messages.

    Returns:
        The object.

    Raises:
        InputError: The path is malformed, the module cannot be imported, or it has no such attribute.
    """
    module, _, attribute = path.partition(":")
    names = attribute.split(".")
    if not all(name.isidentifier() for name in (*module.split("."), *names)):
        raise InputError(place, f"{path!r} is not the path of an object", "write it as package.module:NAME")
    try:
        found: object = import_module(module)
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            remedy = "install the package that contains it, or add its folder to PYTHONPATH"
            raise InputError(place, f"there is no module {error.name} (for {path})", remedy) from error
        problem = f"{module} cannot be imported: {described(error)}"
        raise InputError(place, problem, f"repair or update the package {module.partition('.')[0]}") from error
    for name in names:
        try:
            found = getattr(found, name)
        except AttributeError:
            close = get_close_matches(name, dir(found), n=1)
            remedy = f"did you mean {close[0]}?" if close else "check the name"
            raise InputError(place, f"{module} has no {attribute}", remedy) from None
    return found


def deferred(path: str, *first: object) -> Callable[..., Any]:
    """A built-in function that is imported when it is first called, since some take a second to import.

    Args:
        path: The path of the function: ``package.module:NAME``.
        *first: Its first arguments.
    """

    def call(*arguments: object, **named: object) -> Any:
        function: Any = load_object(path, path)
        return function(*first, *arguments, **named)

    return call


def described(error: BaseException) -> str:
    """The type and message of an exception, on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _package_of(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else entry.module.partition(".")[0]
