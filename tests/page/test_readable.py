from __future__ import annotations

import pytest

from honeyguide.page.readable import readable, readable_host
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules


@pytest.mark.parametrize(
    "url", ["http://bücher.example/", "https://пример.рф:8080/a?b=c", "http://蜂蜜.example/", "http://a.b/xn--c"]
)
def test_hosts_are_shown_in_their_own_letters_and_lead_to_the_same_page(url: str) -> None:
    canonical = UrlRules(UrlSettings()).canonical(url)
    assert canonical is not None
    assert readable(canonical) == url


@pytest.mark.parametrize(
    "host",
    [
        "xn--pple-43d.com",  # begins with a Cyrillic letter
        "xn--0",
        "xn--",
        "xn--ab-g4t.example",  # a mark that reorders text
        "a.example",
        "192.0.2.1",
    ],
)
def test_what_could_deceive_or_is_no_name_stays_as_it_is(host: str) -> None:
    assert readable_host(host) == host
