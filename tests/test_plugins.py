"""Parts that other packages bring: found by name or path, and harmless when they are broken."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from honeyguide import plugins
from honeyguide.errors import InputError
from honeyguide.plugins import Broken, Registry, load_object

GROUP = "honeyguide.fruits"


@dataclass(frozen=True)
class Fruit:
    name: str


def read(found: object, _name: str) -> Sequence[Fruit]:
    several = found if isinstance(found, tuple) else (found,)
    return several if all(isinstance(one, Fruit) for one in several) else ()


APPLE, PEAR = Fruit("apple"), Fruit("pear")
Brings = Callable[..., Registry[Fruit]]


@pytest.fixture
def brings(monkeypatch: pytest.MonkeyPatch) -> Brings:
    """A registry of two fruits, beside what packages bring: the name of each entry point, and what it leads to."""

    def make(**entries: object) -> Registry[Fruit]:
        def load(entry: EntryPoint) -> object:
            found = entries[entry.name]
            if isinstance(found, BaseException):
                raise found
            return found

        found = [EntryPoint(name, f"{name}_package.parts:IT", GROUP) for name in reversed(entries)]
        monkeypatch.setattr(EntryPoint, "load", load)
        monkeypatch.setattr(plugins, "entry_points", lambda group: found if group == GROUP else [])
        return Registry("fruit", GROUP, (APPLE, PEAR), read, "a Fruit")

    return make


def refusal(registry: Registry[Fruit], name: str, also: Sequence[str] = ()) -> str:
    with pytest.raises(InputError) as refused:
        registry.named(name, "basket.toml:3", also)
    return str(refused.value)


def test_ours_and_theirs_by_name(brings: Brings) -> None:
    registry = brings(plum=Fruit("plum"), citrus=(Fruit("lemon"), Fruit("lime")))
    assert registry.named("apple", "x") is APPLE
    assert registry.named("lime", "x") == Fruit("lime")
    assert list(registry.every()) == ["apple", "pear", "lemon", "lime", "plum"]
    assert registry.broken() == ()


def test_a_name_that_nothing_has(brings: Brings) -> None:
    registry = brings(plum=Fruit("plum"))
    every = "apple, pear, plum"
    assert refusal(registry, "aple") == f"basket.toml:3: no fruit 'aple'; did you mean apple? There are {every}"
    assert refusal(registry, "?") == f"basket.toml:3: no fruit '?'; use one of {every}, or package.module:NAME"
    assert refusal(registry, "sone", ["some"]).endswith(f"did you mean some? There are some, {every}")


def test_ours_are_there_without_importing_theirs(brings: Brings) -> None:
    registry = brings(deadly=SystemExit("it was imported"))
    assert registry.named("apple", "x") is APPLE


def test_a_broken_package_breaks_nothing_else(brings: Brings) -> None:
    registry = brings(bad=ImportError("no\n libfruit"), worse=Fruit, plum=Fruit("plum"))
    assert registry.named("plum", "x") == Fruit("plum")
    assert list(registry.every()) == ["apple", "pear", "plum"]
    assert registry.broken() == (
        Broken("bad", "bad_package", "ImportError: no libfruit"),
        Broken("worse", "worse_package", "worse_package.parts:IT is not a Fruit"),
    )


def test_who_asks_for_what_is_broken_hears_why(brings: Brings) -> None:
    registry = brings(bad=ImportError("no libfruit"))
    assert refusal(registry, "bad") == (
        "basket.toml:3: the fruit 'bad' from the package bad_package cannot be used: ImportError: no libfruit; "
        "repair or update bad_package"
    )
    # Its name need not be that of the entry point.
    assert refusal(registry, "fig").endswith("; not usable: bad from bad_package (ImportError: no libfruit)")


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ({"mine": Fruit("apple")}, "there is another fruit named apple"),
        ({"a": Fruit("fig"), "mine": Fruit("fig")}, "there is another fruit named fig"),
        ({"mine": Fruit("a:b")}, "'a:b' is not a valid name"),
        ({"mine": Fruit("a(b)")}, "'a(b)' is not a valid name"),
        ({"mine": Fruit("")}, "'' is not a valid name"),
    ],
)
def test_names_that_cannot_be_had(brings: Brings, entries: dict[str, Fruit], problem: str) -> None:
    registry = brings(**entries)
    (broken,) = registry.broken()
    assert broken.name == "mine"
    assert broken.problem.startswith(problem)
    assert registry.named("apple", "x") is APPLE


# ---- paths ----


def named_by_path(found: object, path: str) -> Sequence[Fruit]:
    return [Fruit(path)] * (len(found) if isinstance(found, tuple) else 1)


def test_a_path_leads_to_any_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "orchard").mkdir()
    (tmp_path / "orchard" / "__init__.py").touch()
    (tmp_path / "orchard" / "south.py").write_text("class Row:\n    tree = 1\nseveral = (1, 2)\n")
    assert load_object("orchard.south:Row.tree", "x") == 1
    registry = Registry("fruit", GROUP, (), named_by_path, "a Fruit")
    assert registry.named("orchard.south:Row.tree", "x") == Fruit("orchard.south:Row.tree")
    assert refusal(registry, "orchard.south:several") == (
        "basket.toml:3: orchard.south:several defines more than one fruit; specify one: a Fruit"
    )
    sys.modules.pop("orchard.south")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("json:", "'json:' is not the path of an object; write it as package.module:NAME"),
        (":x", "':x' is not the path of an object"),
        ("a b:c", "'a b:c' is not the path of an object"),
        ("json:loads:x", "'json:loads:x' is not the path of an object"),
        (
            "nowhere:x",
            "there is no module nowhere (for nowhere:x); install the package that contains it, or add its folder",
        ),
        ("json.nowhere:x", "there is no module json.nowhere (for json.nowhere:x)"),
        ("json:load_", "json has no load_; did you mean load?"),
        ("json:JSONDecoder.xyzzy", "json has no JSONDecoder.xyzzy; check the name"),
        ("raising:x", "raising cannot be imported: ValueError: first second; repair or update the package raising"),
        ("needing.inner:x", "needing.inner cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("json:loads", "json:loads is not a valid fruit; specify one: a Fruit"),
    ],
)
def test_paths_that_lead_nowhere(
    brings: Brings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, message: str
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "raising.py").write_text("raise ValueError('first\\nsecond')")
    (tmp_path / "needing").mkdir()
    (tmp_path / "needing" / "__init__.py").touch()
    (tmp_path / "needing" / "inner.py").write_text("import nowhere")
    assert refusal(brings(), path).startswith(f"basket.toml:3: {message}")
