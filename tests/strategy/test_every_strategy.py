"""What every strategy must do, whatever it is: the checks that other packages' strategies are put through too."""

from __future__ import annotations

import pytest

from honeyguide.strategy.registry import recipes
from honeyguide.testing import check_strategy


@pytest.mark.parametrize("name", recipes())
def test_it_keeps_the_rules(name: str) -> None:
    check_strategy(name)
