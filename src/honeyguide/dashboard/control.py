"""Sends commands from the dashboard: the same as ``honeyguide tell``, through the same inbox."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from honeyguide.dashboard.marks import parsed_mark
from honeyguide.errors import HoneyguideError
from honeyguide.store.commands import COMMANDS, Command
from honeyguide.store.folder import is_running
from honeyguide.store.inbox import result_of, send

BY = "dashboard"
_PATIENCE = 3.0  # seconds in which a running crawl answers
_PAUSE = 0.1
_KEPT = 100  # answers that can still be shown
_VIEW = r"/(?:pages|page/\d{1,15}|hosts|host/\d{1,15}|seeds)?"
_BACK = re.compile(_VIEW + r"(?:\?[\w%=&+.,*~-]*)?", re.ASCII).fullmatch


class CommandResult(NamedTuple):
    """The result of a command."""

    number: str
    """The key of the text in `Controls.answer`."""
    ok: bool
    """Whether it was applied, or will be."""
    text: str


def back_to(form: Mapping[str, str], told: CommandResult) -> str:
    """The address of the view that a form came from, if it is one of ours; it shows the result."""
    back = form.get("back", "/")
    if not _BACK(back):
        back = "/"
    return f"{back}{'&' if '?' in back else '?'}told={told.number}"


class Controls:
    """Sends commands, and keeps their results for the next view."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._answers: OrderedDict[str, str] = OrderedDict()

    async def tell(self, form: Mapping[str, str]) -> CommandResult:
        """Send the command of a form."""
        try:
            told = await self._sent(_command(form))
        except HoneyguideError as error:
            told = CommandResult(f"refused-{time.time_ns()}", False, str(error))
        self._answers[told.number] = told.text
        while len(self._answers) > _KEPT:
            self._answers.popitem(last=False)
        return told

    def answer(self, number: str) -> str:
        """The result of a command; "" if unknown."""
        return self._answers.get(number, "")

    async def _sent(self, command: Command) -> CommandResult:
        number = await asyncio.to_thread(send, self._folder, command, by=BY)
        if not await asyncio.to_thread(is_running, self._folder):
            return CommandResult(number, True, f"{command}: noted; it takes effect when the crawl is run again")
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end:
            result = await asyncio.to_thread(result_of, self._folder, number)
            if result is not None:
                return CommandResult(number, result.ok, f"{command}: {'' if result.ok else 'not done: '}{result.text}")
            await asyncio.sleep(_PAUSE)
        return CommandResult(number, True, f"{command}: sent; the crawl has not responded yet")


def _command(form: Mapping[str, str]) -> Command:
    """The command in a form, which `send` validates."""
    name = form.get("command", "")
    if name == "budget":
        return Command(name, (f"{form.get('limit', '')}=+{form.get('amount', '')}",))
    if name == "label":
        return Command(name, parsed_mark(form.get("mark", "")))
    argument = form.get("argument", "").strip()
    return Command(name, (argument,) if argument and name in COMMANDS else ())
