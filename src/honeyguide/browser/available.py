"""Whether pages can be rendered here: Playwright from the extra, and a Chromium of the system."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

from honeyguide.errors import InputError
from honeyguide.settings import show

MODES = ("auto", "never", "always")
_PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLACE = "fetch.browser"


def find_program(program: str = "") -> str | None:
    """The path of the browser's program, of that name or the first that is installed; None if there is none."""
    names = (program,) if program else _PROGRAMS
    return next((found for name in names if (found := shutil.which(name)) is not None), None)


def has_sandbox() -> bool:
    """Whether the browser can lock its pages in: Chromium refuses to do so for root."""
    return not hasattr(os, "geteuid") or os.geteuid() != 0


def check_mode(mode: str, program: str = "") -> None:
    """Raise `InputError` for a mode that does not exist, or that cannot be had here; "" means the default."""
    if mode in {"", "never"}:
        return
    if mode not in MODES:
        raise InputError(_PLACE, f"there is no mode {show(mode)}", f"choose one of {', '.join(MODES)}")
    if find_spec("playwright") is None:
        raise InputError(_PLACE, f'"{mode}" needs Playwright', 'pip install "honeyguide[browser]"')
    if find_program(program) is None:
        problem = f"there is no program {program}" if program else f'"{mode}" needs Chromium, and there is none'
        raise InputError(
            "browser.program" if program else _PLACE,
            problem,
            "apt-get install chromium, or name yours in browser.program",
        )


def chosen_mode(mode: str, program: str = "") -> str:
    """The mode that is meant: by default "auto" where all that it needs is installed and has a sandbox, else "never".

    Raises `InputError` as `check_mode`.
    """
    check_mode(mode, program)
    if mode:
        return mode
    is_ready = find_spec("playwright") is not None and find_program(program) is not None and has_sandbox()
    return "auto" if is_ready else "never"
