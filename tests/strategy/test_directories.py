"""Pages that are nearly all links are judged by their own words."""

from __future__ import annotations

import pytest

from honeyguide.page.context.directories import MANY_LINKS, OWN_WORDS
from honeyguide.relevance.models import make_model
from honeyguide.strategy.guide.evidence import REGION, SECTION
from honeyguide.strategy.reading import Document, Reader, ReaderConfig, Reading
from honeyguide.topic import Topic
from honeyguide.topic.material import material_of

TOPIC = Topic.make(name="bees", seeds=["http://a.example/"], keywords="honey, bee, hive", relevance={"model": "vsm"})
MODEL = make_model(material_of(TOPIC))
WAX = "wax candle market morning table window garden letter river stone"


def read(own: str, links: int, strategy: str = "best-first") -> Reading:
    """A page with its own words and links whose anchors are about bees, two headings among them."""
    anchors = "".join(f"<p><a href=/{number}>honey bee hive</a></p>" for number in range(links))
    html = f"<title>x</title><h1>{own}</h1>{anchors}<h2></h2><p><a href=/last>bee</a></p>"
    return Reader(ReaderConfig(MODEL, strategy)).read(Document("http://a.example/", html.encode()))


def test_anchors_alone_do_not_make_a_page_relevant() -> None:
    few, many = read("", MANY_LINKS - 2), read("", MANY_LINKS)
    assert (few.directory, many.directory) == (False, True)
    assert few.relevant
    assert few.relevance > 0.5
    assert many.relevance == 0.0
    assert not many.relevant
    assert set(many.links.scores.tolist()) == {0.0}


def test_a_word_or_two_of_its_own_are_not_enough() -> None:
    assert read("honey bee", 500).relevance < 0.1


def test_a_directory_that_speaks_of_the_topic_counts_as_what_it_says() -> None:
    about_bees, mentions_them = read(f"honey bee hive {WAX} " * 10, 500), read(f"honey {WAX} {WAX} " * 5, 500)
    assert about_bees.directory
    assert mentions_them.directory
    assert about_bees.relevance > 1.5 * mentions_them.relevance > 0


def test_a_page_with_words_of_its_own_counts_in_full() -> None:
    links = 3 * MANY_LINKS
    words = int(3 * links * OWN_WORDS / (1 - OWN_WORDS)) + 30
    whole = read(" ".join([WAX] * (words // 10)), links)
    assert not whole.directory
    assert whole.relevance > 0.5


@pytest.mark.parametrize("own", [" ".join([WAX] * count) for count in (0, 1, 2, 5, 10, 15, 20)])
def test_the_more_words_it_has_the_more_its_anchors_count(own: str) -> None:
    less, more = read(own, 300).relevance, read(f"{own} {WAX}", 300).relevance
    assert less < more or (less == more == 0)


def test_guide_sees_a_directory_as_one_section_and_one_region() -> None:
    ordinary, directory = read("", 20, "guide").links, read("", 200, "guide").links
    assert len(set(ordinary[SECTION].tolist())) == 2
    assert set(directory[SECTION].tolist()) == {0}
    assert len(set(directory[REGION].tolist())) == 1
    assert not set(directory[REGION].tolist()) & set(ordinary[REGION].tolist())
