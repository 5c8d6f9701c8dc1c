"""Products as other families read them."""

from collections.abc import Collection, Sequence

from haulier.contexts.custom_fields.public import ResourceKind, read_custom_field_filters
from haulier.contexts.warehouse.products import store
from haulier.contexts.warehouse.products.rules import barcode_key
from haulier.contexts.warehouse.products.store import ProductRow
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.pagination import make_cursor, parse_cursor


async def get_product(call: Call, product_id: int) -> ProductRow:
    """Return a product of this client. Raises `NOT_FOUND`."""
    rows = await ProductRow.get_many(call.work, [product_id])
    if product_id not in rows:
        raise record_not_found(product_id=product_id)
    return rows[product_id]


async def get_product_rows(call: Call, ids: Collection[int]) -> dict[int, ProductRow]:
    """Return products of this client by id."""
    return await ProductRow.get_many(call.work, ids)


async def find_products_by_sku(call: Call, skus: Collection[str]) -> dict[str, ProductRow]:
    """Return products of this client by SKU."""
    return await store.find_products_by_sku(call.work, skus)


async def product_filter(call: Call, sku: str | None) -> dict[str, int] | None:
    """Return the product filter of a list.

    Empty without an SKU, None for an unknown one.
    """
    if sku is None:
        return {}
    found = await store.find_products_by_sku(call.work, [sku])
    return {"product_id": found[sku].id} if found else None


async def find_product_by_barcode(call: Call, barcode: str) -> ProductRow | None:
    """Return the product that a barcode is printed on, or None."""
    found = await store.find_products_by_barcode(call.work, [barcode_key(barcode)])
    rows = await ProductRow.get_many(call.work, found.values())
    return next(iter(rows.values()), None)


async def find_products_by_code(call: Call, codes: Collection[str]) -> dict[str, ProductRow]:
    """Return products by scanned code: a barcode, or else an SKU.

    Unknown codes are missing.
    """
    keys = {code: barcode_key(code) for code in codes}
    found = await store.find_products_by_barcode(call.work, set(keys.values()))
    rows = await ProductRow.get_many(call.work, set(found.values()))
    by_sku = await store.find_products_by_sku(call.work, [code for code, key in keys.items() if key not in found])
    return by_sku | {code: rows[found[key]] for code, key in keys.items() if key in found}


async def list_product_page(
    call: Call,
    *,
    text: str | None,
    cursor: str | None,
    archived: bool,
    per_page: int,
    custom_fields: Sequence[str] = (),
) -> tuple[Sequence[ProductRow], str | None]:
    """Return a page of products by SKU, and the cursor of the next page.

    `custom_fields` are filters as callers write them.
    """
    after = parse_cursor(cursor, tuple[str])[0] if cursor else ""
    by_fields = await read_custom_field_filters(call, ResourceKind.PRODUCT, custom_fields)
    rows = await store.list_product_rows(
        call.work, text=text or "", after=after, archived=archived, limit=per_page + 1, by_fields=by_fields
    )
    page = rows[:per_page]
    return page, make_cursor(page[-1].sku) if len(rows) > per_page else None
