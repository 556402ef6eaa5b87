"""The demo web over HTTP/1.1."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from honeyguide.proxy import Answer, ProxyRequest, ProxyServer, RequestLog

if TYPE_CHECKING:
    from honeyguide.demo.web import DemoWeb


class DemoServer(ProxyServer):
    """Serves a `DemoWeb` on a port of this machine; port 0 means any free one."""

    def __init__(self, web: DemoWeb, host: str = "127.0.0.1", port: int = 0, log: RequestLog | None = None) -> None:
        super().__init__(self._answer, host, port, log)
        self.web = web
        self._attempts: Counter[str] = Counter()

    def _answer(self, request: ProxyRequest) -> Answer:
        """The answer of the web to a request; counts requests for URLs whose answer depends on the count."""
        attempt = 1
        if self.web.counted(request.url):
            self._attempts[request.url] += 1
            attempt = self._attempts[request.url]
        answer = self.web.answer(request.url, attempt, time.time())
        etag = request.headers.get("if-none-match")
        return Answer(304, answer.headers) if etag and etag == answer.header("etag") else answer
