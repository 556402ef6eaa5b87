"""Finding a topic's terms among the tokens of a text."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.relevance.term_finder import TermFinder

# Few different last bits, and few different first bits: many tokens have only one of them in common.
TOKENS = st.builds(lambda first, last: (first << 16) | last, st.integers(0, 3), st.sampled_from([0, 1, 2, 0xFFFF]))


@given(st.sets(TOKENS), st.lists(TOKENS))
def test_finds_the_terms_and_nothing_else(terms: set[int], text: list[int]) -> None:
    found = TermFinder(np.array(sorted(terms), np.uint32)).find(np.array(text, np.uint32))
    assert found.tolist() == [position for position, token in enumerate(text) if token in terms]
