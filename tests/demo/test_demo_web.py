"""The clean web: its addresses, links, copies and truth."""

import hashlib
import inspect
import itertools
import pickle
import re
import subprocess
import sys
from collections import deque
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from honeyguide.demo import DemoWeb
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

SMALL = DemoWeb(pages=300)
MIDDLE = DemoWeb(pages=2000)

# Of every seventh page of SMALL. It changes only when the web is meant to change; never between Python versions.
DIGEST = "a3fbeed6cc042090d04227f803d66a0b"


def digest(web: DemoWeb) -> str:
    seen = hashlib.blake2b(digest_size=16)
    for url in itertools.islice(web.page_urls(), 0, None, 7):
        seen.update(url.encode() + web.answer(url).body)
    return seen.hexdigest()


def linked_on(url: str, web: DemoWeb) -> list[str]:
    tree = LexborHTMLParser(web.answer(url).body.decode())
    return [node.attributes["href"] or "" for node in tree.css("a[href]")]


def reached(web: DemoWeb, start: str) -> set[str]:
    seen, waiting = {start}, deque([start])
    while waiting:
        for link in web.links(waiting.popleft()):
            if link.url not in seen:
                seen.add(link.url)
                waiting.append(link.url)
    return seen


@pytest.mark.parametrize("web", [SMALL, MIDDLE])
def test_every_page_has_an_address_of_its_own_and_answers(web: DemoWeb) -> None:
    urls = list(web.page_urls())
    assert len(set(urls)) == len(urls) == web.pages
    assert all(web.page_of(url) is not None for url in urls)
    assert list(map(UrlRules(UrlSettings()).canonical, urls)) == urls
    assert all(web.answer(url).status == 200 for url in urls[::9])


@pytest.mark.parametrize(
    ("web", "subject"),
    [
        *((SMALL, subject) for subject in SMALL.subjects),
        (MIDDLE, "chess"),
        (DemoWeb(pages=1300, locality=1.0), "baking"),
        (DemoWeb(pages=1300, locality=0.0), "baking"),
    ],
)
def test_the_whole_web_can_be_reached_from_one_seed(web: DemoWeb, subject: str) -> None:
    (seed,) = web.seeds(subject, count=1)
    assert web.relevant(seed, subject)
    assert reached(web, seed) == set(web.page_urls())


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    pages=st.sampled_from([100, 639, 641, 5000, 123_456, 10_000_000]),
    subject=st.sampled_from(SMALL.subjects),
    steps=st.lists(st.integers(0, 10**6), min_size=5, max_size=5),
)
def test_walks_never_leave_the_web(seed: int, pages: int, subject: str, steps: list[int]) -> None:
    web = DemoWeb(seed=seed, pages=pages)
    url = web.seeds(subject)[-1]
    for step in steps:
        links = web.links(url)
        assert all(web.page_of(link.url) is not None for link in links)
        url = links[step % len(links)].url
        answer = web.answer(url)
        assert answer.status == 200
        assert answer == web.answer(url)


def test_pages_show_the_links_that_the_web_tells_of() -> None:
    kinds = set()
    for url in itertools.islice(MIDDLE.page_urls(), 0, None, 5):
        page = MIDDLE.page_of(url)
        assert page is not None
        kinds.add(page.kind)
        assert sorted(linked_on(url, MIDDLE)) == sorted(link.url for link in MIDDLE.links(url)), url
    assert kinds == set("home article synonym hub course job product general portal tunnel print mirror twin".split())


def test_relevant_pages_that_hang_only_on_pages_without_a_subject() -> None:
    tunnels = {url for url in MIDDLE.page_urls() if (page := MIDDLE.page_of(url)) and page.kind == "tunnel"}
    assert len(tunnels) >= 10
    for url in MIDDLE.page_urls():
        if tunnels & {link.url for link in MIDDLE.links(url)}:
            assert MIDDLE.subject_of(url) is None
    assert all(MIDDLE.relevant(url, MIDDLE.subject_of(url) or "") for url in tunnels)


def test_copies_name_their_original_and_are_never_relevant() -> None:
    copies = {url: original for url in MIDDLE.page_urls() if (original := MIDDLE.original_of(url))}
    assert 0.04 < len(copies) / MIDDLE.pages < 0.12
    for url, original in copies.items():
        assert MIDDLE.original_of(original) is None
        assert MIDDLE.subject_of(url) == MIDDLE.subject_of(original)
        assert not any(MIDDLE.relevant(url, subject) for subject in MIDDLE.subjects)
        page = MIDDLE.page_of(url)
        assert page is not None
        same = MIDDLE.answer(url).body == MIDDLE.answer(original).body
        assert same == (page.kind == "twin")


def sentences(url: str) -> set[str]:
    text = LexborHTMLParser(MIDDLE.answer(url).body.decode()).text(separator=" ")
    return {" ".join(sentence.split()) for sentence in re.split(r"[.\n]", text)}


def test_near_duplicates_say_nearly_the_same() -> None:
    checked = 0
    for url in MIDDLE.page_urls():
        original, page = MIDDLE.original_of(url), MIDDLE.page_of(url)
        if original and page and page.kind in ("print", "mirror"):
            one, two = sentences(url), sentences(original)
            assert len(one & two) > 0.7 * len(one), url
            checked += 1
    assert checked > 50


def test_truth_about_relevance_agrees_with_itself() -> None:
    relevant = {subject: set(MIDDLE.relevant_urls(subject)) for subject in MIDDLE.subjects}
    for url in MIDDLE.page_urls():
        about = {subject for subject in MIDDLE.subjects if MIDDLE.relevant(url, subject)}
        assert about == {subject for subject, urls in relevant.items() if url in urls}
        assert about <= {MIDDLE.subject_of(url)}
    assert all(0.03 < len(urls) / MIDDLE.pages < 0.1 for urls in relevant.values())


def test_what_is_not_there_is_not_found() -> None:
    home = SMALL.seeds("chess")[0]
    for url in (
        f"{home}articles/no-such-page-5.html",
        f"{home}999999",
        f"{home}index.php",
        "http://nowhere.example/",
        "http://wood.example/",
        "http://xn--a.example/",
        "http://-.example/",
        "https://faults.example/",
        "mailto:someone@example.org",
        "",
    ):
        assert SMALL.answer(url).status == 404, url
        assert SMALL.page_of(url) is None
        assert SMALL.subject_of(url) is None
        assert SMALL.original_of(url) is None
        assert SMALL.links(url) == ()


def test_hosts_in_any_spelling() -> None:
    home = SMALL.seeds("chess")[0]
    assert SMALL.answer(home.upper().replace(".EXAMPLE/", ".EXAMPLE:80/#top")).body == SMALL.answer(home).body
    hosts = {url.split("/")[2] for url in SMALL.page_urls()}
    (idn,) = (host for host in hosts if host.startswith("xn--"))
    spelled = idn.encode().decode("idna")
    assert SMALL.answer(f"http://{spelled}/").body == SMALL.answer(f"http://{idn}/").body


def test_many_hosts_some_under_one_domain() -> None:
    hosts = {url.split("/")[2] for url in SMALL.page_urls()}
    assert len(hosts) >= 12
    domains = [".".join(host.split(".")[-2:]) for host in hosts]
    assert any(domains.count(domain) >= 3 for domain in domains)


def test_clean_hosts_have_rules_and_a_sitemap_of_all_their_pages() -> None:
    home = SMALL.seeds("baking")[0]
    assert f"Sitemap: {home}sitemap.xml" in SMALL.answer(f"{home}robots.txt").body.decode()
    root = ET.fromstring(SMALL.answer(f"{home}sitemap.xml").body)
    listed = [node.text for node in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]
    assert listed == [url for url in SMALL.page_urls() if url.startswith(home)]


def test_faulty_hosts_are_linked_only_when_asked_for() -> None:
    clean = {link.url for url in SMALL.page_urls() for link in SMALL.links(url)}
    assert clean == set(SMALL.page_urls())
    faulty = DemoWeb(pages=300, faults=True)
    linked = {link.url for url in faulty.page_urls() for link in faulty.links(url)}
    assert faulty.faulty_seed in linked
    assert len(linked - clean) > 30


def test_with_faults_some_links_are_out_of_date() -> None:
    web = DemoWeb(pages=300, faults=True)
    links = [link.url for url in web.page_urls() for link in web.links(url) if link.part == "content"]
    clean = set(web.page_urls())
    worn = {url for url in links if url not in clean}
    assert 0.02 < sum(url in worn for url in links) / len(links) < 0.12
    moved, gone, closed = ({url for url in worn if f".example/{name}/" in url} for name in ("moved", "gone", "cgi-bin"))
    assert all((moved, gone, closed))
    assert moved | gone | closed == worn
    assert {web.answer(url).status for url in gone} == {404}
    for url in moved:
        answer = web.answer(url)
        assert (answer.status, answer.header("location") in clean) == (301, True)
    assert {web.relevant(url, "chess") for url in worn} == {False}
    assert clean <= reached(web, web.seeds("chess")[0])


def test_the_same_web_in_another_process_and_python() -> None:
    code = (
        "import hashlib, itertools\nfrom honeyguide.demo import DemoWeb\n"
        f"{inspect.getsource(digest)}\nprint(digest(DemoWeb(pages=300)))"
    )
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert other == digest(SMALL) == digest(DemoWeb(pages=300)) == DIGEST


def test_other_seeds_are_other_webs() -> None:
    other = DemoWeb(seed=8, pages=300)
    assert set(other.page_urls()).isdisjoint(SMALL.page_urls()) or digest(other) != DIGEST
    assert pickle.loads(pickle.dumps(other)) == other
    assert digest(pickle.loads(pickle.dumps(other))) == digest(other)


def test_wrong_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 100 pages"):
        DemoWeb(pages=99)
    with pytest.raises(ValueError, match="probability"):
        DemoWeb(locality=1.5)
    with pytest.raises(ValueError, match="size"):
        DemoWeb(page_kb=0)
    with pytest.raises(ValueError, match="there are astronomy"):
        SMALL.keywords("alchemy")
