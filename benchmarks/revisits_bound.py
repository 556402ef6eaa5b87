"""What the order of visits can bring at most: the same rules with the true rates of change, and nothing else to do.

No crawl is run: the relevant pages that a web has on its first day are all stored then, and each day a part of them is
visited. Whether a page has changed since its last visit is all that the estimates are made from, as in a crawl.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from statistics import fmean
from types import MappingProxyType

from honeyguide.crawl.again.change_model import ChangeModel, PageKind
from honeyguide.crawl.again.change_rate import ChangeRate
from honeyguide.demo import DemoWeb
from honeyguide.demo.changing import ChangingWeb

_LOOKS = 10  # at the copies, each day
_SURE = 1e6  # the shape of a rate that is known
_KINDS = {"home": PageKind.FRONT, "portal": PageKind.HUB, "hub": PageKind.HUB}

Worth = Callable[[ChangeRate, float], float]

RULES: Mapping[str, tuple[Worth, bool]] = MappingProxyType(
    {
        "uniform": (lambda _rate, days: days, False),
        "proportional, rates estimated": (lambda rate, days: rate.mean * days, False),
        "proportional, rates known": (lambda rate, days: rate.mean * days, True),
        "gain, rates estimated": (ChangeRate.gain, False),
        "gain, rates known": (ChangeRate.gain, True),
    }
)
"""What a visit is worth by the rate of a page and the days since the last one; whether the true rate is used."""


def freshness(seed: int, pages: int, days: int, share: float, subject: str, rule: str) -> float:
    """The share of the copies that are up to date, averaged over time, if a `share` of them is visited each day."""
    worth, is_known = RULES[rule]
    web = ChangingWeb(DemoWeb(seed=seed, pages=pages, page_kb=2.0), 0.0, days)
    urls = [url for url in web.page_urls() if web.web.relevant(url, subject) and web.exists(url, 0.0)]
    changes = [web.changes(url) for url in urls]
    places = [(url.split("/")[2], _kind(web, url)) for url in urls]
    known = [ChangeRate(_SURE, _SURE / max(web.rate(url), 1e-9)) for url in urls]
    model = ChangeModel()
    last = [0.0] * len(urls)
    fresh = []
    for day in range(1, days):
        value = [
            worth(known[page] if is_known else model.rate(page, *places[page]), day - last[page])
            for page in range(len(urls))
        ]
        for page in sorted(range(len(urls)), key=lambda page: -value[page])[: max(round(share * len(urls)), 1)]:
            is_changed = bisect_right(changes[page], day) != bisect_right(changes[page], last[page])
            (model.changed if is_changed else model.same)(page, *places[page], day - last[page])
            last[page] = float(day)
        for look in range(_LOOKS):
            time = day + look / _LOOKS
            current = (
                bisect_right(when, time) == bisect_right(when, seen) for when, seen in zip(changes, last, strict=True)
            )
            fresh.append(sum(current) / len(urls))
    return fmean(fresh)


def _kind(web: ChangingWeb, url: str) -> PageKind:
    page = web.web.page_of(url)
    return _KINDS.get(page.kind if page is not None else "", PageKind.ARTICLE)
