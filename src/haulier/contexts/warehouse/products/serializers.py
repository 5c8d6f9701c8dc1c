"""Rows of products to answers and documents."""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import msgspec

from haulier.contexts.custom_fields.public import ResourceKind, get_field_set, show_custom_fields
from haulier.contexts.warehouse.products.contract import OWN_FIELD, Product
from haulier.contexts.warehouse.products.queries import ProductRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record
from haulier.kernel.values.csv_text import csv_text
from haulier.kernel.values.xlsx import write_xlsx

EXPORTED = (
    *("sku", "name", "barcodes", "weight_g", "length_mm", "width_mm", "height_mm"),
    *("tracking", "expires", "reorder_below", "unit_value_minor"),
)


async def product_records(call: Call, rows: Sequence[ProductRow]) -> list[Product]:
    """Products as callers see them."""
    shown = await show_custom_fields(call, ResourceKind.PRODUCT, [row.custom_fields for row in rows])
    return [record(Product, row, custom_fields=values) for row, values in zip(rows, shown, strict=True)]


async def product_document(call: Call, rows: Sequence[ProductRow], kind: str) -> str:
    """Products as CSV or XLSX, in base64, with those of their own fields that the caller sees. An import reads it again."""
    fields, account = await get_field_set(call, ResourceKind.PRODUCT), call.principal.account
    own = [name for name, field in fields.active.items() if field.is_visible_to(account)]
    header = [*EXPORTED, *(f"{OWN_FIELD}{name}" for name in own)]
    cells = [
        [
            *(_cell(getattr(product, name)) for name in EXPORTED),
            *(_cell(product.custom_fields.get(name)) for name in own),
        ]
        for product in await product_records(call, rows)
    ]
    document = csv_text(header, cells).encode() if kind == "csv" else write_xlsx(header, cells)
    return b64encode(document).decode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(isinstance(each, str) and " " not in each for each in value):
        return " ".join(value)
    return msgspec.json.encode(value).decode() if isinstance(value, list) else value
