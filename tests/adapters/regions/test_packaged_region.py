"""The demo region is part of the package and can be built again."""

from hashlib import sha256
from pathlib import Path

from scripts.region_demo import build
from tests.support.regions import require_tile_builder

from haulier.adapters.regions.folder import PACKAGED, RegionFolder
from haulier.adapters.regions.pmtiles import read_map_header

LARGEST = 3_000_000


def files_of(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): sha256(file.read_bytes()).hexdigest()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_the_demo_region_build_is_reproducible(tmp_path: Path) -> None:
    require_tile_builder()
    build(tmp_path)
    assert files_of(tmp_path) == files_of(PACKAGED)


def test_the_demo_region_is_small() -> None:
    assert sum(file.stat().st_size for file in PACKAGED.rglob("*")) < LARGEST


def test_the_demo_map_has_the_layers_of_the_schema() -> None:
    (region,) = RegionFolder(PACKAGED).installed()
    header = read_map_header(region.map_file)
    assert header.layers >= {"earth", "water", "landuse", "buildings", "roads", "places", "pois"}
    assert header.zooms == (0, 15)


def test_the_demo_region_is_installed_only_in_the_demo(tmp_path: Path) -> None:
    assert [region.name for region in RegionFolder(tmp_path, packaged=True).installed()] == ["helsinki"]
    assert RegionFolder(tmp_path).installed() == []
