from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.document import words
from honeyguide.document.chart import Series, line_plot, scale
from honeyguide.document.markup import Html, element, html


def test_markup_escapes_all_but_markup() -> None:
    assert html("<", Html("<b>"), "&") == "&lt;<b>&amp;"
    assert element("a", "<", element("i"), class_='"', data_x=1) == '<a class="&quot;" data-x="1">&lt;<i></i></a>'


def test_bands_lie_around_their_curves_and_below_all_of_them() -> None:
    # On axes that end at 2 and 1, in units of 1000: (1, .5 ± .1) is at 500, from 400 to 600 from the top.
    wide = Series("wide", "a", [(1, 0.5), (2, 0.25)], [0.1, 0.05])
    plot = line_plot("T", scale(2, tight=True), scale(1, percent=True), "x", "y", [wide, Series("bare", "b", [(1, 1)])])
    shapes = re.findall(r'<(poly\w+) points="([^"]*)" class="([^"]*)"', plot)
    assert shapes == [
        ("polygon", "500.0,400.0 1000.0,700.0 1000.0,800.0 500.0,600.0", "band a"),
        ("polyline", "500.0,500.0 1000.0,750.0", "curve a"),
        ("polyline", "500.0,0.0 500.0,0.0", "curve b"),
    ]
    assert "At the end: wide: 25.0%; bare: 100.0%" in plot
    assert (wide.highest, Series("bare", "b", [(1, 1)]).highest) == (0.6, 1)


# ---- scales and words ----


@given(st.floats(1e-4, 1e9), st.booleans(), st.booleans())
def test_a_scale_holds_its_values_with_few_distinct_labels(most: float, whole: bool, tight: bool) -> None:
    axis = scale(most, whole=whole, tight=tight)
    assert axis.end >= most * (1 - 1e-9)
    assert axis.end == most or not tight
    assert 1 <= len(axis.ticks) <= 7
    assert axis.ticks[0] == 0
    assert axis.ticks[-1] <= axis.end * (1 + 1e-9)
    labels = [axis.label(tick) for tick in axis.ticks]
    assert len(set(labels)) == len(labels)


def test_scales_by_hand() -> None:
    assert scale(500, whole=True, tight=True).ticks == (0, 100, 200, 300, 400, 500)
    assert scale(3, whole=True).ticks == (0, 1, 2, 3)
    assert scale(0).ticks[-1] == scale(5e-324).ticks[-1] == 1
    percent = scale(0.51, percent=True)
    assert [percent.label(tick) for tick in percent.ticks] == ["0%", "20%", "40%", "60%"]
    small = scale(0.004, percent=True)
    assert [small.label(tick) for tick in small.ticks] == ["0.0%", "0.1%", "0.2%", "0.3%", "0.4%"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (words.size(0), "0 bytes"),
        (words.size(999), "999 bytes"),
        (words.size(1000), "1.0 kB"),
        (words.size(99_449), "99.4 kB"),
        (words.size(999_499), "999 kB"),
        (words.size(999_500), "1.0 MB"),
        (words.size(2.5e15), "2,500.0 TB"),
        (words.duration(0.04), "0.0 s"),
        (words.duration(59.96), "1 min 0 s"),
        (words.duration(3599.9), "1 h 0 min"),
        (words.duration(90_000), "1 d 1 h"),
        (words.share(1, 3), "33.3%"),
        (words.share(0, 0), words.NO_NUMBER),
        (words.speed(1234.5), "1,234"),
        (words.speed(0.25), "0.2"),
        (words.speed(0.025), "0.025"),
        (words.moment(0), "1 January 1970, 00:00 UTC"),
        (words.period(0, 59), "1 January 1970, 00:00 UTC"),
        (words.period(0, 60), "1 January 1970, 00:00 UTC, to 1 January 1970, 00:01 UTC"),
        (words.pages(1), "1 page"),
        (words.pages(1000), "1,000 pages"),
    ],
)
def test_numbers_in_words(said: str, expected: str) -> None:
    assert said == expected
