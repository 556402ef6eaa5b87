"""What every strategy must do, whatever it is: the checks that other packages' strategies are put through too."""

from __future__ import annotations

import pytest

from honeyguide.strategy.registry import recipes
from honeyguide.testing import check_strategy

AT_ONCE = 5  # enough to share a process, and few enough to be run side by side
NAMES = list(recipes())
GROUPS = [NAMES[first : first + AT_ONCE] for first in range(0, len(NAMES), AT_ONCE)]


@pytest.mark.parametrize("names", GROUPS, ids="+".join)
def test_they_keep_the_rules(names: list[str]) -> None:
    check_strategy(*names)
