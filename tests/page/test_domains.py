"""Registered domains and public suffixes."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tldextract import TLDExtract

from honeyguide.page.domains import is_public_suffix, registered_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.org", "example.org"),
        ("www.example.org", "example.org"),
        ("www.example.org:8080", "example.org"),
        ("a.b.news.bbc.co.uk", "bbc.co.uk"),
        ("co.uk", "co.uk"),
        ("org", "org"),
        ("someone.github.io", "github.io"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("www.xn--80ak6aa92e.xn--p1ai", "xn--80ak6aa92e.xn--p1ai"),
        ("a.b.garden.example", "garden.example"),
        ("localhost", "localhost"),
        ("localhost:8000", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[2001:db8::1]:8080", "[2001:db8::1]"),
        ("a_b.example.com", "example.com"),
    ],
)
def test_registered_domain(host: str, domain: str) -> None:
    assert registered_domain(host) == domain


@pytest.mark.parametrize("name", ["com", "co.uk", "CO.UK", "uk.", "github.io", "localhost", "example", "k12.ca.us"])
def test_public_suffixes(name: str) -> None:
    assert is_public_suffix(name)


@pytest.mark.parametrize("name", ["example.com", "bbc.co.uk", "me.github.io", "a.example", "127.0.0.1"])
def test_names_that_somebody_owns(name: str) -> None:
    assert not is_public_suffix(name)


def test_both_are_what_tldextract_says() -> None:
    """For names at, below and above every rule of the list, whatever its kind."""
    found = find_spec("tldextract")
    assert found is not None
    assert found.origin is not None
    lines = Path(found.origin).with_name(".tld_set_snapshot").read_text(encoding="utf-8").splitlines()
    rules = [line.strip() for line in lines if line.strip() and not line.startswith("//")]
    special = [rule for rule in rules if rule[0] in "*!" or not rule.isascii()]
    extract = TLDExtract(cache_dir=None, suffix_list_urls=(), cache_fetch_timeout=None).extract_str
    assert len(special) > 100
    for rule in (*special, *rules[::9]):
        end = rule.removeprefix("!").replace("*", "some").encode("idna").decode()
        for name in (end, f"a.{end}", f"www.a.{end}", end.partition(".")[2] or "com"):
            if "." in name:
                of_registry = extract(name)
                assert registered_domain(name) == (of_registry.top_domain_under_public_suffix or name), name
                of_anybody = extract(name, include_psl_private_domains=True)
                assert is_public_suffix(name) is (not of_anybody.domain), name
