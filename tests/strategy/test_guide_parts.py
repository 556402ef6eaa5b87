"""Each part of the house strategy on a little web where that part alone tells good links from bad ones.

Every test fails when the part in its name is taken out. Bad links come first, so that a strategy that sees no
difference takes them first. On webs where the weight of a part must be learnt before it counts, good and bad are mixed,
and half of what is taken first would be good by chance.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from honeyguide.strategy.guide import features, knowledge, promises, url_rows
from honeyguide.strategy.guide.example_trust import ExampleTrust
from honeyguide.strategy.guide.features import LABELS, plain_features
from honeyguide.strategy.guide.texts import TEXT_FEATURES, text_column

from .littleweb import HOME, LittleWeb, Told, page

FAR = "word " * 40  # more than any window reaches
GOOD, BAD = 90, 5


class TitleAddressModel(Told):
    """A model that is also told what names a page: ``t80`` in a title, the number in an address."""

    def titles(self, text: Any, spans: Any) -> Any:
        """One score per span."""
        return _told(text, spans, "t")

    def addresses(self, text: Any, spans: Any) -> Any:
        """One score per span."""
        return _told(text, spans, "")

    def keyword_scores(self, text: Any, spans: Any) -> Any:
        """One score per span: ``k80`` is as good as a keyword."""
        return _told(text, spans, "k")


def _told(text: Any, spans: Any, sign: str) -> Any:
    found = [
        [int(word.removeprefix(sign)) / 100 for word in text.words[first:last] if word.removeprefix(sign).isdigit()]
        for first, last in spans.tolist()
    ]
    return np.array([scores[0] if scores else 0.0 for scores in found])


def link(name: str, text: str = "go") -> str:
    host, dot, rest = name.partition(".")
    url = f"http://{host}.example/{rest}" if dot else f"{HOME}{name}"
    return f'<a href="{url}">{text}</a>'


def says(score: int, *parts: str) -> str:
    """A page that is worth so many hundredths, and says so far from its links."""
    return f"<p>s{score:02d} {FAR}</p>{''.join(parts)}"


def apart(*names: str, text: str = "go") -> str:
    """Links that have nothing in common: each under a heading of its own and far from the others."""
    return "".join(f"<h2>x</h2><p>{FAR} {link(name, text)} {FAR}</p>" for name in names)


def together(*names: str, heading: str = "x") -> str:
    """Links under one heading."""
    return f"<h2>{heading}</h2><p>{FAR}</p>{''.join(f'<p>{link(name)}</p>' for name in names)}<p>{FAR}</p>"


def leaves(*names: str) -> dict[str, str]:
    return {name: page(GOOD if "good" in name else BAD) for name in names}


def mixed(*kinds: str, count: int) -> list[str]:
    """So many names of each kind, in an order that follows no rule."""
    names = [f"{kind}{number}" for number in range(count) for kind in kinds]
    Random(1).shuffle(names)
    return names


def taken(pages: dict[str, str], strategy: str = "guide", **tables: Any) -> list[str]:
    """The good and the bad pages in the order in which they were taken."""
    order = LittleWeb(pages).order(strategy, "home", **tables).split()
    return [name for name in order if name.partition("/")[0].rpartition(".")[2].startswith(("good", "bad"))]


def good_share(names: list[str]) -> float:
    """Of the first half."""
    half = names[: len(names) // 2]
    return sum("good" in name for name in half) / len(half)


# ---- texts ----

_IN_ONE = {
    "anchor": f"<p>s80 {link('bad')} {FAR}</p><p>{FAR} {link('good', 's80 go')}</p>",
    "text of its image": f"<p>{link('bad', '<img alt=x>')}</p><p>{FAR} {link('good', '<img alt=s80>')}</p>",
    "title of a link without words": f'<p>{link("bad", "")}</p><p>{FAR} <a href="{HOME}good" title="s80"></a></p>',
    "wide window": f"<p>{FAR} {link('bad')} {FAR} s80</p><p>{FAR} s80 {'word ' * 20} {link('good')} {FAR}</p>",
    "block": f"<div>{FAR} <b>{link('bad')}</b> {FAR}</div><div>{FAR} <b>{link('good')}</b> {FAR} s80</div>",
    "parent": f"<div><b>{FAR} {link('bad')} {FAR}</b><b>{FAR} {link('good')} {FAR} s80</b></div>",
    "heading": f"<h2>x</h2><div>{FAR} {link('bad')} {FAR}</div><h2>s80</h2><div>{FAR} {link('good')}</div>",
    "anchor as a title": f"<p>{link('bad')}</p><p>{FAR} {link('good', 't80 go')}</p>",
    "keywords in its anchor": f"<p>{link('bad')}</p><p>{FAR} {link('good', 'k80 go')}</p>",
    "address": f"<p>{link('bad')}</p><p>{FAR} {link('good80')}</p>",
    "best of several links": apart("bad", "good") + apart("good", text="s80"),
}


@pytest.mark.parametrize("text", _IN_ONE)
def test_a_text_that_speaks_for_a_link(text: str) -> None:
    pages = {"home": says(BAD, _IN_ONE[text]), **dict.fromkeys(("bad", "good", "good80"), page(BAD))}
    first, second = taken(pages, model=TitleAddressModel())
    assert (first[:4], second) == ("good", "bad")


def test_no_text_outweighs_two_others_before_anything_is_learnt() -> None:
    for text in TEXT_FEATURES:
        least, second, *_ = sorted(other.prior for other in TEXT_FEATURES if other is not text)
        assert 0 < text.prior <= least + second


def test_texts_are_told_apart_by_name() -> None:
    names = [feature.name for feature in TEXT_FEATURES]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)
    assert [text_column(name) for name in names] == list(range(len(names)))


def test_the_near_window_is_narrower_than_the_wide_one() -> None:
    # Two pages link to both. On one of them the good word stands so far from a link that only the wide window has it.
    # On the other it stands near both, so that the best words near them are the same.
    near, wide = "s80 word word", f"s80 {'word ' * 20}"
    both = f"<p>{near} {link('bad')} {FAR}</p><p>{FAR} {near} {link('good')} {FAR}</p>"
    one = f"<p>{wide} {link('bad')} {FAR}</p><p>{FAR} {near} {link('good')} {FAR}</p>"
    pages = {"home": says(BAD, apart("p", "q", text="s90")), "p": says(BAD, both), "q": says(BAD, one)}
    assert taken(pages | leaves("bad", "good")) == ["good", "bad"]


def test_the_best_words_near_a_link_count_besides_the_usual_ones() -> None:
    # On average both have the same words near them.
    pages = {
        "home": says(BAD, apart("p", "q", text="s90")),
        "p": says(BAD, apart("bad", text="s40"), apart("good", text="s80")),
        "q": says(BAD, apart("bad", text="s40"), apart("good")),
    }
    assert taken(pages | leaves("bad", "good")) == ["good", "bad"]


# ---- pages that link to it ----


def test_links_of_relevant_pages_come_first() -> None:
    pages = {
        "home": says(50, apart("p", "q", text="s80")),
        "p": says(BAD, apart("bad")),
        "q": says(GOOD, apart("good")),
    }
    assert taken(pages | leaves("bad", "good")) == ["good", "bad"]


def test_what_more_pages_link_to_comes_first() -> None:
    pages = {name: says(50, apart("good")) for name in ("q", "r", "s", "t", "u")}
    pages |= {"home": says(50, apart("p", *pages, text="s80")), "p": says(50, apart("bad", "good"))}
    assert taken(pages | leaves("bad", "good")) == ["good", "bad"]


def test_what_is_nearer_to_the_seeds_comes_first() -> None:
    # The bad one is three links from the seed, the good one two; by their texts its page is read later.
    pages = {
        "home": says(50, apart("p", text="s90"), apart("q", text="s50")),
        "p": says(50, apart("d", text="s90")),
        "d": says(50, apart("bad", text="s20")),
        "q": says(50, apart("good", text="s20")),
    }
    assert taken(pages | leaves("bad", "good")) == ["good", "bad"]


def test_it_learns_what_the_best_page_that_links_is_worth() -> None:
    # Two pages link to each: to good ones a very good and a very bad page, to bad ones two that are in between.
    names = mixed("good", "bad", count=20)
    pages = {"home": says(BAD, apart(*(f"{way}-{name}" for name in names for way in "qp"), text="s80"))}
    for name in names:
        pages[f"p-{name}"] = says(99 if "good" in name else 50, apart(f"{name}/x"))
        pages[f"q-{name}"] = says(1 if "good" in name else 50, apart(f"{name}/x"))
    found = taken(pages | leaves(*(f"{name}/x" for name in names)), "guide(clarity=0)")
    assert good_share(found) >= 0.8


def test_it_learns_what_cash_is_worth() -> None:
    # All are linked from pages that are as relevant; those of good ones have one link, those of bad ones many.
    names = mixed("good", "bad", count=20)
    ways = [f"via-{name}" for name in names]
    pages = {"home": says(BAD, apart(*ways, text="s80"))}
    for way, name in zip(ways, names, strict=True):
        pages[way] = says(GOOD, apart(f"{name}/x", *(ways[:7] if "bad" in name else [])))
    assert good_share(taken(pages | leaves(*(f"{name}/x" for name in names)))) >= 0.8


def test_it_learns_how_far_from_relevant_pages_to_go() -> None:
    # Pages that link to good ones are one step from a relevant page, those that link to bad ones three; both are
    # irrelevant. The bad ones are met first. One page, three steps from anything relevant, links to all.
    names = mixed("good", "bad", count=20)
    ways = ("via-all", *(f"via-{name}" for name in names))
    pages = {"home": says(BAD, apart(*ways, text="s80")), "via-all": says(BAD, apart("on-all", text="s80"))}
    pages["on-all"] = says(BAD, apart(*(f"{name}/x" for name in names)))
    for name in names:
        score, text = (GOOD, "s60") if "good" in name else (BAD, "s80")
        pages[f"via-{name}"] = says(score, apart(f"on-{name}", text=text))
        pages[f"on-{name}"] = says(BAD, apart(f"{name}/x"))
    assert good_share(taken(pages | leaves(*(f"{name}/x" for name in names)))) >= 0.8


def test_promises_know_that_page_and_words_count_together() -> None:
    # Links lead somewhere where both their page and their words are good. Those with one of the two, or none, come to
    # nothing: a sum of the two parts would put those with none as far below those with one as these below the others.
    kinds = ("both", "page", "words", "none")
    names = {kind: [f"{kind}{number}/x" for number in range(16)] for kind in kinds}
    pages = {"home": says(BAD, apart("p", "q", text="s80"))}
    for name, score, with_words, without in (("p", 99, "both", "page"), ("q", 1, "words", "none")):
        pairs = zip(names[with_words], names[without], strict=True)
        pages[name] = says(score, *(apart(one, text="s80") + apart(other) for one, other in pairs))
    pages |= {name: page(GOOD if kind == "both" else BAD) for kind in kinds for name in names[kind]}
    promised = LittleWeb(pages).promised("guide(stiffness=0.1, boldness=0)", "home")
    assert max(abs(promised[name]) for name in names["none"][-5:]) < 0.1


# ---- surroundings ----


def test_siblings_tell_of_one_another() -> None:
    bad, good = ([f"{kind}{number}/x" for number in range(8)] for kind in ("bad", "good"))
    pages = {"home": says(BAD, together(*bad), together(*good)), **leaves(*bad, *good)}
    assert good_share(taken(pages)) >= 0.8


def test_the_lists_of_different_pages_have_nothing_to_do_with_each_other() -> None:
    # Good and bad lists are each the first under a heading of their page, and are known by no more than their links.
    pages = {"home": says(BAD, apart("p", "q", text="s80"))}
    for name, kind in (("p", "bad"), ("q", "good")):
        names = [f"{kind}{number}/x" for number in range(8)]
        pages |= {name: says(BAD, together(*names)), **leaves(*names)}
    assert good_share(taken(pages)) >= 0.8


def test_folders_tell_of_what_is_in_them() -> None:
    names = [f"{kind}/{number}" for number in range(8) for kind in ("bad", "good")]
    pages = {"home": "".join(f"<p>{link(name)}</p>" for name in names), **leaves(*names)}
    assert good_share(taken(pages)) >= 0.8


def test_it_learns_what_the_parts_of_a_sites_pages_are_worth() -> None:
    # Good are links to x from the main part and to y from the navigation: neither host nor part alone tells.
    html = ""
    pages: dict[str, str] = {}
    for tag, kinds in (("main", ("y.bad", "x.good")), ("nav", ("x.bad", "y.good"))):
        names = [f"{name}/x" for name in mixed(*kinds, count=20)]
        html += f"<{tag}>{''.join(f'<p>{link(name)}</p>' for name in names)}</{tag}>"
        pages |= leaves(*names)
    assert good_share(taken({"home": html, **pages})) >= 0.7


def test_it_learns_what_hosts_are_worth() -> None:
    # Each host has one link in each part of the page, so that no part of it has been seen when a link is judged.
    hosts = mixed("bad", "good", count=16)
    html = ""
    pages: dict[str, str] = {}
    for part, tag in enumerate(("main", "nav", "aside", "footer")):
        Random(part).shuffle(hosts)
        names = [f"{host}.{tag}/x" for host in hosts]
        links = (f"<p>{FAR} {link(name, f's{80 - 20 * part}')} {FAR}</p>" for name in names)
        html += f"<{tag}>{''.join(links)}</{tag}>"
        pages |= leaves(*names)
    order = LittleWeb({"home": says(BAD, html), **pages}).order("guide(stiffness=0.1)", "home").split()[1:]
    assert good_share(order) >= 0.62


def test_what_cannot_be_had_speaks_against_its_surroundings() -> None:
    # What is there is worth what is usual, so that nothing but the failures tells the folders apart.
    names = [f"{folder}/{number}" for number in range(20) for folder in ("gone", "there")]
    pages = {"home": says(BAD, apart(*names))}
    pages |= {name: "404" if name.startswith("gone") else page(50) for name in names}
    assert LittleWeb(pages).crawl("guide", "home", budget={"pages": 21}).tally.errors["404"] <= 5


def test_what_a_redirect_leads_to_speaks_for_the_links_that_led_there() -> None:
    lists = [[f"{kind}{number}/x" for number in range(8)] for kind in ("bad", "good")]
    pages = {"home": says(BAD, *(together(*(f"to-{name}" for name in names)) for names in lists))}
    for names in lists:
        pages |= {**leaves(*names), **{f"to-{name}": f"-> {name}" for name in names}}
    assert good_share(taken(pages)) >= 0.8


# ---- what waits is looked at again ----


def known(**kinds: list[str]) -> dict[str, list[str]]:
    return {kind: [f"{HOME}{name}" for name in names] for kind, names in kinds.items()}


def among_many(section: str, good: list[str], positive: int, negative: int) -> list[str]:
    """The order on a web where 300 links wait before a section, and links to examples say how many are good."""
    others = [f"bad{number}/x" for number in range(300)]
    ones, nots = (
        [f"{kind}{number}/x" for number in range(most)] for kind, most in (("is", positive), ("not", negative))
    )
    pages = {"home": says(GOOD, apart(*others), section, apart(*ones, *nots))}
    pages |= leaves(*good, *others, *ones, *nots)
    return taken(pages, examples=known(positive=ones, negative=nots), budget={"pages": 20})


def test_siblings_of_a_good_page_are_taken_at_once() -> None:
    good = [f"good{number}/x" for number in range(6)]
    siblings = apart(good[0], text="s80") + "".join(f"<p>{FAR} {link(name)} {FAR}</p>" for name in good[1:])
    assert sorted(among_many(siblings, good, positive=1, negative=5)[:6]) == good


def test_all_that_waits_is_looked_at_again_a_few_at_a_time() -> None:
    # A link promises much, since its siblings are examples, but that is seen only when it is looked at again. The
    # first four pages are the examples and the seed, whose links these are; `taken` leaves them out. From then on forty
    # links are looked at with each page, in the order they were met: with the eighth of them (0 to 7) those from the
    # 280th to the 319th, and so the next one taken is this.
    section = together("good/x", *(f"is{number}/x" for number in range(3)))
    assert among_many(section, ["good/x"], positive=3, negative=27).index("good/x") == 8


# ---- examples, which are known without a visit ----


def test_links_to_examples_tell_of_their_surroundings() -> None:
    names = [f"{kind}/{number}" for number in range(4) for kind in ("bad", "good")]
    pages = {
        "home": says(BAD, apart("p", text="s90"), apart("q", text="s80")),
        "p": says(BAD, apart("bad/known", "good/known")),
        "q": says(BAD, apart(*names)),
    }
    pages |= leaves(*names, "good/known", "bad/known")
    examples = known(positive=["good/known"], negative=["bad/known"])
    order = [name for name in taken(pages, examples=examples) if "known" not in name]
    assert good_share(order) == 1


def test_links_to_examples_teach_what_speaks_for_a_link() -> None:
    # By what is usual a good heading is better than none. The examples say otherwise before any was visited.
    ones, others = ([f"{kind}{number}/x" for number in range(20)] for kind in ("is", "not"))
    pages = {
        "home": says(BAD, apart("p", text="s90"), apart("o", text="s80"), apart("q", text="s70")),
        "p": says(BAD, together(*ones), together(*others, heading="s80")),
        "o": says(BAD),
        "q": says(BAD, together("good/x"), together("bad/x", heading="s80")),
    }
    pages |= leaves("good/x", "bad/x", *ones, *others)
    guide = "guide(stiffness=1)"
    assert taken(pages, guide, examples=known(positive=ones, negative=others))[0] == "good/x"
    assert taken(pages, guide)[0] == "bad/x"


# ---- examples, which it starts at ----


def test_it_starts_at_the_positive_examples() -> None:
    pages = {"home": says(BAD, apart("other")), "is": says(GOOD, apart("good/x")), "not": says(BAD, apart("bad/x"))}
    pages |= leaves("other", "good/x", "bad/x")
    examples = known(positive=["is"], negative=["not"])
    assert LittleWeb(pages).order("guide", "home", examples=examples).split() == ["is", "home", "good/x", "other"]
    assert LittleWeb(pages).order("best-first", "home", examples=examples).split() == ["home", "other"]


def test_an_example_out_of_scope_is_not_fetched() -> None:
    pages = {"home": says(BAD, apart("other")), "is": says(GOOD, apart("good/x")), **leaves("other", "good/x")}
    scope = {"deny_paths": ["/is"]}
    assert LittleWeb(pages).order("guide", "home", examples=known(positive=["is"]), scope=scope) == "home other"


@pytest.mark.parametrize(("linked", "first"), [("is", "example"), ("not", "seed")])
def test_links_of_examples_are_worth_what_examples_link_to(linked: str, first: str) -> None:
    # Links on the seed and on the examples say the same. Where examples link to each other, their links come first;
    # where they link to what is no example, the seed's do.
    others = [f"{linked}{number}" for number in range(3)]
    examples = known(positive=[f"is{number}" for number in range(8)], negative=[f"not{number}" for number in range(8)])
    pages = {f"is{number}": says(GOOD, apart(f"example{number}/x", text="s20"), apart(*others)) for number in range(8)}
    pages |= {"home": says(45, apart(*(f"seed{number}/x" for number in range(8)), text="s20"))}
    pages |= {f"{kind}{number}/x": page(50) for number in range(8) for kind in ("example", "seed")}
    pages |= {f"not{number}": page(BAD) for number in range(8)}
    order = LittleWeb(pages).order("guide", "home", examples=examples).split()
    assert sum(name.startswith(first) for name in [one for one in order if one.endswith("/x")][:8]) >= 7


def test_a_seed_that_is_an_example_is_a_seed() -> None:
    # Nobody doubts its links, though examples link to what is none.
    names = [f"x{number}" for number in range(4)]
    pages = {"home": says(GOOD, apart(*names)), "is": says(GOOD, apart("not0", "not1", "not2"), apart("y"))}
    pages |= leaves(*names, "y", "not0", "not1", "not2")
    examples = known(positive=["home", "is"], negative=["not0", "not1", "not2"])
    order = LittleWeb(pages).order("guide", "home", examples=examples).split()
    assert order[:2] == ["is", "home"]
    assert sorted(order[2:6]) == names


def test_trust_in_examples_by_hand() -> None:
    # Nothing known: one half. Two positive, one negative: (2 + 1) / (3 + 2). Others do not count.
    trust = ExampleTrust()
    assert trust.value == 0.5
    trust.add(np.array([1, 0, -1, 1], np.int8))
    assert trust.value == 0.6
    again = ExampleTrust()
    again.restore(trust.dump())
    assert again.value == 0.6


# ---- doubt ----


def test_what_is_unlike_anything_seen_gets_its_chance() -> None:
    # Of many links under a good heading one in three leads somewhere. The few without promise a little less, and all
    # lead somewhere: who never tries one never learns it.
    plain, odd = [f"plain{number}/x" for number in range(60)], [f"odd{number}/x" for number in range(8)]
    pages = {"home": says(20, together(*plain, heading="s40"), together(*odd)), **dict.fromkeys(odd, page(GOOD))}
    pages |= {name: page(GOOD if place % 3 == 1 else BAD) for place, name in enumerate(plain)}
    order = LittleWeb(pages).order("guide(boldness=1.5)", "home", budget={"pages": 30}).split()
    assert sum(name.startswith("odd") for name in order) == 8


# ---- words that relevant pages of the crawl have, and that the model does not know ----


def on_honey(name: str) -> bool:
    return "good" in name


def honey_and_wax(shown: Callable[[str, str, str], str]) -> float:
    """How many of the first half are good, if good pages are full of honey, bad ones of wax, and links tell of it."""
    names = mixed("good", "bad", count=20)
    kinds = {name: ("honey", "wax") if on_honey(name) else ("wax", "honey") for name in names}
    home = says(BAD, *(f"<h2>x</h2><p>{FAR} {shown(name, *kinds[name])} {FAR}</p>" for name in names))
    leaf = {name: says(GOOD if on_honey(name) else BAD, f"<p>{kinds[name][0]} " * 5) for name in names}
    return good_share(taken({"home": home, **leaf}))


def test_it_learns_the_words_of_anchors() -> None:
    # Anchor and the word before it together are the same for all.
    assert honey_and_wax(lambda name, own, other: f"{other} {link(name, own)}") >= 0.7


def test_it_learns_the_words_beside_links() -> None:
    assert honey_and_wax(lambda name, own, _: f"{own} {link(name)} {own}") >= 0.7


# ---- every feature has its test ----


def _text(name: str) -> Callable[[], None]:
    return lambda: test_a_text_that_speaks_for_a_link(name)


TESTED: dict[str, Callable[[], None]] = {
    "its anchor text": _text("anchor"),
    "the 20 words around it": test_the_near_window_is_narrower_than_the_wide_one,
    "the 60 words around it": _text("wide window"),
    "its block": _text("block"),
    "its parent element's text": _text("parent"),
    "its heading": _text("heading"),
    "its anchor text as a title": _text("anchor as a title"),
    "the words of its address": _text("address"),
    "the topic's own words in its anchor text": _text("keywords in its anchor"),
    "the best words near it": test_the_best_words_near_a_link_count_besides_the_usual_ones,
    "the pages that link to it": test_links_of_relevant_pages_come_first,
    "the best page that links to it": test_it_learns_what_the_best_page_that_links_is_worth,
    "how many pages link to it": test_what_more_pages_link_to_comes_first,
    "the cash that reached it": test_it_learns_what_cash_is_worth,
    "its siblings so far": test_siblings_tell_of_one_another,
    "its region of the site so far": test_it_learns_what_the_parts_of_a_sites_pages_are_worth,
    "its folder so far": test_folders_tell_of_what_is_in_them,
    "its host so far": test_it_learns_what_hosts_are_worth,
    "links since a relevant page": test_it_learns_how_far_from_relevant_pages_to_go,
    "page and words together": test_promises_know_that_page_and_words_count_together,
    "words of relevant pages in its anchor text": test_it_learns_the_words_of_anchors,
    "words of relevant pages around it": test_it_learns_the_words_beside_links,
    "links from a seed": test_what_is_nearer_to_the_seeds_comes_first,
}


@pytest.mark.parametrize("label", LABELS)
def test_without_a_feature_its_test_fails(label: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def without(compute: Callable[..., Any]) -> Callable[..., Any]:
        def computed(*facts: Any) -> Any:
            matrix = compute(*facts)
            matrix.T[LABELS.index(label)] = 0.0
            return matrix

        return computed

    monkeypatch.setattr(features, "_kernel", None)
    monkeypatch.setattr(knowledge, "feature_matrix", without(plain_features))
    monkeypatch.setattr(promises, "plain_features", without(plain_features))
    with pytest.raises(AssertionError):
        TESTED[label]()


def test_a_further_feature_is_computed_for_every_url(monkeypatch: pytest.MonkeyPatch) -> None:
    further = features.StateFeature("x", 0.0, lambda url: url.depth == 3)
    monkeypatch.setattr(features, "STATE_FEATURES", (*features.STATE_FEATURES, further))
    monkeypatch.setattr(features, "FEATURES", (*features.FEATURES, further))
    learnt = features.Learnt(features.text_scaler(), features.Rates(), 0.1)
    facts = features.UrlFacts(np.zeros(2, url_rows.URL), np.array([0, 1]), np.array([3, 1]), learnt)
    assert plain_features(facts)[:, -1].tolist() == [1.0, 0.0]
