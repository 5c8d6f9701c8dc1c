"""Rows of products are written."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.custom_fields.public import ResourceKind, get_field_set
from haulier.contexts.warehouse.products.actions import add_product, change_product, product_columns
from haulier.contexts.warehouse.products.contract import CreateProduct
from haulier.contexts.warehouse.products.queries import ProductRow, find_products_by_sku
from haulier.contexts.warehouse.products.rules.barcodes import barcode_key
from haulier.contexts.warehouse.stock_imports.rules import PRODUCT_CODES, product_document
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row, with_row_errors
from haulier.kernel.operations.table_cells import lost_digit_errors
from haulier.kernel.row_imports import RowOutcome
from haulier.kernel.values.batch_states import ImportRowState
from haulier.kernel.values.spreadsheet_cells import repair_codes


async def write_product_rows(call: Call, rows: Sequence[Mapping[str, Any]]) -> list[RowOutcome]:
    """Change the products whose SKU is known and add the others, each row by itself."""
    fields = await get_field_set(call, ResourceKind.PRODUCT)
    schemas = {name: field.value_schema for name, field in fields.active.items()}
    repaired = [repair_codes(row, PRODUCT_CODES) for row in rows]
    found = await find_products_by_sku(call, {row.cells["sku"] for row in repaired if "sku" in row.cells})
    known = {sku: (product.id, product.name) for sku, product in found.items()}
    return [
        await _write_row(call, product_document(row.cells, schemas), lost_digit_errors(row.rounded), known)
        for row in repaired
    ]


async def find_product_row_keys(call: Call, rows: Sequence[Mapping[str, Any]]) -> list[set[str]]:
    """Return the SKU, barcodes and former barcodes of each row."""
    cells = [repair_codes(row, PRODUCT_CODES).cells for row in rows]
    known = await find_products_by_sku(call, {each["sku"] for each in cells if "sku" in each})
    return [_row_keys(each, known) for each in cells]


def _row_keys(cells: Mapping[str, str], known: Mapping[str, ProductRow]) -> set[str]:
    sku = cells.get("sku", "")
    barcodes = {*product_document(cells, {}).get("barcodes", ()), *(known[sku].barcodes if sku in known else ())}
    return {f"sku:{sku.strip()}", *(f"barcode:{barcode_key(barcode)}" for barcode in barcodes)}


async def _write_row(
    call: Call, document: dict[str, Any], errors: Sequence[FieldError], known: dict[str, tuple[int, str]]
) -> RowOutcome:
    id, name = known.get(document.get("sku", ""), (None, None))
    # Why: a row may leave out what its product has already, the name too.
    request = with_row_errors(read_row(CreateProduct, document if name is None else {"name": name, **document}), errors)
    if isinstance(request, MalformedRow):
        return RowOutcome(ImportRowState.REFUSED, error=INVALID_REQUEST.for_fields(*request.field_errors))
    try:
        async with call.work.savepoint():
            if id is None:
                id = await add_product(call, request)
                known[request.sku] = (id, request.name)
                return RowOutcome(ImportRowState.CREATED, str(id))
            columns = {column: value for column, value in product_columns(request).items() if column in document}
            await change_product(call, id, request, columns, request.custom_fields)
            return RowOutcome(ImportRowState.UPDATED, str(id))
    except OperationError as error:
        known.pop(request.sku, None) if name is None else None
        return RowOutcome(ImportRowState.REFUSED, error=error)
