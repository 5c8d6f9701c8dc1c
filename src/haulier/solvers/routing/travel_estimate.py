"""Travel times without a road map, for businesses without a routing engine.

Distances are great circles times a road factor, near 1.3 to 1.4 for dense street networks (Boscoe, Henry and Zdeb 2012:
1.417 in the United States; less in the country). Speeds depend on travel mode and hour. Short trips are slow because
they stay in town, and long ones fast because they use main roads.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from haulier.late_import import LateModule
from haulier.solvers.routing.travel import Matrix, TravelMatrices, TravelMode

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

EARTH_RADIUS_M = 6_371_008.8
"""Mean radius of the earth (IUGG)."""
ROAD_FACTOR = 1.35
TRIP_LENGTHS_M = (0, 1_000, 5_000, 20_000, 100_000)
"""Trip lengths with given speeds; speeds in between are interpolated."""


FREE_FLOW_SPEEDS_KMH: dict[TravelMode, tuple[float, ...]] = {
    TravelMode.FOOT: (5, 5, 5, 5, 5),
    TravelMode.BICYCLE: (15, 15, 16, 16, 16),
    TravelMode.SCOOTER: (18, 22, 28, 35, 40),
    TravelMode.VAN: (18, 22, 32, 50, 80),
    TravelMode.TRUCK: (15, 18, 27, 45, 68),
}
"""Free-flow speeds by trip length, door to door in town traffic including lights. Rough defaults, to be replaced."""

TRAFFIC_BY_HOUR = (
    (1.0,) * 6 + (0.95, 0.8, 0.72, 0.85, 0.9, 0.9, 0.9, 0.9, 0.88, 0.82, 0.75, 0.7, 0.8, 0.92) + (1.0,) * 4
)
"""Share of the free-flow speed in each hour of a working day, for vehicles affected by traffic."""
SLOWED_BY_TRAFFIC = frozenset({TravelMode.SCOOTER, TravelMode.VAN, TravelMode.TRUCK})


def estimate_travel(
    coordinates: Sequence[tuple[float, float]],
    *,
    mode: TravelMode = TravelMode.VAN,
    hour: int | None = None,
    road_factor: float = ROAD_FACTOR,
) -> TravelMatrices:
    """Return times and distances between coordinates (degrees north, east; WGS 84).

    `hour` is the local hour, 0 to 23; without it, the mean of the hours from 8 to 18.
    """
    metres = great_circle_matrix_m(coordinates) * np.float32(road_factor)
    speeds = np.array(FREE_FLOW_SPEEDS_KMH[mode]) / 3.6 * traffic_factor(mode, hour)
    grid = np.linspace(0, 1, 1025) ** 2 * TRIP_LENGTHS_M[-1]
    seconds = _interpolated_seconds(metres, grid / np.interp(grid, TRIP_LENGTHS_M, speeds), float(speeds[-1]))
    return TravelMatrices(np.ceil(seconds).astype(np.int32), np.rint(metres).astype(np.int32))


def traffic_factor(mode: TravelMode, hour: int | None) -> float:
    """Return the share of its free-flow speed at which a vehicle drives in an hour."""
    if mode not in SLOWED_BY_TRAFFIC:
        return 1.0
    return TRAFFIC_BY_HOUR[hour] if hour is not None else sum(TRAFFIC_BY_HOUR[8:18]) / 10


def great_circle_matrix_m(coordinates: Sequence[tuple[float, float]]) -> Matrix:
    """Return distances on the sphere, from chords to be exact for near places too."""
    north, east = np.radians(np.array(coordinates, dtype=np.float64).reshape(-1, 2)).T
    points = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)])
    squares = np.zeros((points.shape[1],) * 2)
    for axis in points:
        squares += np.subtract.outer(axis, axis) ** 2
    half = np.sqrt(squares, out=squares)
    half *= 0.5
    return (2 * EARTH_RADIUS_M * np.arcsin(np.minimum(half, 1, out=half))).astype(np.float32)


def _interpolated_seconds(metres: Matrix, seconds: Matrix, top_speed_ms: float) -> Matrix:
    """Interpolate seconds by trip length.

    Row k of the table is at (k / last)² of the longest length; longer trips continue at top speed.
    """
    last, longest = len(seconds) - 1, TRIP_LENGTHS_M[-1]
    place = np.sqrt(np.minimum(metres, longest) / np.float32(longest)) * np.float32(last)
    low = np.minimum(place.astype(np.int32), last - 1)
    table = seconds.astype(np.float32)
    between = place - low
    result_s = table[low] * (1 - between) + table[low + 1] * between
    return result_s + np.maximum(metres - longest, 0) / np.float32(top_speed_ms)
