"""The packaged towns of the world: those of 5,000 people and more, from GeoNames (CC BY 4.0, geonames.org).

They say whereabouts an address is, for a person who is to place it, and never where a driver goes.
"""

import gzip
from collections.abc import Mapping
from functools import cache
from importlib import resources

from haulier.contexts.places.geocoding.rules.words import town_key
from haulier.contexts.places.ports import AddressText, LocatedPlace, Quality

SOURCE = "towns"


def find_packaged_town(address: AddressText) -> LocatedPlace | None:
    """The middle of an address's town, the largest of that name in its country; None for a town that is not packaged."""
    place = _towns_of(address.country).get(town_key(address.city))
    return place and LocatedPlace(*place, Quality.TOWN, SOURCE)


@cache
def _towns_of(country: str) -> Mapping[str, tuple[float, float]]:
    """The towns of a country by their keys: a few thousand at most, read when the country is first asked for."""
    towns: dict[str, tuple[int, tuple[float, float]]] = {}
    for line in _lines():
        if line.startswith(f"{country}\t"):
            _, lat, lng, population, *names = line.split("\t")
            for rank, name in enumerate(names):
                # Why: a name that a town only also has gives way to a town that is called so.
                size = int(population) if rank == 0 else int(population) // 10
                if size >= towns.get(town_key(name), (0, (0.0, 0.0)))[0]:
                    towns[town_key(name)] = size, (float(lat), float(lng))
    return {key: place for key, (_, place) in towns.items()}


def _lines() -> list[str]:
    document = resources.files("haulier.contexts.places.geocoding.queries").joinpath("towns.tsv.gz").read_bytes()
    return gzip.decompress(document).decode().split("\n")
