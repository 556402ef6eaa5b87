"""Which pages are worth rendering, and on which sites."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.needs_browser import Extent, SiteGains, is_gain, needs_scripts, script_weight

SHELL = b"<div id=root></div><script src=/app.js></script>"


def test_few_words_and_much_script() -> None:
    assert needs_scripts(SHELL, 3)
    assert not needs_scripts(b"<p>few words, no script</p>", 3)
    assert not needs_scripts(SHELL, 60), "a script of its own is worth fifty words"
    assert needs_scripts(SHELL * 5, 200)
    assert not needs_scripts(SHELL * 100, 301), "a page with text has its text"
    assert not needs_scripts(b"<script type='application/ld+json'>" + b"x" * 5000 + b"</script>", 3), "that is data"
    assert needs_scripts(b"<SCRIPT>" + b"x" * 500 + b"</SCRIPT >", 3)


@given(st.binary(max_size=300))
def test_any_bytes_have_a_weight(body: bytes) -> None:
    assert 0 <= script_weight(body + b"<script") < 100_000


def test_a_gain_is_of_words_or_of_links() -> None:
    assert is_gain(Extent(5, 0), Extent(25, 0))
    assert not is_gain(Extent(5, 0), Extent(24, 2))
    assert is_gain(Extent(5, 0), Extent(5, 3))
    assert not is_gain(Extent(100, 0), Extent(149, 0))


def test_sites_that_do_not_pay_are_left_alone_but_not_for_ever() -> None:
    sites = SiteGains()
    for _ in range(4):
        assert sites.pays("a.example")
        sites.add("a.example", gained=False)
    assert [sites.pays("a.example") for _ in range(25)] == [False] * 24 + [True]
    sites.add("a.example", gained=True)
    assert sites.pays("a.example"), "it has paid"
    assert sites.pays("b.example")
