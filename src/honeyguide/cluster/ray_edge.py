"""Shards and the coordinator as Ray actors: Ray starts, places, restarts and connects them.

All of them belong to the driver, the process of the command: when it ends, in whatever way, Ray ends them, and whatever
was committed is on disk. Ray restarts an actor whose process or node has died, as often as necessary, and the actor
resumes from its folder.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import sleep
from typing import Any, Final

from typing_extensions import override

from honeyguide.cluster.head import ClusterHead
from honeyguide.cluster.mail import Parcel, Receipt
from honeyguide.cluster.messages import Orders, ShardReport
from honeyguide.cluster.ring import Ring
from honeyguide.cluster.runner import ShardNetwork, ShardRunner, UnreachableError
from honeyguide.crawl.again.revisits import RevisitOptions
from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.session import Session
from honeyguide.errors import HoneyguideError, InputError, append_traceback, one_line
from honeyguide.fetch.base import Fetcher
from honeyguide.relevance import saved
from honeyguide.relevance.base import Relevance
from honeyguide.store.folder import ERRORS, is_running
from honeyguide.store.shards import shard_folder
from honeyguide.store.tally import Tally
from honeyguide.topic import Topic
from honeyguide.topic.material import has_examples

_log = logging.getLogger("honeyguide.cluster")

COORDINATOR: Final = "coordinator"
_POLL_EVERY: Final = 1.0
_RETRY_AFTER: Final = 1.0  # seconds until an actor that has died is called again
_ANSWER_WITHIN: Final = 20.0
_LOCKED_FOR: Final = 10.0  # seconds for which a process that has died may still hold its locks


def ray_module() -> Any:
    """The package ray. Raises `InputError` if it is not installed."""
    try:
        import ray  # noqa: PLC0415 (heavy, and an extra)
    except ImportError:
        raise InputError("--cluster", "needs Ray", "install it: pip install 'honeyguide[cluster]'") from None
    return ray


class RayNetwork(ShardNetwork):
    """Calls actors by name."""

    def __init__(self, namespace: str) -> None:
        self._ray = ray_module()
        self._namespace = namespace
        self._actors: dict[str, Any] = {}

    def _actor(self, name: str) -> Any:
        if name not in self._actors:
            self._actors[name] = self._ray.get_actor(name, namespace=self._namespace)
        return self._actors[name]

    async def _call(self, name: str, call: Callable[[Any], Any]) -> Any:
        try:
            return await asyncio.wait_for(call(self._actor(name)), _ANSWER_WITHIN)
        except (self._ray.exceptions.RayError, ValueError, TimeoutError) as error:
            self._actors.pop(name, None)
            raise UnreachableError(f"{type(error).__name__}") from None

    @override
    async def deliver(self, parcel: Parcel) -> Receipt:
        receipt: Receipt = await self._call(parcel.receiver, lambda actor: actor.receive.remote(parcel))
        return receipt

    @override
    async def report(self, report: ShardReport) -> Orders:
        orders: Orders = await self._call(COORDINATOR, lambda actor: actor.report.remote(report))
        return orders


class CoordinatorActor:
    """The coordinator, in a process of its own."""

    def __init__(self, folder: Path, topic: Topic, again: RevisitOptions | None) -> None:
        self._head = _retry_while_locked(lambda: ClusterHead(folder, topic, again=again))
        self._failed: Exception | None = None

    async def report(self, report: ShardReport) -> Orders:
        """Take the report of a shard, and return its orders."""
        try:
            return self._head.report(report)
        except Exception as error:
            self._failed = error  # for the driver: the shard only learns that nobody has answered
            raise

    async def poll(self) -> tuple[Tally, StopReason | None, bool]:
        """Return the state of the crawl: its counts, why it ends (or None), and whether all shards have ended.

        Raises what a report has raised.
        """
        if self._failed is not None:
            raise self._failed
        self._head.poll()
        coordinator = self._head.coordinator
        return coordinator.tally, coordinator.stop, coordinator.has_ended

    async def request_stop(self, text: str) -> None:
        """End the run."""
        self._head.request_stop(text)


class ShardActor:
    """A shard, in a process of its own."""

    def __init__(
        self,
        name: str,
        shards: tuple[str, ...],
        folder: Path,
        topic: Topic,
        namespace: str,
        model: Relevance | None,
        workers: int,
        fetcher: Callable[[], Fetcher] | None,
        again: RevisitOptions | None,
    ) -> None:
        self._folder = shard_folder(folder, name)
        if model is None and has_examples(topic) and not (self._folder / saved.FOLDER).is_dir():
            model = saved.load(folder / saved.FOLDER)  # it was never started: the topic alone does not make this model
        make = partial(Session, topic, self._folder, model=model, workers=workers, fetcher=fetcher, again=again)
        self._make = partial(ShardRunner, name, Ring(shards), RayNetwork(namespace), make)
        self._runner: ShardRunner | None = None
        self._task: asyncio.Task[str] | None = None

    async def run(self) -> str:
        """Crawl until the run ends. Returns why it failed, or "".

        The driver calls this again after it has lost contact with the shard, even though the shard may be running.
        """
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        return await asyncio.shield(self._task)

    async def _run(self) -> str:
        try:
            while True:
                self._runner = self._make()
                try:
                    await self._runner.run()
                except InputError as error:
                    if not is_running(self._folder):
                        return str(error)
                    await asyncio.sleep(_RETRY_AFTER)  # the previous process is still exiting
                else:
                    return ""
        except HoneyguideError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 (the driver would take it for a death, and restart it for ever)
            log = self._folder / ERRORS
            append_traceback(log, f"internal error: {one_line(error)}", error)
            return f"internal error: {one_line(error)}; traceback in {log}"

    async def receive(self, parcel: Parcel) -> Receipt:
        """Take a parcel from another shard."""
        if self._runner is None:
            raise UnreachableError("not started")
        return await self._runner.receive(parcel)

    async def request_stop(self) -> None:
        """Stop without waiting for the coordinator."""
        if self._runner is not None:
            self._runner.request_stop()


def _retry_while_locked(make: Callable[[], ClusterHead]) -> ClusterHead:
    """Make the head, and retry for a while if the folder is locked: the previous process may still be exiting."""
    waited = 0.0
    while True:
        try:
            return make()
        except InputError:
            if waited >= _LOCKED_FOR:
                raise
            sleep(_RETRY_AFTER)
            waited += _RETRY_AFTER


Step = Callable[[Tally], None]


class RayCluster:
    """The actors of one run, as its driver sees them."""

    def __init__(
        self,
        folder: Path,
        topic: Topic,
        shards: tuple[str, ...],
        *,
        model: Relevance | None = None,
        workers: int = 1,
        fetcher: Callable[[], Fetcher] | None = None,
        again: RevisitOptions | None = None,
    ) -> None:
        """Start all actors. Ray must be running."""
        self._ray = ray = ray_module()
        namespace = ray.get_runtime_context().namespace
        options = {"max_restarts": -1, "max_task_retries": 0}
        self._coordinator = (
            ray.remote(CoordinatorActor).options(name=COORDINATOR, num_cpus=0, **options).remote(folder, topic, again)
        )
        actor = ray.remote(ShardActor)
        # Ray spreads actors over the machines as long as these have CPUs left, so each asks for a tiny fraction of one.
        placement = {"num_cpus": 0.01, "scheduling_strategy": "SPREAD", "max_concurrency": 1000}
        self._shards = {
            name: actor.options(name=name, **placement, **options).remote(
                name, shards, folder, topic, namespace, model, workers, fetcher, again
            )
            for name in shards
        }
        self._runs = {name: shard.run.remote() for name, shard in self._shards.items()}

    async def run(self, step: Step = lambda _: None) -> StopReason:
        """Supervise the run until it ends, and call `step` about once a second.

        Raises `HoneyguideError` when a shard fails, after the others have been stopped, and when an actor cannot be
        started, for instance because a package is missing on its machine: Ray does not retry that.
        """
        failures: dict[str, str] = {}
        stop: StopReason | None = None
        while self._runs:
            latest = await self._poll(step)
            stop = latest or stop
            for name, run in list(self._runs.items()):
                ready, _ = await asyncio.to_thread(self._ray.wait, [run], timeout=0)
                if ready:
                    await self._ended(name, run, failures)
            if self._runs:
                await asyncio.sleep(_POLL_EVERY)
        if failures:
            name, text = min(failures.items())
            raise HoneyguideError(f"shard {name}: {text}")
        return await self._poll(step) or stop or StopReason("failed", "the coordinator could not be reached")

    async def _poll(self, step: Step) -> StopReason | None:
        try:
            tally, stop, _ = await _with_timeout(self._coordinator.poll.remote())
        except (self._ray.exceptions.RayError, TimeoutError) as error:
            if problem := _start_failure(error):
                raise HoneyguideError(f"the coordinator {problem}") from None
            if isinstance(error, self._ray.exceptions.RayTaskError):  # it is alive, and cannot do its work
                raise HoneyguideError(f"the coordinator has failed: {one_line(error.cause)}") from None
            _log.warning("the coordinator cannot be reached: %s", type(error).__name__)
            return None
        step(tally)
        return stop  # type: ignore[no-any-return]

    async def _ended(self, name: str, run: Any, failures: dict[str, str]) -> None:
        try:
            text = await run
        except self._ray.exceptions.RayError as error:
            text = _start_failure(error)
            if not text:
                _log.warning("shard %s has died (%s); it is being restarted", name, type(error).__name__)
                await asyncio.sleep(_RETRY_AFTER)
                self._runs[name] = self._shards[name].run.remote()
                return
        del self._runs[name]
        if text:
            failures[name] = text
            await self.request_stop("a shard has failed")

    async def request_stop(self, text: str, *, at_once: bool = False) -> None:
        """End the run after the visits in progress; with `at_once`, without waiting for them."""
        calls: list[Any] = [self._coordinator.request_stop.remote(text)]
        if at_once:
            calls += [shard.request_stop.remote() for shard in self._shards.values() for _ in range(2)]
        await asyncio.gather(*map(_with_timeout, calls), return_exceptions=True)

    def close(self) -> None:
        """Kill all actors. Whatever was committed is on disk."""
        for actor in (*self._shards.values(), self._coordinator):
            self._ray.kill(actor)


def _start_failure(error: Exception) -> str:
    """Why an actor could not be started; "" if it was started, so that Ray restarts it."""
    if not getattr(error, "actor_init_failed", False):
        return ""
    reason = str(error).strip().splitlines()[-1].strip()
    return f"cannot be started: {reason}; install the same packages on every machine of the cluster"


async def _with_timeout(call: Any) -> Any:
    return await asyncio.wait_for(_awaited(call), _ANSWER_WITHIN)


async def _awaited(call: Any) -> Any:
    return await call
