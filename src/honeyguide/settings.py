"""One way to declare a setting: its default, its meaning and its limits in one place.

Every room declares its settings as a frozen dataclass whose fields are made with `setting`. The topic file's reader
checks values against these declarations and `honeyguide init` prints them, so a setting is never described twice.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a setting is for and which values it takes."""

    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    example: str = ""


def setting(
    default: Any,
    help: str,  # noqa: A002 (the word argparse, typer and rich use for it)
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    example: str = "",
) -> Any:
    """A dataclass field that says what it means. `example` is shown by `honeyguide init` instead of the default."""
    return field(default=default, metadata={"meaning": Meaning(help, minimum, maximum, choices, example)})


def meaning(of: dataclasses.Field[Any]) -> Meaning:
    """The `Meaning` that `setting` attached to a field."""
    found: Meaning = of.metadata["meaning"]
    return found
