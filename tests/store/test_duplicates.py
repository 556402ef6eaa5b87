"""Near-duplicates, against a scan of everything."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.relevance.fingerprint import BINS, NO_SIGNATURE, similarity
from honeyguide.store.duplicates import NEARLY_THE_SAME, Duplicates, Payloads

base = bytes(range(2 * BINS))


def with_changes(signature: bytes, places: set[int]) -> bytes:
    """The same but for the values at some places."""
    changed = bytearray(signature)
    for place in places:
        changed[2 * place] ^= 0x80
        changed[2 * place + 1] ^= 0x11
    return bytes(changed)


signatures = st.sets(st.integers(0, BINS - 1), max_size=12).map(lambda places: with_changes(base, places))


@given(st.lists(signatures | st.just(NO_SIGNATURE) | st.binary(min_size=2 * BINS, max_size=2 * BINS), max_size=12))
def test_what_is_found_is_near_and_what_is_the_same_is_found(given: list[bytes]) -> None:
    duplicates = Duplicates()
    added: dict[int, bytes] = {}
    for number, signature in enumerate(given):
        near = [page for page, other in added.items() if similarity(other, signature) >= NEARLY_THE_SAME]
        found = duplicates.find(signature)
        assert found in near or found is None
        if signature and signature in added.values():
            assert found is not None
        if found is None:
            duplicates.add(signature, number)
            added[number] = signature


def test_pages_that_share_most_are_found_nearly_always() -> None:
    draw = random.Random(7)
    found = 0
    for _ in range(500):
        duplicates = Duplicates()
        duplicates.add(base, 1)
        # Five values of thirty-two differ: a similarity of 0.84. Five bands at most are lost, and three stay whole.
        found += duplicates.find(with_changes(base, set(draw.sample(range(BINS), 5)))) == 1
    assert found == 500


def test_the_limit_itself_is_near_and_one_value_beyond_it_is_not() -> None:
    duplicates = Duplicates()
    duplicates.add(base, 1)
    # The eight values of two bands: a similarity of 0.75, with six bands whole.
    assert duplicates.find(with_changes(base, set(range(8)))) == 1
    assert duplicates.find(with_changes(base, set(range(9)))) is None


def test_pages_without_a_signature_are_like_no_other() -> None:
    duplicates = Duplicates()
    duplicates.add(NO_SIGNATURE, 1)
    assert duplicates.find(NO_SIGNATURE) is None
    assert duplicates.find(base) is None


def test_the_first_page_with_a_payload_is_found() -> None:
    payloads = Payloads()
    assert payloads.find(bytes(20)) is None
    payloads.add(bytes(20), 7, 1.5)
    payloads.add(bytes(20), 8, 2.5)
    payloads.add(b"x" * 20, 9, 3.5)
    payloads.add(b"not a digest", 10, 4.5)
    assert payloads.find(bytes(20)) == (7, 1.5)
    assert payloads.find(b"x" * 20) == (9, 3.5)
