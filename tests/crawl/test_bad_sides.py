"""What becomes of the web's bad sides: one crawl of all of them over HTTP, then a question to each."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import uvloop

from honeyguide.crawl.session import CrawlResult, Session
from honeyguide.demo import DemoWeb, Fault, FaultOutcome, faults, read_visits, run_in_process
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.frontier import State
from honeyguide.store.archive import file_name
from honeyguide.store.crawl import Crawl
from honeyguide.store.stored_page import StoredPage

from .kit import check_archive, check_tables, records, rows, run, topic

RETRIES = 2
PAGES_PER_HOST = 40
REDIRECTS = 5
KEYWORDS = "page, shows, plain, пчёлы, Vögel"  # words of the faulty pages, found only if they are decoded right


class Aftermath(NamedTuple):
    """The crawl that was, and the requests its servers saw."""

    ended: CrawlResult
    crawl: Crawl
    asked: Counter[str]

    @property
    def folder(self) -> Path:
        return self.crawl.path

    def page(self, url: str) -> StoredPage:
        found = self.crawl.page(url)
        assert found is not None, f"{url} is no page: {self.state(url)!r}, {self.events(url)}"
        return found

    def state(self, url: str) -> State:
        """What became of a URL."""
        ((state,),) = rows(self.folder, "SELECT state FROM urls WHERE url = ?", url)
        return State(state)

    def events(self, url: str) -> list[tuple[str, dict[str, Any]]]:
        """What happened to it, robots.txt left out."""
        sql = "SELECT kind, detail FROM events JOIN urls ON urls.id = events.url WHERE urls.url = ? ORDER BY events.id"
        return [(kind, json.loads(detail)) for kind, detail in rows(self.folder, sql, url) if kind != "robots"]

    def redirects(self, url: str) -> list[tuple[str, int]]:
        """Where it led, hop by hop, with the number of each hop."""
        sql = (
            "SELECT targets.url, hops FROM redirects JOIN urls ON urls.id = source "
            "JOIN urls AS targets ON targets.id = target WHERE urls.url = ?"
        )
        hops: list[tuple[str, int]] = []
        while (found := rows(self.folder, sql, url)) and found[0] not in hops:
            hops += found
            url = found[0][0]
        return hops

    def pages_of(self, host: str) -> list[str]:
        sql = "SELECT url FROM pages JOIN urls USING (id) WHERE url LIKE ? ORDER BY seq"
        return [url for (url,) in rows(self.folder, sql, f"http://{host}/%")]


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aftermath]:
    folder = tmp_path_factory.mktemp("faulty")
    web = DemoWeb(pages=100)
    with run_in_process(web, log=folder / "visits") as server:
        wanted = topic(
            [web.faulty_seed],
            KEYWORDS,
            relevance={"threshold": 0.05},
            budget={"pages": 0},
            scope={"pages_per_host": PAGES_PER_HOST},
            fetch={
                "proxy": server.address,
                "allow_networks": ["127.0.0.0/8"],
                "connections": 16,
                "connect_timeout": 1.0,
                "read_timeout": 1.0,
                "total_timeout": 4.0,
                "max_body": 1_000_000,
                "retries": RETRIES,
                "redirects": REDIRECTS,
                "backoff": 0.02,
                "patience": 20.0,
            },
        )
        ended = uvloop.run(Session(wanted, folder / "crawl", workers=0).run())
        visits = read_visits(folder / "visits")
    with Crawl.open(folder / "crawl") as crawl:
        yield Aftermath(ended, crawl, Counter(f"http://{visit.host}{visit.target}" for visit in visits))


def plain(text: str) -> str:
    return " ".join(text.split())


def a_page_is_kept_as_it_is_meant(after: Aftermath, fault: Fault) -> None:
    page = after.page(fault.at or fault.url)
    assert after.state(fault.url) == State.DONE
    assert page.row.status == 200
    assert page.row.truncated == ""
    assert fault.marker in plain(page.full_text)
    assert page.relevant or not fault.marker or "春" in fault.marker  # no word of that language is a keyword


def a_page_that_is_not_whole_says_so(after: Aftermath, fault: Fault) -> None:
    page = after.page(fault.url)
    assert page.row.truncated == fault.truncated
    assert fault.marker in plain(page.full_text)
    assert len(page.stored.body) <= after.crawl.topic.fetch.max_body
    (record,) = records(after.folder / page.warc_file, page.row.warc_offset, page.row.warc_length)
    assert record["WARC-Truncated"] == {"encoding": "unspecified"}.get(fault.truncated, fault.truncated)


def a_page_that_asks_not_to_be_kept_does_not_count(after: Aftermath, fault: Fault) -> None:
    page = after.page(fault.url)
    assert page.relevance >= after.crawl.model.threshold
    assert not page.relevant


def a_body_of_an_unwanted_type_is_not_read(after: Aftermath, fault: Fault) -> None:
    assert after.state(fault.url) == State.REFUSED
    ((kind, detail),) = after.events(fault.url)
    assert (kind, detail["reason"]) == ("refused", "office" if fault.name == "report" else "type")
    assert detail["type"] in ("application/msword", "image/png", "application/zip")
    assert after.asked[fault.url] == 1


def an_error_that_stays_is_the_end(after: Aftermath, fault: Fault) -> None:
    *retries, (kind, detail) = after.events(fault.url)
    assert (kind, detail["kind"]) == ("failed", str(fault.status))
    assert after.state(fault.url) == State.FAILED
    assert len(retries) == (RETRIES if fault.status == 500 else 0)
    assert after.asked[fault.url] == len(retries) + 1


def no_answer_is_the_end(after: Aftermath, fault: Fault) -> None:
    *retries, (kind, detail) = after.events(fault.url)
    assert (kind, detail["kind"]) == ("failed", fault.kind)
    assert after.state(fault.url) == State.FAILED
    assert len(retries) == {"protocol": 0, "timeout": 1}.get(fault.kind, RETRIES)
    assert after.asked[fault.url] == len(retries) + 1


def redirects_that_lead_to_no_page(after: Aftermath, fault: Fault) -> None:
    hops = after.redirects(fault.url)
    for url in (fault.url, *(url for url, _ in hops)):
        assert after.crawl.page(url) is None
        assert after.asked[url] <= 1
    assert len(hops) <= REDIRECTS


def what_is_forbidden_is_never_read(after: Aftermath, fault: Fault) -> None:
    assert after.asked[fault.url] == 0
    assert after.crawl.page(fault.url) is None
    unknown = fault.url.startswith(("http://robots-broken.", "http://robots-hanging."))
    # Where no robots.txt could be had, the question is open: the URL waits, for another run.
    assert after.state(fault.url) == (State.WAITING if unknown else State.REFUSED)
    if not unknown:
        assert after.events(fault.url) == [("refused", {"reason": "robots"})]


def a_trap_has_an_end(after: Aftermath, fault: Fault) -> None:
    host = fault.url.split("/")[2]
    assert 1 <= len(after.pages_of(host)) <= (fault.most or PAGES_PER_HOST)


CHECKS: dict[FaultOutcome, Callable[[Aftermath, Fault], None]] = {
    FaultOutcome.PAGE: a_page_is_kept_as_it_is_meant,
    FaultOutcome.CUT: a_page_that_is_not_whole_says_so,
    FaultOutcome.UNKEPT: a_page_that_asks_not_to_be_kept_does_not_count,
    FaultOutcome.SKIPPED: a_body_of_an_unwanted_type_is_not_read,
    FaultOutcome.STATUS: an_error_that_stays_is_the_end,
    FaultOutcome.FAILED: no_answer_is_the_end,
    FaultOutcome.LOST: redirects_that_lead_to_no_page,
    FaultOutcome.REFUSED: what_is_forbidden_is_never_read,
    FaultOutcome.TRAP: a_trap_has_an_end,
}


@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.name)
def test_what_became_of_it(after: Aftermath, fault: Fault) -> None:
    assert [url for url in fault.forbidden if after.asked[url]] == []
    for url in fault.leads_to:
        after.page(url)
    CHECKS[fault.outcome](after, fault)


@pytest.mark.parametrize(
    ("name", "kind", "detail"),
    [
        ("redirect-nowhere", "failed", "redirect without a usable Location: ''"),
        ("redirect-scheme", "failed", "redirect without a usable Location: 'file:///etc/hostname'"),
    ],
)
def test_a_redirect_to_no_address_says_so(after: Aftermath, name: str, kind: str, detail: str) -> None:
    (fault,) = (fault for fault in faults() if fault.name == name)
    assert after.events(fault.url) == [(kind, {"kind": "302", "detail": detail})]


def test_a_redirect_into_a_private_network_fails_at_the_guard(after: Aftermath) -> None:
    ((target, _),) = after.redirects("http://redirects.example/private")
    assert after.state(target) == State.FAILED
    ((kind, detail),) = after.events(target)
    assert (kind, detail["kind"]) == ("failed", "address")


def test_every_hop_of_a_chain_is_recorded(after: Aftermath) -> None:
    base = "http://redirects.example"
    assert after.redirects(f"{base}/chain-3") == [
        (f"{base}/chain-2", 1),
        (f"{base}/chain-1", 2),
        (f"{base}/landed-chain", 3),
    ]
    archived = {
        (record.get("WARC-Target-URI"), record["WARC-Type"])
        for file in after.folder.glob("pages-*.warc.gz")
        for record in records(file)
    }
    assert {(f"{base}/chain-{number}", "response") for number in (1, 2, 3)} <= archived


def test_an_endless_chain_is_followed_as_far_as_the_setting_says(after: Aftermath) -> None:
    stages = [url for url in after.asked if url.startswith("http://redirects.example/endless/")]
    assert len(stages) == REDIRECTS + 1
    ((kind, detail),) = after.events(f"http://redirects.example/endless/{REDIRECTS + 1}")
    assert (kind, detail["reason"]) == ("refused", "redirects")


def test_session_ids_are_folded_into_one_address(after: Aftermath) -> None:
    pages = after.pages_of("sessions.example")
    assert sorted(pages) == ["http://sessions.example/", *(f"http://sessions.example/item/{n}" for n in range(8))]
    assert not [url for url in after.asked if "sid=" in url.lower() or "sess" in url.partition("example")[2].lower()]


def test_one_page_under_many_spellings_is_asked_for_once(after: Aftermath) -> None:
    found = {url: count for url, count in after.asked.items() if "found-spelled" in url}
    assert found == {"http://links.example/found-spelled": 1}


@pytest.mark.parametrize("name", ["busy-503", "busy-429", "retry-after-date", "error-once"])
def test_an_error_that_passes_costs_one_more_request(after: Aftermath, name: str) -> None:
    url = f"http://statuses.example/{name}"
    assert [kind for kind, _ in after.events(url)] == ["retry", "page"]
    assert after.asked[url] == 2


def test_robots_files_are_asked_for_once_and_sitemaps_are_noted(after: Aftermath) -> None:
    robots = {url: count for url, count in after.asked.items() if url.endswith("/robots.txt")}
    broken, hanging = "http://robots-broken.example/robots.txt", "http://robots-hanging.example/robots.txt"
    # On a busy machine, one of two requests may time out before the server has accepted its connection.
    assert robots.pop(hanging) in (1, 2)
    # One host redirects to another's file, which that one is asked for itself as well.
    asked_more = {url: count for url, count in robots.items() if count > 1}
    assert asked_more == {"http://robots-disallow.example/robots.txt": 2, broken: RETRIES + 1}
    noted = [
        json.loads(detail)["sitemaps"]
        for (detail,) in rows(after.folder, "SELECT detail FROM events WHERE kind = 'robots'")
        if "sitemaps.example" in detail
    ]
    assert noted == [["http://sitemaps.example/sitemap-index.xml"]]


def test_hosts_without_a_robots_file_to_rely_on_are_what_the_crawl_waits_for(after: Aftermath) -> None:
    assert after.ended.stop.kind == "waiting"
    hosts = {name for (name,) in rows(after.folder, "SELECT name FROM hosts WHERE not_before > ?", 0.0)}
    assert {"robots-broken.example", "robots-hanging.example"} <= hosts


def test_the_tables_and_the_archive_are_sound(after: Aftermath) -> None:
    check_tables(after.folder)
    check_archive(after.folder)


# ---- copies, on the clean web ----


class Copies(NamedTuple):
    web: DemoWeb
    subject: str
    folder: Path
    ended: CrawlResult


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Copies:
    folder = tmp_path_factory.mktemp("copies") / "crawl"
    web = DemoWeb(pages=300)
    subject = web.subjects[1]
    wanted = topic(web.seeds(subject), ", ".join(web.keywords(subject)), budget={"pages": 0})
    return Copies(web, subject, folder, run(wanted, folder, lambda: DemoFetcher(web)))


def test_copies_are_marked_and_do_not_count(copies: Copies) -> None:
    sql = (
        "SELECT urls.url, originals.url, relevant FROM pages JOIN urls USING (id) "
        "LEFT JOIN urls AS originals ON originals.id = duplicate_of"
    )
    found = {url: (original, relevant) for url, original, relevant in rows(copies.folder, sql)}
    assert len(found) == 300
    for url, (marked, _) in found.items():
        original = copies.web.original_of(url) or url
        if marked:  # with the one of its kin that was met first
            assert (copies.web.original_of(marked) or marked) == original
            assert found[marked][0] is None
        elif original != url:
            assert found[original][0] == url
    counted = sum(1 for marked, relevant in found.values() if relevant and not marked)
    assert copies.ended.tally.relevant == counted
    assert copies.ended.tally.duplicates == sum(1 for marked, _ in found.values() if marked)
    check_tables(copies.folder)


def test_exact_copies_are_stored_once_and_read_back_whole(copies: Copies) -> None:
    with Crawl.open(copies.folder) as crawl:
        twins = [page for page in crawl.pages(relevant=False) if page.row.same_as is not None]
        assert twins, "the web has exact copies"
        for page in twins:
            (record,) = records(copies.folder / file_name(page.row.warc_file), page.row.warc_offset)
            assert record["WARC-Type"] == "revisit"
            assert record["WARC-Refers-To-Target-URI"] == page.duplicate_of
            original = crawl.page(page.duplicate_of)
            assert original is not None
            assert page.stored.body == original.stored.body != b""
            assert page.row.digest == original.row.digest
    check_archive(copies.folder)
