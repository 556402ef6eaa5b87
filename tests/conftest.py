"""Set-up of all tests: what the hundreds of processes and crawls that they start would otherwise do again and again."""

from __future__ import annotations

import gc
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

IN_MEMORY = Path("/dev/shm")
ROOM = 2 << 30


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Garbage(step=100_000))  # kilobytes
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each process would compile the package anew
    sys.dont_write_bytecode = False
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each process would start threads that only compete
    # Tests that give a command a cache of its own would make it look for the fonts of the machine, for seconds.
    os.environ.setdefault("MPLCONFIGDIR", str(config.rootpath / ".pytest_cache" / "matplotlib"))
    # Crawls through a proxy look up names that do not exist, and an answer that is lost would be waited for for 5 s.
    os.environ.setdefault("RES_OPTIONS", "timeout:1 attempts:1")
    # Each crawl would wait a dozen times for the disk, most of its time. That it does ask the disk to keep what it has
    # written is seen to by tests/crawl/test_power_cuts.py.
    if "TMPDIR" not in os.environ and os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM:
        os.environ.setdefault("RAY_TMPDIR", tempfile.gettempdir())  # the names of its sockets must be short
        folder = Path(tempfile.mkdtemp(prefix="tests-", dir=IN_MEMORY))
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        config.add_cleanup(lambda: clear(folder))


def clear(folder: Path) -> None:
    """Remove what browsers and the like have left behind, but keep the folders of tests that failed."""
    of_tests = [path for path in folder.glob("pytest-of-*/pytest-*") if path.is_dir() and not path.is_symlink()]
    for path in folder.iterdir() if of_tests else [folder]:
        if not path.name.startswith("pytest-of-"):
            shutil.rmtree(path, ignore_errors=True)


def pytest_collection_finish() -> None:
    gc.freeze()  # modules and tests are there to stay: what is looked through for garbage is only what tests make


class Garbage:
    """Collects it whenever the process has become larger than ever before, by so much.

    After all that was there to begin with, Python itself hardly ever looks, and crawls would pile up to gigabytes.
    """

    def __init__(self, step: int) -> None:
        self._step = step
        self._largest = 0

    def pytest_runtest_teardown(self) -> None:
        largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if largest > self._largest + self._step:
            self._largest = largest
            gc.collect()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], AbstractContextManager[None]]:
    """Installs the packages of a folder, for a while, as if the process had just begun, and then forgets all of them.

    What is imported from the folder is imported anew the next time: in a fraction of the time that a process takes.
    """
    from honeyguide.fetch.registry import REGISTRY as FETCHERS
    from honeyguide.relevance.registry import REGISTRY as MODELS
    from honeyguide.store.export.formats import REGISTRY as FORMATS
    from honeyguide.strategy.registry import REGISTRY as STRATEGIES

    known = [vars(registry) for registry in (FETCHERS, MODELS, FORMATS, STRATEGIES)]

    @contextmanager
    def install(folder: Path) -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.syspath_prepend(folder)
            for registry in known:
                patch.delitem(registry, "_brought", raising=False)
            try:
                yield
            finally:
                for registry in known:
                    registry.pop("_brought", None)
                for name, module in [*sys.modules.items()]:
                    if str(getattr(module, "__file__", None)).startswith(f"{folder}{os.sep}"):
                        del sys.modules[name]

    return install
