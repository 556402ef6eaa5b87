"""Reading a body from a connection: decoded as it arrives, up to a limit."""

from __future__ import annotations

from time import monotonic

import aiohttp

from honeyguide.fetch.body import Body, body_reader

_GRACE = 5.0  # seconds before the rate counts: servers that compute a page may send its head first


class SlowBodyError(TimeoutError):
    """A body arrives more slowly than the minimum rate."""


async def read_body(
    content: aiohttp.StreamReader, encoding: str, limit: int, *, text: bool, min_rate: float = 0.0
) -> Body:
    """Read a body until its end, or until it is clear that it has more than `limit` decoded bytes.

    `encoding` is the Content-Encoding header. `text` says that the body should be text: in that case gzip is
    recognised even if it is not announced, as happens with static files. When the connection is lost, the bytes
    received so far are returned; if there are none, the error is raised. A timeout is always raised, and so is
    `BrokenEncodingError` when not a single byte can be decoded.

    `min_rate` is in bytes per second: a server that drips its bytes may not hold a connection for as long as it
    likes. `SlowBodyError` is raised when fewer have arrived on average, a few seconds after the beginning.
    """
    began = monotonic()
    chunk = await content.readany()
    if not chunk:
        return Body(b"", b"", "")
    reader = body_reader(chunk, encoding, limit, text=text)
    try:
        received = len(chunk)
        while chunk and reader.take(chunk):
            chunk = await content.readany()
            received += len(chunk)
            if chunk and received < min_rate * (monotonic() - began - _GRACE):
                raise SlowBodyError(f"slower than {min_rate:g} bytes per second")
    except TimeoutError:
        raise
    except aiohttp.ClientError:
        kept = reader.result("disconnect")
        if not kept.body:
            raise
        return kept
    return reader.result("")
