"""Road tiles of Valhalla, built from extracts and opened in this process."""

import json
import shutil
import sys
import tarfile
from collections.abc import Callable
from enum import Enum
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

from haulier.adapters.regions.tiles import BuildFailed, run_builder

PROGRAM = "valhalla_build_tiles"
MAX_MATRIX_SIZE = 1000
"""Maximum numbers of places in one matrix, and in one route."""
MAX_DISTANCE_M = 1_000_000.0
ROWS_SINCE = (3, 9)
"""First version of Valhalla with tables of fewer sources than targets, and with several threads at once."""
_COSTINGS = ("auto", "bicycle", "pedestrian", "truck", "motor_scooter")


class RoadSearch(Enum):
    """Algorithm of Valhalla's matrices."""

    FROM_SOURCES = "timedistancematrix"
    FROM_BOTH_SIDES = "costmatrix"


def find_tile_builder() -> Path | None:
    """Return the program that builds road tiles.

    It is part of pyvalhalla's wheels for Python 3.12 and later; otherwise it is expected on the path.
    """
    spec = find_spec("valhalla")
    folders = [Path(folder, "bin") for folder in (spec.submodule_search_locations or ())] if spec else []
    for folder in (*folders, Path(sys.prefix, "valhalla-tools", "valhalla", "bin")):
        if (folder / PROGRAM).is_file():
            return folder / PROGRAM
    found = which(PROGRAM)
    return Path(found) if found else None


def build_roads(
    extract: Path, roads: Path, *, concurrency: int, hear: Callable[[bytes], None] = lambda line: None
) -> None:
    """Build the road network of an extract as one archive of tiles.

    Raises `BuildFailed`.
    """
    tiles = roads.with_name("road-tiles")
    build_road_tiles(extract, tiles, concurrency=concurrency, hear=hear)
    pack_road_tiles(tiles, roads)
    shutil.rmtree(tiles)


def build_road_tiles(
    extract: Path, tiles: Path, *, concurrency: int, hear: Callable[[bytes], None] = lambda line: None
) -> None:
    """Build road tiles in a folder. Raises `BuildFailed`."""
    program = find_tile_builder()
    if program is None:
        raise BuildFailed(f"{PROGRAM} is not installed")
    shutil.rmtree(tiles, ignore_errors=True)
    tiles.mkdir(parents=True)
    config = tiles.with_suffix(".json")
    settings = road_settings(tiles.with_suffix(".tar"), tiles)
    settings["mjolnir"]["concurrency"] = concurrency
    config.write_text(json.dumps(settings), encoding="utf-8")
    run_builder(program, [PROGRAM, "--config", str(config.resolve()), str(extract.resolve())], tiles.parent, hear)
    config.unlink()
    if not any(tiles.rglob("*.gph")):
        raise BuildFailed("the extract has no roads")


def pack_road_tiles(tiles: Path, roads: Path) -> None:
    """Pack tiles into an archive that does not depend on times and users."""
    with tarfile.open(roads, "w", format=tarfile.USTAR_FORMAT) as archive:
        for file in sorted(tiles.rglob("*.gph")):
            entry = tarfile.TarInfo(str(file.relative_to(tiles)))
            entry.size = file.stat().st_size
            with file.open("rb") as content:
                archive.addfile(entry, content)


def has_road_library() -> bool:
    """Return True if Valhalla's library is installed."""
    return find_spec("valhalla") is not None


@cache
def _library() -> Any:
    return import_module("valhalla")


def shares_rows() -> bool:
    """Return True if threads can share a table by its rows."""
    major, minor = str(_library().__version__).split(".")[:2]
    return (int(major), int(minor)) >= ROWS_SINCE


def open_roads(roads: Path, search: RoadSearch = RoadSearch.FROM_BOTH_SIDES) -> Any:
    """Return an `Actor` of pyvalhalla over an archive of tiles."""
    settings = road_settings(roads, roads.parent)
    settings["thor"]["source_to_target_algorithm"] = search.value
    return _library().Actor(settings)


def road_settings(roads: Path, tiles: Path) -> dict[str, Any]:
    """Return Valhalla's configuration for an archive and a folder of tiles."""
    settings: dict[str, Any] = _library().get_config(
        tile_extract=str(roads.resolve()), tile_dir=str(tiles.resolve()), verbose=False
    )
    for name in ("traffic_extract", "admin", "timezone", "landmarks", "transit_dir"):
        settings["mjolnir"].pop(name, None)
    for costing in _COSTINGS:
        limits = settings["service_limits"][costing]
        limits |= {
            "max_matrix_location_pairs": MAX_MATRIX_SIZE * MAX_MATRIX_SIZE,
            "max_matrix_distance": MAX_DISTANCE_M,
            "max_distance": MAX_DISTANCE_M * 5,
            "max_locations": MAX_MATRIX_SIZE,
        }
    return settings
