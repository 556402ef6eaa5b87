"""Pages in a real browser: Debian's chromium, driven by Playwright. Skipped where either is missing."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from honeyguide.browser.available import find_program
from honeyguide.browser.process_tree import find_processes, kill
from honeyguide.browser.renderer import Renderer
from honeyguide.browser.rendering import MARK, Rendering
from honeyguide.browser.settings import BrowserSettings
from honeyguide.browser.tab import RenderJob
from honeyguide.fetch.base import Response

URL = "http://shop.example/page"
MOST = 200_000


def response(url: str, body: str, kind: str = "text/html") -> Response:
    return Response(url, 200, "OK", (("Content-Type", kind),), body.encode(), body.encode(), ())


class Browser:
    """A renderer in an event loop of its own."""

    def __init__(self, **settings: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.asked: list[str] = []
        self.on_fetch: Callable[[str], Awaitable[Response | str]] | None = None
        self.renderer = Renderer(BrowserSettings(**settings), "honeyguide/test")

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _fetch(self, url: str, _kind: str) -> Response | str:
        self.asked.append(url)
        if self.on_fetch is None:
            return response(url, "words from the server", "text/plain")
        return await self.on_fetch(url)

    def render(self, body: str, *, url: str = URL, boxes: bool = False) -> Rendering:
        """Render a page."""
        self.asked.clear()
        rendering = self._run(self.renderer.render(RenderJob(response(url, body), self._fetch, MOST, with_boxes=boxes)))
        assert isinstance(rendering, Rendering)
        return rendering

    def close(self) -> None:
        """End it."""
        self._run(self.renderer.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    pytest.importorskip("playwright", reason="Playwright is not installed: pip install 'honeyguide[browser]'")
    if find_program() is None:
        pytest.skip("there is no chromium: apt-get install chromium")
    made = Browser(seconds=40.0, memory=500)
    yield made
    made.close()


@pytest.fixture(autouse=True)
def _friendly(browser: Browser) -> Iterator[None]:
    yield
    browser.on_fetch = None


def test_scripts_write_the_page_and_their_timers_pass_quickly(browser: Browser) -> None:
    rendering = browser.render(
        "<noscript>enable scripts</noscript><div id=a></div><script>"
        "setTimeout(() => fetch('/api').then(r => r.text()).then(t => setTimeout(() => {"
        "a.innerHTML = '<p id=x>' + t + ' ü</p><a href=/next>on</a>' }, 1500)), 1500)</script>",
        boxes=True,
    )
    assert rendering.html.startswith(MARK)
    text = rendering.html.decode("utf-8-sig")
    assert '<p id="x">words from the server ü</p><a href="/next">on</a>' in text
    assert "enable scripts" not in text
    assert rendering.problem == ""
    assert browser.asked == ["http://shop.example/api"]
    assert b'"x"' in rendering.boxes


def test_what_a_page_may_not_request_never_leaves(browser: Browser) -> None:
    """Private addresses, other sites, a thousand images, frames, sockets, WebRTC, files, posts: none is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp, socket.socket() as tcp:
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        tcp.setblocking(False)
        port, stun = tcp.getsockname()[1], udp.getsockname()[1]
        attempts = f"""
            fetch('http://169.254.169.254/latest/meta-data/'); fetch('http://127.0.0.1:{port}/');
            fetch('http://tracker.example/'); fetch('/save', {{method: 'POST', body: 'x'}});
            navigator.sendBeacon('/beacon', 'x');
            fetch('file:///etc/passwd').catch(() => {{}});
            new WebSocket('ws://127.0.0.1:{port}/');
            try {{ new EventSource('http://127.0.0.1:{port}/') }} catch {{}}
            try {{ new Worker('http://shop.example/worker.js') }} catch {{}}
            try {{ navigator.serviceWorker.register('/sw.js').catch(() => {{}}) }} catch {{}}
            for (let i = 0; i < 1000; i++) {{ const one = new Image(); one.src = '/i' + i; document.body.append(one) }}
            try {{
              const line = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{stun}'}}]}});
              line.createDataChannel('x'); line.createOffer().then(offer => line.setLocalDescription(offer));
            }} catch {{}}
            document.body.dataset.ran = 'yes';
        """
        frames = f"<iframe src='file:///etc/passwd'></iframe><iframe src='http://127.0.0.1:{port}/'></iframe>"
        extras = f"<video src='http://127.0.0.1:{port}/v'></video><link rel=preconnect href='http://127.0.0.1:{port}'>"
        rendering = browser.render(f"<body>{frames}{extras}<script>{attempts}</script>")
        for one in (udp, tcp):
            with pytest.raises(BlockingIOError):
                one.recv(1) if one is udp else one.accept()
    assert 'data-ran="yes"' in rendering.html.decode()
    assert b"root:" not in rendering.html
    assert [url for url in browser.asked if not url.endswith(".js")] == []
    assert rendering.blocked["site"] >= 3
    assert rendering.blocked["method"] >= 1


def test_open_shadow_roots_are_where_readers_see_them(browser: Browser) -> None:
    rendering = browser.render(
        "<my-card class=card><b slot=name>bees</b>light words</my-card><script>"
        "customElements.define('my-name', class extends HTMLElement { connectedCallback() {"
        " this.attachShadow({mode: 'open'}).innerHTML = '<i>nested words</i>' } });"
        "customElements.define('my-card', class extends HTMLElement { connectedCallback() {"
        " this.attachShadow({mode: 'open'}).innerHTML = '<style>p{color:red}</style><h2>About <slot name=name></slot>"
        "</h2><p>shadow words <a href=/more>more</a> <slot></slot></p><slot name=none>what is shown instead</slot>"
        "<my-name></my-name>'"
        " } })</script>"
    )
    text, _, _ = rendering.html.decode("utf-8-sig").partition("<script>")
    assert '<div class="card"><h2>About <b slot="name">bees</b></h2>' in text
    assert '<p>shadow words <a href="/more">more</a> light words</p>what is shown instead<div><i>nested' in text
    assert "color:red" not in text


def test_frames_of_the_same_site_are_read_and_others_are_not_requested(browser: Browser) -> None:
    async def answer(url: str) -> Response | str:
        return response(url, "<p>words of a frame</p><a href=on>on</a><script>document.body.append('written')</script>")

    browser.on_fetch = answer
    rendering = browser.render(
        "<iframe src=/frames/one></iframe><iframe srcdoc='<p>words of its own</p>'></iframe>"
        "<iframe src=/frames/pixel width=1 height=1></iframe><iframe src=http://ads.example/></iframe>"
    )
    text = rendering.html.decode("utf-8-sig")
    assert sorted(browser.asked) == ["http://shop.example/frames/one", "http://shop.example/frames/pixel"]
    assert '<div><p>words of a frame</p><a href="http://shop.example/frames/on">on</a>written</div>' in text
    assert "<div><p>words of its own</p></div>" in text
    assert text.count("words of a frame") == 1, "what is too small to be read is not taken"
    assert rendering.blocked["site"] == 1


def test_requests_have_a_limit(browser: Browser) -> None:
    rendering = browser.render("<script>for (let i = 0; i < 1000; i++) fetch('/' + i)</script>")
    assert len(browser.asked) == BrowserSettings().requests
    assert rendering.blocked["limit"] >= 1
    assert rendering.html


@pytest.mark.parametrize(
    "body",
    [
        "<p>kept<script>setInterval(() => { document.title += 'x'; alert(1) }, 1)</script>",
        "<p>kept<script>setInterval(() => fetch('/more'), 10)</script>",
        "<p>kept<script>for (let i = 0; i < 300; i++) window.open('/popup' + i)</script>",
        "<p>kept<script>location.reload()</script>",
        "<p>kept<script>const again = () => fetch('http://169.254.169.254/').catch(again); again()</script>",
    ],
    ids=["timers and alerts", "polls", "windows", "reloads", "asks again"],
)
def test_pages_that_never_rest_are_taken_as_they_are(browser: Browser, body: str) -> None:
    rendering = browser.render(body)
    assert "<p>kept" in rendering.html.decode()
    assert len(browser.asked) <= BrowserSettings().requests


def test_where_scripts_go_on_to_is_a_link_and_is_not_fetched(browser: Browser) -> None:
    rendering = browser.render("<p>x<script>location.href = '/other?a=1&b=2'</script>")
    wanted = '<meta http-equiv="refresh" content="0; url=http://shop.example/other?a=1&amp;b=2">'
    assert wanted in rendering.html.decode()
    assert browser.asked == []


def test_sites_see_nothing_of_each_other_and_a_site_its_own(browser: Browser) -> None:
    count = "<p id=n></p><script>n.textContent = localStorage.n = +(localStorage.n || 0) + 1</script>"
    first = browser.render(count, url="http://one.example/")
    again = browser.render(count, url="http://one.example/")
    other = browser.render(count, url="http://two.example/")
    assert [b'<p id="n">%d</p>' % n in page.html for n, page in ((1, first), (2, again), (1, other))] == [True] * 3


def test_a_browser_that_is_killed_costs_nothing_and_one_that_always_is_costs_the_page(browser: Browser) -> None:
    running = browser.renderer._running
    assert running is not None
    kills = 1

    async def kill_it(url: str) -> Response | str:
        nonlocal kills
        if kills:
            kills -= 1
            assert browser.renderer._running is not None
            kill(find_processes(browser.renderer._running._mark))
        return response(url, "words", "text/plain")

    browser.on_fetch = kill_it
    body = "<p id=a></p><script>fetch('/x').then(r => r.text()).then(t => { a.textContent = t })</script>"
    assert b"words" in browser.render(body).html
    assert browser.renderer._running is not running
    kills = 2
    lost = browser.render(body)
    assert (lost.html, lost.problem) == (b"", "crashes the browser")
    browser.on_fetch = None
    assert b"words from the server" in browser.render(body).html


def test_memory_is_bounded(browser: Browser) -> None:
    eats = "<script>const all = []; for (;;) all.push(new Uint8Array(2e7).fill(1))</script>"
    assert browser.render(eats).problem in {"needs more than 500 MB to render", "crashes the browser's page"}
    assert b"<p>fine" in browser.render("<p>fine").html


def test_a_page_that_hangs_is_given_up_and_nothing_is_left_of_it(browser: Browser) -> None:
    hasty = Browser(seconds=1.0)
    try:
        for body in ("<p>x<script>for (;;) alert(1)</script>", "<p>x<script>for (;;);</script>"):
            given_up = hasty.render(body)
            assert (given_up.html, given_up.problem) == (b"", "took longer than 1 s to render")
        million = "for (let i = 0; i < 1e6; i++) document.body.append(document.createElement('p'))"
        rendering = hasty.render(f"<body><script>{million}</script>")
        assert rendering.problem or len(rendering.html) <= MOST
        assert hasty.renderer._running is not None
        mark = hasty.renderer._running._mark
    finally:
        hasty.close()
    assert find_processes(mark) == []
