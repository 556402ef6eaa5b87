from __future__ import annotations

import pickle
import re

import ada_url
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.page import known_links
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import MAX_LENGTH, UrlRules, host_of, origin_of

RULES = UrlRules(UrlSettings())
PLAIN_RULES = UrlRules(UrlSettings(drop_tracking=False, drop_sessions=False))
SORTING_RULES = UrlRules(UrlSettings(sort_query=True))
RULE_SETS = [RULES, PLAIN_RULES, SORTING_RULES]

# ---------------------------------------------------------------------------------------------- hand-worked cases


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        # scheme, host, port, user
        ("http://example.org/", "http://example.org/"),
        ("HTTP://Example.ORG/A", "http://example.org/A"),
        ("http://example.org", "http://example.org/"),
        ("http://example.org?q", "http://example.org/?q"),
        ("http://example.org:80/", "http://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("https://example.org:0443/", "https://example.org/"),
        ("https://example.org:80/", "https://example.org:80/"),
        ("http://example.org:/x", "http://example.org/x"),
        ("http://example.org./x", "http://example.org/x"),
        ("http://example.org.:8080/x", "http://example.org:8080/x"),
        ("http://anna:secret@example.org/x", "http://example.org/x"),
        ("http://a@b@example.org/x", "http://example.org/x"),
        ("http:\\\\example.org\\a\\b", "http://example.org/a/b"),
        ("http:example.org", "http://example.org/"),
        ("http:///example.org/x", "http://example.org/x"),
        ("http://a_b.example.org/", "http://a_b.example.org/"),
        # internationalised hosts
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://BÜCHER.example/", "http://xn--bcher-kva.example/"),
        ("http://XN--Bcher-KVA.example/", "http://xn--bcher-kva.example/"),
        ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"),
        ("http://bücher。example/", "http://xn--bcher-kva.example/"),
        # addresses
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.01/", "http://127.0.0.1/"),
        ("http://127.0.0.1./", "http://127.0.0.1/"),
        ("http://[2001:DB8:0:0::1]:80/x", "http://[2001:db8::1]/x"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        # path
        ("http://x.example/a/./b/../c", "http://x.example/a/c"),
        ("http://x.example/../../a", "http://x.example/a"),
        ("http://x.example/a/%2e%2E/b", "http://x.example/b"),
        ("http://x.example/a/..", "http://x.example/"),
        ("http://x.example/a/.", "http://x.example/a/"),
        ("http://x.example//a//b/", "http://x.example//a//b/"),
        ("http://x.example/.well-known/a..b/...", "http://x.example/.well-known/a..b/..."),
        # percent-encoding
        ("http://x.example/%7euser/%41%2d%5f%2E", "http://x.example/~user/A-_."),
        ("http://x.example/a%2fb%3a", "http://x.example/a%2Fb%3A"),
        ("http://x.example/ä ö", "http://x.example/%C3%A4%20%C3%B6"),
        ("http://x.example/it's?q='", "http://x.example/it's?q=%27"),
        ("http://x.example/?q=ä ö'", "http://x.example/?q=%C3%A4%20%C3%B6%27"),
        ("http://x.example/%e4", "http://x.example/%E4"),
        ("http://x.example/100%", "http://x.example/100%25"),
        ("http://x.example/%zz%4", "http://x.example/%25zz%254"),
        ("http://x.example/%%34%31", "http://x.example/%2541"),
        ('http://x.example/[a]|{b}^`"<>', "http://x.example/%5Ba%5D%7C%7Bb%7D%5E%60%22%3C%3E"),
        ("http://x.example/?a[]=1|2\\{}^`", "http://x.example/?a%5B%5D=1%7C2%5C%7B%7D%5E%60"),
        ("http://x.example/a!$&'()*+,=:@b", "http://x.example/a!$&'()*+,=:@b"),
        # white space, controls
        (" \t\n http://x.example/a\r\n", "http://x.example/a"),
        ("ht\ntp://x.exa\tmple/a\nb", "http://x.example/ab"),
        ("http://x.example/a\x00", "http://x.example/a"),
        ("http://x.example/a\x00b", "http://x.example/a%00b"),
        # fragment
        ("http://x.example/a#b", "http://x.example/a"),
        ("http://x.example#b/c?d", "http://x.example/"),
        ("http://x.example/a?b#c?d#e", "http://x.example/a?b"),
        ("http://x.example/a #b", "http://x.example/a%20"),
        ("http://x.example/a#\ud800", "http://x.example/a"),
        # query
        ("http://x.example/a?", "http://x.example/a"),
        ("http://x.example/a?#b", "http://x.example/a"),
        ("http://x.example/a?&", "http://x.example/a"),
        ("http://x.example/a?b=1&&a=2&", "http://x.example/a?b=1&a=2"),
        ("http://x.example/a?b=1?c/d", "http://x.example/a?b=1?c/d"),
        ("http://x.example/a?b+c=%20", "http://x.example/a?b+c=%20"),
    ],
)
def test_canonical_form(url: str, canonical: str) -> None:
    assert RULES.canonical(url) == canonical
    assert RULES.canonical(canonical) == canonical


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "example.org",
        "/a",
        "//example.org/a",
        "http:",
        "http://",
        "https:///",
        "http://?",
        "http://#",
        "ftp://example.org/",
        "ws://example.org/",
        "mailto:a@example.org",
        "javascript:void(0)",
        "data:text/html,http://example.org/",
        "file:///etc/passwd",
        "about:blank",
        "http://exa mple.org/",
        "http://example.org:65536/",
        "http://example.org:0/",
        "http://example.org:000/a",
        "http://example.org:x/",
        "http://[::1/",
        "http://[::1%25eth0]/",
        "http://1.2.3.400/",
        "http://a.1/",
        "http://x\x00y/",
        "http://\ud800.example/",
        "http://x.example/\udfff",
        "http://.example.org/",
        "http://a..b/",
        "http://example.org../",
        "http://./",
        "http://a*b.example/",
        f"http://{'a' * 64}.example/",
        f"http://{'a.' * 124}example/",
        f"http://x.example/{'a' * MAX_LENGTH}",
        f"http://x.example/{'ä' * (MAX_LENGTH // 2)}",
        "http://" + "a" * 2_000_000,
        "http://x.example/" + "../" * 1_000_000,
        "x" * 2_000_000,
        "\ud800" * 1_000_000,
    ],
    ids=lambda url: repr(url[:40]),
)
def test_what_cannot_be_fetched_has_no_canonical_form(url: str) -> None:
    assert RULES.canonical(url) is None


def test_length_is_judged_after_the_fragment_is_gone() -> None:
    assert RULES.canonical("http://x.example/a#" + "b" * 1_000_000) == "http://x.example/a"
    longest = "http://x.example/" + "a" * (MAX_LENGTH - len("http://x.example/"))
    assert RULES.canonical(longest) == longest
    assert RULES.canonical(longest + "a") is None
    assert RULES.join(longest, "#top") == longest
    assert RULES.join(longest, "b") == "http://x.example/b"
    assert RULES.join(longest + "/b", "c") is None


def test_longest_hosts() -> None:
    label = "a" * 63
    name = f"{label}.{label}.{label}.{'a' * 61}"
    assert len(name) == 253
    assert RULES.canonical(f"http://{name}/x") == f"http://{name}/x"
    assert RULES.canonical(f"http://{name}:8080/x") == f"http://{name}:8080/x"
    assert RULES.canonical(f"http://{name}./x") == f"http://{name}/x"
    assert RULES.canonical(f"http://{name}a/x") is None


# ------------------------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("http://x.example/a?utm_source=n&id=3&UTM_Whatever", "http://x.example/a?id=3"),
        ("http://x.example/a?fbclid=1&gclid=2&msclkid=3&mc_cid=4", "http://x.example/a"),
        ("http://x.example/a?%75tm%5fsource=n&id=3", "http://x.example/a?id=3"),
        ("http://x.example/a?xutm_source=n&utm=1", "http://x.example/a?xutm_source=n&utm=1"),
        ("http://x.example/a?PHPSESSID=0af&id=3", "http://x.example/a?id=3"),
        ("http://x.example/a?id=3&sid=0af&SessionID=1", "http://x.example/a?id=3"),
        ("http://x.example/a?ASPSESSIONIDQQTC=A&CFID=1&CFTOKEN=2", "http://x.example/a"),
        ("http://x.example/a?side=1&id=sid", "http://x.example/a?side=1&id=sid"),
        ("http://x.example/a;jsessionid=1A2B?id=3", "http://x.example/a?id=3"),
        ("http://x.example/a;JSESSIONID=1A2B!44/b;c=1;jsessionid", "http://x.example/a/b;c=1"),
        ("http://x.example/;%6asessionid=1", "http://x.example/"),
        ("http://x.example/a;jsessionids=1", "http://x.example/a;jsessionids=1"),
        ("http://x.example/a/b/..;jsessionid=1/c", "http://x.example/a/c"),
        ("http://x.example/a/.;jsessionid=1", "http://x.example/a/"),
        ("http://x.example/(S(lit3py55t21z5v55vlm25s55))/a", "http://x.example/a"),
        ("http://x.example/app/(A(b)S(c)F(d))/a?x", "http://x.example/app/a?x"),
        ("http://x.example/(S(a))", "http://x.example/"),
        ("http://x.example/(S(a))/(S(b))//c", "http://x.example//c"),
        ("http://x.example/(S(a));jsessionid=1/b", "http://x.example/b"),
        ("http://x.example/Set_(S(3))/b", "http://x.example/Set_(S(3))/b"),
        ("http://x.example/(S(a))b/c", "http://x.example/(S(a))b/c"),
        ("http://x.example/(2001)/b", "http://x.example/(2001)/b"),
    ],
)
def test_tracking_and_sessions_are_dropped(url: str, canonical: str) -> None:
    assert RULES.canonical(url) == canonical
    assert RULES.canonical(canonical) == canonical


@pytest.mark.parametrize(
    "url",
    [
        "http://x.example/a?utm_source=n&fbclid=1",
        "http://x.example/a;jsessionid=1/(S(a))/b?sid=1",
        "http://x.example/a/..;jsessionid=1/b",
    ],
)
def test_nothing_is_dropped_when_the_settings_say_so(url: str) -> None:
    assert PLAIN_RULES.canonical(url) == url


def test_each_setting_drops_its_own() -> None:
    url = "http://x.example/a;jsessionid=1?sid=2&utm_id=3"
    only_tracking = UrlRules(UrlSettings(drop_sessions=False))
    only_sessions = UrlRules(UrlSettings(drop_tracking=False))
    assert only_tracking.canonical(url) == "http://x.example/a;jsessionid=1?sid=2"
    assert only_sessions.canonical(url) == "http://x.example/a?utm_id=3"


def test_further_parameters_are_dropped_and_kept_ones_win() -> None:
    rules = UrlRules(
        UrlSettings(drop_parameters=("ref", "a[]", "view_*"), keep_parameters=("SID", "utm_id", "view_all"))
    )
    assert rules.canonical("http://x.example/?ref=1&Ref=2&a[]=3&a%5b%5D=4&refs=5") == "http://x.example/?refs=5"
    assert rules.canonical("http://x.example/?sid=1&utm_id=2&utm_x=3") == "http://x.example/?sid=1&utm_id=2"
    assert rules.canonical("http://x.example/?view_x=1&view_all=2") == "http://x.example/?view_all=2"
    assert rules.canonical("http://x.example/a;sid=1;jsessionid=2") == "http://x.example/a;sid=1"
    # What the user drops is a query parameter, not a part of the path.
    assert rules.canonical("http://x.example/a;ref=1?ref=2") == "http://x.example/a;ref=1"


@pytest.mark.parametrize("name", ["", "a=b", "?a", "a&b", "#a"])
@pytest.mark.parametrize("field", ["drop_parameters", "keep_parameters"])
def test_a_name_that_is_none_is_refused(field: str, name: str) -> None:
    settings = UrlSettings(drop_parameters=(name,)) if field[0] == "d" else UrlSettings(keep_parameters=(name,))
    with pytest.raises(InputError, match=re.escape(f"urls.{field}: ")):
        UrlRules(settings)


def test_sorted_query_is_ordered_by_name_then_value_and_stable() -> None:
    assert SORTING_RULES.canonical("http://x.example/?b=2&a=2&a=10&b&utm_id=1") == "http://x.example/?a=10&a=2&b&b=2"
    assert SORTING_RULES.canonical("http://x.example/?a-=1&a=1") == "http://x.example/?a=1&a-=1"
    assert SORTING_RULES.canonical("http://x.example/?a=&a") == "http://x.example/?a=&a"
    assert SORTING_RULES.canonical("http://x.example/?a&a=") == "http://x.example/?a&a="


def test_rules_travel_to_other_processes() -> None:
    rules = pickle.loads(pickle.dumps(UrlRules(UrlSettings(sort_query=True, keep_parameters=("sid",)))))
    assert rules.canonical("http://x.example/?sid=1&b&a&utm_id=1") == "http://x.example/?a&b&sid=1"


# ---------------------------------------------------------------------------------------------------------- joins

BASE = "http://x.example/a/b/c?d=e"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("", BASE),
        ("#f", BASE),
        ("  #f\n", BASE),
        ("?", "http://x.example/a/b/c"),
        ("?f=g#h", "http://x.example/a/b/c?f=g"),
        ("?utm_id=1", "http://x.example/a/b/c"),
        ("f", "http://x.example/a/b/f"),
        ("f/", "http://x.example/a/b/f/"),
        ("f/g.html#h", "http://x.example/a/b/f/g.html"),
        ("f?g=h:i", "http://x.example/a/b/f?g=h:i"),
        ("f/g:h", "http://x.example/a/b/f/g:h"),
        ("f:g", None),
        ("./f:g", "http://x.example/a/b/f:g"),
        (".", "http://x.example/a/b/"),
        ("./", "http://x.example/a/b/"),
        ("./?f", "http://x.example/a/b/?f"),
        (".//f", "http://x.example/a/b//f"),
        ("./../f", "http://x.example/a/f"),
        (".f", "http://x.example/a/b/.f"),
        ("..", "http://x.example/a/"),
        ("../", "http://x.example/a/"),
        ("../#f", "http://x.example/a/"),
        ("../f", "http://x.example/a/f"),
        ("../.f", "http://x.example/a/.f"),
        ("../../f", "http://x.example/f"),
        ("../../../f", "http://x.example/f"),
        ("../..", "http://x.example/"),
        (".././f", "http://x.example/a/f"),
        ("..//f", "http://x.example/a//f"),
        ("f/../g", "http://x.example/a/b/g"),
        ("f/%2e%2e/g", "http://x.example/a/b/g"),
        ("%2e%2e/g", "http://x.example/a/g"),
        ("(S(f))/g", "http://x.example/a/b/g"),
        ("../(S(f))/g", "http://x.example/a/g"),
        ("(f)", "http://x.example/a/b/(f)"),
        ("f;jsessionid=1", "http://x.example/a/b/f"),
        ("/", "http://x.example/"),
        ("/f/g", "http://x.example/f/g"),
        ("/f_(g)?h", "http://x.example/f_(g)?h"),
        ("/f/%7eg", "http://x.example/f/~g"),
        ("/f/../g", "http://x.example/g"),
        (" /f\n/g ", "http://x.example/f/g"),
        ("//y.example/f", "http://y.example/f"),
        ("//y.example", "http://y.example/"),
        ("///y.example/f", "http://y.example/f"),
        ("/\\y.example/f", "http://y.example/f"),
        ("\\f", "http://x.example/f"),
        ("http://x.example/f", "http://x.example/f"),
        ("http://x.example//f", "http://x.example//f"),
        ("http://x.example.org/f", "http://x.example.org/f"),
        ("http://x.example", "http://x.example/"),
        ("http://X.example/f", "http://x.example/f"),
        ("https://x.example/f", "https://x.example/f"),
        ("http:f", "http://x.example/a/b/f"),
        ("http:/f", "http://x.example/f"),
        ("https:/f", "https://f/"),
        ("http://y.example:8080/f", "http://y.example:8080/f"),
        ("http://y.example:0/f", None),
        ("http://", None),
        ("//", None),
        ("//a*b/", None),
        ("mailto:a@x.example", None),
        ("JavaScript:f()", None),
        ("java\nscript:f()", None),
        ("f\ud800", None),
    ],
)
def test_join(href: str, url: str | None) -> None:
    assert RULES.join(BASE, href) == url


def test_join_to_a_base_that_is_not_canonical() -> None:
    assert RULES.join("http://X.example/a/../b/./c;jsessionid=1", "d") == "http://x.example/b/d"
    assert RULES.join("http://x.example", "d") == "http://x.example/d"
    assert RULES.join("http://x.example/a%2fb/%7ec/d", "../e") == "http://x.example/a%2Fb/e"
    assert RULES.join("http://x.example/a//b/", "../../c") == "http://x.example/a/c"


@pytest.mark.parametrize("base", ["", "about:blank", "data:,x", "mailto:a@b", "/a/b", "http://", "\ud800"])
def test_without_a_base_only_absolute_links_lead_somewhere(base: str) -> None:
    join = RULES.joiner(base)
    assert join("http://Y.example/f#g") == "http://y.example/f"
    assert join("/f") is None
    assert join("") is None


def test_climbing_from_very_deep_pages() -> None:
    join = RULES.joiner("http://x.example/" + "a/" * 40)
    for up in (1, 7, 8, 9, 10, 39, 40, 41, 60):
        assert join("../" * up + "b") == "http://x.example/" + "a/" * max(0, 40 - up) + "b"


# ----------------------------------------------------------------------------------------------------- invariants

# Near-canonical and odd: pieces that are likely to meet in one link, glued in any order.
ODD_PIECES = [
    *"/.?#&=;:@%\\()[]|'\"<>^`{}~+ \t\n\r\x00\x1f\x7f",
    *"aZ0-_äß。\u3002\u00ad\u200d\ud800",
    "//", "/../", "/./", "..", "../", "./", "/.", "/..", "%2e", "%2E%2e", "%41", "%7e", "%2F", "%", "%zz",
    "%c3%A4", "&&",
    "http:", "https:", "HTTP://", "http://", "https://", "http://x.example", "//y.example", "x.example", "X.Example.",
    "xn--bcher-kva.example", "bücher.example", ":80", ":8080", ":0", "u:p@", "[::1]", "0x7f.1", "127.0.0.1", "1.2.3",
    "utm_source=x", "sid=1", "PHPSESSID=a", ";jsessionid=1A", "/(S(abc))", "(S(abc))/", "/(A(b)S(c))", "?a=1&b=2",
    "?b=2&a=1",
    "/wiki/Atom_(physics)", "index.html", "a/b", "mailto:", "javascript:", "xn--", "a.b", "a:b", "é" * 3,
]  # fmt: skip
ODD = st.lists(st.sampled_from(ODD_PIECES), max_size=9).map("".join)
SEGMENT = st.text("abcXYZ019-_~.!$&'*+,=:@()", max_size=5)
PATH = st.lists(SEGMENT, max_size=5).map("/".join)
QUERY = st.lists(
    st.sampled_from(["a=1", "b", "c=d/e?f", "utm_id=1", "sid=2", "", "a=%7e", "x;y", "=z", "'"]), max_size=4
).map("&".join)
TAIL = st.one_of(st.just(""), QUERY.map("?{}".format), st.text(max_size=5).map("#{}".format))
NEAR = st.builds("{}{}{}".format, st.sampled_from(["", "/", "../", "../../", "./"]), PATH, TAIL)
HOST = st.sampled_from(
    ["x.example", "y.example.org", "X.Example", "localhost", "10.0.0.1", "a.0x1", "a-b.c_d.example", "x..y"]
)
PORT = st.sampled_from(["", "", ":80", ":443", ":8080", ":0", ":99999"])
ABSOLUTE = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https"]),
    HOST,
    PORT,
    st.one_of(st.just(""), PATH.map("/{}".format)),
    TAIL,
)
ANY_LINK = st.one_of(NEAR, ABSOLUTE, ODD, st.builds("{}{}".format, ABSOLUTE, ODD), st.text(max_size=20))
ANY_BASE = st.one_of(ABSOLUTE, st.builds("http://x.example/{}{}".format, PATH, ODD), st.just(BASE))
ANY_RULES = st.sampled_from(RULE_SETS)


def the_slow_way(rules: UrlRules, base: str, href: str) -> str | None:
    """Leading white space means nothing in a link, and no link with it is plain: the parser has to read it."""
    return rules.join(base, " " + href)


@settings(max_examples=300, deadline=None)
@given(ANY_RULES, ANY_BASE, ANY_LINK)
@example(RULES, "http://x.example/a/", "(S(b))")
@example(RULES, "http://x.example/a?b", "#\ud800")
@example(RULES, "http://x.example/", "http://a.0x1/b")
def test_the_fast_way_is_the_slow_way(rules: UrlRules, base: str, href: str) -> None:
    assert rules.join(base, href) == the_slow_way(rules, base, href)
    assert rules.canonical(href) == rules.canonical(" " + href)


@settings(max_examples=300, deadline=None)
@given(ANY_RULES, ANY_BASE, st.lists(TAIL | SEGMENT, min_size=2, max_size=2), ANY_LINK)
@example(RULES, "http://x.example/a/", ["b", "c"], "http:?d")
@example(RULES, "http://x.example/a/", ["b", "c"], "h\nttp:")
@example(RULES, "http://x.example/a/", ["b", "c"], "\x00")
def test_what_was_joined_on_one_page_is_right_on_the_next(
    rules: UrlRules, base: str, pages: list[str], href: str
) -> None:
    directory = base[: base.rfind("/") + 1]
    found = [rules.join(directory + page, href) for page in pages]
    assert found == [UrlRules(rules.settings).join(directory + page, href) for page in pages]


def test_the_memory_for_links_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_links, "_MANY", 100)
    rules = UrlRules(UrlSettings())
    most = 0
    for name in ["a", "b" * 1000, *range(40)]:
        join = rules.joiner(f"http://x.example/{name}/")
        for number in range(9):
            assert join(f"p?q={number}") == f"http://x.example/{name}/p?q={number}"  # plain paths are not remembered
            assert join("x" * 1000 + "?q") is not None
        known = rules._joined._known
        assert len(known) + sum(map(len, known.values())) <= 110
        assert all(len(text) < 1000 for directory, hrefs in known.items() for text in (directory, *hrefs))
        most = max([most, *map(len, known.values())])
    assert most == 9


@settings(max_examples=300, deadline=None)
@given(ANY_RULES, ANY_BASE, ANY_LINK)
def test_a_join_is_what_the_standard_makes_of_it(rules: UrlRules, base: str, href: str) -> None:
    page = rules.canonical(base)
    if page is None:
        return
    try:
        # Nothing in a fragment matters, not even what no encoding can express.
        expected = rules.canonical(ada_url.join_url(page, href[: href.find("#") + 1] or href))
    except ValueError:
        expected = None
    assert rules.join(base, href) == expected


@settings(max_examples=300, deadline=None)
@given(ANY_RULES, ANY_LINK)
def test_canonical_is_final(rules: UrlRules, url: str) -> None:
    canonical = rules.canonical(url)
    if canonical is not None:
        assert rules.canonical(canonical) == canonical
        assert rules.canonical(" " + canonical) == canonical
        assert rules.join(canonical, canonical) == canonical
        assert rules.join(canonical, "") == canonical


CANONICAL = re.compile(
    r"https?://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:]+\])(?::[1-9][0-9]*)?"
    r"/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-F]{2})*"
    r"(?:\?(?:[A-Za-z0-9._~!$&()*+,;=:@/?-]|%[0-9A-F]{2})+)?"
)


@settings(max_examples=300, deadline=None)
@given(ANY_RULES, ANY_BASE, ANY_LINK)
def test_every_result_has_the_documented_shape(rules: UrlRules, base: str, href: str) -> None:
    url = rules.join(base, href)
    if url is not None:
        assert CANONICAL.fullmatch(url)
        assert not re.search(r"/\.{1,2}(?:/|\Z)", url.partition("?")[0])
        assert origin_of(url) in {f"http://{host_of(url)}", f"https://{host_of(url)}"}
        parsed = ada_url.URL(url)
        assert (parsed.host, parsed.origin) == (host_of(url), origin_of(url))


@settings(deadline=None)
@given(st.text())
def test_no_text_makes_it_raise(text: str) -> None:
    for rules in RULE_SETS:
        rules.canonical(text)
        rules.canonical("http://" + text)
        rules.join("http://x.example/" + text, text)


# -------------------------------------------------------------------------------------------------- parts of URLs


@pytest.mark.parametrize(
    ("url", "host", "origin"),
    [
        ("http://x.example/", "x.example", "http://x.example"),
        ("https://a/b//c?d=/e", "a", "https://a"),
        ("http://a/", "a", "http://a"),
        ("https://x.example:8443/a", "x.example:8443", "https://x.example:8443"),
        ("http://[::1]:81/a", "[::1]:81", "http://[::1]:81"),
    ],
)
def test_host_and_origin(url: str, host: str, origin: str) -> None:
    assert host_of(url) == host
    assert origin_of(url) == origin
