"""PMTiles archives without tiles."""

import gzip
import json
import struct
from pathlib import Path


def write_map(path: Path, *, tiles: bytes = b"tiles", tile_type: int = 1, version: int = 3) -> bytes:
    """Write an archive with a valid header, and return its bytes."""
    metadata = gzip.compress(json.dumps({"name": "Old Town", "attribution": "© mappers"}).encode(), mtime=0)
    root = gzip.compress(b"\0", mtime=0)
    offsets = (127, len(root), 127 + len(root), len(metadata))
    data = 127 + len(root) + len(metadata)
    header = struct.pack(
        "<7sB11Q6B4iB2i",
        *(b"PMTiles", version, *offsets, data, 0, data, len(tiles), 0, 0, 0, 1, 2, 2, tile_type, 3, 15),
        *(249_000_000, 601_000_000, 250_000_000, 602_000_000, 12, 249_500_000, 601_500_000),
    )
    content = header + root + metadata + tiles
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return content
