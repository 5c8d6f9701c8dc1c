"""Writes of products, shared by calls and imports."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.custom_fields.public import (
    ResourceKind,
    changed_custom_fields,
    get_field_set,
    index_record,
    new_custom_fields,
)
from haulier.contexts.warehouse.products import store
from haulier.contexts.warehouse.products.contract import CreateProduct, ProductTerms
from haulier.contexts.warehouse.products.errors import PRODUCT_BARCODE_TAKEN, SKU_TAKEN
from haulier.contexts.warehouse.products.rules import barcode_key
from haulier.contexts.warehouse.products.store import ProductRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import record_not_found


async def add_product(call: Call, request: CreateProduct) -> int:
    """Insert a product. Return its id.

    Raises `SKU_TAKEN` and `PRODUCT_BARCODE_TAKEN`.
    """
    fields = await get_field_set(call, ResourceKind.PRODUCT)
    document = new_custom_fields(call, fields, request.custom_fields)
    values = {**product_columns(request), "custom_fields": document, "created_at": call.now, "updated_at": call.now}
    try:
        async with call.work.savepoint():
            id = await ProductRow.insert(call.work, archived=False, sku=request.sku, **values)
    except UniqueConflict:
        raise SKU_TAKEN(sku=request.sku) from None
    await index_record(call, ResourceKind.PRODUCT, fields, id, document)
    await _write_barcodes(call, id, request)
    return id


async def change_product(
    call: Call, product_id: int, terms: ProductTerms, columns: Mapping[str, Any], custom_fields: Mapping[str, Any]
) -> None:
    """Update columns and given custom fields of a product.

    Barcodes are replaced if a column is. Raises `NOT_FOUND` and `PRODUCT_BARCODE_TAKEN`.
    """
    row = await store.lock_product_row(call.work, product_id)
    if row is None:
        raise record_not_found(product_id=product_id)
    values = {**columns, "updated_at": call.now}
    if custom_fields:
        fields = await get_field_set(call, ResourceKind.PRODUCT)
        document = changed_custom_fields(call, fields, row.custom_fields, custom_fields)
        await index_record(call, ResourceKind.PRODUCT, fields, product_id, document)
        values["custom_fields"] = document
    await store.update_product_row(call.work, product_id, values)
    if "barcodes" in columns:
        await _write_barcodes(call, product_id, terms)
    call.add_audit_subjects("product", product_id)


def product_columns(terms: ProductTerms) -> dict[str, Any]:
    """Return the columns that the terms of a product are kept in."""
    values = terms.model_dump(include=set(ProductTerms.model_fields))
    return {**values, "barcodes": sorted(terms.barcodes)}


async def _write_barcodes(call: Call, product_id: int, terms: ProductTerms) -> None:
    call.add_audit_subjects("product", product_id)
    by_key = {barcode_key(barcode): barcode for barcode in terms.barcodes}
    if taken := await store.replace_barcodes(call.work, product_id, by_key.keys()):
        raise PRODUCT_BARCODE_TAKEN(barcode=by_key[min(taken)])
