"""Records as answers show them."""

from math import asin, sqrt
from typing import Any

from haulier.contexts.datasets.datasets.rules import changed_parts
from haulier.contexts.datasets.records.contract import DatasetEntry, DatasetGeocoding, RecordVersion, ValueChange
from haulier.contexts.datasets.records.store.records import RecordRow, RecordVersionRow
from haulier.contexts.datasets.records.store.search import GeocodingRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.batch_states import batch_state
from haulier.kernel.values.geography import EARTH_RADIUS_M


def dataset_entry(call: Call, row: RecordRow, **more: Any) -> DatasetEntry:
    """Return a record."""
    times = {name: call.local_time(getattr(row, name)) for name in ("created_at", "updated_at")}
    return record(DatasetEntry, row, **times, **more)


def dataset_geocoding(call: Call, row: GeocodingRow) -> DatasetGeocoding:
    """Return a geocoding as callers see it."""
    begun, over = call.local_time(row.created_at), call.local_time(row.finished_at)
    state = batch_state(row.total, row.done, row.not_found, row.finished_at, row.cancelled_at)
    return record(DatasetGeocoding, row, state=state, created_at=begun, finished_at=over)


def metres_of_chord(half_chord_squared: float) -> float:
    """Return metres, rounded, from the squared half chord of the unit sphere."""
    return round(2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(max(0.0, half_chord_squared)))), 1)


def record_versions(call: Call, now: RecordRow | None, earlier: list[RecordVersionRow]) -> list[RecordVersion]:
    """Return the versions of a record, newest first, each with what it changed."""
    rows: list[Any] = [*([now] if now else []), *earlier]
    older: list[Any] = [*rows[1:], None]
    return [_version(call, row, before) for row, before in zip(rows, older, strict=True)]


def _version(call: Call, row: Any, before: Any) -> RecordVersion:
    written = getattr(row, "updated_at", None) or row.written_at
    by = row.updated_by if hasattr(row, "updated_by") else row.written_by
    changes = [] if before is None else changed_parts(_document(before), _document(row))
    return record(
        RecordVersion,
        row,
        written_at=call.local_time(written),
        written_by=by,
        changes=[ValueChange(path=path, before=old, after=new) for path, old, new in changes],
    )


def _document(row: Any) -> dict[str, Any]:
    return {**row.values, "lat": row.lat, "lng": row.lng}
