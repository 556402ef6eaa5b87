"""A small web on loopback, for tests of commands that crawl."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

Served = Mapping[str, tuple[str, bytes]]
"""Paths, with the content type and the body of each."""

HTML = "text/html; charset=utf-8"


def html(title: str, text: str, *links: tuple[str, str], language: str = "") -> tuple[str, bytes]:
    """A page with a paragraph for each line of a text, and links with their anchors."""
    lang = f' lang="{language}"' if language else ""
    lines = "".join(f"<p>{line}</p>" for line in text.splitlines())
    anchors = "".join(f'<li><a href="{path}">{anchor}</a></li>' for path, anchor in links)
    return HTML, f"<!DOCTYPE html><html{lang}><title>{title}</title>{lines}<ul>{anchors}</ul>".encode()


@contextmanager
def serve(pages: Served) -> Iterator[str]:
    """The address of a server of some pages; all other paths, such as robots.txt, are not there."""

    class Site(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            kind, body = pages.get(self.path, ("", b""))
            self.send_response(200 if self.path in pages else 404)
            if kind:
                self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def write_topic(path: Path, site: str, keywords: list[str], more: str = "") -> None:
    """A topic file for a quick crawl of a site from its start page."""
    path.write_text(
        f"seeds = ['{site}/']\nkeywords = {keywords!r}\n[fetch]\nallow_networks = ['127.0.0.0/8']\ndelay = 0.0\n"
        f"domain_delay = 0.0\nip_delay = 0.0\nbackoff = 0.0\n{more}",
        encoding="utf-8",
    )
