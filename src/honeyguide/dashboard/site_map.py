"""A map of a crawl: its sites, and the ways that the crawl took between them, at places that depend on nothing else."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from honeyguide.dashboard.source import CrawlSource

MOST_SITES: Final = 60
WIDTH, HEIGHT = 1000, 700
"""Size of the map, in units of its drawing."""
_MOST_ROADS = 240
_STEPS = 60
_MARGIN = np.array([110.0, 60.0])
_LETTER, _LINE = 8.0, 18.0  # size of a label's letters, about
_ALWAYS = 5  # sites that are labelled wherever they are
_GRAVITY = 0.02  # pulls every site to the middle
_LARGEST, _SMALLEST = 42.0, 6.0  # radii


class MapSite(NamedTuple):
    """A site on the map."""

    id: int
    name: str
    pages: int
    found: int
    x: float
    y: float
    radius: float


class MapRoad(NamedTuple):
    """A way from one site to another; both are positions in the list of sites."""

    source: int
    target: int
    pages: int
    found: int


class SiteMap(NamedTuple):
    """The largest sites of a crawl and the ways between them."""

    sites: list[MapSite]
    roads: list[MapRoad]
    all_sites: int


def site_map(source: CrawlSource) -> SiteMap:
    """The sites with the most relevant pages, then the most pages, laid out. The same counts give the same map."""
    rows = source.query(
        "SELECT id, name, pages, found FROM sites WHERE pages > 0 ORDER BY found DESC, pages DESC, id LIMIT ?",
        MOST_SITES,
    )
    ((all_sites,),) = source.query("SELECT count(*) FROM sites WHERE pages > 0")
    place = {row[0]: number for number, row in enumerate(rows)}
    sql = (
        "SELECT source, target, pages, found FROM json_each(?1) AS wanted CROSS JOIN roads ON source = wanted.value "
        "WHERE target IN (SELECT value FROM json_each(?1)) ORDER BY pages DESC, source, target LIMIT ?2"
    )
    found = source.query(sql, json.dumps([*place]), _MOST_ROADS)
    roads = [MapRoad(place[begin], place[end], pages, hits) for begin, end, pages, hits in found]
    radii = _radii([row[3] for row in rows])
    places = layout(tuple(radii), tuple((road.source, road.target, road.pages) for road in roads))
    sites = [
        MapSite(row[0], row[1], row[2], row[3], float(x), float(y), radius)
        for row, (x, y), radius in zip(rows, places.tolist(), radii, strict=True)
    ]
    return SiteMap(sites, roads, all_sites)


def _radii(found: Sequence[int]) -> list[float]:
    """Radii whose areas are in the proportion of the relevant pages; none is too small to see."""
    most = max(found, default=0) or 1
    return [max(_LARGEST * math.sqrt(count / most), _SMALLEST) for count in found]


@lru_cache(maxsize=4)
def layout(radii: tuple[float, ...], roads: tuple[tuple[int, int, int], ...]) -> NDArray[np.float64]:
    """Places for circles: those with roads between them near each other, none over another where there is room.

    Fruchterman and Reingold's method, from a spiral instead of chance, with more room for larger circles.
    """
    count = len(radii)
    if not count:
        return np.zeros((0, 2))
    size, centre = np.array(radii), np.array([WIDTH / 2, HEIGHT / 2])
    numbers = np.arange(count)
    angle = numbers * math.pi * (3 - math.sqrt(5))  # the golden angle: no two in line
    reach = np.sqrt((numbers + 0.5) / count)
    places = centre + 0.4 * np.stack((WIDTH * reach * np.cos(angle), HEIGHT * reach * np.sin(angle)), axis=1)
    pull = np.zeros((count, count))
    for begin, end, weight in roads:
        pull[begin, end] += math.log1p(weight)
        pull[end, begin] = pull[begin, end]
    if pull.max() > 0:
        pull /= pull.max()
    room = math.sqrt(WIDTH * HEIGHT / count) * 0.75
    for step in range(_STEPS):
        between = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.sqrt((between**2).sum(axis=2)), 1.0)
        gap = np.maximum(distance - size[:, None] - size[None, :], 4.0)
        force = room**2 / gap - pull * distance**2 / room
        np.fill_diagonal(force, 0.0)
        move = (between / distance[:, :, None] * force[:, :, None]).sum(axis=1) + (centre - places) * _GRAVITY * count
        length = np.maximum(np.sqrt((move**2).sum(axis=1)), 1e-9)
        most = 90.0 * (1 - step / _STEPS) + 0.5
        places = places + move / length[:, None] * np.minimum(length, most)[:, None]
    fitted: NDArray[np.float64] = _fitted(places).round(1)
    return fitted


def _fitted(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The places, stretched to the size of the map."""
    low, high = places.min(axis=0), places.max(axis=0)
    wide = np.maximum(high - low, 1.0)
    if len(places) == 1:
        return np.array([[WIDTH / 2, HEIGHT / 2]])
    fitted: NDArray[np.float64] = _MARGIN + (places - low) / wide * (np.array([WIDTH, HEIGHT]) - 2 * _MARGIN)
    return fitted


def labelled(sites: Sequence[MapSite], length: int) -> set[int]:
    """Which sites have room for a label of up to `length` characters below them: the first ones come first."""
    circles = [
        (site.x - site.radius, site.y - site.radius, site.x + site.radius, site.y + site.radius) for site in sites
    ]
    chosen: set[int] = set()
    boxes: list[tuple[float, float, float, float]] = []
    for number, site in enumerate(sites):
        half, top = min(len(site.name), length) * _LETTER / 2, site.y + site.radius + 2
        box = (site.x - half, top, site.x + half, top + _LINE)
        # The label of a large site may cover small circles, but no other label.
        others = [] if number < _ALWAYS else [one for place, one in enumerate(circles) if place != number]
        if not any(box[0] < x2 and x1 < box[2] and box[1] < y2 and y1 < box[3] for x1, y1, x2, y2 in (*boxes, *others)):
            chosen.add(number)
            boxes.append(box)
    return chosen
