"""Request and response models of map regions."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from haulier.contexts.places.map_regions.rules import RegionTaskState
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import Request
from haulier.kernel.operations.fields import RecordId
from haulier.kernel.values.pagination import PagedAnswer, PageRequest

NAME_LENGTH, TITLE_LENGTH, PATH_LENGTH = 63, 100, 500
RegionName = Annotated[str, Field(min_length=1, max_length=NAME_LENGTH, pattern="^[a-z0-9-]+$", examples=["helsinki"])]
UploadId = Annotated[str, Field(min_length=16, max_length=40, pattern="^[A-Za-z0-9_-]+$")]


class MapRegion(Answer):
    """An installed map region."""

    name: Annotated[str, doc("Name in URLs and on the command line.", "helsinki")]
    title: Annotated[str, doc("Title on pages.", "Helsinki")]
    size_bytes: Annotated[int, doc("Size of all files in bytes.")]
    updated_at: datetime
    attribution: Annotated[str, doc("Attribution that maps show.", "© OpenStreetMap contributors")]
    bounds: Annotated[list[float], doc("West, south, east and north in decimal degrees (WGS 84).")]
    has_roads: Annotated[bool, doc("True if travel times and routes follow the roads of the region.")]
    addresses: Annotated[int, doc("Number of addresses with a house number.")]
    streets: Annotated[int, doc("Number of named streets.")]
    source: Annotated[str, doc("Name of the file that the region was installed from.", "helsinki.osm.pbf")]
    source_path: Annotated[
        str | None, doc("Path of that file on the server. Shown to operators; null for an uploaded file.")
    ]
    packaged: Annotated[bool, doc("True for the region of the demo, which cannot be removed.")]


class MapRegionList(Answer):
    """All installed map regions, by name."""

    result: bool = True
    map_regions: list[MapRegion]
    may_manage: Annotated[bool, doc("True if the caller is an operator, who can install and remove regions.")]


class InstallMapRegion(Request):
    """File to install, and the region's name."""

    path: str | None = Field(
        default=None, min_length=1, max_length=PATH_LENGTH, examples=["/srv/maps/helsinki.osm.pbf"]
    )
    """Full path of an OpenStreetMap extract (`.osm.pbf`) or a map (`.pmtiles`) on the server."""
    upload: UploadId | None = None
    """ID of a file that was uploaded on the page of map regions, instead of `path`."""
    region: RegionName | None = None
    """Name of the region. Default: from the file name. Without a file, this region is read again from its own file."""
    title: str | None = Field(default=None, min_length=1, max_length=TITLE_LENGTH, pattern=r"^[^\x00-\x1f\x7f]+$")
    """Title on pages. Default: from the name."""


class MapRegionRef(Request):
    """Reference to a map region."""

    region: RegionName
    """Name of the region."""


class MapRegionTaskRef(Request):
    """Reference to a task of a map region."""

    map_region_task_id: RecordId
    """ID of the task."""


class ListMapRegionTasks(PageRequest):
    """Filters and page of region tasks."""

    state: RegionTaskState | None = None
    """Filter by state."""


class MapRegionTask(Answer):
    """Installation or removal of a region, and its progress."""

    id: int
    action: Annotated[str, doc("install or remove.", "install")]
    region: Annotated[str, doc("Name of the region.", "helsinki")]
    source: Annotated[str | None, doc("Name of the file; null for a removal.", "helsinki.osm.pbf")]
    state: Annotated[str, doc("queued, running, done, failed or cancelled.", "running")]
    step: Annotated[str | None, doc("Current step: checking, reading, map, roads, addresses or installing.", "map")] = (
        None
    )
    percent: Annotated[int | None, doc("Progress of the step in percent, if known.", "40")] = None
    objects: Annotated[int | None, doc("Number of objects processed in the step, if known.")] = None
    code: Annotated[str | None, doc("Machine-readable reason of a failure.", "not_an_extract")] = None
    message: Annotated[str | None, doc("Reason of a failure, and what to do, in the caller's language.")] = None
    remarks: Annotated[list[str], doc("Remarks about the result in the caller's language.")] = []
    created_at: datetime
    finished_at: datetime | None


class MapRegionTaskAnswer(Answer):
    """A task of a map region."""

    result: bool = True
    task: MapRegionTask


class MapRegionTaskList(PagedAnswer):
    """A page of region tasks, newest first."""

    map_region_tasks: list[MapRegionTask]
