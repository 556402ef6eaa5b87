"""Nothing but the public internet, and what the user opened, can be reached."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.errors import InputError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.guard import AddressRefusedError, Guard, GuardedResolver
from honeyguide.fetch.resolve import SystemResolver

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.fetch.http import HttpFetcher

    from .conftest import Names, Play, Site

    Answer = Callable[..., bytes]

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450::1",
    "2001:200::1",  # just beyond the protocol assignments
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
]
REFUSED = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",  # a metadata service
    "127.0.0.1",
    "127.255.255.255",
    "168.63.129.16",  # a metadata service
    "169.254.1.1",
    "169.254.169.254",  # the metadata service
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",  # a metadata service
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::8.8.8.8",  # compatible addresses lead nowhere
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "::ffff:0:8.8.8.8",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",  # Teredo
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:2::1",
    "2001:db8::1",
    "2002:7f00:1::1",  # 6to4 for 127.0.0.1
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",  # a metadata service
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "localhost",
    "example.org",
    "0x7f.1",
    "2130706433",
    "",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_pass(address: str) -> None:
    assert Guard().why_not(address) == ""


@pytest.mark.parametrize("address", REFUSED)
def test_other_addresses_are_refused(address: str) -> None:
    assert Guard().why_not(address) != ""
    with pytest.raises(AddressRefusedError):
        Guard().check(address)


@given(st.ip_addresses())
def test_refuses_whatever_python_calls_not_global(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    translated = address in ipaddress.ip_network("64:ff9b::/96") or getattr(address, "sixtofour", None)
    if not address.is_global and not translated:
        assert Guard().why_not(str(address))


@given(st.ip_addresses(v=4))
def test_an_embedded_address_is_judged_like_the_bare_one(address: ipaddress.IPv4Address) -> None:
    number = int(address)
    bare = bool(Guard().why_not(str(address)))
    for prefix in (0xFFFF << 32, 0x64FF9B << 96, (0x2002 << 112)):
        inner = number << 80 if prefix == 0x2002 << 112 else number
        assert bool(Guard().why_not(str(ipaddress.IPv6Address(prefix | inner)))) == bare


def test_named_networks_are_open() -> None:
    guard = Guard(("10.1.0.0/16", " fd12::/48", "127.0.0.1", "192.168.3.9/24"))
    for address in ("10.1.2.3", "fd12::5", "127.0.0.1", "::ffff:10.1.2.3", "192.168.3.1", "8.8.8.8"):
        assert guard.why_not(address) == ""
    for address in ("10.2.0.1", "fd13::5", "127.0.0.2", "::1"):
        assert guard.why_not(address) != ""


@pytest.mark.parametrize("text", ["10.1.0.0/33", "local", "", "10.1.*.*", "::/200"])
def test_network_that_is_none_is_the_users_mistake(text: str) -> None:
    with pytest.raises(InputError) as caught:
        Guard(("10.0.0.0/8", text))
    assert caught.value.place == "fetch.allow_networks"
    assert repr(text) in caught.value.problem
    assert caught.value.remedy


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.1.", "[::1]", "::1", "169.254.169.254", "0.0.0.0", "2130706433", "0x7f000001",
        "0x7F.1", "017700000001", "0177.0.0.1", "127.1", "127.0.1", "0", "010.8.8.8", "8.8.8.8.8", "999.1.1.1",
        "::ffff:7f00:1", "fe80::1%1", "::zz", "localhost", "LOCALHOST.", "a.localhost",
    ],
)  # fmt: skip
def test_hosts_that_need_no_resolver_to_be_refused(host: str) -> None:
    with pytest.raises(AddressRefusedError):
        Guard().check_host(host)


@pytest.mark.parametrize(
    "host", ["example.org", "8.8.8.8", "[2606:4700::1]", "3com", "1and1.example", "0x.example", "x0", "localhost.org"]
)
def test_hosts_that_pass_until_they_are_resolved(host: str) -> None:
    Guard().check_host(host)


def test_localhost_passes_when_either_loopback_is_open() -> None:
    Guard(("127.0.0.0/8",)).check_host("localhost")
    Guard(("::1/128",)).check_host("localhost")


def test_no_socket_is_made_for_a_refused_address() -> None:
    guard = Guard(("127.0.0.1/32",))
    guard.socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 80))).close()
    with pytest.raises(AddressRefusedError, match="loopback"):
        guard.socket((socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.2", 80)))
    with pytest.raises(AddressRefusedError, match="link-local"):
        guard.socket((socket.AF_INET6, socket.SOCK_STREAM, 6, "", ("::ffff:169.254.169.254", 80, 0, 0)))


def resolved(names: Names, host: str, *allow: str) -> list[str]:
    answers = asyncio.run(GuardedResolver(Guard(allow), names).resolve(host, 80))
    return [answer["host"] for answer in answers]


def test_mixed_answers_keep_only_what_may_be_reached(names: Callable[..., Names]) -> None:
    mixed = [["10.0.0.1", "93.184.216.34", "::1", "2606:4700::1", "::ffff:10.0.0.1"]]
    assert resolved(names(mixed=mixed), "mixed.test") == ["93.184.216.34", "2606:4700::1"]
    with pytest.raises(AddressRefusedError, match=r"inside\.test: 10\.0\.0\.1 is not public: private"):
        resolved(names(inside=[["10.0.0.1", "fd00::1"]]), "inside.test")


def test_answers_that_are_no_addresses_are_not_trusted(names: Callable[..., Names]) -> None:
    with pytest.raises(AddressRefusedError):
        resolved(names(alias=[["localhost"]]), "alias.test")


def test_no_answers_are_no_address(names: Callable[..., Names]) -> None:
    with pytest.raises(socket.gaierror):
        resolved(names(empty=[[]]), "empty.test")


def outcome(result: Response | Failure) -> str:
    return result.ip if isinstance(result, Response) else result.kind


@pytest.mark.parametrize(
    ("header", "outcomes", "lookups"),
    [
        ("Connection: close", ["127.0.0.1", "address", "address"], 3),
        ("Connection: keep-alive", ["127.0.0.1"] * 3, 1),
    ],
    ids=["new connections", "one connection"],
)
def test_name_that_turns_inward_after_the_first_look(
    play: Play,
    answer: Answer,
    names: Callable[..., Names],
    header: str,
    outcomes: list[str],
    lookups: int,
) -> None:
    """DNS rebinding: a connection leads to the address that was judged, and a new one is judged anew."""
    resolver = names(turning=[["127.0.0.1"], ["127.0.0.2"], ["169.254.169.254"]])

    async def script(site: Site, fetcher: HttpFetcher) -> list[str]:
        url = site.url("/", "turning.test")
        return [outcome(await fetcher.fetch(Request(url))) for _ in range(3)]

    pages = {"/": answer(b"", header)}
    allow = ("127.0.0.1/32",)
    results = play.script({**pages}, script, resolver=resolver, allow_networks=allow, dns_cache=0.0)
    assert results == outcomes
    assert len(resolver.asked) == lookups


def test_names_are_remembered(play: Play, answer: Answer, names: Callable[..., Names]) -> None:
    resolver = names(a=[["127.0.0.1"], ["10.0.0.1"]])

    async def script(site: Site, fetcher: HttpFetcher) -> list[str]:
        return [outcome(await fetcher.fetch(Request(site.url("/", "a.test")))) for _ in range(3)]

    page = answer(b"", "Connection: close")
    assert play.script({"/": page}, script, resolver=resolver) == ["127.0.0.1"] * 3
    assert resolver.asked == ["a.test"]


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "169.254.169.254",
     "2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "127.1", "0xa9fea9fe"],
)  # fmt: skip
def test_hosts_that_lead_inside_are_never_connected_to(play: Play, answer: Answer, host: str) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> tuple[Response | Failure, int]:
        return await fetcher.fetch(Request(site.url("/", host))), site.connections

    failure, connections = play.script({"/": answer(b"")}, script, allow_networks=())
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.transient, connections) == ("address", False, 0)


def test_the_last_check_stands_alone(play: Play, answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if an address got past the checks of host and resolver, no socket is made for it."""
    monkeypatch.setattr(Guard, "check_host", lambda self, host: None)
    for host in ("127.0.0.1", "[::ffff:127.0.0.1]"):

        async def script(site: Site, fetcher: HttpFetcher, host: str = host) -> tuple[str, int]:
            return outcome(await fetcher.fetch(Request(site.url("/", host)))), site.connections

        assert play.script({"/": answer(b"")}, script, allow_networks=()) == ("address", 0)


def test_several_addresses_none_of_which_answers(play: Play, names: Callable[..., Names]) -> None:
    resolver = names(many=[["127.0.0.3", "127.0.0.4", "10.0.0.1"]])

    async def script(site: Site, fetcher: HttpFetcher) -> str:
        return outcome(await fetcher.fetch(Request(site.url("/", "many.test"))))

    assert play.script({}, script, resolver=resolver) == "connect"


@pytest.mark.parametrize(("code", "transient"), [(socket.EAI_AGAIN, True), (socket.EAI_NONAME, False)])
def test_names_that_do_not_resolve(play: Play, names: Callable[..., Names], code: int, transient: bool) -> None:
    resolver = names()
    resolver.answers["gone.test"] = socket.gaierror(code, "no such name, or not now")

    async def script(site: Site, fetcher: HttpFetcher) -> Response | Failure:
        return await fetcher.fetch(Request("http://gone.test/"))

    failure = play.script({}, script, resolver=resolver)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.transient) == ("dns", transient)
    assert "no such name" in failure.detail


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/", "http://[::1]/", "http://10.0.0.1/", "https://2130706433/", "http://[::ffff:a00:1]/"],
)
def test_proxy_is_not_asked_for_addresses_inside(play: Play, url: str) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> tuple[str, int]:
        return outcome(await fetcher.fetch(Request(url))), site.connections

    allow = ("127.0.0.1/32",)
    assert play.script({}, script, through_proxy=True, allow_networks=allow) == ("address", 0)


PROXIED = {"http://far.test/": b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}


def through_a_proxy(play: Play, resolver: Names, url: str = "http://far.test/") -> tuple[str, int]:
    """How a fetch through a proxy on loopback ends when no network is open, and how often the proxy was asked."""

    async def script(site: Site, fetcher: HttpFetcher) -> tuple[str, int]:
        results = [outcome(await fetcher.fetch(Request(url))) for _ in range(2)]
        assert results[0] == results[1]
        return results[0], len(site.requests)

    return play.script({**PROXIED}, script, resolver=resolver, through_proxy=True, allow_networks=())


def test_a_proxy_may_be_anywhere_and_opens_nothing_to_links(play: Play, names: Callable[..., Names]) -> None:
    resolver = names(far=[["93.184.216.34"]])
    assert through_a_proxy(play, resolver) == ("", 2)
    assert through_a_proxy(play, resolver, "http://127.0.0.1/") == ("address", 0)
    assert through_a_proxy(play, resolver, "http://localhost/") == ("address", 0)


def test_a_name_that_leads_inside_is_not_asked_for_through_a_proxy(play: Play, names: Callable[..., Names]) -> None:
    assert through_a_proxy(play, names(far=[["127.0.0.1"]])) == ("address", 0)
    assert through_a_proxy(play, names(far=[["10.0.0.1", "fd00::1"]])) == ("address", 0)


@pytest.mark.parametrize("error", [socket.gaierror(socket.EAI_NONAME, "no"), TimeoutError()], ids=["unknown", "slow"])
def test_names_that_only_the_proxy_can_resolve_are_left_to_it(
    play: Play, names: Callable[..., Names], error: OSError
) -> None:
    resolver = names()
    resolver.answers["far.test"] = error
    assert through_a_proxy(play, resolver) == ("", 2)
    assert resolver.asked == ["far.test"]  # once, and not for each request


def test_system_resolver() -> None:
    async def script() -> list[str]:
        resolver = SystemResolver(2)
        try:
            with pytest.raises(socket.gaierror):
                await resolver.resolve("a" * 70 + ".test", 80)
            answers = await resolver.resolve("localhost", 81, socket.AF_INET)
        finally:
            await resolver.close()
        assert {answer["port"] for answer in answers} == {81}
        return [answer["host"] for answer in answers]

    assert asyncio.run(script()) == ["127.0.0.1"]


@pytest.mark.parametrize("through_proxy", [False, True])
def test_no_port_of_another_service_is_connected_to(
    play: Play, names: Callable[..., Names], through_proxy: bool
) -> None:
    async def script(site: Site, fetcher: HttpFetcher) -> tuple[Response | Failure, int]:
        return await fetcher.fetch(Request("http://a.test:25/")), site.connections

    failure, connections = play.script({}, script, resolver=names(a=[["127.0.0.1"]]), through_proxy=through_proxy)
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.transient, connections) == ("address", False, 0)
    assert failure.detail == "port 25 belongs to another service"
