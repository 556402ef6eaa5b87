"""What the tests of the commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Said(NamedTuple):
    """What came of a command."""

    code: int
    out: str
    err: str


Command = Callable[..., Said]
