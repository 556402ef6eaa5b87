"""``honeyguide blocks``: show how a segmenter divides a page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from honeyguide.atomic_write import output_file
from honeyguide.cli.output import say
from honeyguide.errors import HoneyguideError, InputError
from honeyguide.fetch.base import Failure, Request, Response
from honeyguide.fetch.http import HttpFetcher
from honeyguide.fetch.settings import FetchSettings
from honeyguide.page.blocks.browser import matched, read_rendered
from honeyguide.page.blocks.cbp import MODERN, PAPER, cbp
from honeyguide.page.blocks.cues import Cues
from honeyguide.page.blocks.outline import outline_of
from honeyguide.page.blocks.picture import picture
from honeyguide.page.blocks.vips import vips
from honeyguide.page.context import block_windows, parents
from honeyguide.page.document import as_html
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.version import VERSION

_NOWHERE = "http://file.invalid/"  # the URL of a file, without which no relative link is one; it is never shown


class Method(StrEnum):
    """Segmentation methods."""

    VIPS = "vips"
    CBP = "cbp"


class Tags(StrEnum):
    """Sets of content block tags for CBP."""

    PAPER = "paper"
    MODERN = "modern"


def blocks(
    source: Annotated[str, typer.Argument(metavar="FILE|URL", help="HTML file, or URL of a page.")],
    method: Annotated[Method, typer.Option(help="Segmentation method.")] = Method.VIPS,
    output: Annotated[Path, typer.Option("-o", "--output", help="HTML file to write.")] = Path("blocks.html"),
    alpha: Annotated[
        float, typer.Option(help="CBP: granularity; higher values give fewer blocks.", min=0.01, max=1.0)
    ] = 0.5,
    tags: Annotated[Tags, typer.Option(help="CBP: which tags form blocks.")] = Tags.PAPER,
    pdoc: Annotated[int, typer.Option(help="VIPS: permitted degree of coherence (PDoC).", min=1, max=10)] = 6,
    cues: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="VIPS: rendering of the page by a browser (JSON); without it, an estimate."),
    ] = None,
    window: Annotated[int, typer.Option(help="VIPS: words in the context of a link.", min=0)] = 20,
) -> None:
    """Show the blocks of a page: write an HTML file with each block boxed and link contexts on hover."""
    page, file = _page(source)
    if method is Method.VIPS:
        found = vips(page, pdoc, _rendered(page, cues) if cues else None)
        contexts, about = (
            block_windows(page, found, window),
            f"VIPS, PDoC {pdoc}, block text windows of {window} words",
        )
    else:
        found = cbp(page, alpha, block_tags=PAPER if tags is Tags.PAPER else MODERN)
        contexts, about = parents(page, found), f"CBP, α = {alpha:g}, {tags.value} tags, parent nodes as contexts"
    with output_file(output) as drawn:
        drawn.write(picture(page, found, contexts, about, file=file).encode())
    say(f"{len(found)} block{'s' * (len(found) != 1)} written to {output}")


def _page(source: str) -> tuple[Page, str]:
    """The page, and the name of the file that it was read from, if it was."""
    rules = UrlRules(UrlSettings())
    if source.startswith(("http://", "https://")):
        url = rules.canonical(source)
        if url is None:
            raise InputError(source, "is not a valid URL", "give a file or an http(s) URL")
        response = uvloop.run(_fetch(url))
        return parse(as_html(response.body, response.header("content-type")), url, rules, styled=True), ""
    path = Path(source)
    try:
        body = path.read_bytes()
    except OSError as error:
        raise InputError(source, f"cannot be read ({error.strerror})", "give a file or an http(s) URL") from None
    return parse(as_html(body), _NOWHERE, rules, styled=True), path.name


def _rendered(page: Page, path: Path) -> Cues:
    """The look of a page, from the file of a renderer."""
    remedy = f"render {page.url if page.url != _NOWHERE else 'the file'} again, or leave --cues out"
    try:
        found = matched(page, outline_of(page), read_rendered(path.read_bytes()))
    except OSError as error:
        raise InputError(str(path), f"cannot be read ({error.strerror})", remedy) from None
    except ValueError as error:
        raise InputError(str(path), f"is not a rendering of a page: {error}", remedy) from None
    if found is None:
        raise InputError(str(path), "does not match the page: too few of its texts are in it", remedy)
    return found


async def _fetch(url: str) -> Response:
    fetcher = HttpFetcher(FetchSettings(), VERSION)
    try:
        result = await fetcher.fetch(Request(url))
    finally:
        await fetcher.close()
    if isinstance(result, Failure):
        raise HoneyguideError(f"{url}: cannot be fetched: {result.detail or result.kind}")
    if result.status != 200:
        raise HoneyguideError(
            f"{url}: the server answered {result.status} {result.reason} {result.header('location')}".rstrip()
        )
    if result.skipped:
        raise InputError(url, f"is not an HTML page ({result.header('content-type')})", "give the URL of an HTML page")
    return result
