"""Every compiled function gives what the one in Python gives, for whatever the pages of the web may contain."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from base64 import b32encode
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.frontier import keys, promise_histogram
from honeyguide.kernel import SWITCH, TWINS, is_compiled
from honeyguide.page import url, walk, words
from honeyguide.page.blocks.cbp import MODERN, cbp
from honeyguide.page.content import features as content_features
from honeyguide.page.content.hints import OF_TAG, bits_of
from honeyguide.page.context.directories import outside_links
from honeyguide.page.context.lists import link_lists
from honeyguide.page.context.regions import regions
from honeyguide.page.parse import Page, parse
from honeyguide.page.settings import UrlSettings
from honeyguide.page.url import UrlRules
from honeyguide.relevance import fingerprint, span_sums, term_finder, token_cache
from honeyguide.strategy.guide import promises as guide_promises
from honeyguide.strategy.guide.features import (
    PRIORS,
    Learnt,
    Rates,
    UrlFacts,
    feature_matrix,
    plain_features,
    text_scaler,
)
from honeyguide.strategy.guide.ridge import BayesianRidge
from honeyguide.strategy.guide.url_rows import URL
from honeyguide.strategy.page_words import NUMBERS
from honeyguide.strategy.queues.rows import RowStore
from honeyguide.warc import write

# Modules with twins, or functions of them:
IMPORTED = (
    *(cbp, outside_links, link_lists, regions, fingerprint, span_sums, term_finder, token_cache),
    *(content_features, keys, promise_histogram, write, url),
)

needs_kernel = pytest.mark.skipif(not is_compiled(), reason="the kernel is not compiled")

TAGS = ("div", "p", "ul", "li", "nav", "footer", "aside", "main", "h2", "h3", "b", "table", "td", "span")
TEXTS = ("", " ", "honey", " bees live in hives ", "é", "x-y", "a" * 20, "日本語", "word " * 9)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """HTML of opened and closed tags, links, images and texts in any order."""
    pieces = [draw(st.sampled_from(("", '<meta http-equiv="refresh" content="0;url=/r">')))]
    for kind, number in draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 99)), max_size=60)):
        tag, text = TAGS[number % len(TAGS)], TEXTS[number % len(TEXTS)]
        if kind == 0:
            pieces.append(f"<{tag}>{text}")
        elif kind == 1:
            pieces.append(f"</{tag}>{text}")
        elif kind == 2:
            pieces.append(f'<a href="/{number}">{text}</a>')
        else:
            pieces.append(f"<li><a href=/{number}>{text}</a></li>" * (number % 7))
    return "".join(pieces)


def read(html: str, *, styled: bool = False) -> Page:
    return parse(html, "http://a.example/", UrlRules(UrlSettings()), styled=styled)


def same(name: str, *arguments: Any) -> Any:
    """What the compiled function returns, once the one in Python has returned the same for the same arguments."""
    twins = TWINS[name]
    assert twins.compiled is not None
    copies = [argument.copy() if isinstance(argument, np.ndarray) else argument for argument in arguments]
    expected, found = twins.plain(*copies), twins.compiled(*arguments)
    assert_same(expected, found)
    for copy, argument in zip(copies, arguments, strict=True):
        assert_same(copy, argument)  # what is changed in place
    return found


def assert_same(expected: Any, found: Any) -> None:
    if isinstance(expected, tuple):
        for one, other in zip(expected, found, strict=True):
            assert_same(one, other)
    elif isinstance(expected, np.ndarray):
        assert expected.dtype == found.dtype
        assert expected.shape == found.shape
        assert expected.tobytes() == found.tobytes()
    else:
        assert expected == found


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.skipif(os.environ.get(SWITCH) == "off", reason="it is switched off")
def test_the_kernel_is_compiled_where_it_can_be() -> None:
    assert is_compiled()


@needs_kernel
def test_every_twin_is_tested_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in TWINS if f'"{name}"' not in source] == []


@needs_kernel
@given(documents(), st.booleans())
def test_the_walk_over_a_document(html: str, styled: bool) -> None:
    html = f'<body id=b><!-- c --><p hidden>x</p>{html}<script>y</script><x-y style="display:none">z<img alt=a></x-y>'
    found = read(html, styled=styled)
    with patch.object(walk, "_kernel", None):
        expected = read(html, styled=styled)
    assert (found.source, found.apart, found.links) == (expected.source, expected.apart, expected.links)
    for column in ("tag", "parent", "first_piece", "last_piece", "attributes"):
        assert getattr(found.nodes, column) == getattr(expected.nodes, column)


@needs_kernel
@given(
    st.lists(st.sampled_from((b"<", b"<script", b"</script", b"<scrip", b">", b"t", b" a=<b> ", b"</")), max_size=30)
)
def test_places_of_tags(parts: list[bytes]) -> None:
    same("walk.tag_places", b"".join(parts))


@needs_kernel
@given(st.lists(st.booleans(), max_size=20), st.data())
def test_pieces_that_are_not_shown(shown: list[bool], data: st.DataObject) -> None:
    same("walk.renumbered", data.draw(st.lists(st.integers(0, len(shown)))), shown)


@needs_kernel
@given(
    documents(), st.sampled_from(("", "<div class='menu x' id=foot_er>", "<div role=main>", "<nav><b><p class=post>"))
)
def test_the_blocks_of_a_page(html: str, around: str) -> None:
    page = read(f"{html}{around}{html}", styled=True)
    nodes, pieces = page.nodes, page.source.split(words.SEAM)
    *_, rows = same(
        "content.shown_blocks",
        pieces,
        sorted({*page.apart, len(pieces)}),
        nodes.first_piece,
        nodes.last_piece,
        nodes.parent,
    )
    flags = np.arange(len(nodes), dtype=np.uint8) % 3 == 1
    same("content.containers_around", rows, nodes.parent, flags.view(np.uint8))
    same(
        "content.hints_around",
        rows,
        nodes.tag,
        nodes.parent,
        nodes.attributes,
        flags.view(np.uint8),
        OF_TAG,
        5,
        bits_of,
    )


@needs_kernel
@given(documents())
def test_places_on_a_page(html: str) -> None:
    page = read(html)
    nodes, rows = page.nodes, page.links.node
    ends = same("places.subtree_ends", nodes.parent)
    spans = same("places.node_spans", nodes.first_piece, nodes.last_piece, nodes.words_before)
    before = same("places.links_before_each", rows, len(nodes))
    anchors = spans.take(np.array(rows, np.intp), axis=0)
    words = len(page.words)
    same("places.outside_of", anchors, words)
    same("places.windows_around", anchors, 3, 4, words)
    lists = same("places.list_of_each", rows, nodes.parent, ends, nodes.tag_bytes, before)
    same("places.parent_spans", rows, nodes.parent, spans)
    *_, of_link = same("places.headings_above", bytes(tag % 7 if tag % 2 else 0 for tag in nodes.tag), rows)
    same("places.spans_at", spans, np.minimum(of_link, len(spans) - 1), 2, 5)
    tags = bytes(tag in MODERN for tag in nodes.tag)
    for alpha, k in ((0.5, 1), (0.2, 2), (1.0, 1)):
        same("places.split_blocks", tags, nodes.parent, ends, before, rows, spans, alpha, k)
    declaring = np.array([tag % 7 - 1 if tag % 3 == 0 else -1 for tag in nodes.tag], np.int8)
    for heading in (0, len(nodes) // 2):
        same(
            "places.region_of_each", declaring, *lists, ends, before, spans, anchors, heading, words, 4, 0.7, 4.0, 0.9
        )  # fmt: skip


@needs_kernel
@given(st.text(st.sampled_from("ab -\0é\xff"), max_size=80), st.frozensets(st.integers(0, 20)))
def test_words(text: str, apart: frozenset[int]) -> None:
    padded = f" {text}{' ' * 16}"
    units = np.frombuffer(padded.encode("latin-1"), np.uint8)
    inside = np.array([character.isalnum() for character in padded], np.uint8)
    starts, ends, *_ = same("words.edges", inside, units, apart)
    long_starts, long_ends = np.append(starts, 0), np.append(ends, len(text))
    keys = same("words.latin_keys", units, long_starts, long_ends, words._FACTORS[1], words._MIXER)
    rows = np.zeros((1 << 4, 2), np.uint64)
    for number, key in enumerate(keys.tolist()):
        if number % 2:
            rows[key >> 60] = key, number
    same("words.look_up", rows, keys, 60)


@needs_kernel
@given(st.lists(st.sampled_from([0, 1, 2, 3, 0xFFFFFFFF, 0x12345678]) | st.integers(0, 0xFFFFFFFF), max_size=80))
def test_signatures(tokens: list[int]) -> None:
    for which in (None, np.array(tokens, np.uint32) % 5 > 0):
        same("words.least_hashes", np.array(tokens, np.uint32), which, 16, 32, fingerprint._FACTORS)


@st.composite
def spans_of(draw: st.DrawFn) -> Any:
    """Spans over twelve words."""
    pairs = draw(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=30))
    return np.array(pairs, np.int32).reshape(-1, 2)


@needs_kernel
@given(st.lists(st.integers(0, 5), min_size=12, max_size=12), spans_of())
def test_sums(words: list[int], spans: Any) -> None:
    tokens = np.array([token and token * 0x1234567 for token in words], np.uint32)
    position = tokens.nonzero()[0]
    terms, _, term, earlier = same("sums.chains", tokens, position)
    first, last = same("sums.edges_of", position, spans)
    weights = np.array([3 * number - 4 for number in range(len(terms))], np.int64)
    same("sums.differences", weights, term, first, last, 0.125)
    repeated = (earlier >= 0).nonzero()[0]
    repeated_before = np.append(0, (earlier >= 0).cumsum())
    same("sums.repeats_of", repeated, repeated_before, earlier, term, first, last)
    wanted = terms[::2].copy()
    is_ending = np.zeros(1 << 16, np.uint8)
    is_ending[wanted & 0xFFFF] = 1
    if len(wanted):
        same("sums.term_places", tokens, is_ending, wanted)
    same("sums.words_in", spans)
    different, which = TWINS["sums.distinct"].compiled(spans)  # type: ignore[misc]
    assert different[which].tolist() == spans.tolist()
    assert len(set(map(tuple, different.tolist()))) == len(different)


def test_spans_of_a_long_text() -> None:
    # Where a table is quicker than a search, and where terms occur in a span more than 64 times.
    rng = np.random.default_rng(1)
    tokens = rng.integers(0, 9, 5000).astype(np.uint32)
    ends = np.sort(rng.integers(0, 5000, (300, 2)), axis=1).astype(np.int32)
    by_table = span_sums.TermPositions(tokens).within(ends)
    counts = by_table.sums_of_counts(np.ones(8), 1.0, span_sums.squared)
    for (first, last), found in zip(ends.tolist(), counts.tolist(), strict=True):
        _, each = np.unique(tokens[first:last][tokens[first:last] > 0], return_counts=True)
        assert found == (each.astype(float) ** 2).sum()


HALVES = st.floats(0, 1, width=16) | st.sampled_from([0.0, 6e-8, 6.1e-5, 999.5, 1000.0])


@needs_kernel
@given(
    st.lists(
        st.tuples(
            st.lists(HALVES, min_size=13, max_size=13),
            st.lists(st.floats(0, 1, width=32) | st.sampled_from([-0.5, 1e-7, 3e-5, 6.1e-5]), min_size=9, max_size=9),
            st.sampled_from([0, 1, 2, 0xFFFE, 0xFFFF]),
            st.integers(0, 9),
        ),
        max_size=5,
    ),
    st.floats(0, 1, width=16),
)
def test_evidence(links: list[tuple[list[float], list[float], int, int]], outcome: float) -> None:
    rows = np.zeros(len(links), URL)
    for row, (scores, _, pages, small) in zip(rows, links, strict=True):
        row["scores"], row["pages"], row["gap"], row["sections"] = scores, pages, small, (small % 3, small % 2)
    texts = np.array([texts for _, texts, _, _ in links], np.float32).reshape(-1, 9)
    numbers = np.array([number for *_, number in links])
    columns = numbers.astype(np.uint8), numbers.astype(np.uint32) + 1, (numbers % 3 - 1).astype(np.int8)
    same("promises.add_evidence", rows.view(np.uint8), texts, outcome, outcome / 8, 4, *columns, columns[0] % 3)
    same("promises.column_sums", texts)
    for sections in (numbers, np.sort(numbers)):
        same("promises.section_numbers", sections.astype(np.int32), 7)


@needs_kernel
@pytest.mark.parametrize(("rows", "texts", "regions"), [(2, (2, 8), 2), (1, (2, 9), 2), (2, (2, 9), 1)])
def test_evidence_of_another_shape_is_refused(rows: int, texts: tuple[int, int], regions: int) -> None:
    # A worker that a page has harmed may send any table.
    columns = np.zeros(regions, np.uint8), np.zeros(2, np.uint32), np.zeros(2, np.int8), np.zeros(2, np.uint8)
    add = TWINS["promises.add_evidence"].compiled
    assert add is not None
    with pytest.raises(ValueError, match=r"texts|bytes|columns"):
        add(np.zeros(rows, URL).view(np.uint8), np.zeros(texts, np.float32), 0.5, 0.5, 1, *columns)


@needs_kernel
def test_spans_are_on_the_page() -> None:
    spans = TWINS["places.node_spans"].compiled
    assert spans is not None
    with pytest.raises(IndexError):
        spans([0], [3], np.zeros(3, np.int32))


@needs_kernel
@given(
    st.lists(
        st.tuples(st.lists(HALVES, min_size=13, max_size=13), st.integers(0, 0xFFFF), st.integers(0, 9)),
        min_size=1,
        max_size=6,
    ),
    st.booleans(),
)
def test_promises(values: list[tuple[list[float], int, int]], is_learnt: bool) -> None:
    scaler, rates, model = text_scaler(), Rates(), BayesianRidge(PRIORS, 3.0, 2)
    urls = RowStore("url", URL)
    for number, (scores, count, small) in enumerate(values):
        sections = small, small // 2
        places = small, small % 6, small % 3 - 1, small % 4
        urls.set_one(number, (*scores, count % 4, *sections, count, 0, *places, small / 8, -small / 4, small % 9))
        rates.add(urls.one(number), small % 3, min(scores[0], 1.0))
    scaler.add(np.array([scores[:9] for scores, _, _ in values], np.float32))
    numbers, host = np.arange(len(values)), np.array([small % 4 for *_, small in values])
    facts = UrlFacts(urls[numbers], host, host * 3, Learnt(scaler, rates, 0.2))
    features = plain_features(facts)
    assert feature_matrix(facts).tobytes() == features.tobytes()
    if is_learnt:
        for row in (*features, features[0] + 1.0):
            model.learn(row, float(row[0] > 0.5))
        model.fit()
    found = guide_promises.promises(facts, model, 0.3, 0.6)
    expected = guide_promises.plain_promises(facts, model, 0.3, 0.6)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@needs_kernel
@given(
    st.lists(st.floats(-2, 2, width=32) | st.sampled_from([0.5, 1.0, -0.0, 3.0]), min_size=3, max_size=3),
    st.floats(0, 1),
    st.sampled_from([1.0, 0.3]),
)
def test_outcomes(features: list[float], outcome: float, weight: float) -> None:
    sums = np.full((3, 3), 0.1), np.full(3, 0.1), np.full(3, 0.1)
    same("promises.add_outcome", *sums, np.array(features, np.float64), outcome, weight)


@needs_kernel
@given(
    st.lists(st.sampled_from([0, 1, 77_777, 1 << 31]), max_size=40),
    st.lists(st.tuples(*[st.integers(0, 40)] * 4), max_size=4),
    st.sampled_from([1.0, -0.3, 1e9]),
)
def test_words_of_links(tokens: list[int], links: list[tuple[int, int, int, int]], weight: float) -> None:
    ends = [sorted(min(end, len(tokens)) for end in link) for link in links]
    windows = np.array([(begin, end) for begin, _, _, end in ends], np.int32).reshape(-1, 2)
    anchors = np.array([(first, last) for _, first, last, _ in ends], np.int32).reshape(-1, 2)
    found = same("places.words_of_links", np.array(tokens, np.uint32), anchors, windows)
    found *= 333_333  # numbers that are too large, too
    weights = np.linspace(-1.0, weight, NUMBERS)
    weights[0] = 0.0
    same("promises.raw_scores", found, weights)
    rows, scale = np.zeros(len(found), URL), np.array([[0.1, -0.1], [0.3, 2e-9]])
    for _ in range(2):
        same("promises.include_words", rows.view(np.uint8), found, weights, scale, 0.3)


@needs_kernel
@given(st.lists(st.tuples(st.floats(allow_nan=False), st.integers(0, 0xFFFFFFFF)), max_size=5))
def test_keys(urls: list[tuple[float, int]]) -> None:
    keys = [same("keys.sort_key", *url) for url in urls]
    assert same("keys.sort_keys", [priority for priority, _ in urls], [number for _, number in urls]) == keys
    for priority, _ in urls:
        same("keys.index", priority)


@needs_kernel
@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), st.integers(0, 40) | st.just(float("inf")))
def test_the_highest_promises(counts: list[int], most: float) -> None:
    values = np.linspace(-1.0, 2.0, len(counts))
    twins = TWINS["keys.highest"]
    assert twins.compiled is not None
    arguments = np.array(counts, np.int32), values, most
    found, expected = twins.compiled(*arguments), twins.plain(*arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


HREFS = st.lists(
    st.sampled_from(("http://", "https://", "//", "/", ".", "a.example", "B.example:80", "x", ":", "?", "#", "%", "é")),
    max_size=8,
).map("".join)


@needs_kernel
@given(HREFS | st.text(max_size=20) | st.integers(4090, 4099).map("x".__mul__))
def test_joining_plain_links(href: str) -> None:
    for origin in ("http://a.example", "https://a.example:8080"):
        same("urls.plain_join", origin, f"{origin}/d/", href, url._plain_origin)
        same("urls.plain_join", origin, f"{origin}/d/", origin + href, url._plain_origin)


@needs_kernel
@given(st.binary(min_size=20, max_size=20))
def test_digests(digest: bytes) -> None:
    assert same("words.base32", digest) == b32encode(digest).decode()


# ---- a crawl without the kernel ----

COMPARE = """
import honeyguide
from honeyguide.kernel import is_compiled
about = {"topics": "subject.beekeeping", "strategies": "guide", "model": "vsm", "examples": 0}
result = honeyguide.compare(web="demo:300", pages=60, **about)
print(is_compiled(), *result.orders[0])
"""


def order(switch: str) -> list[str]:
    command = [sys.executable, "-c", COMPARE]
    environment = {**os.environ, SWITCH: switch}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.split()


@needs_kernel
def test_a_crawl_fetches_the_same_pages_without_the_kernel() -> None:
    is_on, *pages = order("on")
    is_off, *without = order("off")
    assert (is_on, is_off) == ("True", "False")
    assert len(pages) >= 60
    assert pages == without
