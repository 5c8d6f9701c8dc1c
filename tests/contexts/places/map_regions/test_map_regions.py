"""Operators install, update and remove map regions in the background."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.app import App, make_app
from tests.support.small_maps import write_map

from haulier.contexts.places.map_regions.jobs import RegionTaskCancelled, RegionTaskProgress
from haulier.contexts.places.public import RegionInstalls, RegionProgress
from haulier.kernel.job_run import JobRun


@pytest.fixture
async def app(database_url: str, tmp_path: Path) -> AsyncIterator[App]:
    async with make_app(database_url, regions=str(tmp_path / "regions"), operators="admin@demo.example") as app:
        yield app


async def tasks_of(app: App) -> list[Any]:
    return (await app.answer("admin", "list_map_region_tasks")).map_region_tasks


async def names_of(app: App) -> list[str]:
    return [region.name for region in (await app.answer("admin", "list_map_regions")).map_regions]


async def test_a_region_can_be_installed_updated_and_removed(app: App, tmp_path: Path) -> None:
    write_map(tmp_path / "old-town.pmtiles")
    asked = {"path": str(tmp_path / "old-town.pmtiles")}
    started = await app.answer("admin", "install_map_region", asked)
    assert (started.task.region, started.task.state) == ("old-town", "queued")
    assert (await app.call("admin", "install_map_region", asked)).error["code"] == "MAP_REGION_BUSY"
    await app.work_off()
    (region,) = (await app.answer("admin", "list_map_regions")).map_regions
    assert (region.title, region.attribution, region.source_path) == ("Old Town", "© mappers", asked["path"])
    write_map(tmp_path / "old-town.pmtiles", tiles=b"more tiles")
    await app.answer("admin", "install_map_region", {"region": "old-town"})
    await app.work_off()
    (updated,) = (await app.answer("admin", "list_map_regions")).map_regions
    assert updated.size_bytes > region.size_bytes
    await app.answer("admin", "remove_map_region", {"region": "old-town"})
    await app.work_off()
    assert await names_of(app) == []
    assert [(task.action, task.state) for task in await tasks_of(app)] == [
        *(("remove", "done"), ("install", "done"), ("install", "done"))
    ]


async def test_an_invalid_file_fails_with_a_reason_and_keeps_the_previous_region(app: App, tmp_path: Path) -> None:
    write_map(tmp_path / "town.pmtiles")
    await app.answer("admin", "install_map_region", {"path": str(tmp_path / "town.pmtiles")})
    await app.work_off()
    (tmp_path / "page.osm.pbf").write_text("<html>Not found</html>")
    await app.answer("admin", "install_map_region", {"path": str(tmp_path / "page.osm.pbf"), "region": "town"})
    await app.work_off()
    failed = (await tasks_of(app))[0]
    assert (failed.state, failed.code) == ("failed", "not_an_extract")
    assert failed.message.startswith("The file is not an OpenStreetMap extract in PBF format.")
    assert await names_of(app) == ["town"]


@pytest.mark.parametrize(
    ("values", "field", "code"),
    [
        ({}, "path", "MAP_REGION_FILE_NEEDED"),
        ({"region": "unknown"}, "path", "MAP_REGION_FILE_NEEDED"),
        ({"path": "town.pmtiles"}, "path", "MAP_REGION_PATH_NEEDED"),
        ({"path": "/etc/passwd"}, "path", "MAP_REGION_PATH_NEEDED"),
        ({"path": "/away/town.osm.pbf"}, "path", "MAP_REGION_NO_FILE"),
        ({"upload": "x" * 22}, "upload", "MAP_REGION_NO_UPLOAD"),
        ({"upload": "x" * 22, "path": "/away/town.osm.pbf"}, "upload", "MAP_REGION_ONE_FILE"),
        ({"path": "$file", "region": "-town"}, "region", "MAP_REGION_INVALID_NAME"),
        ({"path": "$file", "region": "Old Town"}, "region", "STRING_PATTERN_MISMATCH"),
    ],
)
async def test_an_invalid_request_names_its_field(
    app: App, tmp_path: Path, values: dict[str, str], field: str, code: str
) -> None:
    write_map(tmp_path / "town.pmtiles")
    asked = {name: text.replace("$file", str(tmp_path / "town.pmtiles")) for name, text in values.items()}
    result = await app.call("admin", "install_map_region", asked)
    assert result.status == 422
    assert [(error["field"], error["code"]) for error in result.error["errors"]] == [(field, code)]


async def test_only_operators_can_change_regions(app: App, tmp_path: Path) -> None:
    write_map(tmp_path / "town.pmtiles")
    asked = {"path": str(tmp_path / "town.pmtiles")}
    assert (await app.call("rival", "install_map_region", asked)).error["code"] == "MAP_REGIONS_FOR_OPERATORS"
    assert (await app.call("employee", "install_map_region", asked)).status == 403
    await app.answer("admin", "install_map_region", asked)
    await app.work_off()
    seen = await app.answer("rival", "list_map_regions")
    assert (seen.may_manage, [region.source_path for region in seen.map_regions]) == (False, [None])
    assert (await app.answer("rival", "list_map_region_tasks")).total == 0


async def test_an_interrupted_upload_resumes(app: App, tmp_path: Path) -> None:
    content, upload = write_map(tmp_path / "town.pmtiles"), "u" * 22
    installs = app.application.adapter(RegionInstalls)
    assert installs.append_upload(upload, "../Big Town.pmtiles", 0, content[:50]) == 50
    assert installs.append_upload(upload, "../Big Town.pmtiles", 0, content[:50]) == 50
    assert installs.append_upload(upload, "../Big Town.pmtiles", 50, content[50:]) == len(content)
    await app.answer("admin", "install_map_region", {"upload": upload})
    await app.work_off()
    (region,) = (await app.answer("admin", "list_map_regions")).map_regions
    assert (region.name, region.source, region.source_path) == ("big-town", "big-town.pmtiles", None)
    assert installs.find_upload(upload) is None
    again = await app.call("admin", "install_map_region", {"region": "big-town"})
    assert again.error["errors"][0]["code"] == "MAP_REGION_FILE_NEEDED"


async def test_a_cancelled_task_does_nothing_and_stops_its_build_processes(app: App, tmp_path: Path) -> None:
    write_map(tmp_path / "town.pmtiles")
    started = await app.answer("admin", "install_map_region", {"path": str(tmp_path / "town.pmtiles")})
    task = {"map_region_task_id": started.task.id}
    assert (await app.answer("admin", "cancel_map_region_task", task)).task.state == "cancelled"
    await app.work_off()
    assert await names_of(app) == []
    assert (await app.call("admin", "cancel_map_region_task", task)).error["code"] == "MAP_REGION_TASK_OVER"
    progress = RegionTaskProgress(JobRun(app.application, app.clients["demo"], 1, 1), started.task.id)
    progress.ended = True
    with pytest.raises(RegionTaskCancelled):
        progress.hear(RegionProgress(step="map"))


async def test_only_operators_can_upload_on_the_page(app: App) -> None:
    upload = "/desk/map-regions/uploads/" + "u" * 22 + "?name=town.pmtiles&offset=0"
    await app.sign_in("admin")
    for who, found in (("admin", "region-form"), ("rival", "HAULIER_OPERATORS")):
        await app.sign_in(who)
        app.http.cookies.set("haulier_session", app.tokens[f"{who} signed in"])
        assert found in (await app.http.get("/desk/map-regions")).text
        assert (await app.http.put(upload, content=b"part")).status_code == 403
