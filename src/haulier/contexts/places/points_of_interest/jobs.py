"""Points of interest are written row by row of a document."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from haulier.contexts.places.place_imports.actions import ImportHeader, ProcessPlaceImport, process_rows
from haulier.contexts.places.place_imports.rules import ImportRow
from haulier.contexts.places.points_of_interest import store
from haulier.contexts.places.points_of_interest.actions import create_point, point_values, replace_point
from haulier.contexts.places.points_of_interest.contract import CreatePointOfInterest
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.errors import INVALID_REQUEST, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row
from haulier.kernel.row_imports import RowOutcome
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.polygons import box_around

IMPORT_JOB = "places.import_points"
_NUMBERS = {"lat": float, "lng": float, "stop_radius_m": int}
_AREAS = ("Polygon", "MultiPolygon")


@job(IMPORT_JOB, ProcessPlaceImport, queue="batches")
async def process_point_import(run: JobRun, args: ProcessPlaceImport) -> None:
    """Write the places of an import."""
    await process_rows(run, args.import_id, _write_rows, _find_key)


def _find_key(row: ImportRow) -> str:
    """Return the reference of a row, the only field that must be unique."""
    return str(row.get("reference") or "").strip()


async def _write_rows(call: Call, header: ImportHeader, rows: Sequence[ImportRow]) -> list[RowOutcome]:
    requests = [read_row(CreatePointOfInterest, _row_request(row)) for row in rows]
    references = {r.reference for r in requests if isinstance(r, CreatePointOfInterest) and r.reference}
    known = await store.find_points_by_reference(call.work, references)
    return [await _write_row(call, request, known) for request in requests]


async def _write_row(call: Call, request: CreatePointOfInterest | MalformedRow, known: dict[str, int]) -> RowOutcome:
    if isinstance(request, MalformedRow):
        return RowOutcome(ImportRowState.REFUSED, error=INVALID_REQUEST.for_fields(*request.field_errors))
    values, id = point_values(request), known.get(request.reference or "")
    try:
        if id is not None and await replace_point(call, id, values):
            return RowOutcome(ImportRowState.UPDATED, str(id))
        id = await create_point(call, values)
    except OperationError as error:
        return RowOutcome(ImportRowState.REFUSED, error=error)
    if request.reference:
        known[request.reference] = id
    return RowOutcome(ImportRowState.CREATED, str(id))


def _row_request(row: ImportRow) -> dict[str, Any]:
    """Return a row as a request.

    Only known names, with numbers parsed and the point taken from the geometry.
    """
    values = {name: value for name, value in row.items() if name in CreatePointOfInterest.model_fields}
    values |= {name: _number(kind, values[name]) for name, kind in _NUMBERS.items() if name in values}
    geometry = values.pop("geometry", None)
    if "ground" in row:
        values["geometry"] = row["ground"]
    if isinstance(geometry, Mapping):
        values |= dict(_place_of_geometry(geometry, values))
    return {name: value for name, value in values.items() if value not in (None, "")}


def _number(kind: type[int] | type[float], value: Any) -> Any:
    """Return the number in a text cell, or the value unchanged for validation."""
    try:
        return kind(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _place_of_geometry(geometry: Mapping[str, Any], values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the point of a geometry; the centre of an area unless the row has another."""
    coordinates = geometry.get("coordinates")
    if geometry.get("type") == "Point" and isinstance(coordinates, list) and len(coordinates) >= 2:
        yield "lng", coordinates[0]
        yield "lat", coordinates[1]
    elif geometry.get("type") in _AREAS:
        yield "geometry", dict(geometry)
        if "lat" not in values and (middle := _middle(coordinates)):
            yield "lng", middle[0]
            yield "lat", middle[1]


def _middle(coordinates: Any) -> tuple[float, float] | None:
    """Return the centre of the bounding box of nested coordinates, or None."""
    while isinstance(coordinates, list) and coordinates and isinstance(coordinates[0], list):
        if coordinates[0] and not isinstance(coordinates[0][0], list):
            break
        coordinates = coordinates[0]
    try:
        west, south, east, north = box_around([(float(point[0]), float(point[1])) for point in coordinates])
    except (TypeError, ValueError, IndexError):
        return None
    return (west + east) / 2, (south + north) / 2
