from __future__ import annotations

import pickle
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.page.scope import REASONS, Scope
from honeyguide.page.settings import ScopeSettings, UrlSettings
from honeyguide.page.url import UrlRules, has_bad_port


def refusal(url: str, **rules: Any) -> str:
    return Scope(ScopeSettings(**rules)).refusal(url)


# -------------------------------------------------------------------------------------------------------- domains


@pytest.mark.parametrize(
    "entry",
    [
        "example.org",
        "Example.ORG",
        "example.org.",
        " example.org ",
        "https://example.org/",
        "http://EXAMPLE.org",
        "example.org/",
        "http://example.org:80/",
    ],
)
def test_a_domain_can_be_written_in_many_ways(entry: str) -> None:
    scope = Scope(ScopeSettings(allow_domains=(entry,)))
    assert scope.refusal("http://example.org/") == ""
    assert scope.refusal("https://a.b.example.org:8443/x") == ""
    assert scope.refusal("http://example.org.evil.test/") == "domain"
    assert scope.refusal("http://notexample.org/") == "domain"
    assert scope.refusal("http://org/") == "domain"
    assert scope.refusal("http://example.com/example.org/") == "domain"


def test_a_host_stands_for_itself_and_its_sub_domains_only() -> None:
    scope = Scope(ScopeSettings(allow_domains=("www.example.org",)))
    assert scope.refusal("http://www.example.org/") == ""
    assert scope.refusal("http://de.www.example.org/") == ""
    assert scope.refusal("http://example.org/") == "domain"
    assert scope.refusal("http://docs.example.org/") == "domain"


def test_a_whole_top_level_domain_can_be_named() -> None:
    assert refusal("http://www.cs.example.edu/", allow_domains=("edu",)) == ""
    assert refusal("http://www.example.com/", allow_domains=("edu",)) == "domain"


def test_deny_wins_over_allow() -> None:
    scope = Scope(ScopeSettings(allow_domains=("example.org",), deny_domains=("ads.example.org", "facebook.com")))
    assert scope.refusal("http://example.org/") == ""
    assert scope.refusal("http://ads.example.org/") == "domain"
    assert scope.refusal("http://x.ads.example.org:81/") == "domain"
    assert (
        refusal("http://example.org/", allow_domains=("www.example.org", "example.org"), deny_domains=("org",))
        == "domain"
    )


def test_without_allowed_domains_all_are_allowed_but_the_denied() -> None:
    scope = Scope(ScopeSettings(deny_domains=("facebook.com",)))
    assert scope.refusal("http://example.org/") == ""
    assert scope.refusal("https://www.facebook.com/x") == "domain"


@pytest.mark.parametrize(
    "entry", ["bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "http://bücher.example/"]
)
def test_internationalised_domains(entry: str) -> None:
    url = UrlRules(UrlSettings()).canonical("http://www.Bücher.example/x")
    assert url is not None
    assert refusal(url, allow_domains=(entry,)) == ""
    assert refusal(url, deny_domains=(entry,)) == "domain"


def test_addresses_have_no_sub_domains() -> None:
    assert refusal("http://10.0.0.1:8000/", allow_domains=("10.0.0.1",)) == ""
    assert refusal("http://10.0.0.1/", allow_domains=("0.0.1",)) == "domain"
    assert refusal("http://[::1]:8000/", allow_domains=("[::1]",)) == ""
    assert refusal("http://[::1]/", allow_domains=("[::2]",)) == "domain"


@pytest.mark.parametrize("field", ["allow_domains", "deny_domains"])
@pytest.mark.parametrize(
    "entry",
    [
        "", " ", "exam ple.org", "*.example.org", ".example.org", "a..b", "ftp://example.org", "anna@example.org",
        "/wiki", "//example.org",
        "example.org/wiki/", "https://example.org/?q=1", "example.org:8080", "::1", "a.1", "a" * 64 + ".org",
    ],
)  # fmt: skip
def test_an_entry_that_is_no_domain_is_refused(field: str, entry: str) -> None:
    with pytest.raises(InputError) as caught:
        refusal("http://x.example/", **{field: ("example.org", entry)})
    assert caught.value.place == f"scope.{field}"
    assert repr(entry) in caught.value.problem
    assert caught.value.remedy


# ---------------------------------------------------------------------------------------------------------- paths


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("/wiki/*", "/wiki/Atom", True),
        ("/wiki/*", "/wiki/", True),
        ("/wiki/*", "/wiki", False),
        ("/wiki/*", "/en/wiki/Atom", False),
        ("/wiki", "/wiki", True),
        ("/wiki", "/wiki/", False),
        ("/wiki", "/wiki?a", False),
        ("/wiki*", "/wiki?a", True),
        ("*/print/*", "/a/print/b", True),
        ("*/print/*", "/print/", True),
        ("*/print/*", "/a/print", False),
        ("*?action=edit", "/w?action=edit", True),
        ("*?action=edit", "/w?action=edit&x", False),
        ("*action=*", "/w?x=1&action=edit", True),
        ("*.html", "/a.html/b.html", True),
        ("*.html", "/a.html?b", False),
        ("*.html", "/axhtml", False),
        ("/a*b*c", "/axbxc", True),
        ("/a*b*c", "/abbcc", True),
        ("/a*b*c", "/axcxb", False),
        ("/a*a", "/a", False),
        ("*", "/", True),
        ("/**x", "/yx", True),
        ("/bücher/*", "/b%C3%BCcher/1", True),
        ("/%7euser/*", "/~user/1", True),
        ("/Wiki/*", "/wiki/Atom", False),
    ],
)
def test_path_patterns(pattern: str, path: str, matches: bool) -> None:
    url = "http://x.example" + path
    assert refusal(url, allow_paths=(pattern,)) == ("" if matches else "path")
    assert refusal(url, deny_paths=(pattern,)) == ("path" if matches else "")


def test_one_allowed_pattern_is_enough_and_denied_ones_win() -> None:
    scope = Scope(ScopeSettings(allow_paths=("/wiki/*", "/docs/*"), deny_paths=("*/edit", "/docs/old/*")))
    assert scope.refusal("http://x.example/wiki/a") == ""
    assert scope.refusal("http://x.example/docs/a") == ""
    assert scope.refusal("http://x.example/blog/a") == "path"
    assert scope.refusal("http://x.example/wiki/a/edit") == "path"
    assert scope.refusal("http://x.example/docs/old/a") == "path"


@settings(max_examples=300, deadline=None)
@given(st.text("ab/*.", max_size=8).map("*{}".format), st.text("ab/.", max_size=12).map("/{}".format))
def test_a_pattern_matches_as_if_every_way_were_tried(pattern: str, path: str) -> None:
    tried = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), path)
    assert refusal(f"http://x.example{path}", deny_paths=(pattern,), max_repeats=50) == ("path" if tried else "")


def test_many_stars_do_not_take_for_ever() -> None:
    url = "http://x.example/" + "a" * 900
    assert refusal(url, deny_paths=("*a" * 60 + "b",)) == ""


@pytest.mark.parametrize("field", ["allow_paths", "deny_paths"])
@pytest.mark.parametrize("entry", ["", "wiki/*", "https://example.org/wiki/*", "?q=*", " /wiki"])
def test_a_pattern_that_cannot_match_is_refused(field: str, entry: str) -> None:
    with pytest.raises(InputError, match=rf"scope\.{field}"):
        refusal("http://x.example/", **{field: (entry,)})


# ---------------------------------------------------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("/file.zip", "type"),
        ("/a/FILE.ZIP", "type"),
        ("/file.zip?x=1", "type"),
        ("/file.tar.gz", "type"),
        ("/.zip", "type"),
        ("/file.zip;v=1.2", "type"),
        ("/a.zip/page", ""),
        ("/a.zip/", ""),
        ("/file.docx", "office"),
        ("/file?name=a.pdf", ""),
        ("/file?next=/a.pdf", ""),
        ("/filepdf", ""),
        ("/pdf", ""),
        ("/file.pdf.html", ""),
        ("/a.pdf;v=1/b", ""),
        ("/file.", ""),
        ("/", ""),
    ],
)
def test_file_types(rest: str, reason: str) -> None:
    assert refusal("http://x.zip" + rest) == reason


@pytest.mark.parametrize("entry", ["foo", ".foo", "*.foo", "FOO", " foo "])
def test_a_type_can_be_written_in_many_ways(entry: str) -> None:
    assert refusal("http://x.example/a.Foo", deny_types=(entry,)) == "type"
    assert refusal("http://x.example/a.zip", deny_types=(entry,)) == ""


@pytest.mark.parametrize("entry", ["", ".", "tar.gz", "a/b", "text/html", "*"])
def test_an_entry_that_is_no_type_is_refused(entry: str) -> None:
    with pytest.raises(InputError, match=r"scope\.deny_types"):
        Scope(ScopeSettings(deny_types=(entry,)))


# --------------------------------------------------------------------------------------------------------- limits


def test_length() -> None:
    assert refusal("http://x.example/" + "a" * 23, max_url_length=40) == ""
    assert refusal("http://x.example/" + "a" * 24, max_url_length=40) == "length"


def test_query_parameters() -> None:
    assert refusal("http://x.example/?a=1&b=2&c", max_query_parameters=3) == ""
    assert refusal("http://x.example/?a=1&b=2&c&d", max_query_parameters=3) == "query"
    assert refusal("http://x.example/", max_query_parameters=0) == ""
    assert refusal("http://x.example/?a", max_query_parameters=0) == "query"
    assert refusal("http://x.example/a&b&c&d", max_query_parameters=1) == ""


@pytest.mark.parametrize(
    ("path", "depth"),
    [("/", 0), ("/a", 1), ("/a/", 1), ("/a/b", 2), ("/a//b", 3), ("/a/b/?x=/c/d", 2), ("/a/b/c/d/e/f/g/", 7)],
)
@pytest.mark.parametrize("max_repeats", [1, 3, 100])
def test_path_depth(path: str, depth: int, max_repeats: int) -> None:
    url = "http://x.example" + path
    if depth:
        assert refusal(url, max_path_depth=depth, max_repeats=max_repeats) == ""
    if depth > 1:
        assert refusal(url, max_path_depth=depth - 1, max_repeats=max_repeats) == "depth"


@pytest.mark.parametrize(
    ("path", "max_repeats", "reason"),
    [
        ("/a/x/a/y/a", 3, ""),
        ("/a/x/a/y/a/z/a", 3, "repeats"),
        ("/a/a/a", 3, ""),
        ("/a/a/a/", 3, ""),
        ("/a/a/a/a", 3, "repeats"),
        ("/a/A/a/A/x/a", 3, ""),
        ("/a/b/a/b", 3, ""),
        ("/a/b/a/b/a/b", 3, "repeats"),
        ("/x/y/a/b/a/b/a/b/index.html", 3, "repeats"),
        ("/a/b/c/a/b/c/a/b/c", 3, "repeats"),
        ("/a/b/c/a/b/c/a/b/d", 3, ""),
        ("/a/b/x/a/b/y/a/b", 3, ""),
        ("/a/b/a/b", 2, "repeats"),
        ("/a/x/a", 2, ""),
        ("/a/x/a", 1, "repeats"),
        ("/a/b", 1, ""),
        ("/a", 1, ""),
        ("/", 1, ""),
        ("/x//a//b//c//d", 3, "repeats"),
        ("/a?x=/a/a/a/a/a", 3, ""),
        ("/a/b/a/b/a/b", 100, ""),
    ],
)
def test_repeating_segments(path: str, max_repeats: int, reason: str) -> None:
    assert refusal("http://x.example" + path, max_repeats=max_repeats) == reason


# -------------------------------------------------------------------------------------------------- all of it


def test_the_first_reason_in_the_documented_order_is_given() -> None:
    rules: dict[str, Any] = {
        "allow_domains": ("y.example",),
        "deny_paths": ("*",),
        "max_url_length": 30,
        "max_query_parameters": 0,
        "max_path_depth": 3,
        "max_repeats": 1,
    }
    relaxed: list[tuple[str, dict[str, Any]]] = [
        ("length", {"max_url_length": 1000}),
        ("domain", {"allow_domains": ()}),
        ("type", {"deny_types": ()}),
        ("depth", {"max_path_depth": 16}),
        ("repeats", {"max_repeats": 9}),
        ("query", {"max_query_parameters": 8}),
        ("path", {"deny_paths": ()}),
    ]
    assert tuple(reason for reason, _ in relaxed) == tuple(
        reason for reason in REASONS if reason not in {"port", "office", "pdf"}
    )
    url = "http://x.example/a/a/a/b.zip?x=1&y=2"
    for reason, change in relaxed:
        assert refusal(url, **rules) == reason
        rules |= change
    assert refusal(url, **rules) == ""


def test_scope_travels_to_other_processes() -> None:
    scope = Scope(ScopeSettings(allow_domains=("example.org",), deny_paths=("/x*",)))
    assert scope.refusal("http://example.org/") == ""
    copy = pickle.loads(pickle.dumps(scope))
    assert copy.refusal("http://example.org/") == ""
    assert copy.refusal("http://example.org/x") == "path"
    assert copy.refusal("http://example.com/") == "domain"


@settings(max_examples=300, deadline=None)
@given(st.text("ab.:/?&;%*é", max_size=30))
def test_every_canonical_url_gets_an_answer(text: str) -> None:
    url = UrlRules(UrlSettings()).canonical("http://x.example/" + text)
    if url is not None:
        assert refusal(url, deny_paths=("*b",), max_repeats=1) in {"", *REASONS}


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("http://x.example/", ""),
        ("http://x.example:8080/", ""),
        ("http://x.example:443/", ""),
        ("https://x.example:80/", ""),
        ("http://x.example:25/a", "port"),
        ("https://x.example:6697/", "port"),
        ("http://[2001:db8::25]/", ""),
        ("http://[2001:db8::25]:25/", "port"),
        ("http://25.25.25.25/", ""),
    ],
)
def test_ports_of_other_services_are_out_of_scope(url: str, reason: str) -> None:
    assert Scope(ScopeSettings()).refusal(url) == reason
    assert has_bad_port(url) is (reason == "port")
