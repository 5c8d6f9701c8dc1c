"""How a search for the nearest grows from a small circle to a large one."""

from math import sqrt

FIRST_RADIUS_M = 100.0
"""A hundred metres hold a few places in a dense city, so that the first look is cheap wherever it is."""
_MOST_GROWTH = 8.0
_LEAST_GROWTH = 2.0


def next_radius_m(radius_m: float, found: int, wanted: int) -> float:
    """The next circle after one that holds too few: so large that it should hold enough if places lie as densely there.

    At least twice and at most eight times as wide: from 100 m, the whole earth is seven circles away.
    """
    growth = sqrt(2 * wanted / found) if found else _MOST_GROWTH
    return radius_m * min(_MOST_GROWTH, max(_LEAST_GROWTH, growth))
