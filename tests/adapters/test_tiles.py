"""Valhalla's library over real tiles of a fictional town with a grid of streets.

The grid has six rows and six columns, two or three hundred metres apart. Its first row is one-way from west to east.
The tiles are built from its 36 corners with `valhalla_build_tiles`.
"""

import json
from pathlib import Path

import pytest

from haulier.adapters.travel_times import LOCAL_TILES_PREFIX, GeoPoint, TravelFailed, travel_for

valhalla = pytest.importorskip("valhalla", reason="the extra `tiles` is not installed")
TILES = Path(__file__).parent / "town" / "tiles.tar"
WEST: GeoPoint = (43.65, -79.400)
EAST: GeoPoint = (43.65, -79.388)
NORTH: GeoPoint = (43.662, -79.400)
ELSEWHERE: GeoPoint = (44.5, -79.400)


@pytest.fixture
def address(tmp_path: Path) -> str:
    """The setting that names a file as the operator writes it."""
    config = valhalla.get_config(tile_extract=str(TILES), tile_dir=str(tmp_path), verbose=False)
    for name in ("traffic_extract", "admin", "timezone", "landmarks", "transit_dir"):
        config["mjolnir"].pop(name, None)
    file = tmp_path / "valhalla.json"
    file.write_text(json.dumps(config))
    return f"{LOCAL_TILES_PREFIX}{file}"


async def test_times_and_distances_follow_the_streets(address: str) -> None:
    seconds, metres = await travel_for(address).table([WEST, EAST, NORTH], [WEST, EAST, NORTH])
    assert [seconds[at, at] for at in range(3)] == [0, 0, 0]
    assert metres[0, 1] == pytest.approx(966, abs=5)
    assert metres[1, 0] == pytest.approx(966 + 2 * 334, abs=10), "back by the second row: the first runs one way"
    assert seconds[1, 0] > seconds[0, 1] > 0
    assert metres[1, 2] == metres[2, 1] == pytest.approx(966 + 1336, abs=10)


async def test_a_location_off_the_tiles_fails_with_the_librarys_reason(address: str) -> None:
    with pytest.raises(TravelFailed, match="No suitable edges"):
        await travel_for(address).table([WEST], [ELSEWHERE])
