"""Opening a recorded web with a progress bar."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from honeyguide.lab.web import VirtualWeb, open_web
from honeyguide.page.url import UrlRules


def opened(sources: Sequence[str], rules: UrlRules) -> VirtualWeb:
    """Open a web as `open_web` does, with a bar on terminals while it is indexed."""
    columns = (TextColumn("indexing"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None, visible=False)
        return open_web(
            sources, rules, progress=lambda done, whole: bar.update(task, completed=done, total=whole, visible=True)
        )
