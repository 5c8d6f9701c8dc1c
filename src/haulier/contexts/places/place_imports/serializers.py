"""Imports and their rows, as answers show them."""

from collections.abc import Mapping
from typing import Any

import msgspec

from haulier.contexts.places.place_imports import store
from haulier.contexts.places.place_imports.actions import ImportRowError
from haulier.contexts.places.place_imports.contract import (
    ImportRowState,
    PlaceImportDetail,
    PlaceImportFieldError,
    PlaceImportOutcome,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.error_rendering import render_field_error
from haulier.kernel.operations.records import record
from haulier.kernel.values.batch_states import batch_state

MAX_SHOWN_NAME = 120


def import_detail(call: Call, header: store.ImportHeader, counts: Mapping[str, int]) -> PlaceImportDetail:
    """An import with how many of its rows are in which state."""
    done = header.rows - counts.get(ImportRowState.QUEUED, 0) - counts.get(ImportRowState.CANCELLED, 0)
    refused = counts.get(ImportRowState.REFUSED, 0)
    return record(
        PlaceImportDetail,
        header,
        state=batch_state(header.rows, done, refused, header.finished_at, header.cancelled_at),
        done=done,
        created=counts.get(ImportRowState.CREATED, 0),
        updated=counts.get(ImportRowState.UPDATED, 0),
        refused=refused,
        created_at=call.local_time(header.created_at),
        finished_at=call.local_time(header.finished_at),
    )


def import_outcome(call: Call, row: store.ImportRowRow) -> PlaceImportOutcome:
    """What became of a row."""
    name = row.document.get("name")
    shown = str(name)[:MAX_SHOWN_NAME] if name is not None else None
    return record(PlaceImportOutcome, row, name=shown, **_error_fields(call, row.fault))


def _error_fields(call: Call, document: dict[str, Any] | None) -> dict[str, Any]:
    if document is None:
        return {}
    error = msgspec.convert(document, ImportRowError)
    fields = [render_field_error(field_error, call.app.catalogues, call.language) for field_error in error.fields]
    return {
        "code": error.id.rpartition(".")[2].upper(),
        "message": call.translate(error.id, **error.params),
        "errors": [PlaceImportFieldError(**field) for field in fields],
    }
