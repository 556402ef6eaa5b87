"""How a running crawl processes the commands in its inbox."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from typing_extensions import override

from honeyguide.crawl.budget import StopReason
from honeyguide.crawl.crawler import Crawler
from honeyguide.crawl.lessons import LiveLessons
from honeyguide.crawl.loop_hooks import Control
from honeyguide.crawl.recorder import Recorder
from honeyguide.errors import InputError
from honeyguide.store.command_effects import CommandEffects, read_copy, write_copy
from honeyguide.store.commands import COMMANDS, changed_limits, checked
from honeyguide.store.folder import CrawlFolder, unwritable
from honeyguide.store.inbox import Inbox, Message
from honeyguide.store.url_events import parse_detail

_log = logging.getLogger("honeyguide.crawl")


class InboxControl(Control):
    """Applies each command once, and records its result in the same transaction as its effects.

    Only then is its file deleted. If a crash prevents that, the next run finds the command among the events.
    """

    def __init__(
        self, crawler: Crawler, recorder: Recorder, folder: CrawlFolder, began: float, lessons: LiveLessons
    ) -> None:
        """`began` is the start time of the run: commands to a run, such as stop, that were sent before are rejected.

        The crawler has not begun to run.
        """
        self._crawler = crawler
        self._recorder = recorder
        self._folder = folder
        self._began = began
        self._lessons = lessons
        self._inbox = Inbox(folder.path)
        self._recorded_ids: set[str] | None = None  # ids of commands that earlier runs recorded
        self._commands: dict[str, Callable[[Message], str]] = {
            "pause": self._pause,
            "resume": self._resume,
            "stop": self._stop,
            "budget": self._budget,
            "block": self._block,
            "unblock": self._unblock,
            "seed": self._seed,
            "keywords": self._keywords,
            "forget": self._forget,
            "label": self._label,
        }
        recorder.effects = recorder.effects.for_topic(folder.given)
        self._copied = _usable_copy(folder.path)  # the content of the file that survives the loss of the database
        crawler.blocking.restore(recorder.effects.blocked, recorder.dropped())

    @override
    def apply(self, now: float) -> None:
        for message in self._inbox.take():
            if message.id not in self._recorded():
                self._apply(message, now)

    @override
    def committed(self) -> None:
        self._inbox.delete()
        if self._folder.topic != self._crawler.topic:
            self._folder.topic = self._crawler.topic
            try:
                self._folder.write_topic(self._folder.path)
            except OSError as error:  # not fatal: the database has it
                _log.warning("%s", unwritable(self._folder.path, error))
        if self._recorder.effects != self._copied:
            self._copied = self._recorder.effects
            try:
                write_copy(self._folder.path, self._copied)
            except OSError as error:  # not fatal: the database has it
                _log.warning("%s", unwritable(self._folder.path, error))
        self._lessons.committed()

    def _recorded(self) -> set[str]:
        """The ids of all commands that earlier runs applied. Queried once, with the first command of a run."""
        if self._recorded_ids is None:
            rows = self._recorder.query("SELECT detail FROM events WHERE kind = 'told'")
            self._recorded_ids = {str(parse_detail(text).get("id")) for (text,) in rows}
        return self._recorded_ids

    def _apply(self, message: Message, now: float) -> None:
        try:
            command = checked(message.command, self._crawler.topic)
            if COMMANDS[command.name].is_for_run and message.time < self._began:
                raise InputError(command.name, "was sent before this run began, and was not meant for it")
            is_ok, result = True, self._commands[command.name](replace(message, command=command))
        except InputError as error:
            is_ok, result = False, str(error)
        effects = {"command": message.command.name, "arguments": list(message.command.arguments)}
        detail = {"id": message.id, "by": message.by, "sent": message.time, **effects, "ok": is_ok, "result": result}
        self._recorder.event(now, "told", None, **detail)
        self._crawler.last_command = f"{message.command}: {result}"

    # ---- commands: each returns a description of what it did, or raises `InputError` and changes nothing ----

    def _pause(self, _message: Message) -> str:
        self._hold(True)
        return "paused; requests in flight are completed"

    def _resume(self, _message: Message) -> str:
        if not self._crawler.is_held:
            raise InputError("resume", "the crawl is not paused")
        self._hold(False)
        return "resumed"

    def _hold(self, is_held: bool) -> None:
        self._crawler.hold(is_held)
        self._recorder.paused = is_held

    def _stop(self, message: Message) -> str:
        text = f"stopped by {message.by}; run the same command again to continue"
        self._crawler.request_stop(StopReason("interrupted", text))
        return "stopping: waiting for requests in flight"

    def _budget(self, message: Message) -> str:
        topic = self._crawler.topic
        limits: Any = changed_limits(message.command.arguments, topic.budget)
        self._recorder.effects = self._recorder.effects.with_limits(limits, self._folder.given)
        self._crawler.topic = replace(topic, budget=replace(topic.budget, **limits))
        return ", ".join(f"{name} is {f'{value:,g}' if value else 'not limited'} now" for name, value in limits.items())

    def _block(self, message: Message) -> str:
        effects = self._recorder.effects
        new = [entry for entry in message.command.arguments if entry not in effects.blocked]
        if not new:
            raise InputError("block", f"{', '.join(message.command.arguments)}: blocked already")
        self._set_blocked((*effects.blocked, *new))
        return f"nothing more is requested from {', '.join(new)}; URLs waiting there are dropped"

    def _unblock(self, message: Message) -> str:
        blocked, wanted = self._recorder.effects.blocked, message.command.arguments
        unknown = [entry for entry in wanted if entry not in blocked]
        if unknown:
            remedy = f"blocked: {', '.join(blocked)}" if blocked else "nothing is"
            raise InputError("unblock", f"{unknown[0]} is not blocked", remedy)
        self._set_blocked(entry for entry in blocked if entry not in wanted)
        return f"{', '.join(wanted)}: dropped URLs are waiting again"

    def _set_blocked(self, entries: Iterable[str]) -> None:
        self._recorder.effects = replace(self._recorder.effects, blocked=tuple(entries))
        self._crawler.blocking.block(self._recorder.effects.blocked)

    def _seed(self, message: Message) -> str:
        crawler, effects, urls = self._crawler, self._recorder.effects, message.command.arguments
        for url in urls:
            if crawler.blocking.blocks(url):
                raise InputError("seed", f"{url} is blocked", "unblock it first")
        waiting = crawler.add_seeds(urls)
        self._recorder.effects = replace(effects, seeds=tuple(dict.fromkeys((*effects.seeds, *urls))))
        crawler.topic = replace(crawler.topic, seeds=tuple(dict.fromkeys((*crawler.topic.seeds, *urls))))
        known = f"; {len(urls) - len(waiting)} fetched or refused before" if len(waiting) < len(urls) else ""
        return f"{len(waiting)} added{known}"

    def _label(self, message: Message) -> str:
        url, answer = message.command.arguments
        return self._lessons.label(url, answer, message.by, message.time)

    def _keywords(self, message: Message) -> str:
        words = [word for word in message.command.arguments if word not in self._folder.given.keywords]
        return self._set_keywords(self._recorder.effects.with_keywords(words))

    def _forget(self, message: Message) -> str:
        effects, words = self._recorder.effects, message.command.arguments
        for word in words:
            if word not in effects.keywords:
                remedy = f"added: {', '.join(effects.keywords)}" if effects.keywords else "none were"
                raise InputError("forget", f"{word} is not a keyword that was added by `keywords`", remedy)
        return self._set_keywords(effects.without_keywords(words))

    def _set_keywords(self, effects: CommandEffects) -> str:
        keywords = effects.applied(self._crawler.topic).keywords
        result = self._lessons.learn_keywords(keywords)
        self._recorder.effects = effects
        self._crawler.topic = replace(self._crawler.topic, keywords=keywords)
        return result


def _usable_copy(folder: Path) -> CommandEffects | None:
    """Read the copy next to the database; None if it has to be replaced."""
    try:
        return read_copy(folder)
    except InputError:
        return None
