from __future__ import annotations

import pytest

from honeyguide.page.language_codes import is_among, language_name


@pytest.mark.parametrize(
    ("code", "wanted", "is_wanted"),
    [
        ("de", (), True),
        ("de", ("de", "en"), True),
        ("fr", ("de", "en"), False),
        ("", ("de",), True),  # unknown
        ("nb", ("no",), True),
        ("no", ("nn",), True),
        ("bs", ("hr",), True),
        ("oc", ("oc",), True),
        ("oc", ("fr",), False),
    ],
)
def test_pages_that_may_be_in_a_wanted_language_are_let_through(
    code: str, wanted: tuple[str, ...], is_wanted: bool
) -> None:
    assert is_among(code, wanted) == is_wanted


def test_a_language_has_one_name() -> None:
    assert [language_name(code) for code in ("en", "nl", "nb", "ja", "oc", "")] == [
        "english", "dutch", "norwegian", "japanese", "", "",
    ]  # fmt: skip
