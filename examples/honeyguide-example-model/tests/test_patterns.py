"""The model follows the rules, and counts matches inside spans."""

from __future__ import annotations

import pytest
from honeyguide_example_model import Patterns

from honeyguide.errors import InputError
from honeyguide.page.spans import spans
from honeyguide.relevance.material import Material
from honeyguide.relevance.text import Text
from honeyguide.testing import check_model

MATERIAL = Material(keywords=[r"CVE-\d{4}-\d{4,}", "remote code execution"])


def test_it_keeps_the_rules() -> None:
    check_model("patterns")


def test_matches_count_that_are_wholly_inside() -> None:
    model = Patterns.fit(MATERIAL, 0.5)
    text = Text("Remote code execution in cve-2024-12345 and CVE-2024-1".split())
    scores = model.score(text, spans([(0, 7), (1, 7), (0, 3), (0, 2), (4, 5), (5, 7)]))
    assert scores.tolist() == pytest.approx([2 / 5, 1 / 4, 1 / 4, 0, 1 / 4, 0])


def test_a_broken_pattern_is_said() -> None:
    with pytest.raises(InputError, match=r"keywords: .* is not a valid pattern"):
        Patterns.fit(Material(keywords=["(unclosed"]), 0.5)
