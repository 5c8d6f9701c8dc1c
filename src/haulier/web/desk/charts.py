"""Charts: bars of parts on top of each other, and heat maps of weekdays by hours."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

CHART_HEIGHT, BAR_SPACE = 100, 10
"""Height of a chart, and the width that each bar has to itself."""
BarParts = tuple[tuple[str, float, float], ...]
"""Each part of a bar from the bottom: its kind, where it begins from above, and how high it is."""


def stack_parts(counts: Sequence[tuple[str, int]], highest: int) -> BarParts:
    """Return the parts of a bar, relative to the highest bar of its chart."""
    parts: list[tuple[str, float, float]] = []
    ground = float(CHART_HEIGHT)
    for kind, count in counts:
        height = round(CHART_HEIGHT * count / (highest or 1), 2)
        ground -= height
        if height:
            parts.append((kind, round(ground, 2), height))
    return tuple(parts)


def left_of(at: int) -> int:
    """Return where a bar begins from the left, by its place."""
    return at * BAR_SPACE + 1


HEAT_LEVELS = 5
"""Shades of a heat map, besides none for zero."""


class HeatCell(Struct, frozen=True, kw_only=True):
    """Deliveries and failed attempts at an hour of a weekday."""

    delivered: int
    late: int
    failed: int
    level: int
    """Shade, from 0 to `HEAT_LEVELS`."""
    links: tuple[str | None, str | None]
    """Lists of deliveries and of failed attempts."""


class Heat(Struct, frozen=True):
    """A heat map with a row for each weekday.

    Hours before the first and after the last with counts are omitted.
    """

    hours: Sequence[int]
    rows: Mapping[int, Sequence[HeatCell]]


def heat_of(
    counts: Sequence[Mapping[str, Any]], links: Callable[[Mapping[str, int]], tuple[str | None, str | None]]
) -> Heat | None:
    """Return the heat map of counts by weekday and hour, or None without any."""
    if not counts:
        return None
    by_place = {(each["weekday"], each["hour"]): each for each in counts}
    hours = range(min(each["hour"] for each in counts), max(each["hour"] for each in counts) + 1)
    highest = max(each["delivered"] for each in counts)
    rows = {
        weekday: [_heat_cell(by_place.get((weekday, hour)), highest, links) for hour in hours]
        for weekday in range(1, 8)
    }
    return Heat(hours, rows)


def _heat_cell(
    counts: Mapping[str, Any] | None,
    highest: int,
    links: Callable[[Mapping[str, int]], tuple[str | None, str | None]],
) -> HeatCell:
    if counts is None:
        return HeatCell(delivered=0, late=0, failed=0, level=0, links=(None, None))
    return HeatCell(
        delivered=counts["delivered"],
        late=counts["judged"] - counts["on_time"],
        failed=counts["failed_attempts"],
        level=-(-HEAT_LEVELS * counts["delivered"] // (highest or 1)),
        links=links({name: counts[name] for name in ("weekday", "hour")}),
    )
