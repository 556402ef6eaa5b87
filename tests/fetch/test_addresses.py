"""One address for each name, and one name for what is counted as one server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.fetch import addresses
from honeyguide.fetch.addresses import AddressBook
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.ip import counted_as

if TYPE_CHECKING:
    from .conftest import Names, Play, Site

    Make = Callable[..., Names]


class Time:
    """A clock that a test sets."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(name="time")
def time_fixture(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(addresses, "monotonic", time)
    return time


def test_a_name_has_one_address_until_it_does_not_answer(names: Make) -> None:
    async def script() -> list[str | None]:
        book = AddressBook(names(a=[["192.0.2.1", "192.0.2.2", "192.0.2.3"]]), 300.0)
        seen = [book.known("a.test"), await book.find("a.test", 80)]
        for _ in range(4):
            seen.append(book.known("a.test"))
            assert [answer["host"] for answer in await book.resolve("a.test", 80)] == [seen[-1]]
            book.turn_page("a.test")
        return seen

    assert asyncio.run(script()) == [None, *("192.0.2.1", "192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.1")]


def test_what_is_counted_is_what_is_connected_to_even_without_a_cache(names: Make, time: Time) -> None:
    async def script() -> None:
        book = AddressBook(names(a=[["192.0.2.1"], ["192.0.2.2"]]), 0.0)
        assert await book.find("a.test", 80) == "192.0.2.1"
        time.now += 59.0
        assert book.known("a.test") == "192.0.2.1"
        assert (await book.resolve("a.test", 80))[0]["host"] == "192.0.2.1"
        time.now += 1.0
        assert book.known("a.test") is None
        assert (await book.resolve("a.test", 80))[0]["host"] == "192.0.2.2"
        assert book.known("a.test") is None  # not found ahead, so not kept

    asyncio.run(script())


def test_the_oldest_names_are_forgotten(names: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "_MOST_NAMES", 2)

    async def script() -> list[bool]:
        one = [["192.0.2.1"]]
        book = AddressBook(names(a=one, b=one, c=one), 300.0)
        for name in "abac":
            await book.find(f"{name}.test", 80)
        return [book.known(f"{name}.test") is None for name in "abc"]

    assert asyncio.run(script()) == [False, True, False]


def test_a_fetcher_says_where_it_will_connect_to(play: Play, answer: Callable[..., bytes], names: Make) -> None:
    resolver = names(a=[["10.0.0.1", "127.0.0.1"]], b=[["127.0.0.9", "127.0.0.1"]], inside=[["10.0.0.1"]])
    resolver.answers["gone.test"] = socket.gaierror(socket.EAI_NONAME, "no such name")

    async def script(site: Site, fetcher: HttpFetcher) -> None:
        url = site.url("/", "a.test")
        assert fetcher.known_address(url) is None
        assert await fetcher.find_address(url) == fetcher.known_address(url) == "127.0.0.1"
        response = await fetcher.fetch(Request(url))
        assert isinstance(response, Response)
        assert response.ip == "127.0.0.1"
        assert resolver.asked == ["a.test"]
        assert fetcher.known_address(site.url("/")) == "127.0.0.1"
        # Nobody answers at the first address of b: the next attempt goes to the second one, and says so beforehand.
        url = site.url("/", "b.test")
        assert await fetcher.find_address(url) == "127.0.0.9"
        assert isinstance(await fetcher.fetch(Request(url)), Failure)
        assert fetcher.known_address(url) == "127.0.0.1"
        assert isinstance(await fetcher.fetch(Request(url)), Response)
        for host, kind in (("inside.test", "address"), ("gone.test", "dns")):
            found = await fetcher.find_address(site.url("/", host))
            assert isinstance(found, Failure)
            assert found.kind == kind

    play.script({"/": answer(b"")}, script, resolver=resolver)


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("64:ff9b::c000:201", "192.0.2.1"),
        ("2002:c000:201::7", "192.0.2.1"),
        ("2a00:1450:4001:82a::200e", "2a00:1450:4001:82a::/64"),
        ("2a00:1450:4001:82a:ffff::1%eth0", "2a00:1450:4001:82a::/64"),
        ("", ""),
        ("some proxy", "some proxy"),
    ],
)
def test_what_one_server_is_counted_as(address: str, counted: str) -> None:
    assert counted_as(address) == counted


@given(st.integers(0x2003 << 48, (0x4000 << 48) - 1), st.integers(0, 2**64 - 1))
def test_addresses_of_one_network_are_counted_together(network: int, machine: int) -> None:
    first, other = (str(IPv6Address(network << 64 | host)) for host in (0, machine))
    assert counted_as(other) == counted_as(first) == f"{first}/64"
