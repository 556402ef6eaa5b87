"""How pages are rendered in a browser: how many, and what one page may take."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.settings import setting


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """The ``[browser]`` table: for pages that are rendered, which ``browser`` in ``[fetch]`` decides."""

    share: float = setting(
        0.25, 'largest share of a crawl\'s pages that browser = "auto" renders', minimum=0.0, maximum=1.0
    )
    minutes: float = setting(0.0, "minutes that pages may take to render, all together; 0 = any", minimum=0.0)
    pages: int = setting(2, "pages that are rendered at the same time", minimum=1, maximum=64)
    seconds: float = setting(15.0, "seconds that rendering one page may take", minimum=0.1, maximum=600.0)
    settle: float = setting(
        5.0, "seconds that the scripts of a page get; its clock runs faster than ours", minimum=0.1, maximum=60.0
    )
    memory: int = setting(1500, "megabytes of memory that the browser may take before it is killed", minimum=200)
    requests: int = setting(40, "requests that one page may send", minimum=0)
    max_bytes: int = setting(8_000_000, "total bytes of the responses to them", minimum=0)
    hosts: tuple[str, ...] = setting(
        (
            "ajax.googleapis.com",
            "cdn.jsdelivr.net",
            "cdnjs.cloudflare.com",
            "code.jquery.com",
            "esm.sh",
            "unpkg.com",
        ),
        "hosts of other sites that pages may request from; their own site is always allowed",
    )
    program: str = setting("", "the browser's program; empty = the first Chromium or Chrome that is found")
