"""What a worker is sent: it arrives as it was, document by document."""

from __future__ import annotations

import socket
from io import BufferedReader, BytesIO
from threading import Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.crawl.readers import reader_config
from honeyguide.crawl.worker_input import pack_config, pack_documents, receive
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, ReaderConfig
from honeyguide.topic.material import material_of

from .kit import topic

TEXTS = st.text(st.characters(), max_size=20)  # surrogates too: what servers send need not be valid text
DOCUMENTS = st.lists(st.builds(Document, TEXTS, st.binary(max_size=50), TEXTS, TEXTS), max_size=5)


@given(st.lists(DOCUMENTS, max_size=3))
def test_batches_arrive_as_they_were(batches: list[list[Document]]) -> None:
    stream = BytesIO(b"".join(piece for batch in batches for piece in pack_documents(batch)))
    for batch in batches:
        received = receive(stream)
        assert received is not None
        assert not isinstance(received, ReaderConfig)
        assert list(received) == batch
    assert receive(stream) is None


def test_a_configuration_arrives() -> None:
    wanted = topic(["http://home.example/"])
    config = reader_config(wanted, make_model(material_of(wanted)))
    received = receive(BytesIO(b"".join(pack_config(config))))
    assert isinstance(received, ReaderConfig)
    assert received.scope == config.scope


def test_the_first_document_is_there_before_the_others() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, BufferedReader(socket.SocketIO(theirs, "r"), 1 << 18) as stream:
        head, first_sizes, first, *rest = pack_documents([Document("a", b"one"), Document("b", b"two")])
        ours.sendall(head + first_sizes + first)
        documents = receive(stream)
        assert documents is not None
        assert not isinstance(documents, ReaderConfig)
        assert next(documents) == Document("a", b"one")
        later = Thread(target=ours.sendall, args=(b"".join(rest),))
        later.start()
        assert next(documents) == Document("b", b"two")
        later.join()


@pytest.mark.parametrize("kept", range(1, 28))
def test_a_message_that_breaks_off_is_noticed(kept: int) -> None:
    message = b"".join(pack_documents([Document("http://a.example/", b"body")]))
    with pytest.raises(EOFError):
        list(receive(BytesIO(message[:kept])) or ())  # type: ignore[arg-type]
