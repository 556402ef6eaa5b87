"""What can go wrong, as the user should hear it."""

from __future__ import annotations


class HoneyguideError(Exception):
    """Anything honeyguide raises on purpose. The command line prints it as one line and exits with 1."""


class InputError(HoneyguideError):
    """The user's input is wrong. Raised before anything is written.

    The command line prints ``place: problem; remedy`` and exits with 2.

    Args:
        place: Where the mistake is: a file and line, an option, or an argument.
        problem: What is wrong there.
        remedy: What the user can do about it; "" if nothing.
    """

    def __init__(self, place: str, problem: str, remedy: str = "") -> None:
        self.place = place
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{place}: {problem}" + (f"; {remedy}" if remedy else ""))
