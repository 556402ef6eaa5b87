"""Reports broken rules."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from honeyguide.plugins import described


@contextmanager
def rule(text: str) -> Iterator[None]:
    """Report any exception in the block as a violation of this rule.

    Raises:
        AssertionError: The block raised an exception; the message is the rule and the problem.
    """
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"{text}: {error}") from error
    except Exception as error:
        raise AssertionError(f"{text}: it raised {described(error)}") from error


def expect(holds: object, otherwise: str) -> None:
    """Raise `AssertionError` with the message `otherwise` unless `holds` is true."""
    if not holds:
        raise AssertionError(otherwise)
