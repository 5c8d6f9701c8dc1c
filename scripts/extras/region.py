"""Check of the extra `region`: an extract becomes a map file."""

import tempfile
from pathlib import Path

import osmium
from osmium.osm.mutable import Node, Way

from haulier.adapters.regions.extract import read_extract
from haulier.adapters.regions.tiles import build_tiles

PLACES = {1: (24.940, 60.168), 2: (24.945, 60.168), 3: (24.945, 60.171)}

with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    extract, features, map_file = folder / "street.osm.pbf", folder / "features.ndjson", folder / "street.pmtiles"
    with osmium.SimpleWriter(str(extract)) as writer:
        for number, place in PLACES.items():
            writer.add_node(Node(id=number, location=place))
        writer.add_way(Way(id=1, nodes=list(PLACES), tags={"highway": "residential", "name": "Aleksanterinkatu"}))
    with features.open("w") as file:
        content = read_extract(extract, file)
    assert content.roads, content
    build_tiles(features, map_file, title="Street", box=(24.93, 60.16, 24.95, 60.18))
    print(f"{content.roads} road on a map of {map_file.stat().st_size:,} bytes")
