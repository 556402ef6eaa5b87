"""TLS against an authority of our own: whose certificates count, what is refused, and tunnels through proxies."""

from __future__ import annotations

import asyncio
import gzip
import re
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.settings import FetchSettings
from honeyguide.warc.write import payload_digest, request_and_answer

if TYPE_CHECKING:
    from .conftest import Names, Play, Site

    Answer = Callable[..., bytes]

KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
CONFIG = """
[ca]
default_ca = own
[own]
database = index.txt
new_certs_dir = .
rand_serial = yes
policy = any
default_md = sha256
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
"""


class Authority:
    """An authority that the fetchers of a test trust."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "ca.conf").write_text(CONFIG)
        (folder / "index.txt").touch()
        self._run("req", "-x509", *KEY, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", "9")
        self.file = folder / "ca.pem"

    def _run(self, *command: str) -> None:
        subprocess.run(["openssl", *command], cwd=self._folder, check=True, capture_output=True)

    def server(self, name: str, *, years: tuple[int, int] = (2020, 2049), signed: bool = True) -> ssl.SSLContext:
        """The context of a server with a certificate for a name."""
        subject = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
        if signed:
            self._run("req", *KEY, "-keyout", "own.key", "-out", "own.csr", *subject)
            dates = ["-startdate", f"{years[0]}0101000000Z", "-enddate", f"{years[1]}0101000000Z"]
            signer = ["-cert", "ca.pem", "-keyfile", "ca.key"]
            self._run("ca", "-batch", "-config", "ca.conf", *signer, "-in", "own.csr", "-out", "own.pem", *dates)
        else:
            self._run("req", "-x509", *KEY, "-keyout", "own.key", "-out", "own.pem", *subject)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._folder / "own.pem", self._folder / "own.key")
        return context


@pytest.fixture(name="authority", scope="module")
def authority_fixture(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(autouse=True)
def _trust(authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    monkeypatch.setenv("SSL_CERT_DIR", "/nowhere")


def secure(play: Play, page: bytes, context: ssl.SSLContext, names: Names) -> tuple[Response | Failure, list[str]]:
    """What comes of asking good.test over TLS, and what the server heard."""

    async def script(site: Site, fetcher: HttpFetcher) -> tuple[Response | Failure, list[str]]:
        return await fetcher.fetch(Request(site.url("/", "good.test", scheme="https"))), site.requests

    return play.script({"/": page}, script, context=context, resolver=names)


def test_a_certificate_of_a_trusted_authority_for_this_name_is_good(
    play: Play, answer: Answer, names: Callable[..., Names], authority: Authority
) -> None:
    result, heard = secure(play, answer(b"safe"), authority.server("good.test"), names(good=[["127.0.0.1"]]))
    assert isinstance(result, Response), result
    assert (result.body, len(heard)) == (b"safe", 1)


@pytest.mark.parametrize(
    ("certificate", "said"),
    [
        ({"name": "other.test"}, "doesn't match|mismatch|not valid for"),
        ({"name": "good.test.evil.test"}, "doesn't match|mismatch|not valid for"),
        ({"name": "good.test", "years": (2020, 2021)}, "expired"),
        ({"name": "good.test", "years": (2047, 2049)}, "not yet valid"),
        ({"name": "good.test", "signed": False}, "self.signed"),
    ],
    ids=["other host", "longer host", "expired", "not yet", "self-signed"],
)
def test_any_other_certificate_is_refused_before_anything_is_asked(
    play: Play,
    answer: Answer,
    names: Callable[..., Names],
    authority: Authority,
    certificate: dict[str, Any],
    said: str,
) -> None:
    context = authority.server(**certificate)
    result, heard = secure(play, answer(b"no"), context, names(good=[["127.0.0.1"]]))
    assert isinstance(result, Failure)
    assert (result.kind, result.transient, heard) == ("tls", False, [])
    assert re.search(said, result.detail), result.detail


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_no_old_version_is_agreed_to(
    play: Play, answer: Answer, names: Callable[..., Names], authority: Authority
) -> None:
    context = authority.server("good.test")
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    context.maximum_version = ssl.TLSVersion.TLSv1_1
    result, heard = secure(play, answer(b"no"), context, names(good=[["127.0.0.1"]]))
    assert isinstance(result, Failure)
    assert result.kind in {"tls", "connect"}  # some servers hang up instead of saying why
    assert heard == []


# ---- tunnels ----


class Tunnel:
    """A proxy for CONNECT, to whatever port of this machine; notes what it is asked."""

    def __init__(self, port: int) -> None:
        self.heard: list[str] = []
        self._port = port

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append((await reader.readuntil(b"\r\n\r\n")).decode())
        inner, outer = await asyncio.open_connection("127.0.0.1", self._port)
        writer.write(b"HTTP/1.1 200 Connected\r\n\r\n")
        await asyncio.gather(self._copy(reader, outer), self._copy(inner, writer))

    @staticmethod
    async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        except ConnectionError:
            pass
        finally:
            target.close()


@pytest.mark.parametrize(("name", "kind"), [("good.test", ""), ("other.test", "tls")])
def test_a_tunnel_leads_to_the_host_that_was_asked_for_or_is_refused(
    play: Play, answer: Answer, names: Callable[..., Names], authority: Authority, name: str, kind: str
) -> None:
    async def script(site: Site, _: HttpFetcher) -> tuple[Response | Failure, list[str], list[str]]:
        tunnel = Tunnel(site.port)
        async with await asyncio.start_server(tunnel.serve, "127.0.0.1", 0) as server:
            proxy = f"http://anna:secret@127.0.0.1:{server.sockets[0].getsockname()[1]}"
            fetcher = HttpFetcher(FetchSettings(proxy=proxy), "1", resolver=names(good=[["93.184.216.34"]]))
            try:
                return await fetcher.fetch(Request("https://good.test/")), tunnel.heard, site.requests
            finally:
                await fetcher.close()

    result, by_proxy, by_host = play.script({"/": answer(b"safe")}, script, context=authority.server(name))
    assert len(by_proxy) == 1
    assert by_proxy[0].startswith("CONNECT good.test:443 ")
    assert "Proxy-Authorization: Basic" in by_proxy[0]
    assert not any("uthorization" in head for head in by_host)
    assert (result.kind if isinstance(result, Failure) else "") == kind
    assert len(by_host) == (kind == "")


def test_the_password_of_a_proxy_is_not_archived(play: Play, answer: Answer, names: Callable[..., Names]) -> None:
    async def script(site: Site, _: HttpFetcher) -> tuple[Response | Failure, str]:
        proxy = f"http://anna:secret@127.0.0.1:{site.port}"
        fetcher = HttpFetcher(FetchSettings(proxy=proxy), "1", resolver=names(good=[["93.184.216.34"]]))
        try:
            return await fetcher.fetch(Request("http://good.test/")), site.requests[0]
        finally:
            await fetcher.close()

    page = answer(b"via")
    response, heard = play.script({"http://good.test/": page}, script)
    assert "Proxy-Authorization: Basic" in heard
    assert isinstance(response, Response)
    for record in request_and_answer(response, payload_digest(response), None):
        assert b"uthorization" not in gzip.decompress(record)
