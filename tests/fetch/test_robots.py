"""What sites allow, and how they say it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.fetch.numbers import LONGEST_WAIT
from honeyguide.fetch.robots import Rules, page_robots, read_robots

SITE = "http://site.example"


def rules(text: str | bytes, status: int = 200) -> Rules:
    return read_robots(status, text if isinstance(text, bytes) else text.encode(), "honeyguide")


def allowed(text: str | bytes, *paths: str) -> list[bool]:
    read = rules(text)
    return [read.allowed(SITE + path) for path in paths]


def test_the_group_that_names_us_counts_before_the_general_one() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: HoneyGuide\nDisallow: /private\nCrawl-delay: 2.5\n"
    assert allowed(text, "/", "/private/x", "/robots.txt") == [True, False, True]
    assert rules(text).crawl_delay == 2.5
    assert not read_robots(200, text.encode(), "other").allowed(SITE + "/")


def test_longest_match_wins_and_allow_wins_a_tie() -> None:
    text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /t\nDisallow: /t\n"
    assert allowed(text, "/a", "/a/b", "/a/b/c", "/t", "/z") == [False, True, False, True, True]


def test_wildcards_anchors_and_escapes() -> None:
    text = "User-agent: *\nDisallow: /*.pdf$\nDisallow: /*?print=\nDisallow: /caf\u00e9\n"
    paths = ("/x.pdf", "/x.pdf?a=b", "/x?print=1", "/caf%C3%A9/menu", "/cafe")
    assert allowed(text, *paths) == [False, True, False, False, True]


@pytest.mark.parametrize("text", ["", "# nothing", "User-agent: *\nDisallow:\n", "<html><p>Not found</p></html>"])
def test_files_that_forbid_nothing(text: str) -> None:
    assert allowed(text, "/", "/any?x=y") == [True, True]
    assert rules(text).crawl_delay is None


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308, 400, 401, 403, 404, 410, 418, 451])
def test_no_file_allows_everything(status: int) -> None:
    read = rules("User-agent: *\nDisallow: /\nCrawl-delay: 9", status)
    assert (read.allowed(SITE + "/"), read.retry, read.crawl_delay, read.sitemaps) == (True, False, None, ())


@pytest.mark.parametrize("status", [0, 100, 429, 500, 502, 503, 599, 999])
def test_no_answer_forbids_everything_for_now(status: int) -> None:
    read = rules("User-agent: *\nAllow: /", status)
    assert (read.allowed(SITE + "/"), read.retry) == (False, True)


@pytest.mark.parametrize("status", [200, 203, 206])
def test_success_is_read(status: int) -> None:
    assert not rules("User-agent: *\nDisallow: /", status).allowed(SITE + "/")


@pytest.mark.parametrize(
    ("lines", "delay"),
    [
        ("Crawl-delay: 3", 3.0),
        ("Request-rate: 1/10", 10.0),
        ("Request-rate: 30/1m", 2.0),
        ("Crawl-delay: 3\nRequest-rate: 1/10", 10.0),
        ("Crawl-delay: 30\nRequest-rate: 1/10", 30.0),
        ("Crawl-delay: soon", None),
        ("Crawl-delay: -3", None),
        ("Crawl-delay: inf", None),
        ("Crawl-delay: nan", None),
        ("Request-rate: 0/10", None),
        ("Request-rate: x/y", None),
        ("Request-rate: 1/" + "9" * 400, LONGEST_WAIT),
        ("Request-rate: 1/" + "9" * 400 + "d", LONGEST_WAIT),
        ("Request-rate: " + "9" * 400 + "/1", 0.0),
        ("Crawl-delay: 1" + "0" * 300, LONGEST_WAIT),
    ],
)
def test_delays(lines: str, delay: float | None) -> None:
    assert rules(f"User-agent: *\n{lines}\n").crawl_delay == delay


def test_sitemaps_are_noted_once_each() -> None:
    text = "Sitemap: http://a.example/1.xml\nUser-agent: *\nsitemap: http://a.example/2.xml\nSitemap: http://a.example/1.xml\n"
    assert rules(text).sitemaps == ("http://a.example/1.xml", "http://a.example/2.xml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(encoding: str, newline: str) -> None:
    text = newline.join(("User-agent: *", "Disallow: /secret", "# caf\u00e9", "Disallow: /also"))
    assert allowed(text.encode(encoding), "/secret", "/also", "/open") == [False, False, True]


def test_only_the_beginning_of_a_huge_file_is_read() -> None:
    start = b"User-agent: *\nDisallow: /start\n"
    filler = b"# " + b"x" * 97 + b"\n"
    body = start + filler * (500 * 1024 // len(filler) + 1) + b"Disallow: /end\n"
    assert allowed(body, "/start", "/end") == [False, True]
    # A rule that the limit cuts in two must not become a wider one.
    cut = start + filler * 5119
    cut += b"#" * (500 * 1024 - len(cut) - len(b"\nDisallow: /")) + b"\nDisallow: /wide\n"
    assert allowed(cut, "/start", "/other") == [False, True]


@given(st.binary(max_size=300), st.integers(0, 999))
def test_never_raises(body: bytes, status: int) -> None:
    read = read_robots(status, body, "honeyguide")
    assert read.allowed(SITE + "/a?b=c") in (True, False)


directives = st.sampled_from(
    ["User-agent", "Disallow", "Allow", "Crawl-delay", "Request-rate", "Sitemap", "Visit-time", "Host", "x"]
)


@given(st.lists(st.tuples(directives, st.text(max_size=12))), st.text(max_size=10))
def test_never_raises_on_odd_values(lines: list[tuple[str, str]], path: str) -> None:
    text = "User-agent: *\n" + "\n".join(f"{name}: {value}" for name, value in lines)
    read = read_robots(200, text.encode("utf-8", "surrogatepass"), "honeyguide")
    assert read.allowed(f"{SITE}/{path}") in (True, False)


digits = st.text("0123456789", max_size=450)
units = st.sampled_from(["", "s", "m", "h", "d"])


@given(digits, digits, units, st.sampled_from(["", ".", "-"]))
def test_any_digits_give_a_delay_within_bounds(above: str, below: str, unit: str, mark: str) -> None:
    for line in (f"Crawl-delay: {mark}{above}", f"Request-rate: {mark}{above}/{below}{unit}"):
        delay = rules(f"User-agent: *\n{line}").crawl_delay
        assert delay is None or 0.0 <= delay <= LONGEST_WAIT


@pytest.mark.parametrize(
    ("header", "meta", "said"),
    [
        ("", "", (False, False)),
        ("", "noindex", (True, False)),
        ("", "NOINDEX,  NoFollow", (True, True)),
        ("", "none", (True, True)),
        ("", "index, follow", (False, False)),
        ("", "all", (False, False)),
        ("", "noindex nofollow", (True, True)),
        ("", "noarchive; nofollow", (False, True)),
        ("", "nofollowing, xnoindex", (False, False)),
        ("noindex", "", (True, False)),
        ("noindex, nofollow", "", (True, True)),
        ("noindex", "nofollow", (True, True)),
        ("honeyguide: nofollow", "", (False, True)),
        ("HoneyGuide: none", "", (True, True)),
        ("otherbot: none", "", (False, False)),
        ("*: noindex", "", (True, False)),
        ("otherbot: noindex, nofollow", "", (False, False)),
        ("otherbot: noindex, honeyguide: nofollow, noarchive", "", (False, True)),
        ("nofollow, otherbot: noindex", "", (False, True)),
        ("otherbot: noindex\nnofollow", "", (False, True)),
        ("max-snippet: 20, noindex", "", (True, False)),
        ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow", "", (False, True)),
    ],
)
def test_page_robots(header: str, meta: str, said: tuple[bool, bool]) -> None:
    assert page_robots(header, meta, "honeyguide") == said


@given(st.text(), st.text())
def test_page_robots_takes_any_text(header: str, meta: str) -> None:
    noindex, nofollow = page_robots(header, meta, "honeyguide")
    assert isinstance(noindex, bool)
    assert isinstance(nofollow, bool)
