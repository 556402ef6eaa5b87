"""The status of a crawl for Prometheus (extra ``metrics``).

The values are those of `status_of`. They are read from the database when they are asked for, in a thread of the server:
the crawl's loop has nothing to do with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from honeyguide.errors import HoneyguideError, InputError
from honeyguide.store.status import Status, status_of

LOOPBACK: Final = "127.0.0.1"


class Metric(NamedTuple):
    """A metric: its value, or its values by a label."""

    name: str
    """As Prometheus shows it; that of a counter ends with ``_total``."""
    help: str
    value: Callable[[Status], float | Mapping[str, float]]
    label: str = ""


METRICS: Final = (
    Metric("honeyguide_running", "1 while the crawl is running", lambda now: now.running),
    Metric("honeyguide_paused", "1 while it is paused", lambda now: now.paused),
    Metric("honeyguide_pages_total", "pages fetched and read", lambda now: now.pages),
    Metric("honeyguide_relevant_pages_total", "relevant pages, without duplicates", lambda now: now.relevant),
    Metric("honeyguide_duplicate_pages_total", "pages that repeat an earlier one", lambda now: now.duplicates),
    Metric("honeyguide_harvest_ratio", "share of the pages that are relevant", lambda now: now.harvest),
    Metric("honeyguide_harvest_now_ratio", "the same for the last 200 pages", lambda now: now.harvest_now),
    Metric(
        "honeyguide_pages_per_second",
        "speed over the last 200 pages of this run; 0 if it does not run",
        lambda now: now.pages_per_second_now,
    ),
    Metric("honeyguide_crawl_seconds_total", "time spent crawling, over all runs", lambda now: now.seconds),
    Metric("honeyguide_received_bytes_total", "bytes of bodies received", lambda now: now.bytes),
    Metric("honeyguide_answers_total", "requests that were answered, with any status", lambda now: now.answers),
    Metric("honeyguide_waiting_urls", "URLs waiting to be fetched", lambda now: now.waiting),
    Metric(
        "honeyguide_resting_hosts",
        "hosts suspended for longer than their usual delay",
        lambda now: now.hosts_resting,
    ),
    Metric("honeyguide_failures_total", "failed fetches", lambda now: now.failures, "kind"),
    Metric("honeyguide_refused_urls", "URLs and links not followed", lambda now: now.refused, "reason"),
    Metric(
        "honeyguide_budget_limit",
        "limits of the budget",
        lambda now: {name: limit.limit for name, limit in now.budget.items()},
        "limit",
    ),
    Metric(
        "honeyguide_budget_left",
        "what is left of them",
        lambda now: {name: limit.left for name, limit in now.budget.items()},
        "limit",
    ),
    Metric(
        "honeyguide_stopped", "1 if the last run has ended", lambda now: {now.stop: 1.0} if now.stop else {}, "reason"
    ),
    Metric("honeyguide_committed_timestamp_seconds", "when these values were written", lambda now: now.committed),
)
"""Every metric. Each has the label ``crawl`` with the name of the crawl."""


@contextmanager
def metrics_server(folder: Path, where: str) -> Iterator[int]:
    """Serve the metrics of a crawl, which need not exist yet, until the block ends.

    Args:
        folder: The folder of the crawl.
        where: ``PORT`` or ``HOST:PORT``; only programs on this machine can reach a port without a host.

    Yields:
        The port, which is a free one if it was given as 0.

    Raises:
        InputError: The address is wrong or in use, or the extra is not installed.
    """
    host, port = _address(where)
    try:
        from prometheus_client import CollectorRegistry, start_http_server  # noqa: PLC0415 (an extra)
    except ImportError:
        raise InputError("--metrics", "needs prometheus-client", 'pip install "honeyguide[metrics]"') from None
    registry = CollectorRegistry()
    registry.register(_Collector(folder))
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        problem = f"cannot serve at {where}: {error.strerror or error}"
        raise InputError("--metrics", problem, "choose another port or address") from None
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _address(where: str) -> tuple[str, int]:
    host, _, port = where.strip().rpartition(":")
    if not port.isdecimal() or not port.isascii() or int(port) > 65535:
        raise InputError("--metrics", f"{where!r} is not a port", "write a port such as 9464, or HOST:PORT")
    return host.removeprefix("[").removesuffix("]") or LOOPBACK, int(port)


class _Collector:
    """Makes the metrics of a crawl when they are asked for; none while there is no crawl to read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Any]:
        """The metrics with their values."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415

        try:
            now = status_of(self._folder)
        except HoneyguideError:
            return
        for metric in METRICS:
            labels = ["crawl", *filter(None, (metric.label,))]
            kind = CounterMetricFamily if metric.name.endswith("_total") else GaugeMetricFamily
            family = kind(metric.name, metric.help, labels=labels)
            found = metric.value(now)
            if isinstance(found, Mapping):
                for label, value in found.items():
                    family.add_metric([now.name, label], float(value))
            else:
                family.add_metric([now.name], float(found))
            yield family
