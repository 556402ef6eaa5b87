"""Runs code in another process, where hashes of strings, and so the order of sets, are different."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from honeyguide.testing.rules import expect


def run_there(code: str, *arguments: str, given: bytes = b"") -> bytes:
    """Run Python code in another process, with the same module search path and a different hash seed.

    Args:
        code: The program.
        *arguments: Its ``sys.argv[1:]``.
        given: Its standard input.

    Returns:
        Its standard output.

    Raises:
        AssertionError: It failed.
    """
    folders = [folder or str(Path.cwd()) for folder in sys.path]
    other_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    done = subprocess.run(  # noqa: S603 (our own code)
        [sys.executable, "-c", code, *arguments],
        input=given,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders), "PYTHONHASHSEED": other_seed},
        check=False,
    )
    errors = done.stderr.decode(errors="replace").strip().splitlines()
    expect(done.returncode == 0, f"another process ended with {errors[-1] if errors else done.returncode}")
    return done.stdout
