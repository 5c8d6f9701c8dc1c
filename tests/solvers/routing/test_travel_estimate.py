"""Travel times without a road map."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from haulier.solvers.routing.travel import UNREACHABLE, TravelMatrices, TravelMode
from haulier.solvers.routing.travel_estimate import (
    ROAD_FACTOR,
    estimate_travel,
    great_circle_matrix_m,
    traffic_factor,
)

PARIS, LONDON, SYDNEY = (48.8566, 2.3522), (51.5074, -0.1278), (-33.8688, 151.2093)
places = st.tuples(st.floats(-89, 89), st.floats(-180, 180))


def test_great_circles_are_those_of_the_tables() -> None:
    """Paris to London is 344 km and to Sydney 16,960 km along the great circle."""
    metres = great_circle_matrix_m([PARIS, LONDON, SYDNEY])
    assert metres[0, 1] == pytest.approx(343_560, rel=1e-3)
    assert metres[0, 2] == pytest.approx(16_960_000, rel=1e-3)


def test_adjacent_places_are_distinguished() -> None:
    """A ten-thousandth of a degree north is 11.1 metres."""
    metres = great_circle_matrix_m([(52.0, 5.0), (52.0001, 5.0)])
    assert metres[0, 1] == pytest.approx(11.12, abs=0.02)


def test_roads_are_longer_than_straight_lines() -> None:
    travel = estimate_travel([PARIS, LONDON])
    assert travel.distance_m[0, 1] == pytest.approx(343_560 * ROAD_FACTOR, rel=1e-3)


def test_short_trips_are_slower_than_long_ones() -> None:
    travel = estimate_travel([(52.0, 5.0), (52.005, 5.0), (52.8, 5.0)])
    speeds = travel.distance_m[0, 1:] / travel.duration_s[0, 1:] * 3.6
    assert speeds[0] < 25 < 50 < speeds[1] < 80


def test_the_rush_hour_slows_vans_down_but_not_bicycles() -> None:
    pair = [PARIS, (48.9, 2.4)]
    night, rush = (estimate_travel(pair, hour=hour).duration_s[0, 1] for hour in (3, 17))
    assert rush == pytest.approx(night / traffic_factor(TravelMode.VAN, 17), abs=2)
    cycle = TravelMode.BICYCLE
    assert (
        estimate_travel(pair, hour=3, mode=cycle).duration_s[0, 1]
        == estimate_travel(pair, hour=17, mode=cycle).duration_s[0, 1]
    )


@given(coordinates=st.lists(places, min_size=1, max_size=6), mode=st.sampled_from(TravelMode))
def test_every_matrix_is_symmetric_with_a_zero_diagonal(
    coordinates: list[tuple[float, float]], mode: TravelMode
) -> None:
    travel = estimate_travel(coordinates, mode=mode)
    for matrix in (travel.duration_s, travel.distance_m):
        assert (np.diag(matrix) == 0).all()
        assert (matrix == matrix.T).all()
        assert (matrix >= 0).all()
        assert (matrix < UNREACHABLE).all()


@given(metres=st.lists(st.integers(1, 400_000), min_size=2, max_size=2, unique=True), mode=st.sampled_from(TravelMode))
def test_farther_is_never_faster(metres: list[int], mode: TravelMode) -> None:
    near, far = sorted(metres)
    travel = estimate_travel([(0.0, 0.0), (near / 111_195, 0.0), (far / 111_195, 0.0)], mode=mode)
    assert travel.duration_s[0, 1] <= travel.duration_s[0, 2]


def test_a_slow_vehicle_takes_longer_and_unreachable_places_stay_unreachable() -> None:
    travel = TravelMatrices(np.array([[0, 100], [UNREACHABLE, 0]]), np.array([[0, 5], [5, 0]]))
    assert travel.at_speed(80).tolist() == [[0, 125], [UNREACHABLE, 0]]
    assert travel.at_speed(300).tolist() == [[0, 34], [UNREACHABLE, 0]]


def test_a_submatrix_is_renumbered() -> None:
    travel = TravelMatrices(np.arange(9).reshape(3, 3), np.arange(9).reshape(3, 3) * 10)
    assert travel.submatrix([2, 0]).duration_s.tolist() == [[8, 6], [2, 0]]
