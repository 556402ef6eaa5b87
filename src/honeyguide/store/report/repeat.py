"""The section about how to repeat a crawl: its topic file, the command line, and the commands that it received."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from typing import Any, Final

from honeyguide.document import words
from honeyguide.document.page import shortened
from honeyguide.store.archive import software
from honeyguide.store.crawl import Crawl
from honeyguide.store.report.content import Block, Code, Paragraph, Section, Table
from honeyguide.store.url_events import parse_detail
from honeyguide.topic import dump
from honeyguide.topic.material import has_examples

_MOST_TOLD: Final = 200
_LONGEST: Final = 300
_CREDENTIALS: Final = re.compile(r"(://)[^/\s\"']*@")  # in a URL: fetch.proxy


def repeat(crawl: Crawl) -> Section:
    """How to repeat the crawl. User names and passwords in URLs are left out."""
    topic = crawl.topic
    file = f"{topic.name}.toml"
    text = f"Save this as {file}, and run the command below. The web may have changed since."
    if has_examples(topic):
        text += " The examples that it names are needed, too."
    blocks: list[Block] = [
        Paragraph(_made_with(crawl)),
        Paragraph(text),
        Code(_CREDENTIALS.sub(r"\1…@", dump(topic)).rstrip("\n")),
        Code(f"honeyguide crawl {shlex.quote(file)}"),
    ]
    return Section("How to repeat it", [*blocks, *_commands(crawl)])


def _made_with(crawl: Crawl) -> str:
    """The software, and when it ran."""
    runs = [time for (time,) in crawl.query("SELECT time FROM events WHERE kind = 'start' ORDER BY id")]
    begun = f"{words.count(len(runs))} runs, the first" if len(runs) > 1 else "one run,"
    made = software(crawl.path)
    text = f"Crawled with {made or 'an unknown version of honeyguide'}"
    if runs:
        text += f" in {begun} begun on {words.moment(runs[0])}"
        text += f", the last on {words.moment(runs[-1])}" if len(runs) > 1 else ""
    if "committed" in crawl.meta:
        text += f"; last saved on {words.moment(crawl.meta['committed'])}"
    return f"{text}."


def _commands(crawl: Crawl) -> list[Block]:
    """The commands received while the crawl ran; labels are only counted."""
    rows: list[list[str]] = []
    labels, left = Counter[str](), 0
    for time, text in crawl.query("SELECT time, detail FROM events WHERE kind = 'told' ORDER BY id"):
        detail = parse_detail(text)
        arguments = detail.get("arguments")
        given = [str(one) for one in arguments] if isinstance(arguments, list) else []
        if detail.get("command") == "label" and detail.get("ok") and given:
            labels[given[-1]] += 1
        elif len(rows) < _MOST_TOLD:
            rows.append(_row(time, detail, given))
        else:
            left += 1
    blocks: list[Block] = []
    if labels:
        counted = ", ".join(f"{answer} ({words.count(number)})" for answer, number in sorted(labels.items()))
        blocks.append(Paragraph(f"Labels given while it ran, by answer: {counted}."))
    if rows:
        blocks.append(Paragraph("Commands received while it ran:"))
        rest = [f"{words.count(left)} more", "", "", ""] if left else []
        blocks.append(Table(["Command", "Time", "By", "Result"], rows, texts=frozenset((1, 2, 3)), rest=rest))
    return blocks


def _row(time: float, detail: dict[str, Any], arguments: list[str]) -> list[str]:
    command = _CREDENTIALS.sub(r"\1…@", " ".join((str(detail.get("command", "")), *arguments)))
    by, result = (str(detail.get(name, "")) for name in ("by", "result"))
    return [shortened(command, _LONGEST), words.moment(time), shortened(by, _LONGEST), shortened(result, _LONGEST)]
