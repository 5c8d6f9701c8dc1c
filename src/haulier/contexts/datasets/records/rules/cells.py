"""Cells of the map: a number for each place, in which places that are near have near numbers (a Z-order curve).

A circle is a few ranges of numbers, so an ordinary index finds what is in it.
"""

from collections.abc import Iterator
from math import asin, cos, degrees, floor, pi, radians, sin

from haulier.kernel.values.geography import EARTH_RADIUS_M

BITS = 26
"""So many bits for each of latitude and longitude: cells of less than a metre, in numbers that JSON holds exactly."""
MAX_CELLS = 16
"""A circle is covered with at most about so many squares."""
CellRange = tuple[int, int]


def place_cell(lat: float, lng: float) -> int:
    """The number of the cell that a place is in."""
    return _interleave(_row(lat, BITS), _column(lng, BITS))


def _row(lat: float, bits: int) -> int:
    return min(floor((lat + 90) / 180 * (1 << bits)), (1 << bits) - 1)


def _column(lng: float, bits: int) -> int:
    return floor((lng + 180) / 360 * (1 << bits)) % (1 << bits)


def _interleave(row: int, column: int) -> int:
    return _spread(row) << 1 | _spread(column)


def _spread(value: int) -> int:
    """A number with a zero after each of its bits."""
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        value = (value | value << shift) & mask
    return value


def circle_cells(lat: float, lng: float, radius_m: float) -> list[CellRange]:
    """Ranges of cells, first and last, that hold every place within a radius, and some beyond."""
    bounds = _bounds(lat, radius_m)
    squares = next(found for bits in range(BITS, -1, -1) if (found := _squares(lng, bounds, bits)))
    return list(_merged(squares))


def _squares(lng: float, bounds: tuple[float, float, float], bits: int) -> list[CellRange]:
    """The squares of a size that cover a circle; none where they would be too many."""
    south, north, half_width = bounds
    rows = range(_row(south, bits), _row(north, bits) + 1)
    columns = _columns(lng, half_width, bits)
    if len(rows) * len(columns) > MAX_CELLS:
        return []
    shift = 2 * (BITS - bits)
    squares = sorted(_interleave(row, column) for row in rows for column in columns)
    return [(square << shift, (square + 1 << shift) - 1) for square in squares]


def _bounds(lat: float, radius_m: float) -> tuple[float, float, float]:
    """The southern and northern edge of a circle, and half its width in degrees of longitude."""
    angle = radius_m / EARTH_RADIUS_M
    south, north = lat - degrees(angle), lat + degrees(angle)
    if south <= -90 or north >= 90 or angle >= pi / 2:
        return max(south, -90), min(north, 90), 180.0
    return south, north, degrees(asin(min(1.0, sin(angle) / cos(radians(lat)))))


def _columns(lng: float, half_width: float, bits: int) -> list[int]:
    count = 1 << bits
    if half_width >= 180:
        return list(range(min(count, MAX_CELLS + 1)))
    first = floor((lng - half_width + 180) / 360 * count)
    last = floor((lng + half_width + 180) / 360 * count)
    if last - first >= min(count, MAX_CELLS + 1):
        return list(range(min(count, MAX_CELLS + 1)))
    return sorted({column % count for column in range(first, last + 1)})


def _merged(ranges: list[CellRange]) -> Iterator[CellRange]:
    first, last = ranges[0]
    for begin, end in ranges[1:]:
        if begin == last + 1:
            last = end
        else:
            yield first, last
            first, last = begin, end
    yield first, last
