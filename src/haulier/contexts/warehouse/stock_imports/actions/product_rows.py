"""Rows of products are written."""

from collections.abc import Mapping, Sequence
from typing import Any

from haulier.contexts.custom_fields.public import ResourceKind, get_field_set
from haulier.contexts.warehouse.products.actions import add_product, change_product, product_columns
from haulier.contexts.warehouse.products.contract import CreateProduct
from haulier.contexts.warehouse.products.queries import find_products_by_sku
from haulier.contexts.warehouse.stock_imports.rules import product_document
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import INVALID_REQUEST, OperationError
from haulier.kernel.operations.rows import MalformedRow, read_row
from haulier.kernel.row_imports import RowOutcome
from haulier.kernel.values.batch_states import ImportRowState


async def write_product_rows(call: Call, rows: Sequence[Mapping[str, Any]]) -> list[RowOutcome]:
    """Change the products whose SKU is known and add the others, each row by itself."""
    fields = await get_field_set(call, ResourceKind.PRODUCT)
    schemas = {name: field.value_schema for name, field in fields.active.items()}
    documents = [product_document(row, schemas) for row in rows]
    found = await find_products_by_sku(call, {str(row["sku"]) for row in rows if "sku" in row})
    known = {sku: (product.id, product.name) for sku, product in found.items()}
    return [await _write_row(call, document, known) for document in documents]


async def _write_row(call: Call, document: dict[str, Any], known: dict[str, tuple[int, str]]) -> RowOutcome:
    id, name = known.get(document.get("sku", ""), (None, None))
    # Why: a row may leave out what its product has already, the name too.
    request = read_row(CreateProduct, document if name is None else {"name": name, **document})
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
