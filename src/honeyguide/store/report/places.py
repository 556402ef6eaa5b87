"""Where the pages of a crawl are from, and where requests failed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from honeyguide.frontier import State
from honeyguide.page.domains import registered_domain
from honeyguide.page.readable import readable_host
from honeyguide.page.url import host_of
from honeyguide.store.crawl import Crawl
from honeyguide.store.report.statistics import HostCount
from honeyguide.store.url_events import FAILED, RETRY, parse_detail


@dataclass(frozen=True, slots=True)
class Places:
    """The parts of the web that a crawl has seen."""

    title: str
    kind: str
    """What each of them is: "Site", "Host" or "Folder"."""
    counts: Mapping[str, HostCount]


def places(crawl: Crawl, hosts: Mapping[str, HostCount]) -> Places | None:
    """The sites of a crawl (registered domains); of a single site its hosts, and of a single host its folders.

    `hosts` has the pages of each host. None if all pages are in one folder: it would only repeat the totals.
    """
    with_failed = _with_failures(crawl, hosts, host_of)
    sites: dict[str, HostCount] = {}
    for host, count in with_failed.items():
        sites.setdefault(registered_domain(host), HostCount()).add(count)
    if len(sites) > 1:
        return Places("Sites", "Site", _readable(sites))
    if len(with_failed) > 1:
        return Places(f"Hosts of {readable_host(next(iter(sites)))}", "Host", _readable(with_failed))
    for host in with_failed:
        folders = _with_failures(crawl, _folders(crawl), _folder_of)
        if len(folders) > 1:
            return Places(f"Folders of {readable_host(host)}", "Folder", folders)
    return None


def _with_failures(crawl: Crawl, counts: Mapping[str, HostCount], of: Callable[[str], str]) -> dict[str, HostCount]:
    """The counts with those of failed URLs. All URLs are looked at, which takes a tenth of a second per million."""
    together = {name: HostCount(count.pages, count.found) for name, count in counts.items()}
    for (url,) in crawl.query("SELECT url FROM urls WHERE state = ?", int(State.FAILED)):
        together.setdefault(of(url), HostCount()).failed += 1
    return together


def _folders(crawl: Crawl) -> dict[str, HostCount]:
    counts: dict[str, HostCount] = {}
    sql = "SELECT urls.url, pages.relevant AND pages.duplicate_of IS NULL FROM pages JOIN urls USING (id)"
    for url, found in crawl.query(sql):
        counts.setdefault(_folder_of(url), HostCount()).add(HostCount(1, found))
    return counts


def _folder_of(url: str) -> str:
    """The folder at the top of a site, such as ``/articles/``; "/" for a page that is in none."""
    _, _, path = url.partition("://")[2].partition("?")[0].partition("/")
    folder, slash, _ = path.partition("/")
    return f"/{folder}/" if slash else "/"


def _readable(counts: Mapping[str, HostCount]) -> dict[str, HostCount]:
    return {readable_host(name): count for name, count in counts.items()}


def failing_hosts(crawl: Crawl) -> dict[str, Counter[str]]:
    """For each kind of failed request, how many there were at each host, repeated ones included.

    All events are looked at, once.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    sql = "SELECT urls.url, events.detail FROM events JOIN urls ON urls.id = events.url WHERE kind IN (?, ?)"
    for url, detail in crawl.query(sql, FAILED, RETRY):
        found[str(parse_detail(detail).get("kind", ""))][host_of(url)] += 1
    return found
