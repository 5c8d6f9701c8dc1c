"""Imports and their rows, as answers show them."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.warehouse.stock_imports.contract import (
    StockImport,
    StockImportAnswer,
    StockImportFieldError,
    StockImportOutcome,
)
from haulier.contexts.warehouse.stock_imports.store import StockImportHeader, stock_imports
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.operations.stored_errors import render_stored_error
from haulier.kernel.row_imports import ImportRow, import_progress

MAX_SHOWN_SKU = 60


async def find_import(call: Call, import_id: int, *, lock: bool = False) -> StockImportHeader:
    """Return an import of this client. Raises `NOT_FOUND`."""
    header = await stock_imports.get_import_header(call.work, import_id, lock=lock)
    if header is None:
        raise record_not_found(stock_import_id=import_id)
    return header


async def load_import(call: Call, import_id: int) -> StockImportAnswer:
    """Return an import as callers see it. Raises `NOT_FOUND`."""
    header = await find_import(call, import_id)
    counts = (await stock_imports.count_rows_by_state(call.work, [import_id]))[import_id]
    return StockImportAnswer(stock_import=import_record(call, header, counts))


def import_record(call: Call, header: StockImportHeader, counts: Mapping[str, int]) -> StockImport:
    """Return an import with how many of its rows are in which state."""
    return record(StockImport, header, **import_progress(call, header, counts))


def outcome_record(call: Call, row: ImportRow) -> StockImportOutcome:
    """Return the outcome of a row."""
    sku = row.document.get("sku")
    return record(StockImportOutcome, row, sku=sku and sku[:MAX_SHOWN_SKU], **_error_fields(call, row.fault))


def _error_fields(call: Call, document: dict[str, Any] | None) -> dict[str, Any]:
    if document is None:
        return {}
    error = render_stored_error(document, call.app.catalogues, call.language)
    fields = [StockImportFieldError(**field) for field in error.fields]
    return {"code": error.code, "message": error.message, "errors": fields}
