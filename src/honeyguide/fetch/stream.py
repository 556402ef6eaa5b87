"""Reading a body from a connection: decoded as it arrives, up to a limit."""

from __future__ import annotations

import aiohttp

from honeyguide.fetch.body import Body, body_reader


async def read_body(content: aiohttp.StreamReader, encoding: str, limit: int, *, text: bool) -> Body:
    """Read a body until its end, or until it is clear that it has more than `limit` decoded bytes.

    `encoding` is the Content-Encoding header. `text` says that the body should be text: in that case gzip is
    recognised even if it is not announced, as happens with static files. When the connection is lost, the bytes
    received so far are returned; if there are none, the error is raised. A timeout is always raised, and so is
    `BrokenEncodingError` when not a single byte can be decoded.
    """
    chunk = await content.readany()
    if not chunk:
        return Body(b"", b"", "")
    reader = body_reader(chunk, encoding, limit, text=text)
    try:
        while chunk and reader.take(chunk):
            chunk = await content.readany()
    except TimeoutError:
        raise
    except aiohttp.ClientError:
        kept = reader.result("disconnect")
        if not kept.body:
            raise
        return kept
    return reader.result("")
