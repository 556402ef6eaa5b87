"""What fuzzing starts from and has found, tried again: no reader of outside bytes raises or hangs."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.fuzz.targets import TARGETS
from hypothesis import given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).with_name("corpus")
INPUTS = sorted(path for path in CORPUS.glob("*/*"))


@pytest.mark.parametrize("path", INPUTS, ids=[f"{path.parent.name}-{path.name}" for path in INPUTS])
def test_inputs(path: Path) -> None:
    data = path.read_bytes()
    TARGETS[path.parent.name](data)
    for cut in range(0, len(data), max(len(data) // 20, 1)):
        TARGETS[path.parent.name](data[:cut])


def test_every_target_has_inputs() -> None:
    assert {path.parent.name for path in INPUTS} == set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=50, deadline=None)
@given(st.data())
def test_damaged_inputs(target: str, data: st.DataObject) -> None:
    whole = data.draw(st.sampled_from([path for path in INPUTS if path.parent.name == target])).read_bytes()
    place, what = data.draw(st.integers(0, len(whole))), data.draw(st.binary(max_size=20))
    TARGETS[target](whole[:place] + what + whole[place + data.draw(st.integers(0, 20)) :])
