"""Debian's Chromium, headless, over its DevTools protocol: renders recorded pages without any network.

Every request that a page makes is stopped in the browser: the page itself is answered from memory, all others fail.
(A proxy that does not exist stands behind that.) Scripts of pages do not run: what they load is not recorded.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import sys
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

WIDTH, HEIGHT = 1000, 1000
START, LOAD = 30.0, 20.0
"""Seconds after which a browser that does not start, or a page that does not load, is given up."""


class RenderError(Exception):
    """The browser could not render a page."""


class Chromium:
    """One tab. `rendered` is called for one page at a time."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._last = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._events: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._session = ""
        self._page: tuple[str, bytes] | None = None  # content type and body, until they are asked for

    async def listen(self) -> None:
        """Take messages until the browser ends."""
        async for message in self._socket:
            said = json.loads(message.data)
            if "id" in said:
                self._answers.pop(said["id"]).set_result(said)
            elif said["method"] == "Fetch.requestPaused":
                self._answer(said["params"])
            else:
                self._events[said["method"]].set()

    async def open(self) -> None:
        """Open the tab."""
        target = (await self._call("Target.createTarget", url="about:blank"))["targetId"]
        self._session = (await self._call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        for name in ("Page.enable", "Runtime.enable"):
            await self._call(name)
        await self._call("Fetch.enable", patterns=[{"urlPattern": "*"}])
        await self._call("Emulation.setScriptExecutionDisabled", value=True)
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        await self._call("Emulation.setDeviceMetricsOverride", **size)

    async def rendered(self, url: str, content_type: str, body: bytes, script: str) -> Any:
        """The value of an expression in a page. Raises `RenderError` if there is none."""
        self._page = (content_type, body)
        loaded = self._events["Page.loadEventFired"] = asyncio.Event()
        try:
            async with asyncio.timeout(LOAD):
                await self._call("Page.navigate", url=url)
                await loaded.wait()
                found = await self._call("Runtime.evaluate", expression=script, returnByValue=True)
        except TimeoutError:
            raise RenderError("it did not load in time") from None
        if "exceptionDetails" in found:
            raise RenderError(found["exceptionDetails"]["exception"].get("description", "the script failed"))
        return found["result"].get("value")

    def _answer(self, request: dict[str, Any]) -> None:
        """The first document asked for is the page; its frames, pictures, style sheets and refreshes are not there."""
        if request["resourceType"] == "Document" and self._page is not None:
            content_type, body = self._page
            self._page = None
            headers = [{"name": "Content-Type", "value": content_type}]
            data = base64.b64encode(body).decode()
            self._send(
                "Fetch.fulfillRequest",
                requestId=request["requestId"],
                responseCode=200,
                responseHeaders=headers,
                body=data,
            )
        else:
            self._send("Fetch.failRequest", requestId=request["requestId"], errorReason="BlockedByClient")

    def _send(self, method: str, **parameters: Any) -> asyncio.Future[dict[str, Any]]:
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        answer = self._answers[self._last] = asyncio.get_running_loop().create_future()
        self._sending = asyncio.ensure_future(self._socket.send_json(message))
        return answer

    async def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        answer = await self._send(method, **parameters)
        if "error" in answer:
            raise RenderError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result


@asynccontextmanager
async def chromium() -> AsyncIterator[Chromium]:
    """A browser with an empty profile, which ends with the block."""
    program = shutil.which("chromium")
    if program is None:
        sys.exit("there is no chromium; install it with: apt-get install chromium")
    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0"]
        options += [f"--user-data-dir={profile}", "--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>"]
        options += ["--disable-background-networking", "--disable-component-update", "--no-first-run"]
        process = await asyncio.create_subprocess_exec(
            program, *options, "about:blank", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            address = await _address(Path(profile) / "DevToolsActivePort")
            async with aiohttp.ClientSession() as session, session.ws_connect(address, max_msg_size=1 << 28) as socket:
                tab = Chromium(socket)
                listening = asyncio.create_task(tab.listen())
                await tab.open()
                yield tab
                listening.cancel()
        finally:
            process.terminate()
            await process.wait()


async def _address(file: Path) -> str:
    """Where the browser listens, which it writes down when it is ready."""
    async with asyncio.timeout(START):
        while len(lines := await asyncio.to_thread(_lines, file)) != 2:  # noqa: ASYNC110 (it tells in no other way)
            await asyncio.sleep(0.1)
    return f"ws://127.0.0.1:{lines[0]}{lines[1]}"


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").split() if file.is_file() else []
