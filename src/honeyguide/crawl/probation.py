"""Which hosts are on probation: those that only they themselves link to, and those that duplicate others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Generic, TypeVar

from honeyguide.frontier import NO_PARENT, Frontier
from honeyguide.page.domains import registered_domain
from honeyguide.page.settings import ScopeSettings
from honeyguide.strategy.reading import Reading

T = TypeVar("T")

_MIN_FOLLOWED, _POOR_SHARE = 4, 0.25  # followed links of a directory, and the share of good ones below which it is poor


class Probation:
    """Keeps networks of sites that link to each other without end from taking over a crawl.

    The owner of a domain can create any number of hosts, and the owner of a server any number of domains; each may be
    full of words about the topic. What they cannot make is links from elsewhere. So a host is on probation

    * if it was found on a page of its own domain, and more hosts of that domain than `hosts_per_domain` were visited;
    * if it was found on a page from its own address, and more domains of that address than `domains_per_address` were
      visited (a host whose address is not known yet counts as one of the address that it was found on);
    * if most pages of its domain so far, and of those found there, are copies of pages of other domains;
    * if it was found on a page that is nearly all links, and hardly any of the links followed from there led to
      anything relevant; or if that page was itself found on such a page of another host;
    * if it was found on a page of a host on probation.

    Probation ends when the reason is gone, or when a relevant page of another domain, itself not in doubt, links to the
    host. The domains of seeds, and those listed in the scope, are always trusted. The frontier limits the requests to
    hosts on probation (`Frontier.set_probation`).

    A host is judged when one of its URLs is taken, so the thousands of hosts that wait cost nothing.
    """

    def __init__(self, frontier: Frontier, scope: ScopeSettings) -> None:
        self._frontier = frontier
        self._trusted = {registered_domain(name) for name in scope.allow_domains}  # domains
        self._hosts: _Founders[int] = _Founders(scope.hosts_per_domain)  # by domain, hosts visited
        self._domains: _Founders[str] = _Founders(scope.domains_per_address)  # by address, domains visited
        self._pages: Counter[str] = Counter()  # by domain, its own pages and those found there
        self._copies: Counter[str] = Counter()  # by domain, how many of these are copies of pages of other domains
        self._directories: dict[int, _Directory] = {}  # pages that are nearly all links
        self._vouched: set[int] = set()  # hosts
        self._on_probation = 0

    # ---- events ----

    def holds_back(self, number: int, now: float) -> bool:
        """Whether a URL that was just taken has to wait again, because its host is now put on probation."""
        frontier = self._frontier
        host = frontier.urls.host(number)
        if not frontier.hosts.on_probation(host) and self.doubts(number):
            frontier.withdraw(number, now)
            self._put(host, on_probation=True)
            return True
        self._visit(number, host)
        return False

    def page(self, number: int, reading: Reading, original: int | None) -> None:
        """Record a page that was read. `original` is the earlier page that it is a copy of."""
        urls = self._frontier.urls
        host, parent = urls.host(number), urls.parent(number)
        self._count(number, host, original)
        if reading.directory:
            self._directories[number] = _Directory()
        is_good = reading.relevant and original is None
        if parent in self._directories:
            self._directories[parent].count(is_good=is_good)
        is_doubtful = self.doubts(number)
        self._put(host, on_probation=is_doubtful)
        if self._on_probation and is_good and not is_doubtful and not reading.directory:
            self._vouch(host, reading.links.urls)

    def page_elsewhere(self, number: int, reading: Reading, *, doubtful: bool, is_copy: bool) -> None:
        """Record a page of another shard that links here; `doubtful` if its host is on probation there."""
        frontier = self._frontier
        host = frontier.urls.host(number)
        if not frontier.urls.depth(number):
            self._trusted.add(frontier.hosts.domain(host))
        frontier.set_probation(host, doubtful)
        if reading.directory:
            self._directories.setdefault(number, _Directory())
        if self._on_probation and reading.relevant and not is_copy and not doubtful and not reading.directory:
            self._vouch(host, reading.links.urls)

    def restore(self, pages: Iterable[tuple[int, int | None]]) -> None:
        """Count the pages of earlier runs, in order: the number of each, and that of its original."""
        urls = self._frontier.urls
        for number, original in pages:
            host = urls.host(number)
            self._visit(number, host)
            self._count(number, host, original)
            self._put(host, on_probation=self.doubts(number))

    # ---- counting ----

    def _visit(self, number: int, host: int) -> None:
        domain = self._frontier.hosts.domain(host)
        self._hosts.add(domain, host)
        self._domains.add(self._frontier.hosts.address(host), domain)
        if not self._frontier.urls.depth(number):  # a seed, or the target of its redirect
            self._trusted.add(domain)

    def _count(self, number: int, host: int, original: int | None) -> None:
        frontier, urls = self._frontier, self._frontier.urls
        domain, parent = frontier.hosts.domain(host), urls.parent(number)
        is_copy = original is not None and frontier.hosts.domain(urls.host(original)) != domain
        for one in {domain, domain if parent == NO_PARENT else frontier.hosts.domain(urls.host(parent))}:
            self._pages[one] += 1
            self._copies[one] += is_copy
        self._domains.add(frontier.hosts.address(host), domain)

    def _put(self, host: int, *, on_probation: bool) -> None:
        if self._frontier.hosts.on_probation(host) is not on_probation:
            self._on_probation += 1 if on_probation else -1
            self._frontier.set_probation(host, on_probation)

    # ---- judging ----

    def doubts(self, number: int) -> bool:
        """Whether there is a reason to put the host of a URL on probation."""
        frontier, urls = self._frontier, self._frontier.urls
        host, parent = urls.host(number), urls.parent(number)
        domain = frontier.hosts.domain(host)
        if domain in self._trusted or parent == NO_PARENT:
            return False
        if self._repeats_others(domain):
            return True
        found_on = urls.host(parent)
        if found_on == host:
            return frontier.hosts.on_probation(host)
        its_domain = frontier.hosts.domain(found_on)
        if host in self._vouched or its_domain in self._trusted:
            return False
        if frontier.hosts.on_probation(found_on) or self._repeats_others(its_domain) or self._leads_nowhere(parent):
            return True
        if its_domain == domain:
            return self._hosts.is_beyond(domain, host)
        address = frontier.hosts.address(found_on)
        return frontier.hosts.address(host) in ("", address) and self._domains.is_beyond(address, domain)

    def _leads_nowhere(self, page: int) -> bool:
        """Whether a page is a poor directory, or a directory that was found only on one of another host."""
        if (directory := self._directories.get(page)) is None:
            return False
        urls = self._frontier.urls
        parent = urls.parent(page)
        return directory.is_poor or (parent in self._directories and urls.host(parent) != urls.host(page))

    def _repeats_others(self, domain: str) -> bool:
        return 2 * self._copies[domain] > self._pages[domain]

    def _vouch(self, host: int, links: Iterable[str]) -> None:
        """End the probation of hosts that a page of a trustworthy host links to."""
        frontier, urls = self._frontier, self._frontier.urls
        domain, address = frontier.hosts.domain(host), frontier.hosts.address(host)
        if self._domains.is_full(address) and domain not in self._trusted:
            return  # the targets may be at the same address
        for url in links:
            number = urls.find(url)
            if number is None or not frontier.hosts.on_probation(other := urls.host(number)):
                continue
            its_domain = frontier.hosts.domain(other)
            if its_domain != domain and not self._repeats_others(its_domain):
                self._vouched.add(other)
                self._put(other, on_probation=False)


class _Directory:
    """The outcomes of links of a page that is nearly all links."""

    __slots__ = ("_followed", "_good")

    def __init__(self) -> None:
        self._followed = self._good = 0

    def count(self, *, is_good: bool) -> None:
        """Count a followed link."""
        self._followed += 1
        self._good += is_good

    @property
    def is_poor(self) -> bool:
        """Whether hardly any followed link was good."""
        return self._followed >= _MIN_FOLLOWED and self._good < _POOR_SHARE * self._followed


class _Founders(Generic[T]):
    """The first few members of each group; later ones are beyond the limit."""

    def __init__(self, most: int) -> None:
        """`most` is the limit per group; 0 for no limit."""
        self._most = most
        self._members: defaultdict[str, set[T]] = defaultdict(set)

    def add(self, group: str, member: T) -> None:
        """Add a member to a group, unless it is full."""
        if group and len(self._members[group]) < self._most:
            self._members[group].add(member)

    def is_full(self, group: str) -> bool:
        """Whether a group has reached the limit."""
        return 0 < self._most <= len(self._members.get(group, ()))

    def is_beyond(self, group: str, member: T) -> bool:
        """Whether a group is full and does not include this member."""
        return self.is_full(group) and member not in self._members[group]
