"""Every bad side does what its record says, in process and over HTTP alike."""

import asyncio
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin
from xml.etree import ElementTree as ET

import pytest
from protego import Protego
from selectolax.lexbor import LexborHTMLParser

from honeyguide.demo import Behaviour, DemoServer, DemoWeb, Fault, FaultOutcome, faults
from honeyguide.demo.fetcher import DemoFetcher
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.settings import FetchSettings
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules

WEB = DemoWeb(pages=300)
FAULTS = {fault.name: fault for fault in faults()}
ENCODINGS = ("utf-8", "iso-8859-1", "windows-1251", "shift_jis", "utf-16-le", "utf-16-be")
REDIRECTS = 10
RETRIES = 3


def of(*outcomes: FaultOutcome) -> pytest.MarkDecorator:
    chosen = [fault for fault in faults() if fault.outcome in outcomes]
    assert chosen
    return pytest.mark.parametrize("fault", chosen, ids=lambda fault: fault.name)


def host_of(url: str) -> str:
    return url.split("/")[2]


async def chase(url: str, fetcher: DemoFetcher) -> Response | Failure | None:
    """As a patient client would: retries, then redirects; None when these never end or lead out of http."""
    for _ in range(REDIRECTS):
        answer = await fetcher.fetch(Request(url))
        for _ in range(RETRIES):
            if not (answer.transient if isinstance(answer, Failure) else answer.status in (429, 500, 503)):
                break
            answer = await fetcher.fetch(Request(url))
        if isinstance(answer, Failure) or not 300 <= answer.status < 400:
            return answer
        if not answer.header("location"):
            return None
        url = urljoin(url, answer.header("location"))
    return None


def visit(fault: Fault) -> Response | Failure | None:
    return asyncio.run(chase(fault.url, DemoFetcher(WEB)))


def says(body: bytes, text: str) -> bool:
    def written(encoding: str) -> bytes:
        try:
            return text.encode(encoding)
        except UnicodeEncodeError:
            return b"\0never"

    return any(written(encoding) in body for encoding in ENCODINGS)


def hrefs(body: bytes) -> list[str]:
    tree = LexborHTMLParser(body.decode(errors="replace"))
    return [node.attributes["href"] or "" for node in tree.css("a[href]")]


def test_names_and_addresses_are_unique_and_known() -> None:
    assert len(FAULTS) == len(faults())
    assert len({fault.url for fault in faults()}) == len(faults())
    assert all(WEB.knows(host_of(fault.url)) for fault in faults())
    assert all(WEB.page_of(fault.url) is None for fault in faults())


def test_one_page_links_to_them_all() -> None:
    assert hrefs(WEB.answer(WEB.faulty_seed).body) == [fault.url for fault in faults()]


@of(FaultOutcome.PAGE, FaultOutcome.UNKEPT)
def test_pages_are_kept(fault: Fault) -> None:
    answer = visit(fault)
    assert isinstance(answer, Response)
    assert (answer.status, answer.url, answer.truncated, answer.skipped) == (200, fault.at or fault.url, "", "")
    assert says(answer.body, fault.marker)


@of(FaultOutcome.CUT)
def test_pages_are_cut(fault: Fault) -> None:
    answer = visit(fault)
    assert isinstance(answer, Response)
    assert answer.truncated == fault.truncated
    assert len(answer.body) <= FetchSettings().max_body
    assert says(answer.body, fault.marker)


@of(FaultOutcome.FAILED)
def test_no_answer_comes(fault: Fault) -> None:
    answer = visit(fault)
    assert isinstance(answer, Failure)
    assert answer.kind == fault.kind


@of(FaultOutcome.STATUS)
def test_errors_stay(fault: Fault) -> None:
    answer = visit(fault)
    assert isinstance(answer, Response)
    assert answer.status == fault.status


@of(FaultOutcome.SKIPPED)
def test_other_types_are_not_read_unless_asked_for(fault: Fault) -> None:
    answer = visit(fault)
    assert isinstance(answer, Response)
    assert (answer.status, answer.skipped, answer.body) == (200, "type", b"")
    whole = asyncio.run(DemoFetcher(WEB).fetch(Request(fault.url, any_type=True)))
    assert isinstance(whole, Response)
    assert whole.body


@of(FaultOutcome.LOST)
def test_redirects_that_lead_nowhere(fault: Fault) -> None:
    answer = visit(fault)
    assert answer is None or isinstance(answer, Failure)
    if fault.name == "redirect-private":
        assert isinstance(answer, Failure)
        assert (answer.kind, answer.transient) == ("address", False)


@of(FaultOutcome.REFUSED)
def test_robots_forbid_what_should_be_refused(fault: Fault) -> None:
    assert fault.url in fault.forbidden
    answer = asyncio.run(chase(f"http://{host_of(fault.url)}/robots.txt", DemoFetcher(WEB, FetchSettings(types=()))))
    if fault.name == "robots-hanging-refused":
        assert isinstance(answer, Failure)
        return
    rules = asyncio.run(_rules(fault.url))
    assert rules.status >= 500 or not Protego.parse(rules.body.decode()).can_fetch(fault.url, "honeyguide")


async def _rules(url: str) -> Response:
    fetcher = DemoFetcher(WEB)
    at = f"http://{host_of(url)}/robots.txt"
    answer = await fetcher.fetch(Request(at, any_type=True))
    assert isinstance(answer, Response)
    if answer.header("location"):
        answer = await fetcher.fetch(Request(urljoin(at, answer.header("location")), any_type=True))
        assert isinstance(answer, Response)
    return answer


def test_kinds_of_robots_files() -> None:
    assert asyncio.run(_rules(FAULTS["robots-missing"].url)).status == 404
    assert len(asyncio.run(_rules(FAULTS["robots-huge"].url)).body) >= 1_000_000
    delayed = asyncio.run(_rules(FAULTS["robots-delay"].url)).body.decode()
    assert Protego.parse(delayed).crawl_delay("honeyguide") == 1


@pytest.mark.parametrize("fault", [f for f in faults() if f.leads_to], ids=lambda fault: fault.name)
def test_pages_lead_on(fault: Fault) -> None:
    body = WEB.answer(fault.url).body
    bases = [node.attributes["href"] or "" for node in LexborHTMLParser(body.decode()).css("base")]
    base = urljoin(fault.url, bases[0] if bases else "")
    rules = UrlRules(UrlSettings())
    found = {rules.canonical(urljoin(base, href)) for href in hrefs(body)}
    assert set(fault.leads_to) <= found
    assert all(WEB.answer(url).status == 200 for url in fault.leads_to)


def test_addresses_are_canonical() -> None:
    rules = UrlRules(UrlSettings())
    urls = [url for fault in faults() for url in (fault.url, fault.at or fault.url, *fault.leads_to, *fault.forbidden)]
    assert [rules.canonical(url) for url in urls] == urls


@pytest.mark.parametrize("fault", [f for f in faults() if f.forbidden], ids=lambda fault: fault.name)
def test_what_is_forbidden_would_be_found(fault: Fault) -> None:
    for url in fault.forbidden:
        if WEB.knows(host_of(url)):
            assert WEB.answer(url).status == 200


def test_sitemap_index_with_full_files() -> None:
    robots = asyncio.run(_rules(FAULTS["sitemap"].url)).body.decode()
    (index,) = Protego.parse(robots).sitemaps
    space = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    parts = [node.text or "" for node in ET.fromstring(WEB.answer(index).body).iter(f"{space}loc")]
    counts = []
    for part in parts:
        urls = [node.text or "" for node in ET.fromstring(WEB.answer(part).body).iter(f"{space}loc")]
        counts.append(len(urls))
        assert {WEB.answer(url).status for url in (urls[0], urls[-1])} == {200}
    assert counts == [50_000, 50_000, 20_000]
    assert WEB.answer("http://sitemaps.example/page/120000?a=1&b=2").status == 404
    assert WEB.answer("http://sitemaps.example/sitemap-3.xml").status == 404


def test_the_wait_that_is_asked_for() -> None:
    assert WEB.answer(FAULTS["busy-503"].url).header("retry-after") == "1"
    assert WEB.answer(FAULTS["busy-429"].url).header("retry-after") == "1"
    date = WEB.answer(FAULTS["retry-after-date"].url, now=1_000_000.0).header("retry-after")
    assert parsedate_to_datetime(date).timestamp() == 1_000_001
    assert all(WEB.counted(FAULTS[name].url) for name in ("busy-503", "busy-429", "retry-after-date", "error-once"))
    assert not WEB.counted(FAULTS["status-500"].url)


def test_the_calendar_goes_on_for_ever() -> None:
    seen, url = set(), FAULTS["calendar"].url
    for _ in range(50):
        seen.add(url)
        url = urljoin(url, hrefs(WEB.answer(url).body)[-1])
    assert len(seen) == 50
    for wrong in ("2024/13/", "2024/00/", "24/1/", "next"):
        assert WEB.answer(f"http://calendar.example/{wrong}").status == 404


def test_session_ids_are_always_new_and_hide_few_pages() -> None:
    seen: set[str] = set()
    url = FAULTS["sessions"].url
    titles: set[str] = set()
    for step in range(40):
        body = WEB.answer(url).body
        titles.update(node.text() for node in LexborHTMLParser(body.decode()).css("title"))
        links = [urljoin(url, href) for href in hrefs(body)]
        assert seen.isdisjoint(links)
        seen.update(links)
        url = links[step % len(links)]
    assert len(titles) == FAULTS["sessions"].most
    assert WEB.answer("http://sessions.example/other").status == 404


def test_the_path_grows() -> None:
    url = FAULTS["repeating-path"].url
    for _ in range(6):
        (step,) = hrefs(WEB.answer(url).body)
        url = urljoin(url, step)
    assert url == "http://repeating.example/a/b/a/b/a/b/"
    assert WEB.answer("http://repeating.example/b/").status == 404


def test_hosts_and_schemes_that_do_not_exist() -> None:
    async def kinds() -> list[str]:
        fetcher = DemoFetcher(WEB)
        urls = ("http://nowhere.test/", "http://127.0.0.1/", "http://[::1]/", "http://8.8.8.8/", "http://[x/")
        other = ("https://faults.example/", "http://faults.example:81/")
        answers = [await fetcher.fetch(Request(url)) for url in urls + other]
        await fetcher.close()
        return [answer.kind for answer in answers if isinstance(answer, Failure)]

    assert asyncio.run(kinds()) == ["dns", "address", "address", "connect", "dns", "connect", "connect"]


def seen_by_client(answer: Response | Failure) -> tuple[object, ...]:
    if isinstance(answer, Failure):
        return answer.kind, answer.transient
    return answer.status, answer.reason, answer.body, answer.truncated, answer.skipped


def test_in_process_and_over_http_look_the_same() -> None:
    async def compare() -> list[tuple[str, tuple[object, ...], tuple[object, ...]]]:
        server = DemoServer(WEB)
        await server.start()
        settings = FetchSettings(
            proxy=server.address, allow_networks=("127.0.0.0/8",), read_timeout=1.0, total_timeout=1.5
        )
        over_http, in_process = HttpFetcher(settings, "1"), DemoFetcher(WEB, settings)

        async def both(fault: Fault) -> tuple[str, tuple[object, ...], tuple[object, ...]]:
            request = Request(fault.url)
            one, two = await over_http.fetch(request), await in_process.fetch(request)
            return fault.name, seen_by_client(one), seen_by_client(two)

        found = await asyncio.gather(*map(both, faults()))
        await over_http.close()
        await server.stop()
        return found

    for name, one, two in asyncio.run(compare()):
        assert one == two, name


def test_slow_answers_fail_only_when_patience_ends() -> None:
    late, slow = WEB.answer(FAULTS["late"].url), WEB.answer(FAULTS["slow"].url)
    assert (late.behaviour, slow.behaviour) == (Behaviour.DELAY, Behaviour.DRIP)
    hasty = FetchSettings(read_timeout=late.seconds / 2, total_timeout=slow.seconds)
    for name in ("late", "slow"):
        answer = asyncio.run(DemoFetcher(WEB, hasty).fetch(Request(FAULTS[name].url)))
        assert isinstance(answer, Failure)
        assert answer.kind == "timeout"
