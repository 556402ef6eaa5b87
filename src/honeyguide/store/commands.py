"""The commands that a user can send to a crawl, and their validation."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from honeyguide.errors import InputError
from honeyguide.page.blocklist import block_entry
from honeyguide.page.url import UrlRules
from honeyguide.settings import settings_of
from honeyguide.topic import Topic
from honeyguide.topic.budget import BudgetSettings
from honeyguide.topic.material import has_examples
from honeyguide.topic.seeds import read_seeds
from honeyguide.topic.source_location import Key
from honeyguide.topic.subject import read_keywords

YES, NO, FORGET = "yes", "no", "forget"
ANSWERS = (YES, NO, FORGET)
"""The arguments of the command ``label`` about a page."""
ALL_LABELS = "all"
"""In place of a URL: every page that has a label."""

LIMITS = ("pages", "relevant", "bytes", "minutes")
"""The settings of ``[budget]`` that the command ``budget`` changes."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command for a crawl: its name, and its arguments as a user would type them."""

    name: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.name, *self.arguments))


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """A kind of command."""

    usage: str
    """A description of its arguments, for people; "" if it has none."""
    help: str
    check: Callable[[tuple[str, ...], Topic], tuple[str, ...]]
    """The arguments in their canonical spelling, given the topic of the crawl. Raises `InputError`."""
    is_for_run: bool = False
    """Whether it concerns only the current run."""


def checked(command: Command, topic: Topic) -> Command:
    """Validate a command. Returns it with its arguments in canonical spelling.

    Raises `InputError` if there is no such command, or an argument is wrong.
    """
    spec = COMMANDS.get(command.name)
    if spec is None:
        close = difflib.get_close_matches(command.name, COMMANDS, n=1)
        remedy = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(COMMANDS)}"
        raise InputError("command", f"there is no command {command.name!r}", remedy)
    return Command(command.name, spec.check(command.arguments, topic))


def changed_limits(arguments: tuple[str, ...], budget: BudgetSettings) -> dict[str, float]:
    """The limits that the arguments of ``budget`` set, such as ``pages=2000`` or ``pages=+500``, as absolute numbers.

    Raises `InputError` for anything else, and for an addition to a limit that does not exist.
    """
    if not arguments:
        raise InputError("budget", "nothing to change", "write pages=2000, or pages=+500 for 500 more")
    found: dict[str, float] = {}
    for argument in arguments:
        name, equals, text = argument.partition("=")
        if name not in LIMITS or not equals:
            raise InputError("budget", f"{argument!r} is not a limit", f"write NAME=NUMBER; names: {', '.join(LIMITS)}")
        found[name] = _limit(name, text.strip(), getattr(budget, name))
    return found


def _limit(name: str, text: str, before: float) -> float:
    declared = settings_of(BudgetSettings)[name]
    number = declared.parse(text.removeprefix("+").replace("_", ""))
    if number is None:
        raise InputError(
            "budget", f"{name} must be {declared.kind}, not {text!r}", f"write {name}=1000, or {name}=+100"
        )
    if wrong := declared.problem(name, number):
        raise InputError("budget", *wrong)
    if not text.startswith("+"):
        return float(number) if name == "minutes" else int(number)
    if not before:
        raise InputError("budget", f"{name} has no limit to add to", f"give the limit itself: {name}=1000")
    total: float = before + number
    if wrong := declared.problem(name, total):
        raise InputError("budget", *wrong)
    return total


# ---- checks ----


def _nothing(arguments: tuple[str, ...], _topic: Topic) -> tuple[str, ...]:
    if arguments:
        raise InputError("command", f"{arguments[0]!r} is one argument too many", "give none")
    return ()


def _limits(arguments: tuple[str, ...], topic: Topic) -> tuple[str, ...]:
    changed_limits(arguments, topic.budget)
    return arguments


def _entries(arguments: tuple[str, ...], _topic: Topic) -> tuple[str, ...]:
    _need(arguments, "block", "a host or a path")
    return tuple(dict.fromkeys(map(block_entry, arguments)))


def _seeds(arguments: tuple[str, ...], topic: Topic) -> tuple[str, ...]:
    _need(arguments, "seed", "a URL")
    return read_seeds(arguments, topic.urls, Path(), lambda key: _place("seed", key))


def _label(arguments: tuple[str, ...], topic: Topic) -> tuple[str, ...]:
    if len(arguments) != 2 or arguments[1] not in ANSWERS:
        raise InputError("label", "needs a URL and an answer", f"write URL {'|'.join(ANSWERS)}")
    url, answer = arguments
    if (url, answer) == (ALL_LABELS, FORGET):
        return arguments
    canonical = UrlRules(topic.urls).canonical(url)
    if canonical is None:
        raise InputError("label", f"{url!r} is not the URL of a page", "write it as https://example.org/page")
    return canonical, answer


def _keywords(arguments: tuple[str, ...], topic: Topic) -> tuple[str, ...]:
    found = read_keywords(",".join(arguments), lambda key: _place("keywords", key))
    _need(found, "keywords", "a keyword")
    if has_examples(topic):
        problem = "the model of this crawl is trained with examples, which takes more than keywords"
        raise InputError("keywords", problem, "add them to the topic file, and run `honeyguide train` again")
    return found


def _need(arguments: tuple[str, ...], place: str, what: str) -> None:
    if not arguments:
        raise InputError(place, f"needs {what}", "give one or more")


def _place(name: str, key: Key) -> str:
    return f"{name} {int(key[1]) + 1}" if len(key) > 1 else name


COMMANDS: Mapping[str, CommandSpec] = MappingProxyType(
    {
        "pause": CommandSpec("", "start no further request until `resume`", _nothing, is_for_run=True),
        "resume": CommandSpec("", "continue after `pause`", _nothing, is_for_run=True),
        "stop": CommandSpec("", "save and end the run, as Ctrl-C does", _nothing, is_for_run=True),
        "budget": CommandSpec("NAME=NUMBER|NAME=+NUMBER ...", f"change limits: {', '.join(LIMITS)}", _limits),
        "block": CommandSpec(
            "HOST|PATTERN ...", "send no more requests there, and drop the URLs waiting there", _entries
        ),
        "unblock": CommandSpec("HOST|PATTERN ...", "undo `block`: dropped URLs are waiting again", _entries),
        "seed": CommandSpec("URL ...", "add seeds", _seeds),
        "label": CommandSpec(
            "URL yes|no|forget", "label a page as relevant or not, or remove the label (all forget: all labels)", _label
        ),
        "keywords": CommandSpec("KEYWORD ...", "add keywords, and rescore all pages with them", _keywords),
        "forget": CommandSpec("KEYWORD ...", "undo `keywords`", _keywords),
    }
)
"""Every command by its name."""
