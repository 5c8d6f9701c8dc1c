"""Rows of products to answers and documents."""

from collections.abc import Sequence

from haulier.contexts.custom_fields.public import ResourceKind, list_shown_fields, show_custom_fields
from haulier.contexts.warehouse.products.contract import Product
from haulier.contexts.warehouse.products.queries import ProductRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.table_exports import record_document

EXPORTED = (
    *("sku", "name", "barcodes", "weight_g", "length_mm", "width_mm", "height_mm"),
    *("tracking", "expires", "reorder_below", "unit_value_minor"),
)


async def product_records(call: Call, rows: Sequence[ProductRow]) -> list[Product]:
    """Return products as callers see them."""
    shown = await show_custom_fields(call, ResourceKind.PRODUCT, [row.custom_fields for row in rows])
    return [record(Product, row, custom_fields=values) for row, values in zip(rows, shown, strict=True)]


async def product_document(call: Call, rows: Sequence[ProductRow], kind: str) -> str:
    """Return products as CSV or XLSX in base64, with visible custom fields.

    The document can be imported again.
    """
    own = await list_shown_fields(call, ResourceKind.PRODUCT)
    return record_document(await product_records(call, rows), EXPORTED, own, kind)
