"""Messages from the crawl to a worker process: configurations, and documents to read.

The documents of a batch are sent one after the other. So the crawl need not copy them into a message first, and the
worker starts to read the first one while the others are still in transit: a socket holds at most a few pages, and the
crawl may be busy when there is space for more.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator, Sequence
from io import BufferedIOBase

from honeyguide.strategy.reading import Document, ReaderConfig

_HEAD = struct.Struct("<cI")  # the kind of message, and the bytes of a configuration or the number of documents
_CONFIG, _DOCUMENTS = b"c", b"d"
_SIZES = struct.Struct("<?d4I")  # whether a document is a listing, its worth, and the sizes of its fields


def pack_config(config: ReaderConfig) -> list[bytes]:
    """The pieces of a message with a new configuration. It is a pickle, since workers trust the crawl."""
    content = pickle.dumps(config, pickle.HIGHEST_PROTOCOL)
    return [_HEAD.pack(_CONFIG, len(content)), content]


def pack_documents(documents: Sequence[Document]) -> list[bytes]:
    """The pieces of a message with a batch of documents."""
    pieces = [_HEAD.pack(_DOCUMENTS, len(documents))]
    for document in documents:
        url, kind, tag = (_packed(text) for text in (document.url, document.content_type, document.robots_tag))
        body = document.body
        pieces.append(
            _SIZES.pack(document.listing, document.worth, len(url), len(kind), len(tag), len(body)) + url + kind + tag
        )
        pieces.append(body)
    return pieces


def receive(stream: BufferedIOBase) -> ReaderConfig | Iterator[Document] | None:
    """The next message: a configuration, or documents, which are received one by one as they are taken.

    Returns None when the crawl has closed the socket. Raises `EOFError` if it does so within a message.
    """
    head = stream.read(_HEAD.size)
    if not head:
        return None
    if len(head) < _HEAD.size:
        raise EOFError
    what, size = _HEAD.unpack(head)
    if what == _DOCUMENTS:
        return (_receive_document(stream) for _ in range(size))
    config: ReaderConfig = pickle.loads(_exactly(stream, size))  # noqa: S301 (from the crawl that started us)
    return config


def _receive_document(stream: BufferedIOBase) -> Document:
    listing, worth, *sizes, body_size = _SIZES.unpack(_exactly(stream, _SIZES.size))
    url, kind, tag = (_unpacked(_exactly(stream, size)) for size in sizes)
    return Document(url, _exactly(stream, body_size), kind, tag, listing, worth)


def _exactly(stream: BufferedIOBase, size: int) -> bytes:
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content


def _packed(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # text from servers may be invalid


def _unpacked(text: bytes) -> str:
    return text.decode("utf-8", "surrogatepass")
