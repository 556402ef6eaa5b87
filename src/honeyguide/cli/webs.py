"""How commands open a virtual web: with a bar while it is indexed, and its warnings said."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from honeyguide.lab.web import VirtualWeb, open_web
from honeyguide.page.url import UrlRules


def opened(sources: Sequence[str], rules: UrlRules) -> VirtualWeb:
    """As `open_web`. The bar is only for terminals; what the user should know goes to standard error, a line each."""
    columns = (TextColumn("indexing"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, visible=False)
        web = open_web(
            sources, rules, progress=lambda done, whole: bar.update(task, completed=done, total=whole, visible=True)
        )
    for note in web.notes:
        print(f"warning: {note}", file=sys.stderr)
    return web
