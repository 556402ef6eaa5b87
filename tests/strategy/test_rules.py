"""What links are worth by each family's rule, worked out by hand, and the traits that the rules exist for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from honeyguide.crawl.readers import reader_config
from honeyguide.errors import InputError
from honeyguide.frontier import Admission, Frontier
from honeyguide.page.blocks.browser import file_name
from honeyguide.relevance.models import make_model
from honeyguide.strategy.reading import Document, Reader, Reading, leave_out
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

URL = "http://a.example/"


class Words:
    """A model to work things out with: the share of a text's words that are "honey"."""

    threshold = 0.5

    def score(self, text: Any, spans: Any) -> Any:
        parts = [text.words[first:last] for first, last in spans.tolist()]
        return np.array([part.count("honey") / len(part) if part else 0.0 for part in parts])


def read(html: str, strategy: str) -> Reading:
    topic = Topic.make(name="t", seeds=[URL], keywords="honey", strategy={"name": strategy})
    return Reader(reader_config(topic, Words())).read(Document(URL, html.encode(), "text/html; charset=utf-8"))


def scores(html: str, strategy: str) -> dict[str, float]:
    reading = read(html, strategy)
    return {url.removeprefix(URL): round(score, 6) for url, score in reading.links.rows()}


# A page of 12 words, 4 of them "honey": relevance 1/3.
PAGE = (
    "<p>honey honey <a href=/1>one honey</a> tree</p>"
    "<p>stone stone <a href=/2>two</a> stone</p>"
    "<p>honey <a href=/1>again</a> stone</p>"
)


def test_baselines() -> None:
    assert scores(PAGE, "best-first") == {"1": round(4 / 12, 6), "2": round(4 / 12, 6)}
    assert scores(PAGE, "breadth-first") == {"1": 0.0, "2": 0.0}
    found = scores(PAGE, "random")
    assert found == scores(PAGE, "random")
    assert found != scores(PAGE, "random(seed=1)")
    assert all(0 <= score <= 1 for score in found.values())
    assert scores(PAGE, "seeds-only") == {}


def test_link_context_prediction() -> None:
    # Windows of 4 words with the anchor in them. /1: "one honey" has 2 words, one more on each side: "honey one honey
    # tree" = 2/4; again: 3 words around, 1 before and 2 after (the page ends): "honey again stone" = 1/3; the best is
    # 0.5. /2: "two" and 1 before, 2 after: "stone two stone honey" = 1/4. Mixed with β = 0.25 and a page of 1/3.
    found = scores(PAGE, "link-context-prediction(window=4)")
    assert found == {"1": round(0.25 / 3 + 0.75 * 0.5, 6), "2": round(0.25 / 3 + 0.75 * 0.25, 6)}


def test_text_windows() -> None:
    # The anchor comes on top of W = 2, and the first link counts: "honey one honey tree" = 2/4, "stone two stone" = 0.
    assert scores(PAGE, "text-window(window=2)") == {"1": 0.5, "2": 0.0}
    # Of /1 the second occurrence is "honey again stone" = 1/3: the first is the best.
    assert scores(PAGE, "text-window(window=2, repeated=max)") == {"1": 0.5, "2": 0.0}


def test_a_neighbouring_block_does_not_mislead_a_block_text_window() -> None:
    # The link stands at the beginning of a block about stones, right behind one about honey.
    html = (
        "<div><h2>Bees</h2><p>honey honey honey honey honey</p></div><hr>"
        "<div><h2>Rocks</h2><p><a href=/rock>rock</a> granite stone slate stone granite</p></div>"
    )
    plain = scores(html, "text-window(window=10)")["rock"]
    block = scores(html, "btw(window=10)")["rock"]
    assert plain > 0
    assert block == 0.0
    assert scores(html, "page+btw(window=10, beta=1)") == scores(html, "best-first")


# Blocks by their paragraphs: the first is relevant as a whole, the second is not, but one of its anchors is.
NESTED = (
    "<table><tr><td><p>honey honey honey <a href=/1>tree</a> <a href=/2>honey</a></p></td></tr>"
    "<tr><td><p>stone stone stone stone <b>stone honey <a href=/3>honey</a></b> "
    "<i>stone <a href=/4>tree</a></i></p></td></tr>"
    "</table>"
)


def test_selective_rules() -> None:
    # Anchors: /2 and /3 say honey and nothing else. Contexts, the text under the link's parent: /1 and /2 the first
    # paragraph (4 of 5), /3 "stone honey honey" (2 of 3), /4 "stone tree" (none).
    assert scores(NESTED, "anchor-only") == {"2": 1.0, "3": 1.0}
    assert scores(NESTED, "link-context") == {"1": 0.8, "2": 0.8, "3": round(2 / 3, 6)}
    assert scores(NESTED, "slc") == {"1": 0.8, "2": 1.0, "3": 1.0}
    assert scores(NESTED, "cbp") == {"1": 0.8, "2": 0.8}
    assert scores(NESTED, "cbp-slc") == {"1": 0.8, "2": 0.8, "3": 1.0}


def test_the_three_counters() -> None:
    assert counted("cbp-slc") == {"block": 2, "anchor": 1}
    assert counted("slc") == {"anchor": 2, "context": 1}
    assert read(NESTED, "cbp-slc").left_out == {"strategy": 1}


def test_a_link_is_counted_once_when_its_url_is_new() -> None:
    frontier = Frontier()
    frontier.offer(f"{URL}2", 0.1)
    assert counted("cbp-slc", frontier) == {"block": 1, "anchor": 1}
    assert counted("cbp-slc", frontier) == {"block": 1, "anchor": 1}, "asking offers nothing"
    frontier.offer(f"{URL}1", 0.1)
    frontier.offer(f"{URL}3", 0.1)
    assert counted("cbp-slc", frontier) == {}


def counted(strategy: str, frontier: Frontier | None = None) -> dict[str, int]:
    reading = read(NESTED, strategy)
    leave_out(reading, Admission(frontier or Frontier(), 0))
    return reading.accepted


def test_cbp_tunnels_through_a_page_of_low_relevance() -> None:
    html = f"<p>{'stone ' * 50}</p><p>honey honey <a href=/on>more</a></p>"
    reading = read(html, "cbp-slc")
    assert reading.relevance < 0.05
    assert reading.links.scores.tolist() == [pytest.approx(2 / 3)]


def test_contexts_of_one_url_are_joined() -> None:
    # Twice on the page: "honey one" and "two honey honey" together are 3 of 5; each alone would be 1/2 and 2/3.
    html = "<p>honey <a href=/1>one</a></p><p><a href=/1>two</a> honey honey</p>"
    assert scores(html, "link-context") == {"1": 0.6}


def test_an_image_speaks_for_its_link() -> None:
    html = '<p>stone <a href=/1><img src=x alt="honey honey"></a></p><p>stone <a href=/2 title=honey></a></p>'
    assert scores(html, "anchor-only") == {"1": 1.0, "2": 1.0}
    # In a window, a word before and one after: "stone (honey honey) stone", and "stone (honey)" at the end.
    assert scores(html, "text-window(window=2)") == {"1": 0.5, "2": 0.5}


def test_parts_mixed_by_the_user() -> None:
    same = "mix(segmenter=vips, context=block-window, beta=0.25, window=20)"
    assert scores(PAGE, same) == scores(PAGE, "page+btw")
    assert scores(PAGE, "mix(rule=inherited)") == scores(PAGE, "best-first")
    assert scores(PAGE, "mix(rule=equal)") == scores(PAGE, "breadth-first")
    assert scores(NESTED, "mix(rule=selective, context=parent)") == scores(NESTED, "link-context")


@pytest.mark.parametrize("strategy", ["block", "mix(segmenter=vips, context=block, beta=0)"])
def test_vips_sees_the_style_of_a_page(strategy: str) -> None:
    items = "<ul><li{}>honey honey honey <a href=/1>on</a></li><li>stone <a href=/2>on</a></li></ul>"
    assert len(set(scores(items.format(""), strategy).values())) == 1  # one block
    apart = scores(items.format(" style='background:#eee'"), strategy)
    assert apart["1"] > apart["2"]


@pytest.mark.parametrize("strategy", ["block({})", "mix(segmenter=vips, context=block, beta=0, {})"])
def test_vips_sees_what_a_browser_has_shown(strategy: str, tmp_path: Path) -> None:
    html = "<div>honey <a href=/1>on</a></div><div>stone <a href=/2>on</a></div>"
    nodes = [{"tag": "body", "depth": 0, "box": [0, 0, 900, 900]}]
    for top in (0, 500):
        for depth, tag in ((1, "div"), (2, "#text"), (2, "a"), (3, "#text")):
            nodes.append({"tag": tag, "depth": depth, "box": [0, top, 300, 20]})
    (tmp_path / file_name(URL)).write_text(json.dumps({"nodes": nodes}))
    assert scores(html, strategy.format("cues=static")) == {"1": 0.25, "2": 0.25}  # one block
    assert scores(html, strategy.format(f"cues=browser, boxes={tmp_path}")) == {"1": 0.5, "2": 0.0}
    with pytest.raises(InputError, match="there is no such folder of rendered pages"):
        read(html, strategy.format(f"cues=browser, boxes={tmp_path / 'none'}"))


def test_mixed_parts_with_blocks_that_decide() -> None:
    # 8 of 11 words of the first block are "honey", so both of its links are followed; without blocks the second is not.
    html = f"<table><tr><td>{8 * 'honey '}<a href=/1>on</a> <b>stone <a href=/2>on</a></b><td>x</table>"
    chosen = "mix(rule=selective, context=parent{})"
    assert set(scores(html, chosen.format(", segmenter=cbp"))) == {"1", "2"}
    assert set(scores(html, chosen.format(""))) == {"1"}


@pytest.mark.parametrize("strategy", ["cbp-slc", "page+btw", "link-context-prediction", "slc", "mix"])
@pytest.mark.parametrize("html", ["", "<p>honey", "<a href=/1></a>", "<a href=/1><img></a>", "<hr><table><td>"])
def test_nothing_breaks_on_little(strategy: str, html: str) -> None:
    read(html, strategy)


def test_rules_work_with_a_real_model() -> None:
    topic = Topic.make(name="t", seeds=[URL], keywords="honey", strategy={"name": "cbp-slc"})
    reader = Reader(reader_config(topic, make_model(material_of(topic))))
    assert reader.read(Document(URL, NESTED.encode(), "text/html")).links
