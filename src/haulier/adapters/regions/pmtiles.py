"""Headers of PMTiles archives, version 3 (github.com/protomaps/PMTiles, spec/v3)."""

import gzip
import json
import struct
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from haulier.contexts.places.ports import RegionFault

MAGIC = b"PMTiles"
VERSION = 3
HEADER_SIZE = 127
MAX_METADATA_SIZE = 16 * 1024 * 1024
_HEADER = struct.Struct("<7sB11Q6B4iB2i")
_NONE, _GZIP = 1, 2
_MVT = 1
_DEGREES = 1e7
OSM_ATTRIBUTION = "© OpenStreetMap contributors"


class InvalidMap(RegionFault):
    """Raised for a file that is not a usable PMTiles archive. The message says why."""

    def __init__(self, message: str) -> None:
        super().__init__(message, "invalid_map")


class MapHeader(Struct, frozen=True, kw_only=True):
    """Header and metadata of an archive."""

    bounds: tuple[float, float, float, float]
    center: tuple[float, float]
    zooms: tuple[int, int]
    attribution: str
    name: str
    layers: frozenset[str]


def read_map_header(path: Path) -> MapHeader:
    """Return the header of a PMTiles file of vector tiles. Raises `InvalidMap`."""
    with path.open("rb") as file:
        raw = file.read(HEADER_SIZE)
        if not raw.startswith(MAGIC):
            raise InvalidMap("the file is not a PMTiles archive")
        if len(raw) < HEADER_SIZE:
            raise InvalidMap("the file ends within its header")
        fields = _HEADER.unpack(raw)
        if fields[1] != VERSION:
            raise InvalidMap(f"the file has version {fields[1]} of PMTiles, and version {VERSION} is required")
        if fields[16] != _MVT:
            raise InvalidMap("the file holds pictures, and vector tiles are required")
        _require_whole(path, fields)
        metadata = _read_metadata(file, fields[4], fields[5], fields[14])
    west, south, east, north = (number / _DEGREES for number in fields[19:23])
    return MapHeader(
        bounds=(west, south, east, north),
        center=_center(fields, (west, south, east, north)),
        zooms=(fields[17], fields[18]),
        attribution=str(metadata.get("attribution") or OSM_ATTRIBUTION),
        name=str(metadata.get("name") or ""),
        layers=frozenset(str(layer.get("id")) for layer in metadata.get("vector_layers") or ()),
    )


def _require_whole(path: Path, fields: tuple[Any, ...]) -> None:
    """Raise `InvalidMap` if the file is shorter than its sections."""
    end = max(offset + length for offset, length in zip(fields[2:10:2], fields[3:10:2], strict=True))
    size = path.stat().st_size
    if size < end:
        raise InvalidMap(f"the file is truncated: it has {size} of {end} bytes")


def _read_metadata(file: BinaryIO, offset: int, length: int, compression: int) -> dict[str, Any]:
    if not length or length > MAX_METADATA_SIZE or compression not in (_NONE, _GZIP):
        return {}
    file.seek(offset)
    raw = file.read(length)
    try:
        found = json.loads(gzip.decompress(raw) if compression == _GZIP else raw)
    except (ValueError, OSError, EOFError) as fault:
        raise InvalidMap("the metadata of the file is damaged") from fault
    return found if isinstance(found, dict) else {}


def _center(fields: tuple[Any, ...], bounds: tuple[float, float, float, float]) -> tuple[float, float]:
    lng, lat = fields[24] / _DEGREES, fields[25] / _DEGREES
    west, south, east, north = bounds
    if west <= lng <= east and south <= lat <= north and (lng, lat) != (0, 0):
        return lng, lat
    return (west + east) / 2, (south + north) / 2
