"""Check of the extra `tiles`: travel times from a tile file within this process."""

import asyncio
import json
import tempfile
from pathlib import Path

import valhalla

from haulier.adapters.travel_times import LOCAL_TILES_PREFIX, travel_for

TILES = Path(__file__).resolve().parents[2] / "tests" / "adapters" / "town" / "tiles.tar"
WEST, EAST = (43.65, -79.400), (43.65, -79.388)

with tempfile.TemporaryDirectory() as folder:
    config = valhalla.get_config(tile_extract=str(TILES), tile_dir=folder, verbose=False)
    for name in ("traffic_extract", "admin", "timezone", "landmarks", "transit_dir"):
        config["mjolnir"].pop(name, None)
    file = Path(folder, "valhalla.json")
    file.write_text(json.dumps(config))
    seconds, metres = asyncio.run(travel_for(f"{LOCAL_TILES_PREFIX}{file}").table([WEST, EAST], [WEST, EAST]))
    assert 900 < metres[0, 1] < 1_000 < metres[1, 0], "the street runs one way"
    print(f"a street of {metres[0, 1]:.0f} m takes {seconds[0, 1]:.0f} s")
