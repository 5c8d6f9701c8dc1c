"""Static SVG map of a parcel's journey: land, borders, lakes and towns.

It needs neither scripts nor further requests and is a hundredth of the size of an interactive map. Data: Natural Earth,
as in the other maps.
"""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct, json

GROUND = Path(__file__).parent.parent / "static" / "vendor"
WIDTH, HEIGHT = 480, 288
MARGIN = 60
"""So far from the edge the places of a journey lie at least, in the picture's own units."""
CLOSEST = 1 / 16_384
"""The part of the world that one unit shows at least: closer, outlines that are a kilometre off say more than is known."""
BEYOND = 8
"""Margin by which outlines extend beyond the picture, so that its edge shows no border."""
FINEST = 1.9
"""Points of an outline that are nearer to each other than this are drawn as one."""
SMALLEST = 4.0
"""Islands and lakes that are smaller are left out."""
TOWNS, TOWN_WIDTH, TOWN_HEIGHT = 9, 90, 24
NORTHMOST = 85.0511
Point = tuple[float, float]
Box = tuple[float, float, float, float]


class MapPlace(Struct, frozen=True):
    """A place of a journey in the picture."""

    x: float
    y: float
    title: str


class MapTown(Struct, frozen=True):
    """A town, named in the picture."""

    x: int
    y: int
    name: str


class StillMap(Struct, frozen=True, kw_only=True):
    """Template values of the map. Outlines are SVG path data."""

    width: int
    height: int
    land: str
    water: str
    borders: str
    towns: list[MapTown]
    places: list[MapPlace]


class _Outline(Struct, frozen=True):
    """An outline of land or water with its bounding box, in fractions of the world."""

    xs: "array[float]"
    ys: "array[float]"
    box: Box


class _Ground(Struct, frozen=True):
    land: list[_Outline]
    water: list[_Outline]
    borders: list[_Outline]
    towns: list[tuple[str, Point]]


class _View(Struct, frozen=True):
    """The part of the world in the picture."""

    left: float
    top: float
    unit: float

    def at(self, x: float, y: float) -> Point:
        """A point of the world in the picture."""
        return (x - self.left) / self.unit, (y - self.top) / self.unit


def still_map(places: Sequence[dict[str, Any]]) -> StillMap | None:
    """The picture of the places of a journey; None where it has none."""
    if not places:
        return None
    points = [_in_world(place["lng"], place["lat"]) for place in places]
    view = _view_of(points)
    land, water, borders, towns = _drawn(view)
    titles = [" · ".join(part for part in (place["name"], place["what"]) if part) for place in places]
    shown = [view.at(*point) for point in points]
    dots = [MapPlace(round(x, 1), round(y, 1), title) for (x, y), title in zip(shown, titles, strict=True)]
    free = [town for town in towns if all(math.dist((town.x, town.y), point) > TOWN_HEIGHT for point in shown)]
    return StillMap(width=WIDTH, height=HEIGHT, land=land, water=water, borders=borders, towns=free, places=dots)


def _in_world(lng: float, lat: float) -> Point:
    """A place as Mercator has it: parts of the world from its north-western corner."""
    bounded = math.radians(max(-NORTHMOST, min(NORTHMOST, lat)))
    return lng / 360 + 0.5, 0.5 - math.asinh(math.tan(bounded)) / (2 * math.pi)


def _view_of(points: Sequence[Point]) -> _View:
    """Return the smallest view around all points.

    Views have steps, so that many journeys share one.
    """
    xs, ys = zip(*points, strict=True)
    wide, high = (max(xs) - min(xs)) / (WIDTH - 2 * MARGIN), (max(ys) - min(ys)) / (HEIGHT - 2 * MARGIN)
    needed = max(wide, high, CLOSEST)
    unit = CLOSEST * 2 ** (math.ceil(math.log2(needed / CLOSEST) * 4 - 1e-9) / 4)
    step = unit * 8
    left = round(((max(xs) + min(xs)) / 2 - unit * WIDTH / 2) / step) * step
    top = round(((max(ys) + min(ys)) / 2 - unit * HEIGHT / 2) / step) * step
    return _View(left, top, unit)


@lru_cache(maxsize=128)
def _drawn(view: _View) -> tuple[str, str, str, list[MapTown]]:
    """Return the drawing under a journey, cached because most journeys look alike."""
    ground = _ground()
    land, water = _path(view, ground.land), _path(view, ground.water)
    return land, water, _lines(view, ground.borders), list(_largest(view, ground.towns))


def _seen(view: _View) -> Box:
    """Return the part of the world that is drawn."""
    edge = BEYOND * view.unit
    right, bottom = view.left + WIDTH * view.unit, view.top + HEIGHT * view.unit
    return view.left - edge, view.top - edge, right + edge, bottom + edge


def _lines(view: _View, lines: Iterable[_Outline]) -> str:
    """Return the parts of lines inside the view as SVG path commands."""
    left, top, right, bottom = box = _seen(view)
    drawn: list[str] = []
    for line in lines:
        if _apart(line.box, box):
            continue
        inside = groupby(
            zip(line.xs, line.ys, strict=True), lambda at: left <= at[0] <= right and top <= at[1] <= bottom
        )
        parts = [_thinned(view.at(x, y) for x, y in part) for is_inside, part in inside if is_inside]
        drawn += [_steps(points, close="") for points in parts if len(points) > 1]
    return "".join(drawn)


def _path(view: _View, outlines: Iterable[_Outline]) -> str:
    """Return outlines as SVG path commands, without those too small to be seen."""
    box = _seen(view)
    drawn: list[str] = []
    for each in outlines:
        size = max(each.box[2] - each.box[0], each.box[3] - each.box[1])
        if _apart(each.box, box) or size < SMALLEST * view.unit:
            continue
        points = _thinned(view.at(x, y) for x, y in _clipped(list(zip(each.xs, each.ys, strict=True)), box))
        if len(points) > 2:
            drawn.append(_steps(points))
    return "".join(drawn)


def _steps(points: Sequence[tuple[int, int]], *, close: str = "z") -> str:
    """Return an outline as SVG path commands with relative points."""
    (x, y), *_ = points
    differences = [(there[0] - here[0], there[1] - here[1]) for here, there in pairwise(points)]
    return f"M{x},{y}l" + " ".join(f"{right}{down if down < 0 else f',{down}'}" for right, down in differences) + close


def _apart(one: Box, other: Box) -> bool:
    return one[2] < other[0] or one[0] > other[2] or one[3] < other[1] or one[1] > other[3]


def _thinned(points: Iterable[Point]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for x, y in points:
        point = round(x), round(y)
        if not kept or math.dist(kept[-1], point) >= FINEST:
            kept.append(point)
    return kept


def _clipped(points: list[Point], box: Box) -> list[Point]:
    """The part of a ring inside a box, edge by edge (Sutherland and Hodgman)."""
    for axis, bound, sign in ((0, box[0], 1), (0, box[2], -1), (1, box[1], 1), (1, box[3], -1)):
        kept: list[Point] = []
        before = points[-1] if points else (0.0, 0.0)
        for point in points:
            inside, was_inside = (sign * (each[axis] - bound) >= 0 for each in (point, before))
            if inside != was_inside:
                part = (bound - before[axis]) / (point[axis] - before[axis])
                kept.append((before[0] + part * (point[0] - before[0]), before[1] + part * (point[1] - before[1])))
            if inside:
                kept.append(point)
            before = point
        points = kept
    return points


def _largest(view: _View, towns: Iterable[tuple[str, Point]]) -> Iterator[MapTown]:
    """Return the most populous towns that fit legibly; towns are sorted."""
    taken: list[Point] = []
    for name, (x, y) in towns:
        at = view.at(x, y)
        if not (30 < at[0] < WIDTH - 30 and 12 < at[1] < HEIGHT - 12):
            continue
        if all(abs(at[0] - other[0]) > TOWN_WIDTH or abs(at[1] - other[1]) > TOWN_HEIGHT for other in taken):
            taken.append(at)
            yield MapTown(round(at[0]), round(at[1]), name)
        if len(taken) >= TOWNS:
            return


@cache
def _ground() -> _Ground:
    """Land, lakes and towns, read when they are first drawn."""
    drawn: dict[str, list[_Outline]] = {"land": [], "lake": [], "border": []}
    towns: list[tuple[str, Point]] = []
    for feature in json.decode((GROUND / "natural-earth.json").read_bytes())["features"]:
        properties, coordinates = feature["properties"], feature["geometry"]["coordinates"]
        if properties["kind"] == "town":
            towns.append((properties["name"], _in_world(*coordinates)))
        else:
            drawn[properties["kind"]] += [_outline([_in_world(*point) for point in part]) for part in coordinates]
    return _Ground(drawn["land"], drawn["lake"], drawn["border"], towns)


def _outline(points: Sequence[Point]) -> _Outline:
    xs, ys = (array("d", each) for each in zip(*points, strict=True))
    return _Outline(xs, ys, (min(xs), min(ys), max(xs), max(ys)))
