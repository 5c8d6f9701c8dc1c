"""A grid over the earth in Morton order (Z-order).

Every square of the grid is one range of numbers.

The cell of a place is a 52-bit integer, which both databases can index. The four halves of a cell have consecutive
numbers, so any square of the grid is a range, and the surroundings of a place are at most nine ranges.
"""

from collections.abc import Iterable
from math import asin, cos, degrees, radians, sin

from haulier.kernel.values.geography import EARTH_RADIUS_M

BITS = 26
"""Bits per axis: cells of 60 cm from west to east at the equator, and 30 cm from south to north."""
MAX_RANGES = 9
"""Maximum number of cells that cover a square, three in each direction."""
CellRange = tuple[int, int]
"""First and last cell number."""
NO_CELLS: CellRange = (-1, -1)
"""A range that contains no place."""
_SIDE = 1 << BITS
_HALF_TURN = 180.0


def cell_of(lat: float, lng: float, bits: int = BITS) -> int:
    """Return the number of a place's cell; fewer `bits` make larger cells."""
    shift = BITS - bits
    return _interleave(_column(lng) >> shift, _row(lat) >> shift)


def cells_within(lat: float, lng: float, radius_m: float, bits: int) -> list[int]:
    """Return the cells that may contain a place within a radius.

    The radius should be about the size of a cell.
    """
    south, north, half_width = _box(lat, lng, radius_m)
    shift = BITS - bits
    rows = range(_row(south) >> shift, (_row(north) >> shift) + 1)
    return sorted({_interleave(x, y) for x in _columns(lng, half_width, bits) for y in rows})


def ranges_within(lat: float, lng: float, radius_m: float) -> list[CellRange]:
    """Return ranges of cells that cover a radius, and some places around it.

    There are at most `MAX_RANGES`.
    """
    south, north, half_width = _box(lat, lng, radius_m)
    bits = BITS
    while bits and (_HALF_TURN * 2 / (1 << bits) < half_width or _HALF_TURN / (1 << bits) < (north - south) / 2):
        bits -= 1
    shift = BITS - bits
    rows = range(_row(south) >> shift, (_row(north) >> shift) + 1)
    cells = sorted({_interleave(x, y) for x in _columns(lng, half_width, bits) for y in rows})
    return list(_joined((cell << 2 * shift, (cell + 1 << 2 * shift) - 1) for cell in cells))


def _box(lat: float, lng: float, radius_m: float) -> tuple[float, float, float]:
    """Return the latitudes that bound a radius, and its half width in longitude."""
    angle = min(radius_m / EARTH_RADIUS_M, radians(_HALF_TURN))
    south, north = lat - degrees(angle), lat + degrees(angle)
    if south <= -90 or north >= 90:
        return max(south, -90.0), min(north, 90.0), _HALF_TURN
    return south, north, degrees(asin(min(1.0, sin(angle) / cos(radians(lat)))))


def _columns(lng: float, half_width: float, bits: int) -> Iterable[int]:
    """Return the columns of a box, wrapping around at the 180th meridian."""
    whole = 1 << bits
    if half_width >= _HALF_TURN:
        return range(whole)
    width = _HALF_TURN * 2 / whole
    first = int((lng - half_width + _HALF_TURN) // width)
    last = int((lng + half_width + _HALF_TURN) // width)
    return (column % whole for column in range(first, min(last, first + whole - 1) + 1))


def _column(lng: float) -> int:
    return int((lng + _HALF_TURN) / (_HALF_TURN * 2) * _SIDE) % _SIDE


def _row(lat: float) -> int:
    return min(int((lat + 90) / _HALF_TURN * _SIDE), _SIDE - 1)


def _interleave(column: int, row: int) -> int:
    return _spread(column) | _spread(row) << 1


def _spread(value: int) -> int:
    """Spread 26 bits with a zero between each two (Hacker's Delight, perfect shuffle)."""
    value = (value | value << 16) & 0x0000FFFF0000FFFF
    value = (value | value << 8) & 0x00FF00FF00FF00FF
    value = (value | value << 4) & 0x0F0F0F0F0F0F0F0F
    value = (value | value << 2) & 0x3333333333333333
    return (value | value << 1) & 0x5555555555555555


def _joined(ranges: Iterable[CellRange]) -> Iterable[CellRange]:
    """Merge adjacent sorted ranges."""
    begun: CellRange | None = None
    for first, last in ranges:
        if begun and first == begun[1] + 1:
            begun = begun[0], last
            continue
        if begun:
            yield begun
        begun = first, last
    if begun:
        yield begun
