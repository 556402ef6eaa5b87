"""How a broken rule is reported."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from honeyguide.plugins import described


@contextmanager
def rule(text: str) -> Iterator[None]:
    """Whatever goes wrong inside breaks this rule.

    Raises:
        AssertionError: With the rule, and what `expect` or the exception said.
    """
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{text}: {error}") from error
    except Exception as error:
        raise AssertionError(f"{text}: it raised {described(error)}") from error


def expect(holds: object, otherwise: str) -> None:
    """Raise `AssertionError` with what is the case, unless something holds."""
    if not holds:
        raise AssertionError(otherwise)
