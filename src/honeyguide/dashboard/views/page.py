"""The view of one page: its text and scores, how it was reached, where it led, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from shlex import quote

from honeyguide.dashboard.page_details import ChildUrl, PageDetails
from honeyguide.dashboard.reading_again import BlockReading, LinkReading, PageReading
from honeyguide.dashboard.views.frame import name_of, outside_link, page_link, query, score
from honeyguide.dashboard.views.marks import key_hint, mark_buttons
from honeyguide.document import words
from honeyguide.document.markup import Html, element, html, lines
from honeyguide.document.page import section, shortened, table
from honeyguide.frontier import State
from honeyguide.page.readable import readable_host
from honeyguide.page.url import host_of
from honeyguide.store.reasons import refusal_text

_TELLING = 0.005  # of a promised score: less is not worth a line
_LONGEST_TITLE = 300
_SHOWN_LINKS = 100


def page_view(
    details: PageDetails,
    reading: PageReading | str,
    evidence: Sequence[tuple[str, float]] | str | None,
    fetched: Mapping[str, tuple[int, float]],
    mark: str | None,
    controls: Html,
) -> list[Html]:
    """The view of a page, which is marked with `mark`.

    `reading` and `evidence` are texts if they are unavailable; `evidence` is None if it was not requested.
    `fetched` has the number and the relevance of the links that were fetched.
    """
    page = details.page
    title = shortened(name_of(page.title, page.url), _LONGEST_TITLE)
    return [
        element("h1", title, id="title"),
        element("p", outside_link(page.url), class_="about"),
        _neighbours(details),
        element("ul", lines(element("li", one) for one in _about(details, reading)), class_="plain"),
        element("div", element("span", "This page is"), mark_buttons(page.url, mark, "title"), class_="markable alone"),
        key_hint(is_list=False),
        controls,
        section("How it was reached", _path(details)),
        _evidence(details, evidence),
        _text(reading),
        _children(details),
        _links(details, reading, fetched),
    ]


def _neighbours(details: PageDetails) -> Html:
    parts = [element("span", f"Page {details.page.row.seq + 1:,}")]
    if details.previous is not None:
        parts.append(element("a", "previous", href=f"/page/{details.previous}", rel="prev"))
    if details.following is not None:
        parts.append(element("a", "next", href=f"/page/{details.following}", rel="next"))
    return element("p", *parts, class_="choices")


def _about(details: PageDetails, reading: PageReading | str) -> Iterator[Html]:
    page, row = details.page, details.page.row
    verdict = "relevant" if row.relevant else "not relevant"
    limit = f", threshold {reading.threshold:g}" if isinstance(reading, PageReading) else ""
    yield html(score(row.relevance), f" {verdict}{limit}; its link promised {row.priority:.3f}")
    what = f"status {row.status}, {shortened(row.content_type, 60) or 'no content type'}, {words.size(row.size)}"
    taken = f"fetched {words.clock(row.fetched)} in {words.duration(row.elapsed)}"
    yield html(f"{taken}: {what}, {row.words:,} words, {row.links:,} links followed")
    if host := host_of(page.url):
        yield html("host ", element("a", shortened(readable_host(host), 80), href=query("/pages", {"host": host})))
    if row.duplicate_of is not None:
        how = "it has exactly the same content as" if row.same_as is not None else "it is a near-duplicate of"
        yield html(f"a duplicate, which is not counted: {how} ", page_link(row.duplicate_of, "", page.duplicate_of))
    if row.truncated:
        yield html(f"its body is incomplete ({shortened(row.truncated, 40)})")
    if isinstance(reading, PageReading) and reading.noindex:
        yield html("it is marked noindex, so it does not count as relevant")
    if isinstance(reading, PageReading) and reading.foreign:
        yield html("it is in a language other than those in scope.languages, so it does not count as relevant")
    if isinstance(reading, PageReading) and abs(reading.relevance - row.relevance) >= 0.005:
        yield html(f"rescored with the current model: {reading.relevance:.2f}")


def _path(details: PageDetails) -> Html:
    url, form = details.listing
    steps = [element("li", f"{shortened(form, 20)} ", outside_link(url))] if url else []
    for place, step in enumerate(details.path):
        how = "redirect" if step.redirected else "link" if place else "listed" if url else "seed"
        name = (
            page_link(step.number, step.title, step.url)
            if step.relevance is not None and step.number != details.page.row.id
            else html(outside_link(step.url, name_of(step.title, step.url)))
        )
        steps.append(element("li", score(step.relevance), f" {how}, promised {step.priority:.3f}: ", name))
    return element("ol", lines(steps), class_="path")


def _evidence(details: PageDetails, evidence: Sequence[tuple[str, float]] | str | None) -> Html:
    title = "Why: evidence for it (+) and against it (-)"
    if evidence is None:
        ask = element("a", "Compute it", href=f"/page/{details.page.row.id}?why=1")
        return section(
            title, element("p", ask, " (the state of the whole crawl is restored for it, which takes seconds)")
        )
    if isinstance(evidence, str):
        command = f"honeyguide why {quote(str(details.page._crawl.path))} {quote(shortened(details.page.url, 500))}"  # noqa: SLF001
        return section(title, element("p", evidence), element("pre", command))
    telling = [(name, part) for name, part in evidence if abs(part) >= _TELLING]
    if not telling:
        said = (
            "It is a seed."
            if not details.page.depth
            else "The strategy of this crawl gives none, or all of it is small."
        )
        return section(title, element("p", said, class_="quiet"))
    return section(
        title, table(("Evidence", "Part"), [[shortened(name, 200), f"{part:+.3f}"] for name, part in telling])
    )


def _text(reading: PageReading | str) -> Html:
    if isinstance(reading, str):
        return section(
            "Text", element("p", f"The page cannot be read again: {shortened(reading, 500)}", class_="notice")
        )
    parts = [_block(number, block) for number, block in enumerate(reading.blocks, 1)]
    if not parts:
        parts = [element("p", "It has no text.", class_="quiet")]
    if reading.is_cut:
        parts.append(element("p", "It has more text than is shown here.", class_="quiet"))
    return section("Text, in blocks", lines(parts))


def _block(number: int, block: BlockReading) -> Html:
    about = f"block {number} · {block.words:,} words · {block.links:,} links"
    return element(
        "div",
        element("p", score(block.score), f" {about}", class_="quiet"),
        *(element("p", line) for line in block.lines),
        class_="block",
    )


def _children(details: PageDetails) -> Html:
    counts = details.counts
    if not sum(counts.values()):
        return section("What it led to", element("p", "No URL was first found here.", class_="quiet"))
    done = counts[State.DONE]
    said = [f"{words.count(sum(counts.values()))} URLs were first found here"]
    said.append(f"{words.count(done)} fetched, {words.count(details.relevant_children)} of them relevant")
    said += [
        f"{words.count(counts[state])} {name}"
        for state, name in ((State.WAITING, "waiting"), (State.FAILED, "failed"), (State.REFUSED, "refused"))
        if counts[state]
    ]
    rows = (element("li", score(child.relevance), " ", _child(child)) for child in details.children)
    return section("What it led to", element("p", f"{'; '.join(said)}."), element("ul", lines(rows), class_="plain"))


def _child(child: ChildUrl) -> Html:
    if child.relevance is not None:
        return html(page_link(child.id, child.title, child.url), f" (promised {child.priority:.3f})")
    state = State(child.state).name.lower().replace("_", " ")
    return html(outside_link(child.url), f" ({state}, promised {child.priority:.3f})")


def _links(details: PageDetails, reading: PageReading | str, fetched: Mapping[str, tuple[int, float]]) -> Html:
    if isinstance(reading, str) or not reading.links:
        return Html()
    rows = [_link(link, fetched.get(link.url)) for link in reading.links[:_SHOWN_LINKS]]
    parts = [table(("Link", "Score", "Fetched"), rows)]
    if reading.all_links > len(rows):
        parts.append(element("p", f"{reading.all_links - len(rows):,} more links are not shown.", class_="quiet"))
    if details.left_out:
        counts = ", ".join(f"{refusal_text(reason)} ({count:,})" for reason, count in details.left_out.items())
        parts.append(element("p", f"Not followed: {shortened(counts, 1000)}.", class_="quiet"))
    return section("Its links, by the score that the strategy's rule gives them", *parts)


def _link(link: LinkReading, fetched: tuple[int, float] | None) -> list[str]:
    text = html(outside_link(link.url), " ", element("span", link.anchor, class_="quiet"))
    own = f"{link.score:.3f}" if link.score is not None else f"not followed: {shortened(link.left_out, 40)}"
    return [text, own, element("a", f"{fetched[1]:.2f}", href=f"/page/{fetched[0]}") if fetched else words.NO_NUMBER]
