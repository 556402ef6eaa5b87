"""The buttons that say whether a page is relevant, and how to do without them."""

from __future__ import annotations

from typing import Final

from honeyguide.dashboard.marks import mark_value
from honeyguide.document.markup import Html, element, html
from honeyguide.store.commands import NO, YES

MARKS: Final = "marks"
"""The id of the form that the buttons belong to."""

_LONGEST_URL = 4000
_TEXTS = ((YES, "Relevant"), (NO, "Not relevant"))
_MOVES = (("j", "k", "next and previous"),)
_KEYS = (("y", "relevant"), ("n", "not relevant"), ("u", "undo"))


def mark_buttons(url: str, now: str | None, named_by: str) -> Html:
    """Two buttons for a page that is marked with `now`; none for a URL that no crawl accepts.

    `named_by` is the id of the element that says which page it is.
    """
    if len(url) > _LONGEST_URL:
        return Html()
    buttons = [
        element(
            "button",
            text,
            form=MARKS,
            name="mark",
            value=mark_value(answer, url, now),
            data_answer=answer,
            type="submit",
            aria_pressed="true" if answer == now else "false",
        )
        for answer, text in _TEXTS
    ]
    return element("div", *buttons, class_="marks", role="group", aria_labelledby=named_by)


def key_hint(*, is_list: bool) -> Html:
    """Which keys mark the page that is selected in a list, or the only one; for those who have keys."""
    parts = [
        html(" ", element("span", *(element("kbd", key) for key in keys), f" {what}", class_="key-hint"))
        for *keys, what in (*(_MOVES if is_list else ()), *_KEYS)
    ]
    return element("p", "Keys:", *parts, class_="quiet keys")
