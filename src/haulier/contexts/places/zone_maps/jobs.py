"""Zones are written into a draft row by row of a document."""

import re
from collections.abc import Sequence
from typing import Any

from haulier.contexts.places.place_imports.actions import ImportHeader, ProcessPlaceImport, process_rows
from haulier.contexts.places.place_imports.rules import ImportRow
from haulier.contexts.places.zone_maps.actions import (
    MapRow,
    create_map_of_import,
    find_drafted,
    lock_open_map,
    upsert_zone_row,
)
from haulier.contexts.places.zone_maps.contract import PutZone
from haulier.kernel.background.jobs import job
from haulier.kernel.call import Call
from haulier.kernel.job_run import JobRun
from haulier.kernel.operations.errors import INVALID_REQUEST, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row
from haulier.kernel.row_imports import RowOutcome
from haulier.kernel.values.batch_states import ImportRowState

IMPORT_JOB = "places.import_zones"
_TRUTHS = {"true": True, "false": False}
"""How documents of texts alone, such as KML, write whether something is so."""
_NUMBERS = ("priority", "surcharge_minor", "surcharge_percent")


@job(IMPORT_JOB, ProcessPlaceImport, queue="batches")
async def process_zone_import(run: JobRun, args: ProcessPlaceImport) -> None:
    """Write the zones of an import."""
    await process_rows(run, args.import_id, _write_rows, _find_key)


def _find_key(row: ImportRow) -> str:
    return str(_row_request(row).get("code", ""))


async def _write_rows(call: Call, header: ImportHeader, rows: Sequence[ImportRow]) -> list[RowOutcome]:
    try:
        # Only a check has no map: a new one is rolled back with its zones.
        zone_map = await lock_open_map(call, header.zone_map_id or await create_map_of_import(call, None))
    except OperationError as error:  # the map was archived meanwhile
        return [RowOutcome(ImportRowState.REFUSED, error=error) for _ in rows]
    requests = [read_row(PutZone, {**_row_request(row), "zone_map_id": zone_map.id}) for row in rows]
    known = await find_drafted(call, zone_map, [zone.code for zone in requests if isinstance(zone, PutZone)])
    written: set[str] = set()
    return [await _write_row(call, zone_map, zone, known, written) for zone in requests]


async def _write_row(
    call: Call, zone_map: MapRow, zone: PutZone | MalformedRow, known: dict[str, Any], written: set[str]
) -> RowOutcome:
    if isinstance(zone, MalformedRow):
        return RowOutcome(ImportRowState.REFUSED, error=INVALID_REQUEST.for_fields(*zone.field_errors))
    if zone.code in written:
        known = await find_drafted(call, zone_map, [zone.code])
    was_there = zone.code in known
    await upsert_zone_row(call, zone_map, zone, known.get(zone.code))
    written.add(zone.code)
    return RowOutcome(ImportRowState.UPDATED if was_there else ImportRowState.CREATED, zone.code)


def _row_request(row: ImportRow) -> dict[str, Any]:
    """Return a feature as a request.

    Only known names, with a code made from its id or name.
    """
    values = {name: value for name, value in row.items() if name in PutZone.model_fields and value not in (None, "")}
    values |= {name: _number(values[name]) for name in _NUMBERS if name in values}
    if values.get("advisory") in _TRUTHS:
        values["advisory"] = _TRUTHS[values["advisory"]]
    code = row.get("code") or row.get("reference") or row.get("name")
    if code is not None:
        values["code"] = _code(str(code))
        values.setdefault("name", str(row.get("name") or code))
    return values


def _number(value: Any) -> Any:
    """Return the whole number in a text, or the value unchanged for validation."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d{1,9}", value) else value


def _code(text: str) -> str:
    """A text as a code: signs that codes have not become hyphens."""
    return re.sub(r"[^A-Za-z0-9._:-]+", "-", text).strip("-._:")[:80]
