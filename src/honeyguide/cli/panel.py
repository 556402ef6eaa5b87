"""The contents of the live display of a crawl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from honeyguide.cli.output import visible
from honeyguide.crawl.budget import LimitState
from honeyguide.document import words
from honeyguide.frontier import HostState
from honeyguide.page.readable import readable, readable_host
from honeyguide.page.url import host_of
from honeyguide.store.reasons import describe
from honeyguide.store.tally import Find, Tally

_MARGIN = 10  # columns for labels
_GAP = "   "
_SHOWN_FINDS = 4
_LOW = 16  # lines: in a terminal that has fewer, only the counts are shown
_LEVELS = "▁▂▃▄▅▆▇█"
_MOST_MARKS = 64
_HOSTS = ((HostState.READY, "ready"), (HostState.BUSY, "busy"), (HostState.RESTING, "waiting"))
_NOTICED = 1.0  # seconds from which it is worth saying how long a request has taken
_LONG = 5.0  # ... and from which it is unusual


class HarvestCurve:
    """The harvest rate over the course of a run, in at most 64 stretches of equally many pages."""

    def __init__(self) -> None:
        self._marks: list[tuple[int, int]] = []  # pages and relevant pages so far
        self._step = 1

    def add(self, pages: int, relevant: int) -> None:
        """Record the counts, if enough pages have been fetched since the last record."""
        if self._marks and pages < self._marks[-1][0] + self._step:
            return
        self._marks.append((pages, relevant))
        if len(self._marks) > _MOST_MARKS:
            self._marks = self._marks[::2]
            self._step = max(2 * self._step, self._marks[1][0] - self._marks[0][0])

    def rates(self, most: int) -> list[float]:
        """The harvest rate in each of at most `most` stretches."""
        every = max(-(-(len(self._marks) - 1) // max(most, 1)), 1)
        marks = self._marks[::-1][::every][::-1]
        return [(found - found_before) / (pages - before) for (before, found_before), (pages, found) in pairwise(marks)]


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """A crawl at one moment."""

    name: str
    tally: Tally
    pages_per_second: float | None
    """None before it can be estimated."""
    limit: LimitState | None
    """The limit that the crawl is nearest to."""
    seconds_left: float | None
    """Seconds until it is reached, at the current speed; None if unknown."""
    curve: HarvestCurve
    waiting: int
    in_flight: int
    hosts: Counter[HostState]
    awaited: int
    """Hosts with better URLs that the crawl waits for."""
    paused: bool
    """Whether the user has paused it."""
    last_command: str
    """The last command and its result; "" if there is none."""
    visits: Sequence[tuple[str, float]]
    """Some of the visits in progress, oldest first: a description, and the seconds so far."""


def panel(now: CrawlProgress, width: int, height: int) -> RenderableType:
    """The panel for a terminal of a size: every row is one line, however narrow that is."""
    width = max(width - 1, 20)  # a line that fills a terminal would make some of them scroll
    body = width - _MARGIN
    rows = Table.grid(padding=(0, 1, 0, 0))
    rows.add_column(style="dim", justify="right", width=_MARGIN - 1, no_wrap=True)
    rows.add_column(no_wrap=True, overflow="ellipsis", width=body)
    tally = now.tally
    name = Text(visible(now.name), "bold")
    if now.paused:
        name.append(f"{_GAP}paused", "bold yellow")
    rows.add_row("crawl", _ends(name, Text("Ctrl-C saves and exits", "dim"), body))
    if now.limit is not None:
        rows.add_row("", _bar(now.limit, now.seconds_left, body))
    pace = (f"{tally.pages:,}", rate(now.pages_per_second), words.size(tally.size), duration(tally.seconds))
    rows.add_row("pages", _GAP.join(filter(None, pace)))
    rows.add_row("relevant", _relevant(tally))
    rows.add_row("harvest", _harvest(now, body))
    rows.add_row("frontier", _frontier(now))
    rows.add_row("hosts", _GAP.join(f"{now.hosts[state]:,} {word}" for state, word in _HOSTS))
    errors = describe(tally.errors)
    rows.add_row("errors", Text(errors, "yellow") if errors else Text("none", "dim"))
    if now.last_command:
        rows.add_row("command", _cut(Text(visible(now.last_command)), body))
    if height >= _LOW:
        finds = _finds(tally.finds, body, _SHOWN_FINDS - bool(now.last_command))
        for label, lines in (("fetching", _visits(now.visits, body)), ("found", finds)):
            for number, shown in enumerate(lines):
                rows.add_row("" if number else label, shown)
    return Group(rows)


def rate(pages_per_second: float | None) -> str:
    """A speed: per minute if it is less than one page in ten seconds; "" if it is not known."""
    if pages_per_second is None:
        return ""
    if 0 < pages_per_second < 0.1:
        return f"{60 * pages_per_second:.1f} pages/min"
    return f"{pages_per_second:,.1f} pages/s"


def duration(seconds: float) -> str:
    """A time as a clock shows it: 0:07, 12:34, 1:02:03."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# ---- rows ----


def _bar(limit: LimitState, seconds_left: float | None, width: int) -> RenderableType:
    amounts = {
        "pages": f"{limit.done:,.0f} of {limit.most:,.0f} pages",
        "relevant": f"{limit.done:,.0f} of {limit.most:,.0f} relevant",
        "bytes": f"{words.size(limit.done)} of {words.size(limit.most)}",
        "minutes": f"{limit.done:,.1f} of {limit.most:,.1f} min",
    }
    left = "" if seconds_left is None else f", {duration(seconds_left)} left"
    said = f"{limit.share:4.0%}  {amounts[limit.kind]}{left}"
    row = Table.grid(padding=0)
    row.add_column()
    row.add_column(no_wrap=True, overflow="ellipsis")
    length = max(width - len(said) - 1, 6)
    row.add_row(
        ProgressBar(
            limit.most,
            min(limit.done, limit.most),
            width=length,
            complete_style="green",
            finished_style="green",
        ),
        f" {said}",
    )
    return row


def _frontier(now: CrawlProgress) -> Text:
    row = Text(f"{now.waiting:,} waiting{_GAP}{now.in_flight:,} in flight")
    if now.awaited:
        hosts = "a host" if now.awaited == 1 else f"{now.awaited:,} hosts"
        row.append(f"{_GAP}waiting for {hosts}: better pages there", "dim")
    return row


def _relevant(tally: Tally) -> Text:
    row = Text(f"{tally.relevant:,}", "bold green")
    if tally.duplicates:
        row.append(f"{_GAP}{words.duplicates(tally.duplicates)} not counted", "not bold default")
    return row


def _harvest(now: CrawlProgress, width: int) -> Text:
    row = Text(f"now {now.tally.harvest_now:.1%}{_GAP}overall {now.tally.harvest:.1%}{_GAP}")
    for share in now.curve.rates(width - len(row)):
        row.append(_LEVELS[min(int(share * len(_LEVELS)), len(_LEVELS) - 1)], "green" if share >= 0.5 else "cyan")
    return row


def _visits(visits: Sequence[tuple[str, float]], width: int) -> list[RenderableType]:
    shown: list[RenderableType] = []
    for what, seconds in visits:
        taken = Text(f"{seconds:.0f} s", "yellow" if seconds >= _LONG else "dim") if seconds >= _NOTICED else Text()
        shown.append(_ends(Text(visible(what)), taken, width))
    return shown


def _finds(finds: Sequence[Find], width: int, most: int) -> list[RenderableType]:
    shown: list[RenderableType] = []
    for find in list(finds)[: -most - 1 : -1]:
        row = Text(f"{find.relevance:.2f}  ", "green")
        title, host = " ".join(find.title.split()), host_of(find.url)
        row.append(visible(title or readable(find.url)), "default")
        place = Text(visible(readable_host(host)), "dim") if title and len(host) <= width // 3 else Text()
        shown.append(_ends(row, place, width))
    return shown


def _ends(left: Text, right: Text, width: int) -> Text:
    """A text at either end of a line; the left one is cut off, or the right one left out, where both do not fit."""
    room = width - cell_len(right.plain) - 1
    if room < 12:
        return _cut(left, width)
    left = _cut(left, room)
    return Text.assemble(left, " " * (width - cell_len(left.plain) - cell_len(right.plain)), right)


def _cut(text: Text, width: int) -> Text:
    text.truncate(width, overflow="ellipsis")
    return text
