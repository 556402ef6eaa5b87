"""Words that belong to no subject: everyday language, and the language of courses, jobs, shops and advertisements."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS: Final = _words(
    "time year people way day thing world life hand part child eye place week case point company number "
    "group problem fact morning evening street house garden window door table chair kitchen letter paper "
    "book story page picture idea reason question answer word name friend neighbour family brother sister "
    "mother father teacher visitor guest member owner village town city market bridge river lake hill forest "
    "field road path corner square building room floor wall roof school office library museum hospital "
    "church theatre cinema restaurant shop factory workshop summer spring weather rain snow wind sun cloud "
    "storm season month holiday journey trip walk visit meeting party dinner lunch breakfast coffee tea soup "
    "apple potato tomato vegetable fruit dog cat horse cow sheep fish tree flower grass water fire air earth "
    "stone glass metal plastic machine tool computer telephone radio newspaper magazine internet website "
    "article report list survey result figure example method rule law government election minister police "
    "court bank money price tax budget business customer service product quality sport football tennis team "
    "player game music concert band singer painting artist writer novel poem language history science "
    "research university student health doctor medicine body heart head face hair shoe coat shirt car bus "
    "bicycle airport hotel beach island mountain country border region century decade generation tradition "
    "custom memory dream hope fear doubt mistake lesson habit secret surprise difference"
)

ADJECTIVES: Final = _words(
    "new good old great small large long young early important local different public simple common quiet "
    "busy bright dark warm cold dry heavy light strong weak quick slow careful patient curious careless "
    "modern ancient famous unknown recent former final first last next whole half empty full open closed "
    "clean dirty cheap expensive free safe dangerous easy difficult happy sad tired hungry friendly strange "
    "ordinary special beautiful plain wooden broken useful useless regular rare frequent sudden gentle rough "
    "smooth narrow wide deep shallow high low round flat green red blue yellow white black grey brown"
)

# The joints between two noun phrases. Content verbs and function words are mixed, as in running text.
JOINTS: Final = (
    *(
        "is",
        "was",
        "has",
        "with",
        "in",
        "on",
        "for",
        "and",
        "of",
        "near",
        "from",
        "beside",
        "without",
        "under",
        "after",
    ),
    *("and", "of", "in", "to", "at", "or", "but not", "because of", "which is", "that was", "as well as", "more than"),
    *("shows", "keeps", "needs", "makes", "gives", "brings", "takes", "finds", "holds", "leaves", "carries", "covers"),
    *("can change", "may help", "will follow", "must wait for", "should begin with", "had become", "would replace"),
    *(
        "belongs to",
        "depends on",
        "comes from",
        "leads to",
        "stands behind",
        "remains",
        "explains",
        "improves",
        "reaches",
    ),
    *("replaced", "followed", "described", "opened", "closed", "started", "changed", "joined", "crossed", "watched"),
)

DETERMINERS: Final = (
    *("the", "the", "the", "the", "a", "a", "this", "that", "every", "our", "their", "his", "her", "some", "no"),
    *("", "", "", "", ""),
)

LEADS: Final = (
    "See",
    "More in",
    "Compare",
    "As told in",
    "Read also",
    "The same is said in",
    "A longer account:",
    "Source:",
)
BLANK_ANCHORS: Final = ("click here", "read more", "here", "more", "this page", "link")

SYLLABLES: Final = _words(
    "al bor cas del en far gor hal is jor kel lin mar nor os pel quin ros sel tor ul ver wil yor zan"
)
NAME_ENDS: Final = _words("a ba dorf en field ford ham ia ic in is ley mere o on ov stadt ton um wick")

GENRES: Final = {
    "course": _words(
        "course lecture syllabus semester enrolment tutor exam assignment seminar module prerequisite "
        "certificate classroom credits homework curriculum instructor grading textbook tuition"
    ),
    "job": _words(
        "vacancy salary applicant employer position interview recruitment contract career resume "
        "qualification candidate overtime pension workplace colleague deadline references probation"
    ),
    "product": _words(
        "price basket checkout delivery stock warranty discount shipping brand rating voucher invoice refund "
        "seller bargain packaging bestseller accessory reorder wishlist"
    ),
}
GENRE_FOLDERS: Final = {"course": "courses", "job": "jobs", "product": "shop"}

ADVERTS: Final = (
    *(
        "Cheap flights today",
        "Win a free phone",
        "Lower your loan rate",
        "Lose weight in a week",
        "Insurance from 2 a day",
    ),
    *("Meet new people", "Sale: everything must go", "Best mobile contract", "Ringtones for free", "Your credit score"),
)

SECTIONS: Final = ("News", "Archive", "Contributions", "Guide", "Questions", "Events")
SITE_NOUNS: Final = _words(
    "notes club journal society review forum corner circle letters guild almanac pages diary works bureau house"
)
NEUTRAL_SITE_WORDS: Final = {
    "portal": _words("compassrose gateway panorama signpost crossroads directory lighthouse atrium"),
    "trade": _words("marketplace counter academy workbench emporium bazaar campus arcade"),
    "general": ("bücherei", "tagblättchen", "café", "mañana", "деревня", "łąka", "château", "ødegård"),
    "mixed": _words("scrapbook attic teacup notebook hammock doorstep sundry porch"),
}
SHARED_DOMAINS: Final = _words("commons folio hearth lantern harbour willow mosaic thicket")
