"""Which rules of a page's style sheets apply to its elements.

Selectors are matched from the top of the page downwards. The *state* of an element is what of longer selectors it and
its ancestors have matched, so it follows from the parent's state and the element's own tag and names. Pages repeat
themselves: both are numbered, each pair is computed once, and all other elements with that pair cost one look-up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from honeyguide.page.blocks.declarations import NOTHING, StyleText
from honeyguide.page.blocks.sheets import Compound, SheetRule, is_for_screens, read_sheet
from honeyguide.page.limits import MAX_STYLE_TESTS

_FIRST: Final = -1  # no part of a selector comes before its first one
NO_STYLE: Final = StyleText(NOTHING, NOTHING)

_Attributes = Mapping[str, str | None]
_Key = str | int | None
"""The lookup key of a part of a selector: an id or a class, else a tag, else nothing."""


class _Step(NamedTuple):
    """A part of a selector."""

    number: int
    before: int
    """The part that must have matched an ancestor."""
    compound: Compound
    rank: int
    """If it is the last part: the place of its rule in the cascade. Otherwise -1."""


class _Rules:
    """The rules of some style sheets, looked up by the last name or tag of each part of their selectors."""

    def __init__(self, rules: Sequence[SheetRule]) -> None:
        ordered = sorted(rules, key=lambda rule: rule.selector.specificity)  # of equal ones the last counts
        self.styles = [rule.style for rule in ordered]
        self.steps: dict[_Key, list[_Step]] = {}
        self.names: set[str] = set()
        known: dict[tuple[int, Compound], int] = {}  # beginnings that several selectors share
        number = 0
        for rank, rule in enumerate(ordered):
            before = _FIRST
            for compound in rule.selector.compounds[:-1]:
                following = known.get((before, compound))
                if following is None:
                    following = known[before, compound] = number
                    number += 1
                    self._add(_Step(following, before, compound, -1))
                before = following
            self._add(_Step(number, before, rule.selector.compounds[-1], rank))
            number += 1

    def _add(self, step: _Step) -> None:
        compound = step.compound
        self.names |= compound.names
        key: _Key = min(compound.names, default=compound.tag)  # "#" sorts before ".": ids are rarer than classes
        self.steps.setdefault(key, []).append(step)


@lru_cache(maxsize=16)  # the pages of a site share their style sheets
def _rules_of(sheets: tuple[tuple[str, str], ...]) -> _Rules | None:
    rules = [rule for media, text in sheets if is_for_screens(media) for rule in read_sheet(text)]
    return _Rules(rules) if rules else None


class Cascade:
    """The style sheets of one page, applied to its elements from the top down.

    What they cost is bounded by `MAX_STYLE_TESTS`: after that, they apply to no further kind of element.
    """

    OUTSIDE: Final = 0
    """The state above the topmost element."""

    def __init__(self, rules: _Rules) -> None:
        self._rules = rules
        # For each state, the parts that match the element itself, and those that match it or an ancestor.
        self._states: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
        self._state_numbers = {self._states[0]: 0}
        self._kinds: dict[tuple[int, str | None, str | None], tuple[int, frozenset[str]]] = {}
        self._entered: dict[tuple[int, int, frozenset[str]], tuple[int, StyleText]] = {}
        self._tests_left = MAX_STYLE_TESTS

    @classmethod
    def of(cls, sheets: tuple[tuple[str, str], ...]) -> Cascade | None:
        """The style sheets of a page, given as media and text; None if none of their rules matters."""
        rules = _rules_of(sheets) if sheets else None
        return cls(rules) if rules is not None else None

    def enter(self, above: int, tag: int, attributes: _Attributes | None) -> tuple[int, StyleText]:
        """The state of an element, given that of its parent, and the declarations of all rules that apply to it."""
        written = (tag, attributes.get("id"), attributes.get("class")) if attributes else (tag, None, None)
        kind = self._kinds.get(written)
        if kind is None:
            kind = self._kinds[written] = self._kind(*written)
        found = self._entered.get((above, *kind))
        if found is None:
            found = self._entered[above, *kind] = self._enter(above, *kind)
        return found

    def _kind(self, tag: int, name: str | None, classes: str | None) -> tuple[int, frozenset[str]]:
        """The features of an element that rules refer to: its tag, ids and classes, as far as any rule names them."""
        names = {f".{one}" for one in classes.split()} if classes else set()
        if name:
            names.add(f"#{name}")
        return tag, frozenset(names & self._rules.names)

    def _enter(self, above: int, tag: int, names: frozenset[str]) -> tuple[int, StyleText]:
        if self._tests_left < 0:
            return above, NO_STYLE
        on_parent, on_any = self._states[above]
        here: list[int] = []
        ranks: list[int] = []
        for key in (*names, tag, None):
            for step in self._rules.steps.get(key, ()):
                self._tests_left -= 1
                compound = step.compound
                if (
                    (compound.tag is None or compound.tag == tag)
                    and compound.names <= names
                    and (step.before == _FIRST or step.before in (on_parent if compound.is_child else on_any))
                ):
                    if step.rank >= 0:
                        ranks.append(step.rank)
                    else:
                        here.append(step.number)
        self._tests_left -= len(on_any) if here else 0
        state = self._number((frozenset(here), on_any.union(here) if here else on_any))
        return state, self._style(ranks)

    def _number(self, state: tuple[frozenset[int], frozenset[int]]) -> int:
        number = self._state_numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def _style(self, ranks: list[int]) -> StyleText:
        """The declarations of several rules, later ones overriding earlier ones."""
        normal = important = NOTHING
        for rank in sorted(ranks):
            style = self._rules.styles[rank]
            normal = normal.overridden(style.normal)
            if style.important is not NOTHING:
                important = important.overridden(style.important)
        return StyleText(normal, important) if ranks else NO_STYLE
