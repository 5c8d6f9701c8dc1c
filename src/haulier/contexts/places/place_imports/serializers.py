"""Imports and their rows, as answers show them."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.places.place_imports.contract import (
    PlaceImportDetail,
    PlaceImportFieldError,
    PlaceImportOutcome,
)
from haulier.contexts.places.place_imports.store import ImportHeader
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.row_imports import ImportRow, import_progress

MAX_SHOWN_NAME = 120


def import_detail(call: Call, header: ImportHeader, counts: Mapping[str, int]) -> PlaceImportDetail:
    """An import with how many of its rows are in which state."""
    return record(PlaceImportDetail, header, **import_progress(call, header, counts))


def import_outcome(call: Call, row: ImportRow) -> PlaceImportOutcome:
    """Return the outcome of a row."""
    name = row.document.get("name")
    shown = str(name)[:MAX_SHOWN_NAME] if name is not None else None
    return record(PlaceImportOutcome, row, name=shown, **_error_fields(call, row.fault))


def _error_fields(call: Call, document: dict[str, Any] | None) -> dict[str, Any]:
    if document is None:
        return {}
    error = render_stored_error(document, call.app.catalogues, call.language)
    fields = [PlaceImportFieldError(**field) for field in error.fields]
    return {"code": error.code, "message": error.message, "errors": fields}
