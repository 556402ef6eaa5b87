"""The result of a segmenter as an HTML page: the text with its blocks boxed, and each link's context on hover.

The picture is inert: it has its own text and styles, but no scripts, no links and no requests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from html import escape

import numpy as np

from honeyguide.page.blocks.base import Blocks
from honeyguide.page.parse import Page
from honeyguide.page.spans import Spans
from honeyguide.page.words import SEAM

_STYLE = """
:root { color-scheme: light dark; --line: #b9b4a8; --soft: #f3efe6; --mark: #a4520a; --ground: #fffefb; --ink: #1d1b18 }
@media (prefers-color-scheme: dark) {
  :root { --line: #57524a; --soft: #2a2722; --mark: #f0a35e; --ground: #171512; --ink: #ece7dd }
}
body { font: 15px/1.55 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem;
       background: var(--ground); color: var(--ink) }
header p { color: color-mix(in srgb, var(--ink) 65%, var(--ground)) }
.block { border: 1px solid var(--line); border-radius: 4px; margin: .6rem 0; padding: .3rem .7rem .5rem }
.block::before { content: attr(data-about); display: block; font-size: 11px; color: var(--mark) }
.block:hover { border-color: var(--mark) }
.link { position: relative; color: var(--mark); text-decoration: underline; cursor: help }
.link .context { display: none; position: absolute; z-index: 1; left: 0; top: 1.5em; width: 26rem; max-width: 80vw;
                 background: var(--soft); color: var(--ink); border: 1px solid var(--line); border-radius: 4px;
                 padding: .5rem .7rem; font-size: 13px; text-decoration: none }
.link:hover .context, .link:focus .context { display: block }
.context i { font-style: normal; color: var(--mark); overflow-wrap: anywhere; display: block }
""".strip()


def picture(page: Page, blocks: Blocks, contexts: Spans, about: str, notes: Sequence[str] = (), file: str = "") -> str:
    """The page as HTML. `contexts` has one span per link; `about` names the method; `notes` has one note per block.

    A page that was read from a `file` has no URL: its name is shown, and links relative to it as they are.
    """
    pieces = page.source.split(SEAM)
    owner = blocks.of_pieces(page)
    opened, closed = _links(page, contexts, pieces, page.url if file else "")
    body: list[str] = []
    within = -1
    broken = False  # a block of the page began or ended since the last visible text
    for number, piece in enumerate(pieces):
        broken = broken or number in page.apart
        if owner[number] != within:
            if within >= 0:
                body.append("</section>\n")
            within = owner[number]
            if within >= 0:
                body.append(f'<section class="block" data-about="{escape(_about(blocks, within, notes))}">')
            broken = False
        elif broken and not piece.isspace():
            body.append("<br>")
            broken = False
        body.extend(opened[number])
        body.append(escape(piece))
        body.extend(closed[number])
    body.extend(opened[len(pieces)])  # links without text after the last text
    if within >= 0:
        body.append("</section>")
    source = file or page.url
    title = escape(page.title or source)
    counts = ((len(blocks), "block"), (len(page.words), "word"), (len(page.links), "link"))
    summary = f"{escape(about)}: {', '.join(_counted(*count) for count in counts)}"
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title>\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style></head>\n'
        f"<body><header><h1>{title}</h1><p>{escape(source)}</p><p>{summary}</p></header>\n"
        f"{''.join(body)}\n</body></html>\n"
    )


def _about(blocks: Blocks, block: int, notes: Sequence[str]) -> str:
    first, last = blocks.spans[block].tolist()
    links = int(np.count_nonzero(blocks.of_link == block))
    note = f" · {notes[block]}" if notes else ""
    return f"block {block + 1} · {_counted(last - first, 'word')} · {_counted(links, 'link')}{note}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _links(
    page: Page, contexts: Spans, pieces: Sequence[str], base: str
) -> tuple[defaultdict[int, list[str]], defaultdict[int, list[str]]]:
    """The markup to insert before and after the pieces that links begin and end with; URLs are shown without `base`."""
    opened: defaultdict[int, list[str]] = defaultdict(list)
    closed: defaultdict[int, list[str]] = defaultdict(list)
    nodes, links = page.nodes, page.links
    for link, row in enumerate(links.node):
        first, last = contexts[link].tolist()
        context = escape(" ".join(page.words[first:last]))
        start, stop = nodes.first_piece[row], nodes.last_piece[row]
        has_text = any(piece.strip() for piece in pieces[start:stop])
        label = "" if has_text else f"[{escape(links.alt[link] or links.title[link] or 'link')}]"
        mark = f'<span class="link" tabindex="0">{label}'
        end = f'<span class="context"><i>{escape(links.url[link].removeprefix(base))}</i>{context}</span></span>'
        if start < stop:
            opened[start].append(mark)
            closed[stop - 1].insert(0, end)
        else:
            opened[start].append(mark + end)
    return opened, closed
