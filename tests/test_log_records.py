"""Records of worker processes: handled in the main process as if they had been made there."""

from __future__ import annotations

import logging
import pickle
from typing import Any

import pytest

from honeyguide.log_records import ForwardingHandler, replay


def packed(level: int, message: str, *values: object, **more: Any) -> dict[str, Any]:
    """A record as a worker sends it."""
    sent: list[dict[str, Any]] = []
    logger = logging.Logger("honeyguide.test")  # noqa: LOG001 (as in another process: not the one of this name here)
    logger.addHandler(ForwardingHandler(sent.append))
    logger.log(level, message, *values, **more)
    received: dict[str, Any] = pickle.loads(pickle.dumps(sent[0]))
    return received


def test_a_record_arrives_with_message_fields_and_traceback(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise ValueError("why")
    except ValueError:
        replay(packed(logging.ERROR, "%s went wrong", object, extra={"url": "http://a.example/"}, exc_info=True))
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("honeyguide.test", "ERROR")
    assert record.getMessage() == "<class 'object'> went wrong"
    assert vars(record)["url"] == "http://a.example/"
    assert str(record.exc_text).endswith("ValueError: why")


def test_what_nobody_wants_here_is_dropped(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "honeyguide")
    replay(packed(logging.DEBUG, "a detail"))
    replay(packed(logging.INFO, "the point"))
    assert [record.getMessage() for record in caplog.records] == ["the point"]
