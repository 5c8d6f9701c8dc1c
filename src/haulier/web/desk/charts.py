"""Bars of charts: parts on top of each other, one bar per day or week."""

from collections.abc import Sequence

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
