"""The model of docs/relevance.md works as it stands there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from honeyguide.relevance.registry import model_named
from honeyguide.testing import check_model

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def my_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (code,) = re.findall(r"```python\n# my_package/models.py\n(.*?)```", (DOCS / "relevance.md").read_text(), re.DOTALL)
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "__init__.py").touch()
    (tmp_path / "my_package" / "models.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    for name in ("my_package.models", "my_package"):
        sys.modules.pop(name, None)


def test_the_model_of_the_documentation() -> None:
    check_model("my_package.models:Share")
    spec = model_named("my_package.models:Share")
    assert (spec.threshold, spec.summary) == (0.1, "The share of words that are among the keywords.")
