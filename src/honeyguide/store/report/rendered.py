"""What a browser has gained for a crawl."""

from __future__ import annotations

from honeyguide.document import words
from honeyguide.store.crawl import Crawl
from honeyguide.store.renderings import BLOCKED, rendering_totals
from honeyguide.store.report.content import Paragraph, Section, Table

_MOST_PROBLEMS = 5


def rendered(crawl: Crawl) -> Section:
    """The pages that were rendered: how many, what that gained, what it cost, and what went wrong."""
    totals = rendering_totals(crawl)
    if not totals.tried and not totals.problems:
        return Section("Rendered in a browser", [])
    pages = max(int(crawl.meta.get("pages", 0)), 1)
    rows = [
        ["Pages rendered", f"{words.count(totals.tried)} ({totals.tried / pages:.0%})"],
        ["of these read as rendered", words.count(totals.used)],
        ["Words gained", words.count(totals.words)],
        ["Links gained", words.count(totals.links)],
        ["Requests sent for them", words.count(totals.requests)],
        ["Seconds for each", f"{totals.seconds / max(totals.tried, 1):.1f}"],
    ]
    rows += [[f"Not requested: {BLOCKED.get(why, why)}", words.count(n)] for why, n in totals.blocked.most_common()]
    rows += [[f"Problem: {why}", words.count(n)] for why, n in totals.problems.most_common(_MOST_PROBLEMS)]
    about = "These pages had few words and much script, so their scripts were run; others were read as sent."
    if crawl.topic.fetch.browser == "always":
        about = "All pages were rendered, as fetch.browser says."
    return Section("Rendered in a browser", [Paragraph(about), Table(["", "Count"], rows, is_sortable=False)])
